"""A decision and its inputs as JSON: exact there and back, to the microsecond and the last fraction."""

import dataclasses
import json
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from types import MappingProxyType

import pytest
from hypothesis import given, settings

from tests.adapters.aws import strategies
from tests.builders import NODE, NOW, inputs, node, pair, pool
from tests.core import inputs_strategies
from warmpool.adapters.decided_json import (
    read_decision,
    read_inputs,
    read_reasons,
    write_decision,
    write_inputs,
    write_reasons,
)
from warmpool.core.assess import Inputs
from warmpool.core.decide import decide
from warmpool.core.decision import Decision
from warmpool.core.kept import kept_inputs
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override


@given(strategies.decisions)
def test_a_decision_comes_back_as_it_was(decision: Decision) -> None:
    assert read_decision(write_decision(decision)) == decision
    assert write_decision(read_decision(write_decision(decision))) == write_decision(decision)


def test_the_round_trip_leaves_no_field_of_a_decision_out() -> None:
    assert strategies.DECISION_FIELDS.keys() == {each.name for each in dataclasses.fields(Decision)}


@settings(max_examples=60)
@given(inputs_strategies.inputs)
def test_inputs_come_back_as_they_were_and_decide_the_same_byte_by_byte(seen: Inputs) -> None:
    read = read_inputs(write_inputs(kept_inputs(seen)))

    assert read == kept_inputs(seen)
    assert write_decision(decide(read)) == write_decision(decide(seen))


def test_instants_keep_their_microseconds_and_their_offset() -> None:
    until = datetime(2026, 12, 1, 18, 0, 0, 1, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    read = read_inputs(write_inputs(inputs(override=Override(min=1, until=until))))

    assert read.override is not None
    assert read.override.until is not None
    assert read.override.until.isoformat() == "2026-12-01T18:00:00.000001+05:45"
    assert decide(read) == decide(inputs(override=Override(min=1, until=until)))


def test_a_third_of_a_dollar_stays_a_third() -> None:
    seen = inputs(spec=pool(max_hourly_cost=Fraction(1, 3), node_hourly_price={"": Fraction(2, 3)}))

    assert read_inputs(write_inputs(seen)).spec == seen.spec


def test_amounts_of_any_size_and_mapping_stay() -> None:
    seen = inputs(node("n1", allocatable=MappingProxyType({**NODE, "memory": 10**25}), capacity=None))
    [read] = read_inputs(write_inputs(seen)).snapshot.nodes

    assert (read.allocatable, read.capacity) == ({**NODE, "memory": 10**25}, None)


def test_reasons_come_back() -> None:
    reasons = (Reason(Code.CONFLICT, "somebody else"), Reason(Code.FAILED, "ü"))

    assert read_reasons(write_reasons(reasons)) == reasons


def test_a_field_of_a_later_version_is_ignored_and_one_of_none_yet_has_its_default() -> None:
    text = write_decision(Decision(pool="a", at=NOW, current=1, target=1, action=decide(inputs()).action, reasons=()))
    other = text.replace(b'"capped":false', b'"from_later":{"x":1}')

    assert read_decision(other) == read_decision(text)


def test_inputs_of_the_version_before_lack_what_came_since() -> None:
    seen = inputs(*pair("n1"))
    document = json.loads(write_inputs(seen))
    document["snapshot"]["pods"] = [each[:-1] for each in document["snapshot"]["pods"]]
    del document["lead"]

    assert read_inputs(json.dumps(document).encode()) == seen


@pytest.mark.parametrize("text", [b"", b"{}", b"junk", b"[" * 100_000, b"\xff", b'{"pool": 3}'])
def test_what_is_damaged_is_an_error_with_words(text: bytes) -> None:
    with pytest.raises(ValueError, match="not a decision: "):
        read_decision(text)
    with pytest.raises(ValueError, match="not the inputs of a decision: "):
        read_inputs(text)


@pytest.mark.parametrize("fraction", [b'"1e999999999"', b'"1/0"', b'"a third"', b"0.5", b'"1/' + b"9" * 500 + b'"'])
def test_a_fraction_is_two_numbers_and_nothing_that_takes_hours_to_reckon(fraction: bytes) -> None:
    seen = write_inputs(inputs(spec=pool(max_hourly_cost=Fraction(1, 3))))

    with pytest.raises(ValueError, match="expected a fraction such as 3/4"):
        read_inputs(seen.replace(b'"1/3"', fraction))


def test_a_value_of_no_known_type_is_a_defect() -> None:
    with pytest.raises(NotImplementedError, match="no JSON for object"):
        write_decision(Decision(pool=object(), at=NOW, current=1, target=1, action=object(), reasons=()))  # type: ignore[arg-type] # the point
