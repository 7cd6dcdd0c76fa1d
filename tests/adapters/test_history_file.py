"""A history as a file: everything that is kept, and clear words about a line that is wrong."""

import io
import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.builders import NOW, inputs, pair
from warmpool.adapters.history_file import FileHistory, read_history, write_history
from warmpool.adapters.kept_decision import KeptDecision, Span
from warmpool.app.errors import ConfigInvalid
from warmpool.app.ports import Decided
from warmpool.app.steps import blind
from warmpool.core.decide import decide
from warmpool.core.decision import PoolState
from warmpool.core.launch_counts import LaunchCounts
from warmpool.core.reasons import Code, Reason
from warmpool.core.watch import Cause, Outcome

MINUTE = timedelta(minutes=1)
REASONS = (Reason(Code.CLUSTER_UNAVAILABLE, "no answer"),)


def kept(minutes: int = 0) -> KeptDecision:
    seen = inputs(*pair("n1"), now=NOW + minutes * MINUTE)
    return KeptDecision.of(Decided(decision=decide(seen), inputs=seen, failed=REASONS))


BLIND = KeptDecision.of(Decided(decision=blind("gpu", NOW, PoolState(), REASONS)))
COUNTS = LaunchCounts(
    start=NOW, outcomes={Outcome.COLD: 2}, causes={Cause.IMAGE: 2}, cold_waits=timedelta(seconds=1, microseconds=1)
)
HISTORY = FileHistory(by_pool={"spaces": [kept(0), kept(1), kept(2)], "gpu": [BLIND]}, counts={"spaces": [COUNTS]})


ALWAYS = Span()


def written(history: FileHistory, span: Span = ALWAYS) -> bytes:
    out = io.BytesIO()
    write_history(history, history.pools(), span, out)
    return out.getvalue()


def test_everything_comes_back_in_any_order() -> None:
    lines = written(HISTORY).splitlines()

    assert read_history(b"\n".join(lines[::-1]), "f") == HISTORY
    assert read_history(b"\n".join((*lines, b"", *lines)), "f") == HISTORY


def test_what_is_read_can_be_decided_again() -> None:
    (first, *_), (blind_one,) = (read_history(written(HISTORY), "f").by_pool[pool] for pool in ("spaces", "gpu"))

    decided = first.decided()
    assert decided.inputs is not None
    assert (decide(decided.inputs), decided.failed) == (decided.decision, REASONS)
    assert blind_one.decided().inputs is None


def test_lines_can_be_read_by_people() -> None:
    second = json.loads(written(HISTORY).splitlines()[1])

    assert (second["kind"], second["decision"]["pool"], second["failed"]) == (
        "decision",
        "spaces",
        [{"code": "ClusterUnavailable", "text": "no answer"}],
    )


def test_a_span_cuts_decisions_and_launches() -> None:
    span = Span(since=NOW + MINUTE, until=NOW + MINUTE)

    assert read_history(written(HISTORY, span), "f") == FileHistory(by_pool={"spaces": [kept(1)]}, counts={})
    assert HISTORY.launches("spaces", span) == []
    assert HISTORY.launches("spaces", Span(until=NOW)) == [COUNTS]


def test_the_newest_are_the_last_ones() -> None:
    assert HISTORY.newest("spaces", Span(), 2, with_inputs=True) == [kept(1), kept(2)]
    assert HISTORY.newest("spaces", Span(until=NOW), 2, with_inputs=True) == [kept(0)]
    assert HISTORY.newest("tpu", Span(), 2, with_inputs=True) == []


def test_what_was_written_is_counted_and_told() -> None:
    told: list[str] = []
    result = write_history(HISTORY, ["spaces"], Span(), io.BytesIO(), lambda each: told.append(each.pool))

    assert (result.decisions, result.buckets, result.damaged, told) == (3, 1, [], ["spaces"] * 3)


def replaced(old: str, new: str) -> Callable[[bytes], bytes]:
    return lambda text: text.replace(old.encode(), new.encode(), 1)


@pytest.mark.parametrize(
    ("damage", "line", "why"),
    [
        (replaced('{"kind"', '{"kin'), 1, "JSON is malformed"),
        (replaced('"kind":"launches"', '"kind":"lunches"'), 5, "Invalid value 'lunches'"),
        (replaced('"inputs":"', '"inputs":"*'), 2, "Invalid base64"),
        (replaced('"action":"', '"action":"sideways '), 1, "not a decision: Invalid enum value"),
        (replaced('"at":"2026-12-01T09:00:00Z"', '"at":"2026-12-01T09:00:00"'), 1, "no offset from UTC"),
        (replaced('"start":"2026-12-01T09:00:00Z"', '"start":"2026-12-01T09:00:00"'), 5, "no offset from UTC"),
        (lambda text: b"\n\n[]\n", 3, "Expected `object`"),
        (replaced('"decision":{', '"decision":' + "[" * 100_000), 1, "recursion"),
        (lambda text: b"\xff", 1, "JSON is malformed"),
    ],
    ids=["cut", "kind", "base64", "action", "offset", "bucket", "list", "deep", "bytes"],
)
def test_a_line_that_is_wrong_is_named(damage: Callable[[bytes], bytes], line: int, why: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        read_history(damage(written(HISTORY)), "month.jsonl")

    assert (caught.value.path, caught.value.source) == (f"line {line}", "month.jsonl")
    assert why in caught.value.message
    assert "as `warmpool history --export FILE` writes them" in caught.value.message


@pytest.mark.parametrize("text", [b"", b"\n \n"])
def test_a_file_without_lines_is_no_history(text: bytes) -> None:
    with pytest.raises(ConfigInvalid, match="there is no line in it"):
        read_history(text, "f")
