"""The lead time is measured: the 90th percentile of the last fifty orders."""

from datetime import timedelta

from warmpool.core.lead import kept, lead_time
from warmpool.core.watch import LeadSample

LIMIT = timedelta(minutes=30)


def sample(minutes: float) -> LeadSample:
    return LeadSample(node=timedelta(minutes=minutes), join=timedelta(0), pull=timedelta(0))


def test_without_samples_it_is_unknown() -> None:
    assert lead_time((), LIMIT) is None


def test_of_few_samples_the_longest_counts() -> None:
    assert lead_time([sample(5), sample(9), sample(6)], LIMIT) == timedelta(minutes=9)


def test_of_many_the_longest_tenth_does_not() -> None:
    samples = [sample(minutes) for minutes in range(1, 21)]
    assert lead_time(samples, LIMIT) == timedelta(minutes=18)


def test_it_is_never_above_the_limit() -> None:
    assert lead_time([sample(90)], LIMIT) == LIMIT


def test_the_last_fifty_are_kept() -> None:
    old = kept((), [sample(minute) for minute in range(49)])
    both = kept(old, [sample(100), sample(101)])
    assert (len(both), both[0], both[-1]) == (50, sample(1), sample(101))
