"""Idle node-hours and their price between two complete passes."""

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest

from tests.builders import NOW, claim, node, pool, snapshot, workspace
from warmpool.core.assess import Inputs, assess
from warmpool.core.idle import Idle, IdleTime, idle_now, idle_time
from warmpool.core.model import ClaimCondition, Condition
from warmpool.core.watch import PoolWatch

BEGAN = NOW - timedelta(hours=1)
PRICED = {"node_hourly_price": {"": Fraction(3)}}


def launched(at: datetime, name: str = "c1", **overrides: Any) -> object:
    done = ClaimCondition(status=Condition.TRUE, changed=at)
    return claim(name, **{"conditions": {"Launched": done}, **overrides})


def idle(*things: Any, **spec: Any) -> Idle:
    seen = snapshot(*things)
    inputs = Inputs(spec=pool(**spec), snapshot=seen, now=NOW)
    return idle_now(inputs.spec, assess(inputs).view, seen.claims)


def test_a_node_without_an_ordinary_pod_is_idle() -> None:
    assert idle(node("n1"), node("n2"), workspace(on="n2"), **PRICED) == Idle(nodes=1, usd_per_hour=3.0)


def test_an_instance_that_has_not_joined_is_paid_for_and_idle() -> None:
    assert idle(launched(BEGAN, node=None), **PRICED) == Idle(nodes=1, usd_per_hour=3.0, born=(BEGAN,))


def test_a_node_and_its_claim_count_once() -> None:
    assert idle(node("n1"), launched(BEGAN, node="n1")).nodes == 1


@pytest.mark.parametrize(
    "coming",
    [
        claim(node=None),
        claim(node=None, conditions={"Launched": ClaimCondition(status=Condition.UNKNOWN)}),
        launched(BEGAN, node=None, deleting=True),
    ],
    ids=["no word of a launch", "not launched", "leaving"],
)
def test_a_claim_without_a_running_instance_costs_nothing(coming: object) -> None:
    assert idle(coming).nodes == 0


def test_the_price_goes_by_instance_type() -> None:
    small = node(labels={**node().labels, "node.kubernetes.io/instance-type": "ml.m5.xlarge"})
    assert idle(small, node_hourly_price={"ml.m5.xlarge": Fraction(1, 2)}).usd_per_hour == 0.5


@pytest.mark.parametrize("prices", [{}, {"ml.other": Fraction(1)}], ids=["none given", "another type's"])
def test_an_unknown_price_is_unknown_and_not_nothing(prices: dict[str, Fraction]) -> None:
    assert idle(node(), node_hourly_price=prices).usd_per_hour is None


def test_what_stays_idle_counts_in_full() -> None:
    before = PoolWatch(idle_nodes=2, idle_usd_per_hour=6.0)
    assert idle_time(before, Idle(nodes=2, usd_per_hour=6.0), BEGAN, NOW) == IdleTime(node_hours=2.0, usd=6.0)


def test_what_changed_counts_as_if_it_had_changed_half_way() -> None:
    before = PoolWatch(idle_nodes=2, idle_usd_per_hour=6.0)
    assert idle_time(before, Idle(nodes=1, usd_per_hour=3.0), BEGAN, NOW) == IdleTime(node_hours=1.5, usd=4.5)


def test_a_node_that_was_launched_since_counts_from_then() -> None:
    before = PoolWatch(idle_nodes=0, idle_usd_per_hour=0.0)
    now = Idle(nodes=1, usd_per_hour=3.0, born=(NOW - timedelta(minutes=15),))
    assert idle_time(before, now, BEGAN, NOW) == IdleTime(node_hours=0.25, usd=0.75)


def test_the_last_idle_node_that_left_costs_until_half_way() -> None:
    before = PoolWatch(idle_nodes=1, idle_usd_per_hour=3.0)
    assert idle_time(before, Idle(nodes=0, usd_per_hour=0.0), BEGAN, NOW) == IdleTime(node_hours=0.5, usd=1.5)


@pytest.mark.parametrize("began", [None, BEGAN], ids=["no pass before", "pool new"])
def test_nothing_is_booked_before_somebody_looked(began: datetime | None) -> None:
    assert idle_time(PoolWatch(), Idle(nodes=3, usd_per_hour=9.0), began, NOW) == IdleTime()


def test_a_price_that_was_unknown_leaves_the_cost_unknown() -> None:
    before = PoolWatch(idle_nodes=2)
    assert idle_time(before, Idle(nodes=2, usd_per_hour=6.0), BEGAN, NOW) == IdleTime(node_hours=2.0)


def test_a_clock_that_went_back_books_nothing() -> None:
    before = PoolWatch(idle_nodes=2, idle_usd_per_hour=6.0)
    later = NOW + timedelta(hours=1)
    assert idle_time(before, Idle(nodes=2, usd_per_hour=6.0), later, NOW) == IdleTime(node_hours=0.0, usd=0.0)
