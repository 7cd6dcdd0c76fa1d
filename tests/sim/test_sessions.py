"""Session lengths are lognormal with the stated median and mean."""

from datetime import UTC, datetime, timedelta
from statistics import fmean, median

import pytest

from warmpool.sim.sessions import SessionLengths, sessions_of

HOUR = timedelta(hours=1)


def test_the_lengths_have_the_stated_median_and_mean() -> None:
    hours = [length / HOUR for length in SessionLengths().draw(200_000, seed=1)]
    assert median(hours) == pytest.approx(2.4, rel=0.02)
    assert fmean(hours) == pytest.approx(3.2, rel=0.02)


def test_sigma_follows_from_median_and_mean() -> None:
    assert SessionLengths().sigma == pytest.approx(0.7585, abs=1e-4)
    assert SessionLengths(median=HOUR, mean=HOUR).sigma == 0


def test_equal_median_and_mean_make_all_sessions_alike() -> None:
    assert set(SessionLengths(median=HOUR, mean=HOUR).draw(5, seed=3)) == {HOUR}


def test_the_same_seed_draws_the_same_lengths_and_a_longer_draw_begins_alike() -> None:
    lengths = SessionLengths()
    assert lengths.draw(5, seed=1) == lengths.draw(50, seed=1)[:5]
    assert lengths.draw(5, seed=1) != lengths.draw(5, seed=2)


def test_each_launch_becomes_a_session_of_its_own() -> None:
    start = datetime(2019, 1, 16, tzinfo=UTC)
    sessions = sessions_of([start, start], SessionLengths(), seed=1)
    assert [session.launched for session in sessions] == [start, start]
    assert len({session.name for session in sessions}) == 2
