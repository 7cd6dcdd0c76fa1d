"""Quantities: Kubernetes' grammar, exactly."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmpool.core.quantity import (
    NANO,
    QuantityError,
    add,
    format_quantity,
    parse_quantity,
    subtract,
    times_that_fit,
    whole_units,
)

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "cases.json").read_text())


@pytest.mark.parametrize(("text", "value"), ORACLE["quantities"]["cases"].items())
def test_every_quantity_of_the_oracle_is_exact_or_refused(text: str, value: str | int | None) -> None:
    if value is None:
        with pytest.raises(QuantityError, match="is not a Kubernetes quantity"):
            parse_quantity(text)
    else:
        assert Fraction(parse_quantity(text), NANO) == Fraction(value)


@pytest.mark.parametrize(("nodes", "text", "cores"), ORACLE["core_sums"]["rows"])
def test_cores_are_summed_exactly_and_rounded_up_once(nodes: int, text: str, cores: int) -> None:
    assert whole_units(nodes * parse_quantity(text)) == cores


@pytest.mark.parametrize(
    ("text", "nano"),
    [
        ("1n", 1),
        ("1u", 1_000),
        ("0.1n", 1),
        ("-0.1n", -1),
        ("1E", 10**27),
        ("1E3", 1000 * NANO),
        ("1e-3", NANO // 1000),
        ("1e-12", 1),
        (".5", NANO // 2),
        ("5.", 5 * NANO),
        ("+2", 2 * NANO),
        ("-1", -NANO),
        ("1Ei", 2**60 * NANO),
        ("16Ei", (2**63 - 1) * NANO),
    ],
)
def test_suffixes_signs_and_exponents_follow_kubernetes(text: str, nano: int) -> None:
    assert parse_quantity(text) == nano


@pytest.mark.parametrize(
    "text", ["1 ", " 1", "1e", "1ki", "1mi", "--1", "1.2.3", "e3", "Ki", "1e1.5", "\u0661", "1e9999", "1m\n"]
)
def test_what_kubernetes_refuses_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


@given(st.integers(min_value=0, max_value=10**24), st.booleans())
def test_writing_and_reading_a_quantity_gives_the_same_value(nano: int, binary: bool) -> None:  # noqa: FBT001
    assert parse_quantity(format_quantity(nano, binary=binary)) == nano


@pytest.mark.parametrize(
    ("nano", "binary", "text"),
    [
        (parse_quantity("188520Mi"), True, "188520Mi"),
        (parse_quantity("8Gi"), True, "8Gi"),
        (parse_quantity("8Gi"), False, "8589934592"),
        (parse_quantity("47810m"), False, "47810m"),
        (0, True, "0"),
        (1500, False, "1500n"),
        (2000, False, "2u"),
        (3 * NANO, True, "3"),
    ],
)
def test_quantities_are_written_as_people_write_them(nano: int, binary: bool, text: str) -> None:  # noqa: FBT001
    assert format_quantity(nano, binary=binary) == text


def test_amounts_add_up_and_subtract_by_resource() -> None:
    assert add([{"cpu": 1, "memory": 2}, {"cpu": 3}]) == {"cpu": 4, "memory": 2}
    assert subtract({"cpu": 3}, {"cpu": 1, "gpu": 1}) == {"cpu": 2, "gpu": -1}


def test_a_shape_fits_as_often_as_its_scarcest_resource_allows() -> None:
    assert times_that_fit({"cpu": 10, "memory": 7}, {"cpu": 2, "memory": 3}) == 2


def test_a_missing_resource_or_a_full_node_fits_nothing() -> None:
    assert times_that_fit({"cpu": 10}, {"cpu": 1, "nvidia.com/gpu": 1}) == 0
    assert times_that_fit({"cpu": -1}, {"cpu": 1}) == 0
    assert times_that_fit({"cpu": 10}, {}) == 0
