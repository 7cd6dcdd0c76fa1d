"""Launches counted in buckets of five minutes: none is lost, and none is counted twice."""

from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import NOW
from warmpool.core.launch_counts import BUCKET, LaunchCounts, bucket_of, counted, fewer, together
from warmpool.core.watch import Cause, Found, Launch, Outcome, Tally

SECOND = timedelta(seconds=1)

instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - the zone is drawn
founds = st.sampled_from(
    [Found(outcome=each) for each in Outcome if each is not Outcome.COLD]
    + [Found(outcome=Outcome.COLD, cause=cause) for cause in Cause]
)
launches = st.builds(
    lambda at, wait, found: Launch(uid="", created=at, ready=at + wait, found=found),
    st.integers(0, 60).map(lambda minutes: NOW - minutes * timedelta(minutes=1)),
    st.timedeltas(timedelta(0), timedelta(hours=1)),
    founds,
)
tallies = st.builds(Tally, launches=st.lists(launches, max_size=12).map(tuple), abandoned=st.integers(0, 3))


def count(minutes: int, cold: int = 1) -> LaunchCounts:
    """Build the bucket that began so many minutes after nine, with cold launches alone."""
    return LaunchCounts(start=NOW + timedelta(minutes=minutes), outcomes={Outcome.COLD: cold})


@given(instants)
def test_a_bucket_begins_at_five_minutes_of_the_hour_and_holds_its_instant(at: datetime) -> None:
    start = bucket_of(at)

    assert start <= at < start + BUCKET
    assert (start.minute % 5, start.second, start.microsecond) == (0, 0, 0)


def test_a_bucket_is_in_utc_whatever_zone_the_instant_is_in() -> None:
    at = datetime(2026, 12, 1, 14, 34, 59, tzinfo=timezone(timedelta(hours=5, minutes=30)))

    assert bucket_of(at).isoformat() == "2026-12-01T09:00:00+00:00"


@given(tallies)
def test_every_launch_is_in_the_bucket_it_was_created_in(tally: Tally) -> None:
    counts = counted(tally, NOW)

    starts = [each.start for each in counts]
    assert starts == sorted(set(starts))
    outcomes = Counter((bucket_of(each.created), each.found.outcome) for each in tally.launches)
    assert {(each.start, kind): number for each in counts for kind, number in each.outcomes.items()} == outcomes
    causes = Counter((bucket_of(each.created), each.found.cause) for each in tally.launches if each.found.cause)
    assert {(each.start, kind): number for each in counts for kind, number in each.causes.items()} == causes


@given(tallies)
def test_the_sum_of_the_buckets_is_what_the_pass_counted(tally: Tally) -> None:
    total = together(NOW, counted(tally, NOW))

    assert total.launches == len(tally.launches)
    assert total.warm == sum(each.found.outcome.warm for each in tally.launches)
    assert total.cold == tally.count(Outcome.COLD) == sum(total.causes.values())
    assert total.abandoned == tally.abandoned
    waits = [each.waited for each in tally.launches if each.found.outcome is not Outcome.UNKNOWN]
    assert total.warm_waits + total.cold_waits == sum(waits, timedelta(0))


def test_launches_that_ended_before_are_counted_where_the_pass_missed_them() -> None:
    assert counted(Tally(abandoned=2), NOW + 7 * SECOND) == (LaunchCounts(start=NOW, abandoned=2),)


def test_a_pass_without_launches_adds_nothing() -> None:
    assert counted(Tally(), NOW) == ()


def test_buckets_that_fit_stay_as_they_are() -> None:
    buckets = {"a": [count(0), count(5)], "b": [count(0)]}

    assert fewer({**buckets, "c": []}, 3) == buckets


def test_the_oldest_of_all_goes_into_the_next_of_its_pool() -> None:
    buckets = {"a": [count(5), count(10)], "b": [count(0, cold=2), count(5, cold=3), count(10)]}

    assert fewer(buckets, 4) == {"a": [count(5), count(10)], "b": [count(5, cold=5), count(10)]}
    assert fewer(buckets, 2) == {"a": [count(10, cold=2)], "b": [count(10, cold=6)]}


def test_of_more_pools_than_fit_the_busiest_stay() -> None:
    buckets = {"a": [count(0)], "b": [count(0, cold=7)], "c": [count(0), count(5, cold=2)]}

    assert fewer(buckets, 2) == {"b": [count(0, cold=7)], "c": [count(5, cold=3)]}
