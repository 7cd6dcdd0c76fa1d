"""The numbers that a run is judged by."""

import json
import math

import pytest

from tests.sim.runs import launch, node_time, run, sample
from warmpool.sim.cluster.state import Outcome
from warmpool.sim.outcome import run_document


def test_the_hit_rate_counts_both_kinds_of_warm_starts() -> None:
    launches = [launch(15), launch(35, Outcome.WARM_PREEMPT), launch(300, Outcome.COLD), launch(15)]
    assert run(launches=launches).hit_rate == 0.75


def test_a_launch_that_never_got_a_node_is_cold() -> None:
    assert run(launches=[launch(15), launch(None, None)]).hit_rate == 0.5


def test_without_launches_there_is_no_hit_rate_and_no_wait() -> None:
    assert run().hit_rate is None
    assert run().wait_seconds(0.99) is None


@pytest.mark.parametrize(("share", "wait"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.0, 1)])
def test_percentiles_are_nearest_ranks(share: float, wait: float) -> None:
    assert run(launches=[launch(seconds) for seconds in range(100, 0, -1)]).wait_seconds(share) == wait


def test_a_launch_that_was_never_ready_waited_for_ever() -> None:
    assert run(launches=[launch(10), launch(None, Outcome.COLD)]).wait_seconds(0.99) == math.inf


def test_the_idle_cost_is_the_idle_hours_share_of_the_cost() -> None:
    nodes = node_time(busy_hours=20, idle_hours=10, cost_usd=60)
    assert (nodes.hours, nodes.idle_hours, nodes.idle_cost_usd) == (30, 10, 20)
    assert node_time(busy_hours=0, idle_hours=0, cost_usd=0).idle_cost_usd == 0


def test_the_end_is_the_last_sample() -> None:
    day = run(samples=[sample(0, nodes=5, busy=3), sample(30, nodes=4, busy=4, replicas=3)])
    assert (day.replicas_at_end, day.nodes_at_end) == (3, 4)
    assert [each.idle for each in day.samples] == [2, 0]


def test_a_run_is_valid_json_even_where_a_launch_never_became_ready() -> None:
    document = run_document(run(launches=[launch(None, Outcome.COLD)], samples=[sample(0)]))
    assert json.loads(json.dumps(document, allow_nan=False))["p99_wait_s"] is None
    assert document["cold_launches"] == 1
