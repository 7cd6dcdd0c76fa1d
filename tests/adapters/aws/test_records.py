"""The ledger's JSON: exact there and back, and gentle with what other versions wrote."""

import dataclasses
import json
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.aws import strategies
from warmpool.adapters.aws.records import decode_decision, decode_entry, encode_decision, encode_entry
from warmpool.app.ports import LedgerEntry
from warmpool.core.decision import Decision, PoolState
from warmpool.core.reasons import Code

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


@given(strategies.decisions)
def test_a_decision_comes_back_as_it_was(decision: Decision) -> None:
    assert decode_decision(encode_decision(decision)) == decision


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (PoolState, strategies.STATE_FIELDS),
        (LedgerEntry, strategies.ENTRY_FIELDS),
        (Decision, strategies.DECISION_FIELDS),
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


@pytest.mark.parametrize("packed", [b"", b"junk", zlib.compress(b"{}"), zlib.compress(b"not json")])
def test_a_damaged_decision_is_an_error_with_words(packed: bytes) -> None:
    with pytest.raises(ValueError, match="not a"):
        decode_decision(packed)


def test_a_decision_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="not a decision"):
        decode_decision(zlib.compress(b'"' + b"x" * 40_000_000 + b'"'))
