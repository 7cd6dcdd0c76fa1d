"""The numbers that people ask for first; what was not measured is None and never 0."""

from datetime import timedelta

import pytest

from tests.views.measured import GRID, MINUTE, NAMES, START, answers, query, read
from warmpool.app.measured import Points, Statistic
from warmpool.views.numbers import NOW, Numbers, Read, now_grid, now_queries, numbers_of, together, whole_queries

SUM, COUNT = Statistic.SUM, Statistic.SAMPLE_COUNT
FULL = {
    ("RoomMissing", SUM): 6.0,
    ("RoomMissing", COUNT): 60.0,
    ("Hit", SUM): 9.0,
    ("Hit", COUNT): 10.0,
    ("Unseen", SUM): 2.0,
    ("Wait", Statistic.P50): 12.0,
    ("Wait", Statistic.P99): 300.0,
    ("IdleNodeHours", SUM): 2.5,
    ("IdleCostUsd", SUM): 9.0,
    ("LeadTotal", Statistic.P90): 440.0,
    ("ColdFor/gated", SUM): 1.0,
    ("HeldFor/Rollout", SUM): 1.0,
    ("HeldFor/Frozen", SUM): 3.0,
}


def numbers(amounts: dict[tuple[str, Statistic], float], *, last: Points = ((START, 0.0),)) -> Numbers:
    hours = [(START + number * GRID.period, 0.4) for number in range(6)]
    series = {query("IdleNodeHours", SUM): hours}
    now = {query("RoomMissing", Statistic.MAXIMUM): last}
    return numbers_of("spaces", read(answers(amounts), series=series, now=now), NAMES)


def test_everything_that_was_measured_is_told() -> None:
    found = numbers(FULL)
    assert (found.kept, found.kept_at) == (True, START)
    assert found.kept_share == pytest.approx(0.9)
    assert (found.launches, found.warm, found.cold, found.unseen) == (10, 9, 1, 2)
    assert found.hit_rate == pytest.approx(0.9)
    assert (found.wait_p50_seconds, found.wait_p99_seconds, found.lead_p90_seconds) == (12, 300, 440)
    assert found.measured == timedelta(hours=1)
    assert found.idle_cost_usd_per_day == pytest.approx(9 * 24)
    assert found.usd_per_avoided_cold_start == pytest.approx(1.0)
    assert dict(found.causes) == {"gated": 1}
    assert list(found.held.items()) == [("Frozen", 3), ("Rollout", 1)]


def test_without_any_data_nothing_is_a_number() -> None:
    found = numbers_of("spaces", read({}, series={}, now={}), NAMES)
    assert found == Numbers(pool="spaces")
    assert (found.cold, found.hit_rate, found.idle_cost_usd_per_day, found.usd_per_avoided_cold_start) == (None,) * 4
    assert together([]) == Numbers()


def test_passes_without_launches_are_no_launches_and_not_no_data() -> None:
    found = numbers({("RoomMissing", SUM): 0, ("RoomMissing", COUNT): 60})
    assert (found.launches, found.warm, found.cold, found.unseen) == (0, 0, 0, 0)
    assert (found.hit_rate, found.wait_p50_seconds, found.kept_share) == (None, None, 1.0)


def test_a_pool_that_is_short_at_the_end_is_not_kept() -> None:
    assert numbers(FULL, last=[(START, 0.0), (START + MINUTE, 1.0)]).kept is False
    assert numbers(FULL, last=[]).kept is None


def test_a_whole_span_that_comes_in_two_parts_is_added_up_and_waits_are_the_longest() -> None:
    parts = {each: [*points, (START + MINUTE, points[0][1])] for each, points in answers(FULL).items()}
    found = numbers_of("spaces", read(parts, series={}, now={}), NAMES)
    assert (found.launches, found.idle_node_hours, found.wait_p99_seconds) == (20, 5.0, 300)


def test_pools_are_added_up_and_one_that_is_not_kept_is_the_stacks() -> None:
    one = numbers(FULL)
    short = Numbers(pool="gpu", kept=False, kept_at=START + MINUTE, warm=1, launches=2, wait_p99_seconds=500)
    both = together([one, short])
    assert (both.kept, both.kept_at, both.pool) == (False, START + MINUTE, "")
    assert (both.warm, both.launches) == (10, 12)
    assert both.hit_rate == pytest.approx(10 / 12)
    assert (both.wait_p50_seconds, both.wait_p99_seconds) == (12, 500)
    assert both.kept_share == pytest.approx(0.9)
    assert together([one, Numbers(pool="gpu")]).kept is None
    assert together([one, one]).kept is True


def test_launches_of_a_pool_without_a_price_do_not_make_a_warm_one_look_cheaper() -> None:
    unpriced = numbers({key: amount for key, amount in FULL.items() if key[0] != "IdleCostUsd"})
    both = together([numbers(FULL), unpriced])
    assert (unpriced.unpriced, both.unpriced) == (("spaces",), ("spaces",))
    assert (both.idle_cost_usd, both.warm, both.warm_priced) == (9, 18, 9)
    assert both.usd_per_avoided_cold_start == pytest.approx(1.0)


def test_now_is_the_end_of_the_span_by_the_minute() -> None:
    grid = now_grid(GRID)
    assert (grid.end, grid.end - grid.start, grid.period) == (GRID.end, NOW, MINUTE)
    assert [each.metric for each in now_queries(NAMES, ["a", "b"])] == ["RoomMissing"] * 2
    assert {each.metric for each in whole_queries(NAMES, ["a"])} >= {"Hit", "Wait", "ColdFor", "HeldFor"}
    assert isinstance(read({}, series={}, now={}), Read)
