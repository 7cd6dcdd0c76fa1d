"""The part of metric math, and of composite alarms' rules, that our alarms use; anything else is refused."""

import pytest

from warmpool.sim.alarms.definitions import State
from warmpool.sim.alarms.expressions import Math, NotUnderstood, in_alarm, parse

METRICS: dict[str, list[float | None]] = {"a": [1.0, None, 3.0], "b": [2.0, 2.0, 0.0], "none": [None, None, None]}


def column(text: str, *, fills_empty: bool = True) -> list[float | None]:
    return Math(fills_empty=fills_empty).column(parse(text), METRICS, 3)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a", [1, None, 3]),
        ("2", [2, 2, 2]),
        ("-a", [-1, None, -3]),
        ("a + b * 2", [5, None, 3]),
        ("a - b", [-1, None, 3]),
        ("a / b", [0.5, None, None]),
        ("a >= 3", [0, None, 1]),
        ("a < 3", [1, None, 0]),
        ("a == 1", [1, None, 0]),
        ("a != 1", [0, None, 1]),
        ("b > 1 AND b < 3", [1, 1, 0]),
        ("(a > 2) || (b > 1)", [1, None, 1]),
        ("FILL(a, 0)", [1, 0, 3]),
        ("FILL(a, 0) > 0 && b > 0", [1, 0, 0]),
        ("FILL(a, b)", [1, 2, 3]),
        ("IF(b > 0, a, 7)", [1, None, 7]),
        ("IF(a > 0, 1, 0)", [1, None, 1]),
        ("MAX([a, b])", [2, 2, 3]),
        ("MIN([a, b])", [1, 2, 0]),
        ("MIN([none, none])", [None, None, None]),
    ],
)
def test_metric_math(text: str, values: list[float | None]) -> None:
    assert column(text) == values


def test_fill_of_nothing_at_all_is_as_the_evaluator_is_told() -> None:
    assert column("FILL(none, 0)") == [0, 0, 0]
    assert column("FILL(none, 0)", fills_empty=False) == [None, None, None]
    assert column("FILL(a, 0)", fills_empty=False) == [1, 0, 3]


@pytest.mark.parametrize("text", ["unknown + 1", "SUM(a)", "IF(a, b)", "a ** 2", "a < b < 3", "a.b", "1 +", "a % b"])
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        column(text)


STATES = {"one": State.ALARM, "two AND three": State.OK, "three": State.INSUFFICIENT_DATA}


@pytest.mark.parametrize(
    ("rule", "alarms"),
    [
        ('ALARM("one")', True),
        ('ALARM("two AND three")', False),
        ('OK("two AND three")', True),
        ('INSUFFICIENT_DATA("three")', True),
        ('ALARM("one") AND NOT ALARM("three")', True),
        ('(ALARM("three") OR ALARM("one")) AND NOT OK("two AND three")', False),
    ],
)
def test_rules_of_composite_alarms(rule: str, *, alarms: bool) -> None:
    assert in_alarm(parse(rule), STATES) is alarms


def test_a_rule_with_an_alarm_that_is_not_there_is_no_rule() -> None:
    with pytest.raises(KeyError, match="four"):
        in_alarm(parse('ALARM("four")'), STATES)


@pytest.mark.parametrize("rule", ['RED("one")', "one", '"one"', "ALARM(one)"])
def test_a_rule_that_is_not_understood_is_refused(rule: str) -> None:
    with pytest.raises(NotUnderstood):
        in_alarm(parse(rule), STATES)
