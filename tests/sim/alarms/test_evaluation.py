"""M of N and missing data, by the tables of CloudWatch's User Guide ("alarms and missing data")."""

from datetime import timedelta
from typing import Any

import pytest

from warmpool.sim.alarms.definitions import Comparison, MetricAlarm, Missing, State
from warmpool.sim.alarms.evaluation import evaluate

RETAIN = State.INSUFFICIENT_DATA
"""What the alarm was before, in these tests."""
NO_DATA = State.INSUFFICIENT_DATA
MODES = (Missing.MISSING, Missing.IGNORE, Missing.BREACHING, Missing.NOT_BREACHING)
ALL_OK = (State.OK,) * 4
ALL_ALARM = (State.ALARM,) * 4


def alarm(**changes: Any) -> MetricAlarm:
    values: dict[str, Any] = {
        "name": "a",
        "expression": "m",
        "metrics": {},
        "period": timedelta(minutes=1),
        "comparison": Comparison.GREATER,
        "threshold": 0.5,
        "periods": 3,
        "points": 3,
        "missing": Missing.MISSING,
        "posted": True,
    }
    return MetricAlarm(**{**values, **changes})


def newest_first(points: str) -> list[float | None]:
    """Read the guide's notation, oldest first: 0 is good, X is bad, - is missing."""
    return [{"0": 0.0, "X": 1.0, "-": None}[each] for each in reversed(points.split())]


@pytest.mark.parametrize(
    ("points", "states"),
    [
        ("0 - X - X", ALL_OK),
        ("0 - - - -", (State.OK, State.OK, State.OK, State.OK)),
        ("- - - - -", (NO_DATA, RETAIN, State.ALARM, State.OK)),
        ("0 X X - X", ALL_ALARM),
        ("- - X - -", (State.ALARM, RETAIN, State.ALARM, State.OK)),
    ],
)
def test_three_of_three_as_in_the_guide(points: str, states: tuple[State, ...]) -> None:
    assert tuple(evaluate(alarm(missing=each), newest_first(points), RETAIN) for each in MODES) == states


@pytest.mark.parametrize(
    ("points", "states"),
    [
        ("0 - X - X", ALL_ALARM),
        ("0 0 X 0 X", ALL_ALARM),
        ("0 - X - -", (State.OK, State.OK, State.ALARM, State.OK)),
        ("- - - - 0", (State.OK, State.OK, State.ALARM, State.OK)),
        ("- - - X -", (State.ALARM, RETAIN, State.ALARM, State.OK)),
    ],
)
def test_two_of_three_as_in_the_guide(points: str, states: tuple[State, ...]) -> None:
    assert tuple(evaluate(alarm(points=2, missing=each), newest_first(points), RETAIN) for each in MODES) == states


def test_old_good_points_keep_an_alarm_ok_though_missing_data_is_breaching() -> None:
    heartbeat = alarm(periods=1, points=1, threshold=1, comparison=Comparison.LESS, missing=Missing.BREACHING)

    assert evaluate(heartbeat, [None, None, None, 1.0], State.OK) is State.OK
    assert evaluate(heartbeat, [None, None, None, None], State.OK) is State.ALARM


@pytest.mark.parametrize(
    ("comparison", "beyond"),
    [
        (Comparison.GREATER, (False, False, True)),
        (Comparison.GREATER_OR_EQUAL, (False, True, True)),
        (Comparison.LESS, (True, False, False)),
        (Comparison.LESS_OR_EQUAL, (True, True, False)),
    ],
)
def test_the_threshold_itself_counts_as_the_comparison_says(comparison: Comparison, beyond: tuple[bool, ...]) -> None:
    assert tuple(comparison.holds(value, 2) for value in (1, 2, 3)) == beyond
