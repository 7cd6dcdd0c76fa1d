"""Which documents count where the ledger's memory is gone, and who is told what is wrong with the stop switch."""

from datetime import timedelta

import pytest

from tests.app.fakes import FakeReader
from tests.builders import NOW, pool
from warmpool.app.in_force import InForce, choose
from warmpool.app.ports import Document, Documents, LedgerEntry, LedgerState, Unreadable
from warmpool.core.reasons import Code
from warmpool.core.spec import Override, Stop, StopMode

MINUTE = timedelta(minutes=1)
READER = FakeReader(
    specs={"good": pool(), "gpu": pool(name="gpu", node_selector={"pool": "gpu"}, deployment="ph-gpu")},
    overrides={"ended": Override(max=1, until=NOW - MINUTE)},
    stops={"halt": Stop(mode=StopMode.FREEZE)},
)


def chosen(ledger: LedgerState, override: Document = None, stop: Document = None) -> InForce:
    documents = Documents(specs={"spaces": "good", "gpu": "gpu"}, overrides={"spaces": override}, stop=stop)
    return choose(documents, ledger, READER, NOW)


def codes(in_force: InForce, name: str = "spaces") -> list[Code]:
    return [each.code for each in in_force.pools[name].notes]


def test_an_override_that_is_past_when_first_seen_is_wrong() -> None:
    assert codes(chosen(LedgerState(), "ended")) == [Code.CONFIG_INVALID]


@pytest.mark.parametrize(
    "ledger",
    [LedgerState(unreadable=True), LedgerState(pools={"spaces": LedgerEntry()}, lost=frozenset({"spaces"}))],
    ids=["unreadable", "damaged"],
)
def test_where_nobody_knows_what_was_seen_a_past_one_has_simply_ended(ledger: LedgerState) -> None:
    assert codes(chosen(ledger, "ended")) == []


@pytest.mark.parametrize(
    ("stop", "code"), [("frieze", Code.CONFIG_INVALID), (Unreadable(why="throttled"), Code.CONFIG_UNREADABLE)]
)
def test_what_is_wrong_with_the_stop_switch_is_told_by_every_pool(stop: Document, code: Code) -> None:
    in_force = chosen(LedgerState(good_stop="halt"), stop=stop)
    assert codes(in_force, "spaces") == codes(in_force, "gpu") == [code]
    assert in_force.stop == Stop(mode=StopMode.FREEZE)


def test_it_says_whether_there_is_a_last_good_one() -> None:
    (without,) = chosen(LedgerState(), "nonsense").pools["spaces"].notes
    assert without.text.endswith("; there is no last good one")
    known = LedgerState(pools={"spaces": LedgerEntry(good_override="ended")})
    (beside,) = chosen(known, "nonsense").pools["spaces"].notes
    assert beside.text.endswith("; the last good one stays in force")
