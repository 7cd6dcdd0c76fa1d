"""Periods that give a readable picture and that CloudWatch still has."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.views.measured import START
from warmpool.views.spans import grid_over

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("span", "age", "minutes"),
    [
        (HOUR, HOUR, 1),
        (DAY, DAY, 10),
        (7 * DAY, 7 * DAY, 60),
        (30 * DAY, 30 * DAY, 360),
        (365 * DAY, 365 * DAY, 1440),
        (HOUR, 20 * DAY, 5),
        (HOUR, 100 * DAY, 60),
    ],
)
def test_a_period_is_as_short_as_the_picture_and_the_age_allow(span: timedelta, age: timedelta, minutes: int) -> None:
    grid = grid_over(START, START + span, START + age)
    assert grid.period == timedelta(minutes=minutes)


@given(
    st.timedeltas(min_value=-1000 * DAY, max_value=1000 * DAY),
    st.timedeltas(min_value=timedelta(seconds=1), max_value=455 * DAY),
)
def test_the_grid_covers_the_span_in_whole_periods(offset: timedelta, span: timedelta) -> None:
    begin = START + offset
    grid = grid_over(begin, begin + span, begin + span)
    assert grid.start <= begin
    assert grid.end >= begin + span
    assert grid.end - grid.start < span + 2 * grid.period
    assert (grid.end - grid.start) % grid.period == timedelta(0)
    assert (grid.end - grid.start) / grid.period <= 458
    assert grid.whole.period == grid.end - grid.start
