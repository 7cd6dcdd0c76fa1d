"""What is allowed and will surprise."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmpool.core.counting import Counted
from warmpool.core.lint import Lint, LintCode, lints
from warmpool.core.proportional import nodes_needed
from warmpool.core.quantity import NANO, parse_quantity, whole_units
from warmpool.core.spec import ClusterRef, Counting, Demand, Ladder, Linear, PoolSpec, Proportional, Spec, Window


def amounts(cpu: str, memory: str, **others: int) -> dict[str, int]:
    return {"cpu": parse_quantity(cpu), "memory": parse_quantity(memory)} | others


NODE = amounts("47810m", "188520Mi")
SHAPE = amounts("2100m", "9Gi", pods=NANO)


def found(*, spec: dict[str, Any] | None = None, waits: dict[str, timedelta] | None = None, **pool: Any) -> list[Lint]:
    """Lint a pool of images and known size, so that only what a test changes is found."""
    fields: dict[str, Any] = {
        "name": "cpu",
        "deployment": "ph",
        "node_selector": {"pool": "cpu"},
        "min": 2,
        "max": 8,
        "images": ("image",),
        "shape": SHAPE,
        "node_allocatable": NODE,
    }
    made = Spec(cluster=ClusterRef(eks="x"), pools={"cpu": PoolSpec(**(fields | pool))}, **(spec or {}))
    return list(lints(made, waits))


def codes(**changes: Any) -> list[str]:
    return [f"{each.path.removeprefix('pools.cpu.')} {each.code}" for each in found(**changes)]


def linear(cores: str | None = None, nodes: str | None = None, **changes: Any) -> Proportional:
    ratios = [None if text is None else Fraction(text) for text in (nodes, cores)]
    single = bool(changes.get("single_point"))
    policy = Linear(nodes_per_replica=ratios[0], cores_per_replica=ratios[1], prevent_single_point_failure=single)
    return Proportional(counting=changes.get("counting", Counting.SCHEDULABLE), linear=policy)


def ladder(*nodes: tuple[int, int], cores: tuple[tuple[int, int], ...] = ()) -> Proportional:
    return Proportional(counting=Counting.ALL, ladder=Ladder(nodes_to_replicas=nodes, cores_to_replicas=cores))


FEEDS = ["proportional FeedsOnItself"]


def test_a_plain_pool_has_no_lints() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (linear(cores="48"), FEEDS),  # the guide's own advice: a node's cores, of nodes of 47810m
        (linear(cores="47.81"), FEEDS),
        (linear(cores="24"), FEEDS),
        (linear(nodes="1"), FEEDS),
        (linear(nodes="0.5"), FEEDS),
        (linear(cores="192", nodes="1"), FEEDS),
        (linear(cores="48", nodes="4", counting=Counting.ALL), FEEDS),
        (linear(cores="96"), []),
        (linear(cores="144", nodes="3"), []),
        (linear(nodes="2"), []),
        (linear(nodes="4", single_point=True), []),
        (linear(cores="48", counting=Counting.DEMAND), []),
        (ladder((1, 1), (2, 2), (3, 3)), FEEDS),
        (ladder((4, 4)), FEEDS),
        (ladder((1, 1), (8, 2)), []),
        (ladder(cores=((48, 1), (144, 3))), FEEDS),
        (ladder(cores=((48, 1), (480, 3))), []),
    ],
)
def test_a_ratio_that_feeds_on_itself_is_told(policy: Proportional, expected: list[str]) -> None:
    assert codes(proportional=policy) == expected


def test_compat_feeds_on_itself_whatever_it_counts() -> None:
    assert codes(proportional=linear(cores="48", counting=Counting.DEMAND), compat=True) == FEEDS


def test_the_lint_says_where_it_gets_stuck_and_what_to_do() -> None:
    (lint,) = found(proportional=linear(cores="48"))
    assert "8 nodes still ask for 8 placeholders, not min 2" in lint.text
    assert "Say `counting: demand`" in lint.text


def test_a_window_with_a_higher_max_counts_as_well() -> None:
    window = Window(name="w", start=timedelta(0), end=timedelta(hours=8), max=20)
    assert codes(proportional=ladder((1, 1), (12, 12)), windows=(window,)) == FEEDS


def test_a_huge_max_is_linted_as_fast_as_a_small_one() -> None:
    assert codes(proportional=linear(nodes="1"), max=2**31 - 1) == FEEDS
    assert codes(proportional=linear(nodes="4"), max=2**31 - 1) == []


def test_without_the_size_of_a_node_a_ratio_of_cores_cannot_be_judged() -> None:
    unknown = ["proportional UnknownNodeSize"]
    assert codes(proportional=linear(cores="48"), node_allocatable=None) == unknown
    assert codes(proportional=ladder(cores=((48, 1),)), node_allocatable=None) == unknown
    assert codes(proportional=linear(cores="48", nodes="1"), node_allocatable=None) == FEEDS
    assert codes(proportional=linear(nodes="4"), node_allocatable=None) == []


@given(
    st.integers(1, 128_000),
    st.fractions(Fraction(1, 4), 400, max_denominator=50),
    st.integers(1, 3),
    st.integers(4, 40),
)
def test_without_the_lint_an_idle_pool_always_comes_back_to_min(
    milli: int, ratio: Fraction, least: int, most: int
) -> None:
    policy = Proportional(counting=Counting.SCHEDULABLE, linear=Linear(cores_per_replica=ratio))
    node = {"cpu": milli * NANO // 1000, "memory": NANO}
    told = "FeedsOnItself" in [
        each.code for each in found(proportional=policy, node_allocatable=node, min=least, max=most, shape={"cpu": 1})
    ]
    nodes = most
    for _ in range(most):
        need = nodes_needed(policy, Counted(nodes=nodes, cores=whole_units(nodes * node["cpu"])))
        nodes = min(max(need, least), most)
    assert (nodes > least) == told


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"images": ()}, ["images NoImages"]),
        ({"shape": amounts("48", "9Gi", pods=NANO)}, ["shape ShapeTooBig"]),
        ({"shape": amounts("4", "16Gi", pods=NANO) | {"nvidia.com/gpu": NANO}}, ["shape ShapeTooBig"]),
        ({"shape": amounts("48", "900Gi"), "node_allocatable": None}, []),
        ({"node_allocatable": NODE | {"pods": 0}}, ["shape ShapeTooBig"]),
        ({"node_allocatable": NODE | {"pods": 110 * NANO}}, []),
        ({"placeholder": amounts("48", "8Gi", pods=NANO)}, ["placeholder PlaceholderTooBig"]),
        (
            {"placeholder": amounts("2", "8Gi", pods=NANO)},
            ["placeholder TwoPlaceholdersFit", "placeholder SmallPlaceholder"],
        ),
        ({"placeholder": amounts("24", "8Gi", pods=NANO)}, ["placeholder SmallPlaceholder"]),
        ({"placeholder": amounts("46", "8Gi", pods=NANO)}, []),
        ({"placeholder": amounts("2", "8Gi", pods=NANO), "node_allocatable": None}, ["placeholder SmallPlaceholder"]),
        ({"lead_time": timedelta(hours=1)}, ["leadTime LeadTimeAboveLimit"]),
        ({"demand": Demand(ready_within=timedelta(minutes=15))}, ["demand.readyWithin PromiseNeedsNoPool"]),
        ({"demand": Demand(ready_within=timedelta(minutes=1))}, []),
        (
            {
                "windows": (
                    Window(name="a", start=timedelta(0), end=timedelta(hours=1), min=1),
                    Window(name="b", start=timedelta(0), end=timedelta(hours=1), min=1, target=3),
                )
            },
            ["windows[1].min PinHidesMin"],
        ),
        ({"max_hourly_cost": Fraction(10)}, ["nodeHourlyPrice UnknownPrice"]),
        ({"spec": {"max_hourly_cost": Fraction(10)}}, ["nodeHourlyPrice UnknownPrice"]),
        (
            {"max_hourly_cost": Fraction(5), "node_hourly_price": {"": Fraction("2.76")}},
            ["maxHourlyCost MinAboveMaxHourlyCost"],
        ),
        ({"max_hourly_cost": Fraction("5.52"), "node_hourly_price": {"": Fraction("2.76")}}, []),
        (
            {"spec": {"max_hourly_cost": Fraction(5)}, "node_hourly_price": {"a": Fraction(9), "b": Fraction("2.76")}},
            ["maxHourlyCost MinAboveMaxHourlyCost"],
        ),
    ],
)
def test_each_surprise_is_told_at_its_path(changes: dict[str, Any], expected: list[str]) -> None:
    assert codes(**changes) == expected


def test_a_shape_that_does_not_fit_names_the_resource() -> None:
    (lint,) = found(shape=amounts("48", "9Gi"))
    assert "it asks for cpu 48 of 47810m;" in lint.text


def test_a_promise_below_the_measured_wait_of_warm_launches_cannot_be_kept() -> None:
    demand = Demand(ready_within=timedelta(seconds=20))
    (lint,) = found(demand=demand, waits={"cpu": timedelta(seconds=38)})
    assert (lint.path, lint.code) == ("pools.cpu.demand.readyWithin", LintCode.PROMISE_BELOW_WARM_WAIT)
    assert "promise 38 s or more" in lint.text
    assert found(demand=demand, waits={"other": timedelta(seconds=38)}) == []
    assert found(demand=Demand(), waits={"cpu": timedelta(seconds=38)}) == []
