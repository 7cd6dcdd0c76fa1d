"""Windows in force, the lead before them, and the calendar."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.core.schedule_builders import all_day, pool, utc, window
from warmpool.core.reasons import Code
from warmpool.core.schedule import calendar, limits_at, window_at
from warmpool.core.spec import PoolSpec

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text())
NO_LEAD = timedelta(0)
LEAD = timedelta(minutes=15)


def active(spec: PoolSpec, start: str, end: str) -> list[tuple[datetime, datetime]]:
    """Return the spans of [start, end) in which any window is in force, from the calendar."""
    first, last = utc(start), utc(end)
    days = -(-(last - first) // timedelta(days=1))
    rows = calendar(spec, first, days, NO_LEAD)
    return [(row.start, min(row.end, last)) for row in rows if row.window and row.start < last]


def name_at(spec: PoolSpec, at: str) -> str | None:
    found = window_at(spec, utc(at))
    return found.name if found else None


@pytest.mark.parametrize("case", CASES["windows"], ids=lambda case: case["id"])
def test_the_oracle_windows_are_active_exactly_then(case: dict[str, Any]) -> None:
    days = "" if case["days"] == "all" else " ".join(case["days"])
    spec = pool(window(case["start"], case["end"], days=days), timezone=case["tz"])
    assert active(spec, *case["range"]) == [(utc(start), utc(end)) for start, end in case["active"]]


@pytest.mark.parametrize("row", CASES["keda"]["rows"], ids=lambda row: row["start"])
def test_a_window_ends_where_two_unrelated_crons_do_not(row: dict[str, Any]) -> None:
    start, end = (f"{cron.split()[1]:>02}:{cron.split()[0]:>02}" for cron in (row["start"], row["end"]))
    spec = pool(window(start, end, days="mon tue wed thu fri"), timezone=row["tz"])
    dates = {"Fri": "2026-12-04", "Sat": "2026-12-05"}
    right = tuple(utc(f"{dates[text[:3]]}T{text[4:]}+01:00") for text in row["right"])
    assert right in active(spec, "2026-12-04T05:00Z", "2026-12-06T22:00Z")
    assert name_at(spec, "2026-12-05T12:00Z") is None


def test_a_window_is_half_open() -> None:
    spec = pool(window("08:00", "18:00"))
    assert name_at(spec, "2026-12-01T06:59:59.999999Z") is None
    assert name_at(spec, "2026-12-01T07:00Z") == "office"
    assert name_at(spec, "2026-12-01T16:59:59.999999Z") == "office"
    assert name_at(spec, "2026-12-01T17:00Z") is None


def test_a_window_until_24_00_ends_at_midnight() -> None:
    for end in ("24:00", "00:00"):
        spec = pool(window("20:00", end, days="mon"))
        assert active(spec, "2026-11-30T00:00Z", "2026-12-02T00:00Z") == [
            (utc("2026-11-30T19:00Z"), utc("2026-11-30T23:00Z"))
        ]


def test_an_overnight_window_belongs_to_the_day_it_starts_on() -> None:
    spec = pool(window("22:00", "06:00", dates="2026-12-24"))
    assert active(spec, "2026-12-20T00:00Z", "2026-12-30T00:00Z") == [
        (utc("2026-12-24T21:00Z"), utc("2026-12-25T05:00Z"))
    ]


def test_a_date_range_includes_its_last_day() -> None:
    spec = pool(all_day(name="holidays", dates="2026-12-24..2027-01-01", min=0, max=2))
    assert active(spec, "2026-12-20T00:00Z", "2027-01-05T00:00Z") == [
        (utc("2026-12-23T23:00Z"), utc("2027-01-01T23:00Z"))
    ]


@pytest.mark.parametrize(("day", "hours"), [("2026-10-25", 25), ("2027-03-28", 23), ("2026-12-14", 24)])
def test_an_all_day_window_lasts_as_long_as_the_day(day: str, hours: int) -> None:
    spec = pool(all_day(dates=day))
    rows = calendar(spec, utc(f"{day}T00:00Z") - timedelta(hours=3), 3, NO_LEAD)
    assert [row.end - row.start for row in rows if row.window] == [timedelta(hours=hours)]


FOLD = [
    # (start, end, first and last instant in force): clocks in Berlin go from 03:00 back to 02:00 at 01:00Z
    ("01:30", "02:30", "2026-10-24T23:30Z", "2026-10-25T01:30Z"),
    ("02:10", "02:20", "2026-10-25T00:10Z", "2026-10-25T01:20Z"),
    ("01:00", "02:00", "2026-10-24T23:00Z", "2026-10-25T00:00Z"),
    ("02:00", "03:00", "2026-10-25T00:00Z", "2026-10-25T02:00Z"),
    ("03:00", "04:00", "2026-10-25T02:00Z", "2026-10-25T03:00Z"),
    ("02:30", "08:00", "2026-10-25T00:30Z", "2026-10-25T07:00Z"),
]


@pytest.mark.parametrize(("start", "end", "first", "last"), FOLD)
def test_the_two_passes_of_the_autumn_fold_are_one_interval(start: str, end: str, first: str, last: str) -> None:
    spec = pool(window(start, end, dates="2026-10-25"))
    assert active(spec, "2026-10-24T00:00Z", "2026-10-27T00:00Z") == [(utc(first), utc(last))]


GAP = [
    # clocks in Berlin go from 02:00 to 03:00 at 01:00Z
    ("02:00", "03:00", None),
    ("02:10", "02:40", None),
    ("01:30", "02:30", ("2027-03-28T00:30Z", "2027-03-28T01:00Z")),
    ("02:30", "03:30", ("2027-03-28T01:00Z", "2027-03-28T01:30Z")),
    ("01:00", "02:00", ("2027-03-28T00:00Z", "2027-03-28T01:00Z")),
    ("03:00", "04:00", ("2027-03-28T01:00Z", "2027-03-28T02:00Z")),
]


@pytest.mark.parametrize(("start", "end", "span"), GAP)
def test_in_the_spring_gap_a_window_has_fewer_minutes(start: str, end: str, span: tuple[str, str] | None) -> None:
    spec = pool(window(start, end, dates="2027-03-28"))
    expected = [(utc(span[0]), utc(span[1]))] if span else []
    assert active(spec, "2027-03-27T00:00Z", "2027-03-30T00:00Z") == expected


def test_a_day_that_a_zone_skipped_has_no_windows() -> None:
    spec = pool(all_day(dates="2011-12-30"), timezone="Pacific/Apia")
    assert active(spec, "2011-12-28T00:00Z", "2012-01-02T00:00Z") == []


def test_a_pool_without_a_zone_lives_in_utc() -> None:
    assert name_at(pool(window("08:00", "18:00"), timezone=None), "2026-12-01T17:30Z") == "office"


OFFICE = window("08:00", "18:00", name="office", days="mon tue wed thu fri", min=5)
TUESDAY = window("10:00", "12:00", name="tuesday", days="tue", min=2)
HOLIDAY = all_day(name="holiday", dates="2026-12-01", min=0)


@pytest.mark.parametrize(
    ("windows", "winner"),
    [
        ((OFFICE, TUESDAY), "tuesday"),
        ((TUESDAY, OFFICE), "tuesday"),
        ((OFFICE, TUESDAY, HOLIDAY), "holiday"),
        ((window(name="low", min=2), window(name="high", min=4)), "high"),
        ((window(name="pin", min=None, target=6), window(name="min", min=4)), "pin"),
        ((window(name="narrow", min=4, max=5), window(name="wide", min=4, max=7)), "wide"),
        ((window(name="b"), window(name="a")), "a"),
        ((window(name="a"), window(name="b")), "a"),
    ],
)
def test_dates_win_over_weekdays_then_the_shorter_then_the_higher_min(windows: Any, winner: str) -> None:
    assert name_at(pool(*windows), "2026-12-01T10:00Z") == winner


def test_a_window_without_min_takes_the_pools_min_within_its_own_max() -> None:
    quiet = pool(window("08:00", "18:00", min=None, max=2), min=3)
    assert [(row.min, row.max) for row in calendar(quiet, utc("2026-12-01T07:00Z"), 1, LEAD)][:2] == [(2, 2), (3, 8)]
    lively = pool(window("08:00", "18:00", min=None, max=20), min=3)
    limits = limits_at(lively, utc("2026-12-01T07:00Z"), NO_LEAD)
    assert (limits.min, limits.max) == (3, 20)


def test_outside_windows_the_pools_own_limits_hold() -> None:
    limits = limits_at(pool(OFFICE), utc("2026-12-05T12:00Z"), LEAD)
    assert (limits.min, limits.max, limits.window, limits.target, limits.reasons) == (1, 8, None, None, ())


def test_the_window_in_force_is_named_with_its_local_hours() -> None:
    (reason,) = limits_at(pool(OFFICE), utc("2026-12-01T12:00Z"), LEAD).reasons
    assert reason.code is Code.WINDOW
    assert reason.text == "window office (08:00-18:00 Europe/Berlin) asks for min 5, max 8"
    (reason,) = limits_at(pool(HOLIDAY), utc("2026-12-01T12:00Z"), LEAD).reasons
    assert "holiday (all day, Europe/Berlin)" in reason.text


def test_room_is_ordered_the_lead_time_before_a_window() -> None:
    spec = pool(OFFICE)
    assert limits_at(spec, utc("2026-12-01T06:44:59Z"), LEAD).min == 1
    early = limits_at(spec, utc("2026-12-01T06:45Z"), LEAD)
    assert (early.min, early.max, early.window) == (5, 8, None)
    (reason,) = early.reasons
    assert reason.code is Code.WINDOW_AHEAD
    assert "window office starts at 2026-12-01 08:00 Europe/Berlin" in reason.text


def test_what_lowers_acts_at_the_edge_itself() -> None:
    spec = pool(window("08:00", "18:00", min=0, max=2), min=3)
    before = limits_at(spec, utc("2026-12-01T06:59Z"), LEAD)
    assert (before.min, before.max, before.reasons) == (3, 8, ())
    assert limits_at(spec, utc("2026-12-01T07:00Z"), LEAD).max == 2


def test_what_follows_a_quiet_window_is_ready_when_it_ends() -> None:
    spec = pool(window("08:00", "18:00", min=0, max=2), min=3)
    late = limits_at(spec, utc("2026-12-01T16:50Z"), LEAD)
    assert (late.min, late.max, late.window) == (3, 8, "office")
    assert "the time outside windows starts at 2026-12-01 18:00" in late.reasons[-1].text


def test_the_room_of_a_pinned_window_is_ready_when_it_starts() -> None:
    spec = pool(window("09:00", "12:00", name="exam", min=None, target=6))
    early = limits_at(spec, utc("2026-12-01T07:50Z"), LEAD)
    assert (early.min, early.max, early.target) == (6, 8, None)
    assert "pins 6 from then" in early.reasons[0].text
    during = limits_at(spec, utc("2026-12-01T08:00Z"), LEAD)
    assert (during.min, during.max, during.target, during.window) == (6, 8, 6, "exam")


def test_a_pin_in_force_gives_way_upwards_to_what_comes() -> None:
    spec = pool(
        window("09:00", "12:00", name="exam", min=None, target=2), window("12:00", "14:00", name="rush", min=7, max=9)
    )
    late = limits_at(spec, utc("2026-12-01T10:50Z"), LEAD)
    assert (late.min, late.max, late.target, late.window) == (7, 9, 7, "exam")


def test_a_window_that_another_hides_raises_nothing() -> None:
    spec = pool(window("10:00", "11:00", name="hidden", min=8), HOLIDAY)
    assert limits_at(spec, utc("2026-12-01T08:55Z"), LEAD).min == 0


def test_the_calendar_is_gapless_and_says_when_nodes_are_ordered() -> None:
    rows = calendar(pool(window("08:00", "18:00", days="tue")), utc("2026-12-01T00:00Z"), 2, LEAD)
    assert [(row.start, row.end, row.min, row.max, row.window, row.order_at) for row in rows] == [
        (utc("2026-12-01T00:00Z"), utc("2026-12-01T07:00Z"), 1, 8, None, None),
        (utc("2026-12-01T07:00Z"), utc("2026-12-01T17:00Z"), 3, 8, "office", utc("2026-12-01T06:45Z")),
        (utc("2026-12-01T17:00Z"), utc("2026-12-03T00:00Z"), 1, 8, None, None),
    ]


def test_a_calendar_that_begins_at_an_edge_knows_when_that_was_ordered() -> None:
    (first, *_) = calendar(pool(window("08:00", "18:00")), utc("2026-12-01T07:00Z"), 1, LEAD)
    assert (first.start, first.order_at) == (utc("2026-12-01T07:00Z"), utc("2026-12-01T06:45Z"))
    (first, *_) = calendar(pool(window("08:00", "18:00")), utc("2026-12-01T07:30Z"), 1, LEAD)
    assert (first.start, first.order_at) == (utc("2026-12-01T07:30Z"), None)


def test_a_pinned_row_has_min_and_max_at_the_pin() -> None:
    rows = calendar(pool(window(min=None, target=6)), utc("2026-12-01T07:00Z"), 1, LEAD)
    assert (rows[0].min, rows[0].max, rows[0].target) == (6, 6, 6)


def test_days_of_an_all_day_window_are_one_row() -> None:
    rows = calendar(pool(all_day(days="sat sun")), utc("2026-12-04T00:00Z"), 7, LEAD)
    assert [row.window for row in rows] == [None, "office", None]


def test_a_pool_without_windows_has_one_row() -> None:
    (row,) = calendar(pool(timezone=None), utc("2026-12-01T00:00Z"), 7, LEAD)
    assert (row.end - row.start, row.min, row.max, row.window) == (timedelta(days=7), 1, 8, None)
