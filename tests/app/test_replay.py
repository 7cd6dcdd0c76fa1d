"""Deciding again: what is the same, what differs and where, and what cannot be decided again."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.builders import NOW, inputs, pair, pool
from warmpool.app.ports import Decided
from warmpool.app.replay import Difference, Verdict, replay
from warmpool.app.steps import blind, undone
from warmpool.core.assess import Inputs
from warmpool.core.decide import decide
from warmpool.core.decision import Decision, PoolState
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override

SEEN = inputs(*pair("n1"), *pair("n2"), *pair("n3"))
BROKEN = replace(SEEN, override=Override(min=1, until=NOW.replace(tzinfo=None)))
"""Nothing can be decided of it."""
CONFLICT = (Reason(Code.CONFLICT, "Conflict: somebody else wrote first"),)


def write(decision: Decision) -> bytes:
    """Write a decision as JSON, in the simplest way."""
    return json.dumps(asdict(decision), default=str).encode()


def decided(seen: Inputs = SEEN, **changes: Any) -> Decided:
    return Decided(decision=replace(decide(seen), **changes), inputs=seen)


def verdict(kept: Decided) -> Verdict:
    return replay(kept, write(kept.decision), write).verdict


def difference(kept: Decided) -> Difference:
    replayed = replay(kept, write(kept.decision), write)
    assert replayed.verdict is Verdict.DIFFERS
    assert replayed.difference is not None
    return replayed.difference


@pytest.mark.parametrize("seen", [SEEN, inputs(), inputs(*pair("n1"), override=Override(pause=True))])
def test_the_same_inputs_give_the_same_decision(seen: Inputs) -> None:
    assert verdict(decided(seen)) is Verdict.IDENTICAL


def test_a_decision_that_could_not_be_applied_is_undone_again() -> None:
    failed = blind("spaces", NOW, SEEN.state, CONFLICT)
    kept = Decided(decision=undone(decide(SEEN), failed), inputs=SEEN, failed=CONFLICT)

    assert verdict(kept) is Verdict.IDENTICAL
    assert difference(replace(kept, failed=())).path == "action"


def test_deciding_that_failed_fails_again() -> None:
    kept = Decided(decision=blind("spaces", BROKEN.now, SEEN.state, CONFLICT), inputs=BROKEN, failed=CONFLICT)

    assert verdict(kept) is Verdict.IDENTICAL


def test_deciding_that_fails_only_now_differs() -> None:
    found = difference(Decided(decision=decide(SEEN), inputs=BROKEN))

    assert (found.path, found.kept) == ("", "a decision")
    assert found.again.startswith("TypeError: can't")


@pytest.mark.parametrize(
    ("changes", "path", "kept", "again"),
    [
        ({"target": 7}, "target", "7", "3"),
        ({"capped": True}, "capped", "true", "false"),
        ({"state": PoolState(last_h=9)}, "state.surplus_seen[0]", "nothing", '["2026-12-01 09:00:00+00:00", 1]'),
        ({"excluded": {"n9": "Cordoned"}}, "excluded.n9", '"Cordoned"', "nothing"),
    ],
)
def test_the_first_difference_is_told_by_its_path(changes: dict[str, Any], path: str, kept: str, again: str) -> None:
    assert difference(decided(**changes)) == Difference(path=path, kept=kept, again=again)


def test_another_sentence_is_a_difference() -> None:
    reasons = (Reason(Code.SURPLUS_WAITS, "other words"),)

    assert difference(decided(reasons=reasons)).path == "reasons[0].text"


def test_another_order_is_a_difference() -> None:
    written = json.loads(write(decide(SEEN)))
    written["groups"] = dict(reversed(written["groups"].items()))
    replayed = replay(decided(), json.dumps(written).encode(), write)

    assert replayed.difference == Difference(
        path="groups", kept='{"r": 0, "x": 0, "i": 3, "h": 0}', again='{"h": 0, "i": 3, "x": 0, "r": 0}'
    )


def test_a_field_that_the_kept_decision_had_not_yet_is_not_compared() -> None:
    written = json.loads(write(decide(SEEN)))
    del written["warm_nodes"]

    assert replay(decided(), json.dumps(written).encode(), write).verdict is Verdict.IDENTICAL


def test_without_inputs_nothing_is_decided() -> None:
    assert verdict(Decided(decision=decide(SEEN))) is Verdict.NO_INPUTS
    assert verdict(Decided(decision=blind("spaces", NOW, PoolState(), CONFLICT))) is Verdict.NOTHING_SEEN


def test_another_spec_would_decide_otherwise() -> None:
    kept = decided()

    assert difference(replace(kept, inputs=replace(SEEN, spec=pool(min=3)))).path == "reasons[0].code"
