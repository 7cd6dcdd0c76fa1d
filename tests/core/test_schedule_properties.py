"""Invariants of windows, over random windows, zones and instants around clock changes."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.core.schedule_builders import pool
from warmpool.core.schedule import calendar, limits_at, window_at
from warmpool.core.spec import PoolSpec, Window

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Santiago",
    "Asia/Kathmandu",
    "UTC",
)
CHANGES = (
    "2026-03-08",
    "2026-03-29",
    "2026-04-05",
    "2026-04-24",
    "2026-09-06",
    "2026-10-04",
    "2026-10-25",
    "2026-11-01",
)
INSTANT = timedelta.resolution
DAYS = 5

clocks = st.integers(0, 47).map(lambda half: timedelta(minutes=30 * half)) | st.integers(0, 1439).map(
    lambda minutes: timedelta(minutes=minutes)
)
starts = st.builds(
    lambda day, hours: datetime.fromisoformat(f"{day}T00:00Z") - timedelta(days=2) + timedelta(hours=hours),
    st.sampled_from(CHANGES),
    st.integers(0, 48),
)


@st.composite
def windows(draw: st.DrawFn, day: datetime) -> Window:
    start, end = draw(st.tuples(clocks, clocks).filter(lambda pair: pair[0] != pair[1]))
    first = day.date() + timedelta(days=draw(st.integers(-1, 4)))
    all_day = draw(st.integers(0, 5)) == 0
    least = draw(st.none() | st.integers(0, 4))
    return Window(
        name=draw(st.text("abc", min_size=1, max_size=4)),
        start=timedelta(0) if all_day else start,
        end=timedelta(hours=24) if all_day else end,
        all_day=all_day,
        days=draw(st.frozensets(st.integers(0, 6), min_size=1)),
        dates=((first, first + timedelta(days=draw(st.integers(0, 2)))),) if draw(st.booleans()) else (),
        min=least,
        max=draw(st.none() | st.integers(least or 0, 8)),
        target=draw(st.none() | st.integers(0, 8)),
    )


@st.composite
def scenes(draw: st.DrawFn) -> tuple[PoolSpec, datetime]:
    start = draw(starts)
    some = draw(st.lists(windows(start), max_size=4, unique_by=lambda each: each.name))
    return pool(*some, timezone=draw(st.sampled_from(ZONES))), start


def shown_within(window: Window, wall: datetime) -> bool:
    """Membership by the wall clock alone: the definition, in the slowest way."""
    for back in (0, 1):
        day = wall.date() - timedelta(days=back)
        listed = (
            any(first <= day <= last for first, last in window.dates) if window.dates else day.weekday() in window.days
        )
        midnight = datetime.combine(day, datetime.min.time())
        overnight = timedelta(days=1 if window.end <= window.start else 0)
        if listed and midnight + window.start <= wall < midnight + overnight + window.end:
            return True
    return False


@given(scenes(), st.integers(1, 90))
def test_the_calendar_is_gapless_and_agrees_with_the_limits_at_every_edge(
    scene: tuple[PoolSpec, datetime], lead: int
) -> None:
    spec, start = scene
    rows = calendar(spec, start, DAYS, timedelta(minutes=lead))
    assert (rows[0].start, rows[-1].end) == (start, start + timedelta(days=DAYS))
    assert all(before.end == after.start for before, after in pairwise(rows))
    for row in rows:
        assert row.start < row.end
        for at in (row.start, row.end - INSTANT, row.start + (row.end - row.start) / 2):
            limits = limits_at(spec, at, timedelta(0))
            found = window_at(spec, at)
            assert (row.window, row.min, row.target) == (limits.window, limits.min, limits.target)
            assert row.max == (limits.max if row.target is None else row.target)
            assert row.window == (found.name if found else None)
    assert all(before.window != after.window for before, after in pairwise(rows))


@given(scenes(), st.integers(0, DAYS * 1440 - 1))
def test_a_window_is_in_force_when_the_wall_clock_says_so(scene: tuple[PoolSpec, datetime], minute: int) -> None:
    spec, start = scene
    at = start + timedelta(minutes=minute)
    local = at.astimezone(ZoneInfo(spec.timezone or ""))
    listed = {each.name for each in spec.windows if shown_within(each, local.replace(tzinfo=None))}
    found = window_at(spec, at)
    twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    if found is None:
        assert not listed
    else:
        # Between the two passes of a fold a window stays in force although the clock shows a time outside it.
        assert found.name in listed or twice


@given(scenes(), st.integers(0, DAYS * 1440 - 1), st.integers(0, 120))
def test_within_the_lead_time_the_limits_cover_all_that_comes(
    scene: tuple[PoolSpec, datetime], minute: int, lead: int
) -> None:
    spec, start = scene
    at = start + timedelta(minutes=minute)
    early = limits_at(spec, at, timedelta(minutes=lead))
    at_each = [limits_at(spec, at + timedelta(minutes=later), timedelta(0)) for later in range(lead + 1)]
    assert early.min == max(each.min for each in at_each)
    assert early.max == max(each.max for each in at_each)
    assert 0 <= early.min <= early.max


@given(scenes())
def test_nodes_are_ordered_when_the_limits_begin_to_ask_for_them(scene: tuple[PoolSpec, datetime]) -> None:
    spec, start = scene
    lead = timedelta(minutes=20)
    for row in calendar(spec, start, DAYS, lead):
        if row.order_at is not None:
            assert row.order_at == row.start - lead
            assert limits_at(spec, row.order_at, lead).min >= row.min


@given(starts, st.sampled_from(ZONES))
def test_instants_in_other_zones_mean_the_same(start: datetime, zone: str) -> None:
    spec = pool(Window(name="day", start=timedelta(hours=8), end=timedelta(hours=18), min=3))
    assert start.tzinfo is not None
    elsewhere = start.astimezone(ZoneInfo(zone))
    assert limits_at(spec, elsewhere, timedelta(0)) == limits_at(spec, start, timedelta(0))
    assert all(row.start.tzinfo is UTC for row in calendar(spec, elsewhere, 1, timedelta(0)))
