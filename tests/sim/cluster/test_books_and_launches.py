"""What nodes cost and what launches found, as it really was."""

from datetime import timedelta

from tests.sim.cluster.builders import FILLING, MINUTE, SECOND, burst, cluster, nodes, wait, warm
from warmpool.sim.cluster import Outcome

HOUR = timedelta(hours=1)


def test_a_node_is_paid_for_from_its_launch_before_it_has_joined() -> None:
    made = cluster(registration_delay=10 * MINUTE)
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, 2 * SECOND + 5 * MINUTE)
    assert made.books.idle_node_seconds == 300
    assert nodes(made) == []


def test_idle_and_busy_time_add_up_to_the_node_time() -> None:
    made = warm(2)
    start = made.books
    burst(made, 1, apart=10 * MINUTE)
    made.end("w0")
    wait(made, 20 * MINUTE)
    books = made.books
    assert books.busy_node_seconds == 600
    assert books.idle_node_seconds - start.idle_node_seconds == 2 * 30 * 60 - 600
    assert books.idle_node_hours == books.idle_node_seconds / 3600


def test_two_workspaces_make_a_node_busy_once() -> None:
    made = warm(1)
    burst(made, 2, apart=MINUTE)
    made.end("w0")
    wait(made, MINUTE)
    made.end("w1")
    wait(made, HOUR)
    assert made.books.busy_node_seconds == 180


def test_a_removed_node_costs_nothing_more() -> None:
    made = warm(1)
    made.scale("op", "ph", 0)
    wait(made, 2 * MINUTE)
    books = made.books
    wait(made, HOUR)
    assert made.books == books


def test_cost_is_node_time_at_the_hourly_price() -> None:
    made = warm(1, hourly_price=3.0)
    books = made.books
    assert books.cost == (books.idle_node_seconds + books.busy_node_seconds) / 3600 * 3.0


def test_births_peak_and_counts_follow_the_nodes() -> None:
    made = warm(3)
    made.scale("op", "ph", 1)
    wait(made, 5 * MINUTE)
    books = made.books
    assert (books.births, books.peak_nodes) == (3, 3)
    assert [count for _, count in books.node_counts] == [1, 2, 3, 2, 1]


def test_a_launch_without_any_node_is_cold_and_waits_for_one() -> None:
    made = cluster()
    burst(made, 1, apart=2 * MINUTE)
    launch = made.launches[0]
    assert (launch.outcome, launch.cause) == (Outcome.COLD, "new node")
    assert launch.waited is not None
    assert launch.waited > 20 * SECOND


def test_a_launch_that_waited_for_room_is_cold_even_on_a_warm_node() -> None:
    made = warm(1, requests=FILLING, limits={"nodes": 10**9})
    burst(made, 2, requests=FILLING, apart=MINUTE)
    made.end("w0")
    wait(made, MINUTE)
    launch = made.launches[1]
    assert (launch.outcome, launch.cause) == (Outcome.COLD, "no room")


def test_a_launch_that_ended_before_it_was_ready_stays_without_a_wait() -> None:
    made = cluster()
    burst(made, 1, apart=SECOND)
    made.end("w0")
    wait(made, HOUR)
    launch = made.launches[0]
    assert (launch.ready_at, launch.waited, launch.outcome) == (None, None, None)


def test_a_pod_that_was_ready_twice_counts_its_first_time() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE)
    first = made.launches[0].ready_at
    made.set_ready(nodes(made)[0].name, ready=False)
    made.set_ready(nodes(made)[0].name, ready=True)
    wait(made, MINUTE)
    assert made.launches[0].ready_at == first
