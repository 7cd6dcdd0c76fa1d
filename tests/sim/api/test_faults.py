"""Failures by order."""

import pytest

from tests.sim.api.standin import StandIn, door, get, names, node, pod, read
from warmpool.sim.api.faults import Delivery, Fault


def test_the_next_matching_requests_fail_and_no_others() -> None:
    the_door = door(StandIn(nodes=[node("a")], pods=[pod("p")]))
    the_door.faults.add(Fault(verb="list", resource="nodes", status=503, times=2))
    assert get(the_door, "/api/v1/pods").status == 200
    assert [get(the_door, "/api/v1/nodes").status for _ in range(3)] == [503, 503, 200]


def test_the_second_page_can_fail() -> None:
    the_door = door(StandIn(nodes=[node("a"), node("b")]))
    the_door.faults.add(Fault(resource="nodes", status=500, skip=1))
    token = read(get(the_door, "/api/v1/nodes?limit=1"))["metadata"]["continue"]
    assert get(the_door, f"/api/v1/nodes?limit=1&continue={token}").status == 500
    assert names(get(the_door, f"/api/v1/nodes?limit=1&continue={token}")) == ["b"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (403, "Forbidden"),
        (404, "NotFound"),
        (410, "Expired"),
        (429, "TooManyRequests"),
        (500, "InternalError"),
        (503, "ServiceUnavailable"),
    ],
)
def test_a_failure_is_a_status_of_the_real_kind(status: int, reason: str) -> None:
    the_door = door(StandIn())
    the_door.faults.add(Fault(status=status))
    answer = get(the_door, "/api/v1/nodes")
    body = read(answer)
    assert (answer.status, body["kind"], body["reason"], body["code"]) == (status, "Status", reason, status)
    assert body["message"]


def test_too_many_requests_say_when_to_come_back() -> None:
    the_door = door(StandIn())
    the_door.faults.add(Fault(status=429, retry_after_seconds=3))
    answer = get(the_door, "/api/v1/nodes")
    assert answer.retry_after_seconds == 3
    assert read(answer)["details"] == {"retryAfterSeconds": 3}


def test_a_late_or_cut_answer_is_the_real_answer() -> None:
    the_door = door(StandIn(nodes=[node("a")]))
    the_door.faults.add(Fault(delay_seconds=0.5, delivery=Delivery.TRUNCATED))
    answer = get(the_door, "/api/v1/nodes")
    assert (answer.delay_seconds, answer.delivery, names(answer)) == (0.5, Delivery.TRUNCATED, ["a"])


def test_open_orders_can_be_forgotten() -> None:
    the_door = door(StandIn())
    the_door.faults.add(Fault(status=500, times=100))
    the_door.faults.clear()
    assert get(the_door, "/api/v1/nodes").status == 200
