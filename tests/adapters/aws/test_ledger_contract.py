"""What every Ledger does, in memory and on DynamoDB alike."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.adapters.aws.builders import AT, cold, decision, launch, tally, warm
from tests.adapters.aws.faults import Faults
from tests.adapters.aws.table import TABLE, create_table, history_of, launches_of, put_entry
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.memory import FixedBudget, MemoryLedger, RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Completion, Decided, Ledger, LedgerEntry, LedgerState
from warmpool.core.decision import Action, Decision, PoolState
from warmpool.core.launch_counts import LaunchCounts, counted
from warmpool.core.reasons import Code, Reason
from warmpool.core.watch import Cause, LeadSample, Outcome, PoolWatch, Tally, Waiting, WarmNode, Watch

MINUTE = timedelta(minutes=1)
ANY_TIME = UnlimitedBudget()
SECOND = timedelta(seconds=1)
SEEN = Watch(
    began=AT,
    pools={
        "cpu": PoolWatch(
            nodes={
                "n1": WarmNode(since=AT - MINUTE, placeholder="uid-1", room_beside={"cpu": 2, "memory": 2 * 10**20})
            },
            lead=(LeadSample(node=SECOND / 3, join=SECOND, pull=MINUTE),),
            replacing={"uid-2": AT},
            idle_nodes=3,
            idle_usd_per_hour=1 / 3,
        )
    },
    waiting={"uid-3": Waiting(pool="cpu", stranded=True, found=cold(Cause.NONE_FREE))},
    recent=frozenset({"uid-4", "uid-5"}),
)
"""What a pass may remember."""


@dataclass(frozen=True)
class Subject:
    """One Ledger, its history, and a way to break it."""

    ledger: Ledger
    history: Callable[[str], list[Decision]]
    break_down: Callable[[], object]
    damage: Callable[[str], object]
    books: Callable[[str], list[LaunchCounts]]
    passes: list[datetime] = field(default_factory=list)
    """When each complete pass began."""

    def read(self) -> LedgerState:
        return self.ledger.read(ANY_TIME)

    def write(self, entries: dict[str, LedgerEntry], *decisions: Decision) -> None:
        self.ledger.write(entries, [Decided(decision=each) for each in decisions], ANY_TIME)

    def complete(self, began: datetime, stop: str | None = None, **more: Any) -> bool:
        previous = self.passes[-1] if self.passes else None
        done = self.ledger.complete(Completion(began=began, previous=previous, good_stop=stop, **more), ANY_TIME)
        self.passes.append(began)
        return done


def in_memory() -> Subject:
    ledger = MemoryLedger()

    def break_down() -> None:
        ledger.failure = "told to"

    def damage(pool: str) -> None:
        ledger.lost |= {pool}

    def history(pool: str) -> list[Decision]:
        return [each.decision for each in ledger.history.get(pool, {}).values()]

    def books(pool: str) -> list[LaunchCounts]:
        return [count for each in ledger.books.get(pool, []) for count in counted(each, AT)]

    return Subject(ledger, history, break_down, damage, books)


def on_dynamodb(clients: AwsClients, faults: Faults) -> Subject:
    create_table(clients)

    def break_down() -> None:
        for operation in ("GetItem", "PutItem", "UpdateItem", "TransactWriteItems"):
            faults.refuse(operation, "ProvisionedThroughputExceededException")

    return Subject(
        DynamoDbLedger(clients, table=TABLE, telemetry=RecordingTelemetry()),
        lambda pool: history_of(clients, pool),
        break_down,
        lambda pool: put_entry(clients, pool, "{"),
        lambda pool: launches_of(clients, pool),
    )


@pytest.fixture(params=["memory", "dynamodb"])
def subject(request: pytest.FixtureRequest) -> Subject:
    if request.param == "memory":
        return in_memory()
    return on_dynamodb(request.getfixturevalue("clients"), request.getfixturevalue("faults"))


def test_a_new_ledger_is_empty(subject: Subject) -> None:
    assert subject.read() == LedgerState()


def test_entries_come_back_as_they_were_written(subject: Subject) -> None:
    entries = {
        "cpu": LedgerEntry(state=PoolState(surplus_seen=((AT, 2),), last_h=3), good_spec="{}", override_seen_at=AT),
        "gpu": LedgerEntry(good_override='{"max": 1}', history_key="abc"),
    }
    subject.write(entries)

    assert subject.read().pools == entries


def test_a_later_write_replaces_and_leaves_other_pools_alone(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry(good_spec="old"), "gpu": LedgerEntry(good_spec="kept")})
    subject.read()
    subject.write({"cpu": LedgerEntry(good_spec="new")})

    assert {pool: each.good_spec for pool, each in subject.read().pools.items()} == {"cpu": "new", "gpu": "kept"}


def test_an_entry_written_back_to_an_older_value_is_written(subject: Subject) -> None:
    first, second = LedgerEntry(good_spec="a"), LedgerEntry(good_spec="b")
    subject.write({"cpu": first})
    subject.write({"cpu": second})
    subject.write({"cpu": first})

    assert subject.read().pools == {"cpu": first}


def test_the_first_decision_is_kept_in_the_history(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry()}, decision())

    assert subject.history("cpu") == [decision()]


def test_the_same_decision_a_minute_later_is_not_kept_again(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry()}, decision())
    words = (Reason(Code.STEADY, "three idle nodes, still as wanted"),)
    subject.write(dict(subject.read().pools), decision(at=AT + MINUTE, busy_nodes=7, reasons=words))

    assert subject.history("cpu") == [decision()]


def test_a_changed_decision_is_kept(subject: Subject) -> None:
    changed = decision(at=AT + MINUTE, target=4, action=Action.UP)
    subject.write({"cpu": LedgerEntry()}, decision())
    subject.write(dict(subject.read().pools), changed)

    assert subject.history("cpu") == [decision(), changed]


def test_a_decision_that_comes_back_is_kept_once_more(subject: Subject) -> None:
    between = decision(at=AT + MINUTE, target=4, action=Action.UP)
    again = decision(at=AT + 2 * MINUTE)
    subject.write({"cpu": LedgerEntry()}, decision())
    subject.write(dict(subject.read().pools), between)
    subject.write(dict(subject.read().pools), again)

    assert subject.history("cpu") == [decision(), between, again]


def test_histories_of_pools_are_apart(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry(), "gpu": LedgerEntry()}, decision("cpu"), decision("gpu"))

    assert subject.history("cpu") == [decision("cpu")]
    assert subject.history("gpu") == [decision("gpu")]


def test_a_pool_whose_name_begins_like_another_is_another(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry(good_spec="a"), "cpu-2": LedgerEntry(good_spec="b")}, decision("cpu-2"))

    assert subject.history("cpu") == []
    assert subject.read().pools["cpu"].good_spec == "a"


def test_state_and_history_change_together(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry()}, decision())
    entry = subject.read().pools["cpu"]
    subject.write({"cpu": replace(entry, good_spec="new")}, decision(at=AT + MINUTE))

    assert subject.read().pools["cpu"] == replace(entry, good_spec="new")
    assert subject.history("cpu") == [decision()]


def test_a_complete_pass_is_remembered_with_its_stop(subject: Subject) -> None:
    subject.complete(AT, '{"mode": "freeze"}')

    assert subject.read() == LedgerState(last_complete_began=AT, good_stop='{"mode": "freeze"}')


def test_a_later_pass_moves_the_watermark_and_clears_the_stop(subject: Subject) -> None:
    subject.complete(AT, "stop")
    subject.complete(AT + MINUTE)

    assert subject.read() == LedgerState(last_complete_began=AT + MINUTE, good_stop=None)


def test_the_stop_of_an_incomplete_pass_is_kept_and_moves_no_watermark(subject: Subject) -> None:
    subject.complete(AT, "freeze")
    subject.ledger.keep_stop("drain", ANY_TIME)

    assert subject.read() == LedgerState(last_complete_began=AT, good_stop="drain")
    subject.ledger.keep_stop(None, ANY_TIME)

    assert subject.read() == LedgerState(last_complete_began=AT, good_stop=None)


def test_a_stop_that_cannot_be_kept_is_an_error(subject: Subject) -> None:
    subject.break_down()

    with pytest.raises(LedgerUnavailable):
        subject.ledger.keep_stop("freeze", ANY_TIME)


def test_a_pass_that_read_an_older_watermark_changes_nothing(subject: Subject) -> None:
    first = Completion(began=AT, previous=None, good_stop="first", watch=SEEN, tallies={"cpu": tally(launch(cold()))})
    late = replace(first, began=AT + MINUTE, good_stop="late", watch=Watch(began=AT + MINUTE))

    assert subject.ledger.complete(first, ANY_TIME)
    assert not subject.ledger.complete(late, ANY_TIME)
    assert not subject.ledger.complete(replace(late, previous=AT - MINUTE), ANY_TIME)
    assert subject.read() == LedgerState(last_complete_began=AT, good_stop="first", watch=SEEN)
    assert [each.launches for each in subject.books("cpu")] == [1]


def test_what_a_pass_remembers_comes_back_exactly(subject: Subject) -> None:
    subject.complete(AT, watch=SEEN)
    assert subject.read().watch == SEEN

    subject.complete(AT + MINUTE, watch=replace(SEEN, began=AT + MINUTE))
    assert subject.read().watch == replace(SEEN, began=AT + MINUTE)

    subject.complete(AT + 2 * MINUTE, watch=Watch(began=AT + 2 * MINUTE))
    assert subject.read().watch == Watch(began=AT + 2 * MINUTE)


def test_launches_are_counted_by_what_they_found(subject: Subject) -> None:
    counts = tally(launch(warm(), waited=20), launch(cold(Cause.IMAGE), waited=300), launch(cold(), waited=60))
    subject.complete(AT, tallies={"cpu": counts, "gpu": Tally()})

    assert subject.books("cpu") == [
        LaunchCounts(
            start=AT - timedelta(minutes=5),
            outcomes={Outcome.WARM_COEXIST: 1, Outcome.COLD: 2},
            causes={Cause.IMAGE: 1, Cause.NONE_FREE: 1},
            warm_waits=20 * SECOND,
            cold_waits=360 * SECOND,
        )
    ]
    assert subject.books("gpu") == []


def test_the_watermark_and_the_entries_do_not_disturb_each_other(subject: Subject) -> None:
    subject.complete(AT)
    subject.write({"cpu": LedgerEntry(good_spec="a")})
    subject.complete(AT + MINUTE)

    assert subject.read() == LedgerState(pools={"cpu": LedgerEntry(good_spec="a")}, last_complete_began=AT + MINUTE)


def test_a_damaged_entry_is_told_apart_from_a_new_pool(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry(good_spec="a"), "gpu": LedgerEntry(good_spec="b")})
    subject.damage("gpu")

    state = subject.read()

    assert state.pools == {"cpu": LedgerEntry(good_spec="a"), "gpu": LedgerEntry()}
    assert state.lost == {"gpu"}


def test_a_damaged_entry_is_whole_again_once_it_is_written(subject: Subject) -> None:
    subject.write({"cpu": LedgerEntry(good_spec="a")})
    subject.damage("cpu")
    subject.write(dict(subject.read().pools))

    assert subject.read() == LedgerState(pools={"cpu": LedgerEntry()})


@pytest.mark.parametrize("call", ["read", "write", "complete"])
def test_a_broken_ledger_says_so(subject: Subject, call: str) -> None:
    subject.break_down()
    calls: dict[str, Callable[[], object]] = {
        "read": subject.read,
        "write": lambda: subject.write({"cpu": LedgerEntry()}),
        "complete": lambda: subject.complete(AT),
    }

    with pytest.raises(LedgerUnavailable, match="told to"):
        calls[call]()


def test_without_time_the_ledger_is_unavailable(subject: Subject) -> None:
    late = FixedBudget(0)

    with pytest.raises(LedgerUnavailable, match="s are left"):
        subject.ledger.read(late)
    with pytest.raises(LedgerUnavailable, match="s are left"):
        subject.ledger.write({"cpu": LedgerEntry()}, [], late)
    with pytest.raises(LedgerUnavailable, match="s are left"):
        subject.ledger.complete(Completion(began=AT, previous=None), late)
