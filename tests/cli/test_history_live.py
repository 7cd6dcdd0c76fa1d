"""The history of a stack at work, as its operators read it from the ledger."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.session import Session

from tests.adapters.aws.faults import Faults
from tests.cli.conftest import Warmpool
from tests.functions.reconcile_world import MINUTE, NAMES, ReconcileWorld, reconcile_world
from warmpool.sim.aws.session import quick_session

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

WHERE = ("--stack", NAMES.stack, "--region", NAMES.region)
TABLE = ("--table", NAMES.table)
JSON = ("--output", "json")


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture(scope="module")
def stack() -> Iterator[ReconcileWorld]:
    """Run a stack until its two nodes are warm, then let three launches come."""
    with reconcile_world() as here:
        here.add_pool()
        for _ in range(12):
            here.tick()
        for name in ("a", "b", "c"):
            here.cluster.launch(name)
        for _ in range(3):
            here.tick()
        yield here


@pytest.fixture
def world(stack: ReconcileWorld, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> ReconcileWorld:
    """Give an operator's commands a way to the stack, which none of them changes."""

    def session() -> Session:
        new = quick_session()
        faults.install(new)
        return new

    monkeypatch.setattr("warmpool.cli.live.Session", session)
    monkeypatch.setattr("warmpool.cli.live.SystemClock", lambda: stack.clock)
    return stack


def document(warmpool: Warmpool, *words: Any) -> Any:
    result = warmpool(*words, *WHERE, *TABLE, *JSON)
    assert result.code == 0, result
    return result.document


def test_what_the_passes_changed_is_listed(warmpool: Warmpool, world: ReconcileWorld) -> None:
    listed = document(warmpool, "history")["decisions"]

    assert listed[0]["action"] == "up"
    assert (listed[0]["current"], listed[0]["target"]) == (0, 2)
    assert [each["at"] for each in listed] == sorted(each["at"] for each in listed)
    assert all(each["hold"] is None and each["failed"] == [] for each in listed)


def test_all_of_it_is_decided_again(warmpool: Warmpool, world: ReconcileWorld) -> None:
    told = document(warmpool, "replay")

    assert told["identical"] == told["decisions"] == len(document(warmpool, "history")["decisions"])


def test_why_it_was_so_then_is_told_with_the_launches(warmpool: Warmpool, world: ReconcileWorld) -> None:
    now = document(warmpool, "explain")
    before = document(warmpool, "explain", "--at", (world.clock.time - 10 * MINUTE).isoformat())

    assert now["launches"]["launches"] == 3
    assert sum(now["launches"]["outcomes"].values()) == 3
    assert (before["target"], before["next_at"] is not None) == (2, True)
    assert now["next_at"] is None


def test_an_export_answers_the_same_without_aws(
    warmpool: Warmpool, world: ReconcileWorld, tmp_path: Path, faults: Faults
) -> None:
    path = tmp_path / "history.jsonl"
    document(warmpool, "history", "--export", path)
    live = document(warmpool, "history"), document(warmpool, "replay"), document(warmpool, "explain")["launches"]
    faults.calls.clear()
    file = ("--file", path, *JSON)

    assert (warmpool("history", *file).document, warmpool("replay", *file).document) == live[:2]
    asked = ("--at", world.clock.time.isoformat())
    assert warmpool("explain", *file, *asked).document["launches"] == live[2]
    assert faults.calls == {}


def test_an_instant_that_is_yet_to_come_is_refused(warmpool: Warmpool, world: ReconcileWorld) -> None:
    later = (world.clock.time + MINUTE).isoformat()
    error = warmpool("explain", *WHERE, *TABLE, *JSON, "--at", later).error

    assert error["path"] == "--at"
    assert "is yet to come: now is 2026-12-01T08:15:00Z" in error["message"]


def test_a_pool_that_is_not_in_the_ledger_is_named(warmpool: Warmpool, world: ReconcileWorld) -> None:
    error = warmpool("history", "--pool", "gpu", *WHERE, *TABLE, *JSON).error

    assert error == {
        "code": "UnknownPool",
        "path": "--pool",
        "message": f"'gpu' is not in the ledger {NAMES.table}; its pools are spaces",
    }


@pytest.mark.parametrize("command", ["history", "replay", "explain"])
def test_a_ledger_that_may_not_be_read_says_what_to_allow(
    warmpool: Warmpool, world: ReconcileWorld, faults: Faults, command: str
) -> None:
    faults.refuse("Query", "AccessDeniedException")
    error = warmpool(command, *WHERE, *TABLE, *JSON).error

    assert error["code"] == "LedgerUnavailable"
    assert "allow dynamodb:Query on it" in error["message"]
    assert NAMES.table in error["message"]


def test_a_table_that_nobody_may_look_up_is_asked_for(
    warmpool: Warmpool, world: ReconcileWorld, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WARMPOOL_TABLE")
    faults.refuse("DescribeStacks", "AccessDenied")
    error = warmpool("replay", *WHERE, *JSON).error

    assert (error["code"], error["path"]) == ("UnknownTable", "--table")
    assert "the ledger's table is unknown, give --table: cloudformation:DescribeStacks on" in error["message"]


@pytest.mark.parametrize(("outputs", "code"), [({"LedgerTable": NAMES.table}, 0), ({}, 2)])
def test_the_table_is_the_stacks_output(
    warmpool: Warmpool, world: ReconcileWorld, monkeypatch: pytest.MonkeyPatch, outputs: dict[str, str], code: int
) -> None:
    monkeypatch.delenv("WARMPOOL_TABLE")
    monkeypatch.setattr("warmpool.adapters.aws.stack_outputs.outputs", lambda *_: outputs)
    result = warmpool("history", *WHERE)

    assert result.code == code
    assert ("has no output LedgerTable" in result.err) == (code == 2)


def test_a_table_that_is_not_there_is_an_error(warmpool: Warmpool, world: ReconcileWorld) -> None:
    error = warmpool("history", *WHERE, "--table", "another", *JSON).error

    assert error["code"] == "LedgerUnavailable"
    assert "dynamodb:GetItem on another failed: ResourceNotFoundException" in error["message"]


def test_an_export_that_fails_leaves_no_half_a_file(
    warmpool: Warmpool, world: ReconcileWorld, faults: Faults, tmp_path: Path
) -> None:
    faults.refuse("Query", "InternalServerError", after=1)
    result = warmpool("history", "--export", tmp_path / "h.jsonl", *WHERE, *TABLE)

    assert result.code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def damaged(world: ReconcileWorld) -> Iterator[None]:
    """Put a damaged decision behind the good ones."""
    key: dict[str, Any] = {"pk": {"S": "pool#spaces"}, "sk": {"S": "history#2026-12-01T08:14:30.000000+00:00"}}
    world.aws.dynamodb.put_item(TableName=NAMES.table, Item={**key, "decision": {"B": b"junk"}})
    yield
    world.aws.dynamodb.delete_item(TableName=NAMES.table, Key=key)


@pytest.mark.usefixtures("damaged")
def test_a_damaged_decision_is_told_and_the_others_are_listed(warmpool: Warmpool, tmp_path: Path) -> None:
    result = warmpool("history", *WHERE, *TABLE)
    listed = document(warmpool, "history")

    assert "a decision of spaces at 2026-12-01T08:14:30.000000+00:00 is damaged: not packed by us" in result.err
    assert [each["at"] for each in listed["damaged"]] == ["2026-12-01T08:14:30.000000+00:00"]
    assert len(listed["decisions"]) > 2
    replayed = warmpool("replay", *WHERE, *TABLE, *JSON)
    assert (replayed.code, replayed.document["damaged"]) == (1, 1)
    exported = warmpool("history", "--export", tmp_path / "h.jsonl", *WHERE, *TABLE)
    assert "is damaged and left out" in exported.err
    explained = warmpool("explain", *WHERE, *TABLE, *JSON, "--at", "2026-12-01T08:14:30Z")
    assert (explained.error["code"], explained.error["path"]) == ("Damaged", "--at")
