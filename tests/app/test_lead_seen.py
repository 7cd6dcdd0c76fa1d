"""The measured lead time as people are told it."""

from datetime import timedelta

from tests.builders import NOW
from warmpool.app.lead_seen import LeadSeen, lead_seen
from warmpool.app.measured import Grid
from warmpool.core.watch import LeadSample

MINUTE = timedelta(minutes=1)
QUICK = LeadSample(node=MINUTE, join=MINUTE, pull=2 * MINUTE)
SLOW = LeadSample(node=3 * MINUTE, join=MINUTE, pull=6 * MINUTE)


def test_the_slower_orders_are_reckoned_with_and_the_parts_are_averages() -> None:
    assert lead_seen([QUICK, SLOW], timedelta.max) == LeadSeen(
        orders=2, reckoned=10 * MINUTE, node=2 * MINUTE, join=MINUTE, pull=4 * MINUTE
    )


def test_the_limit_is_the_longest_that_is_reckoned_with() -> None:
    seen = lead_seen([SLOW], 5 * MINUTE)
    assert seen is not None
    assert seen.reckoned == 5 * MINUTE


def test_without_orders_it_is_not_known() -> None:
    assert lead_seen([], MINUTE) is None


def test_a_grid_as_one_period_has_the_same_ends() -> None:
    grid = Grid(start=NOW, end=NOW + 10 * MINUTE, period=MINUTE)
    assert grid.whole == Grid(start=NOW, end=NOW + 10 * MINUTE, period=10 * MINUTE)
