"""What a pass measures: nothing that is unknown, nothing that did not happen, each thing once."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from tests.adapters.aws.builders import cold, decision, launch, tally, warm
from warmpool.app.ports import PassReport
from warmpool.core.decision import Decision, Groups
from warmpool.core.reasons import Code, Reason
from warmpool.core.watch import Cause, Found, LeadSample, Outcome
from warmpool.metrics import METRICS, Level, When
from warmpool.readings import readings

SECOND = timedelta(seconds=1)
ALWAYS, GAUGES, COMPLETE = (
    {each.name for each in METRICS.values() if each.level is Level.POOL and each.when is when}
    for when in (When.ALWAYS, When.SEEN, When.COMPLETE)
)


def seen(pool: str = "cpu", **changes: Any) -> Decision:
    """Return a decision of a pass that saw the pool."""
    return decision(pool, **{"lead_time": timedelta(minutes=6), **changes})


def held(code: Code, **changes: Any) -> Decision:
    return seen(hold=code, **{"reasons": (Reason(code, "x"),), **changes})


def report(*decisions: Decision, **changes: Any) -> PassReport:
    values: dict[str, Any] = {"decisions": decisions, "failures": {}, "complete": True, "took_seconds": 1.25}
    return PassReport(**{**values, **changes})


def everything() -> PassReport:
    """Return a pass in which everything that can be measured was."""
    launches = (
        launch(warm(), waited=20),
        launch(Found(outcome=Outcome.WARM_PREEMPT), waited=35),
        launch(cold(Cause.STOCK_OUT), waited=600),
        launch(Found(outcome=Outcome.UNKNOWN), waited=50),
    )
    lead = LeadSample(node=200 * SECOND, join=20 * SECOND, pull=160 * SECOND)
    counted = tally(
        *launches, abandoned=2, lead=(lead,), replacements=(300 * SECOND,), idle_node_hours=0.05, idle_usd=0.14
    )
    return report(held(Code.FOREIGN_WRITER), tallies={"cpu": counted}, config_ages={"cpu": 90 * SECOND}, conflicts=1)


def of_pool(given: PassReport, pool: str = "cpu") -> Mapping[str, list[float]]:
    [found] = [each for each in readings(given) if each.of == {"pool": pool}]
    return {name: list(values) for name, values in found.values.items()}


def of_stack(given: PassReport) -> Mapping[str, list[float]]:
    return {name: list(values) for name, values in next(iter(readings(given))).values.items()}


def test_everything_in_the_catalogue_is_measured_and_nothing_else() -> None:
    assert {name for each in readings(everything()) for name in each.values} == set(METRICS)


def test_a_complete_pass_beats() -> None:
    assert of_stack(report(seen())) == {
        "Heartbeat": [1],
        "PassFailed": [0],
        "PassSeconds": [1.25],
        "Conflicts": [0],
    }


@pytest.mark.parametrize("failures", [{}, {"cpu": "Failed"}])
def test_an_incomplete_pass_does_not_beat(failures: dict[str, str]) -> None:
    given = report(seen(), complete=False, failures=failures, conflicts=2)

    assert of_stack(given) == {"PassFailed": [len(failures)], "PassSeconds": [1.25], "Conflicts": [2]}


def test_a_pass_that_never_came_to_a_decision_failed() -> None:
    assert of_stack(report(complete=False))["PassFailed"] == [1]


def test_a_failure_of_the_whole_pass_makes_no_pool_of_its_own() -> None:
    [only] = readings(report(complete=False, failures={"*": "KeyError: x"}))

    assert (only.of, only.values["PassFailed"]) == ({}, [1])


def test_a_pool_has_its_gauges() -> None:
    given = report(
        seen(
            current=4,
            target=5,
            groups=Groups(h=1, i=3),
            idle_nodes_wanted=4,
            busy_nodes=2,
            warm_nodes=2,
            warm_slots=9,
            need_slots=12,
            floor_slots=9,
            ready_placeholders=3,
            pending_placeholders=1,
            capped=True,
        ),
        config_ages={"cpu": timedelta(0)},
    )

    assert {name: value for name, [value] in of_pool(given).items()} == {
        "Current": 4,
        "Target": 5,
        "IdleNodes": 3,
        "IdleNodesWanted": 4,
        "BusyNodes": 2,
        "WarmNodes": 2,
        "WarmSlots": 9,
        "NeedSlots": 12,
        "BelowFloor": 0,
        "RoomMissing": 1,
        "LeadTime": 360,
        "ConfigAge": 0,
        "ReadyPlaceholders": 3,
        "PendingPlaceholders": 1,
        "Capped": 1,
        "Held": 0,
        "PoolFailed": 0,
        "ConfigInvalid": 0,
        "ForeignWriter": 0,
        "HeldLong": 0,
        "CapacityStuck": 0,
        "ImagePullStuck": 0,
    }


@pytest.mark.parametrize(("warm_slots", "below"), [(8, 1), (9, 0), (10, 0)])
def test_the_floor_is_kept_by_as_many_slots_and_no_fewer(warm_slots: int, below: int) -> None:
    assert of_pool(report(seen(warm_slots=warm_slots, floor_slots=9)))["BelowFloor"] == [below]


def test_what_was_not_seen_is_left_out_and_not_zero() -> None:
    given = report(
        held(Code.CLUSTER_UNAVAILABLE, current=None, target=None, lead_time=None),
        complete=False,
        config_ages={"cpu": timedelta(0)},
    )

    assert of_pool(given).keys() == ALWAYS
    assert of_pool(given)["Held"] == [1]


def test_a_pool_that_was_seen_in_part_has_no_gauges_and_its_neighbour_has() -> None:
    given = report(held(Code.PARTIAL_VIEW), seen("gpu"), complete=False)

    assert of_pool(given).keys().isdisjoint(GAUGES)
    assert of_pool(given, "gpu").keys() >= GAUGES


def test_a_pool_without_its_deployment_was_seen_all_the_same() -> None:
    given = report(held(Code.DEPLOYMENT_MISSING, current=None, target=None, floor_slots=3))

    assert of_pool(given).keys() & GAUGES == GAUGES - {"Current", "Target"}
    assert of_pool(given)["BelowFloor"] == [1]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (Code.CONFIG_INVALID, "ConfigInvalid"),
        (Code.FOREIGN_WRITER, "ForeignWriter"),
        (Code.HELD_LONG, "HeldLong"),
        (Code.CAPACITY_STUCK, "CapacityStuck"),
        (Code.IMAGE_PULL_STUCK, "ImagePullStuck"),
    ],
)
def test_a_reason_that_alarms_is_a_metric(code: Code, name: str) -> None:
    assert of_pool(report(seen(reasons=(Reason(Code.STEADY, "x"), Reason(code, "y")))))[name] == [1]


@pytest.mark.parametrize("code", [Code.FROZEN, Code.PAUSED_BY_OVERRIDE])
def test_what_somebody_stopped_on_purpose_is_not_held_for_long(code: Code) -> None:
    given = report(held(code, reasons=(Reason(code, "x"), Reason(Code.HELD_LONG, "y"))))

    assert (of_pool(given)["Held"], of_pool(given)["HeldLong"]) == ([1], [0])


def test_a_hold_is_counted_once_more_by_its_reason() -> None:
    given = report(held(Code.ROLLOUT), seen("gpu"))

    assert [(each.of, each.values) for each in readings(given) if "reason" in each.of] == [
        ({"pool": "cpu", "reason": "Rollout"}, {"HeldFor": [1]})
    ]


def test_a_pool_that_failed_says_so() -> None:
    given = report(seen(), seen("gpu"), failures={"cpu": "Conflict: x"})

    assert (of_pool(given)["PoolFailed"], of_pool(given, "gpu")["PoolFailed"]) == ([1], [0])


def test_launches_are_counted_by_what_they_found_and_the_unseen_are_no_misses() -> None:
    found = of_pool(everything())

    assert {name: found[name] for name in ("WarmCoexist", "WarmPreempt", "Cold", "Unseen")} == {
        "WarmCoexist": [1],
        "WarmPreempt": [1],
        "Cold": [1],
        "Unseen": [3],
    }
    assert found["Hit"] == [1, 1, 0]
    assert (found["Wait"], found["WarmWait"]) == ([20, 35, 600, 50], [20, 35])


def test_orders_are_split_at_node_join_and_pull() -> None:
    found = of_pool(everything())

    assert [found[f"Lead{part}"] for part in ("Node", "Join", "Pull", "Total")] == [[200], [20], [160], [380]]
    assert found["Replacement"] == [300]


def test_cold_launches_are_counted_once_more_by_their_cause() -> None:
    launches = launch(cold(Cause.IMAGE)), launch(cold(Cause.IMAGE)), launch(cold(Cause.GATED)), launch(warm())
    given = report(seen(), tallies={"cpu": tally(*launches)})

    assert {each.of["cause"]: each.values["ColdFor"] for each in readings(given) if "cause" in each.of} == {
        "image": [2],
        "gated": [1],
    }


def test_where_nothing_happened_nothing_is_written_but_the_idle_time() -> None:
    found = of_pool(report(seen(), tallies={"cpu": tally()}))

    assert found.keys() & {each.name for each in METRICS.values() if each.sparse} == set()
    assert found["IdleNodeHours"] == [0]


def test_each_pass_writes_what_the_catalogue_says_and_no_more() -> None:
    ages = {"cpu": timedelta(0)}
    whole = report(seen(), tallies={"cpu": tally(idle_node_hours=0.1, idle_usd=0.2)}, config_ages=ages)

    assert of_pool(whole).keys() == ALWAYS | GAUGES | COMPLETE
    assert of_pool(report(seen(), config_ages=ages)).keys() == ALWAYS | GAUGES
    assert {name for name, [value] in of_pool(whole).items() if METRICS[name].flag and value not in {0, 1}} == set()


def test_an_unknown_price_costs_nothing_that_is_known() -> None:
    found = of_pool(report(seen(), tallies={"cpu": tally(idle_node_hours=0.5)}))

    assert "IdleCostUsd" not in found


def test_a_pass_that_added_nothing_to_the_books_counts_nothing() -> None:
    found = of_pool(report(seen()))

    assert found.keys().isdisjoint({"IdleNodeHours", "IdleCostUsd", "Hit", "Wait", "Unseen"})
