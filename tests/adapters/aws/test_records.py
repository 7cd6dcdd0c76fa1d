"""The ledger's records: exact there and back, and gentle with what other versions wrote."""

import dataclasses
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.aws import strategies
from warmpool.adapters.aws.records import decode_entry, decode_watch, encode_entry, encode_watch
from warmpool.adapters.packing import pack, unpack
from warmpool.app.ports import LedgerEntry
from warmpool.core.decision import PoolState
from warmpool.core.reasons import Code
from warmpool.core.watch import LeadSample, PoolWatch, Waiting, WarmNode, Watch

AT = datetime(2026, 12, 1, 9, 0, 0, 123456, tzinfo=UTC)
ENTRY = LedgerEntry(
    state=PoolState(surplus_seen=((AT, 2),), last_h=3, hold_code=Code.FROZEN, overhead={"memory": 10**25}),
    good_spec="{}",
    override_seen_at=AT,
)


@given(strategies.entries)
def test_an_entry_comes_back_as_it_was(entry: LedgerEntry) -> None:
    read = decode_entry(encode_entry(entry))

    assert read.entry == entry
    assert read.lost == ()


@given(strategies.watches)
def test_what_passes_remember_comes_back_as_it_was(watch: Watch) -> None:
    read = decode_watch(encode_watch(watch), watch.began)

    assert read.watch == watch
    assert read.lost == ()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (PoolState, strategies.STATE_FIELDS),
        (LedgerEntry, strategies.ENTRY_FIELDS),
        (PoolWatch, strategies.POOL_WATCH_FIELDS),
        (Waiting, strategies.WAITING_FIELDS),
        (WarmNode, strategies.NODE_FIELDS),
        (Watch, strategies.WATCH_FIELDS),
    ],
)
def test_the_round_trips_leave_no_field_out(kind: type, fields: dict[str, object]) -> None:
    assert fields.keys() == {each.name for each in dataclasses.fields(kind)}


def test_a_field_of_a_later_version_is_ignored() -> None:
    text = encode_entry(ENTRY).replace('{"state":{', '{"from_later":[1],"state":{"also_later":{},')

    assert decode_entry(text).entry == ENTRY
    assert decode_entry(text).lost == ()


def test_a_field_of_no_version_yet_has_its_default() -> None:
    read = decode_entry('{"state": {"last_h": 3}}')

    assert read.entry == LedgerEntry(state=PoolState(last_h=3))
    assert read.lost == ()


def test_a_reason_of_a_later_version_costs_only_its_own_field() -> None:
    read = decode_entry(encode_entry(ENTRY).replace("Frozen", "Thawed"))

    assert read.entry == dataclasses.replace(ENTRY, state=dataclasses.replace(ENTRY.state, hold_code=None))
    assert read.lost == ("state.hold_code: Invalid enum value 'Thawed'",)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("last_written_at", "2026-12-01T09:00:00"),
        ("surplus_seen", [["2026-12-01T09:00:00", 1]]),
        ("surplus_seen", [["2026-12-01T09:00:00Z"]]),
        ("last_h", "3"),
        ("known_nodes", None),
        ("overhead", {"cpu": 0.5}),
    ],
)
def test_a_damaged_value_starts_afresh_alone(field: str, value: object) -> None:
    read = decode_entry(json.dumps({"state": {"last_max": 8, field: value}, "good_spec": "spec"}))

    assert read.entry == LedgerEntry(state=PoolState(last_max=8), good_spec="spec")
    assert [each.split(":")[0] for each in read.lost] == [f"state.{field}"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "3", "\x00", '{"state": {}} trailing'])
def test_a_damaged_entry_is_a_fresh_start(text: str) -> None:
    read = decode_entry(text)

    assert read.entry == LedgerEntry()
    assert read.lost[0].startswith("all of it")


def test_a_damaged_state_leaves_the_documents() -> None:
    read = decode_entry('{"state": 3, "good_spec": "spec"}')

    assert read.entry == LedgerEntry(good_spec="spec")
    assert read.lost == ("state.all of it: expected an object, found int",)


@given(st.text() | st.dictionaries(st.text(), st.integers()).map(json.dumps))
def test_no_text_makes_reading_an_entry_fail(text: str) -> None:
    assert isinstance(decode_entry(text).entry, LedgerEntry)


WATCH = Watch(
    began=AT,
    pools={
        "cpu": PoolWatch(
            nodes={"n1": WarmNode(since=AT)}, lead=(LeadSample(node=AT - AT, join=AT - AT, pull=AT - AT),), idle_nodes=3
        ),
        "gpu": PoolWatch(replacing={"uid": AT}),
    },
    waiting={"uid": Waiting(pool="cpu", gated=True)},
    recent=frozenset({"uid-2"}),
)


def rewritten(**changes: object) -> bytes:
    """Write what passes remember as another version might have, with other keys at its top."""
    return pack(json.dumps({**json.loads(unpack(encode_watch(WATCH))), **changes}).encode())


def test_memory_of_a_later_version_is_read_as_far_as_it_is_known() -> None:
    pools = json.loads(unpack(encode_watch(WATCH)))["pools"]
    pools["cpu"]["nodes"]["n1"]["later"] = 1
    pools["cpu"]["later"] = 2
    read = decode_watch(rewritten(pools=pools, later=3), AT)

    assert read.watch == WATCH
    assert read.lost == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nodes", {"n1": {"since": "2026-12-01T09:00:00"}}),
        ("nodes", [1]),
        ("lead", [{"node": "soon"}]),
        ("replacing", {"uid": "2026-12-01T09:00:00"}),
        ("idle_nodes", "3"),
    ],
)
def test_a_damaged_part_of_a_pools_memory_starts_afresh_alone(field: str, value: object) -> None:
    pools = json.loads(unpack(encode_watch(WATCH)))["pools"]
    pools["cpu"][field] = value
    read = decode_watch(rewritten(pools=pools), AT)

    fresh = dataclasses.replace(WATCH.pools["cpu"], **{field: getattr(PoolWatch(), field)})
    assert read.watch == dataclasses.replace(WATCH, pools={**WATCH.pools, "cpu": fresh})
    assert [each.split(":")[0] for each in read.lost] == [f"cpu.{field}"]


@pytest.mark.parametrize(
    "packed",
    [
        b"junk",
        pack(b"[]"),
        pack(b"[" * 10_000),
        rewritten(waiting={"uid": {"pool": "cpu", "found": {"outcome": "luke-warm"}}}),
        rewritten(recent=3),
        rewritten(pools=3),
    ],
)
def test_where_nobody_knows_what_was_counted_all_memory_starts_afresh(packed: bytes) -> None:
    read = decode_watch(packed, AT)

    assert read.watch == Watch()
    assert read.lost[0].startswith("all of it")


def test_a_pools_memory_that_is_none_starts_afresh() -> None:
    read = decode_watch(rewritten(pools={"cpu": 3}), AT)

    assert read.watch == dataclasses.replace(WATCH, pools={"cpu": PoolWatch()})
    assert read.lost == ("cpu.all of it: expected an object, found int",)
