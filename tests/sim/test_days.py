"""Traces: reading, cutting, drawing and spreading launches."""

import gzip
from datetime import UTC, date, datetime, timedelta

import pytest

from warmpool.app.errors import ConfigInvalid
from warmpool.sim.days import committed_week, launch_times, midnight, minute_of, read_trace, steady_trace

START = datetime(2019, 1, 16, tzinfo=UTC)


def test_the_committed_week_is_seven_whole_days_of_2014_launches() -> None:
    week = committed_week()
    assert week.total() == 2014
    assert (week.first_day, week.last_day) == (date(2019, 1, 14), date(2019, 1, 20))
    for offset in range(7):
        day = midnight(week.first_day) + timedelta(days=offset)
        assert week.between(day, day + timedelta(days=1)).total() > 100


def test_the_busiest_day_of_the_committed_week_is_its_wednesday() -> None:
    week = committed_week()
    assert week.busiest_day() == date(2019, 1, 16)
    assert week.between(START, START + timedelta(days=1)).total() == 388


def test_the_earlier_of_two_equally_busy_days_is_the_busiest() -> None:
    monday, tuesday = minute_of(START), minute_of(START + timedelta(days=1))
    trace = read_trace(f"minute,launches\n{tuesday},3\n{monday},3\n".encode(), "t.csv")
    assert trace.busiest_day() == START.date()


def test_a_gzipped_trace_reads_like_a_plain_one() -> None:
    text = b"minute,launches\n10,2\n11,1\n"
    assert read_trace(gzip.compress(text), "t").launches == read_trace(text, "t").launches == {10: 2, 11: 1}


def test_rows_of_the_same_minute_add_up_and_empty_lines_are_passed_over() -> None:
    assert read_trace(b"minute,launches\r\n10,2\r\n\r\n10,3\r\n", "t").launches == {10: 5}


@pytest.mark.parametrize(
    ("raw", "path", "said"),
    [
        (b"", "line 1", "an empty file"),
        (b"when,what\n1,2\n", "line 1", "'when,what'"),
        (b"minute,launches\n10,2\n11,two\n", "line 3", "'11,two'"),
        (b"minute,launches\n10\n", "line 2", "'10'"),
        (b"minute,launches\n10,-1\n", "line 2", "'10,-1'"),
        (b"minute,launches\n99999999999,1\n", "line 2", "'99999999999,1'"),
        (b"minute,launches\n10,0\n", "", "no launches"),
        (b"\xff\xfe\x00\x01", "", "neither a CSV"),
        (gzip.compress(b"minute,launches\n10,2\n")[:-9], "", "neither a CSV"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_with_its_line(raw: bytes, path: str, said: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        read_trace(raw, "t.csv")
    assert caught.value.path == path
    assert said in caught.value.message
    assert caught.value.source == "t.csv"


def test_launches_are_spread_within_their_minutes_in_order_and_alike_for_a_seed() -> None:
    trace = read_trace(b"minute,launches\n20,3\n10,40\n", "t")
    times = launch_times(trace, seed=7)
    assert [minute_of(at) for at in times] == [10] * 40 + [20] * 3
    assert times == sorted(times) == launch_times(trace, seed=7)
    assert times != launch_times(trace, seed=8)
    assert len(set(times)) > 30


def test_a_steady_trace_has_about_as_many_launches_as_asked_for() -> None:
    trace = steady_trace(START, hours=100, launches_per_hour=12, seed=1)
    assert 1050 < trace.total() < 1350
    assert trace.launches == steady_trace(START, hours=100, launches_per_hour=12, seed=1).launches
    assert minute_of(START) <= min(trace.launches)
    assert max(trace.launches) < minute_of(START + timedelta(hours=100))


def test_cutting_is_half_open() -> None:
    trace = read_trace(b"minute,launches\n10,1\n11,2\n12,4\n", "t")
    start = datetime.fromtimestamp(11 * 60, UTC)
    assert trace.between(start, start + timedelta(minutes=1)).launches == {11: 2}
