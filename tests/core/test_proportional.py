"""CPA's numbers to the letter, and our exact ones."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from warmpool.core.counting import Counted
from warmpool.core.proportional import cpa_replicas, nodes_needed
from warmpool.core.spec import Counting, Ladder, Linear, Proportional

ORACLES = Path(__file__).parent.parent / "oracles"
CPA = json.loads((ORACLES / "cpa.json").read_text())
CASES = json.loads((ORACLES / "cases.json").read_text())
UPSTREAM = CPA["upstream"]


def ratio(value: float | None) -> Fraction | None:
    return None if value is None else Fraction(str(value))


def linear(params: dict[str, Any]) -> Proportional:
    return Proportional(
        counting=Counting.SCHEDULABLE,
        linear=Linear(
            nodes_per_replica=ratio(params.get("nodesPerReplica")),
            cores_per_replica=ratio(params.get("coresPerReplica")),
            prevent_single_point_failure=params.get("preventSinglePointFailure", False),
        ),
    )


def ladder(nodes: Any = (), cores: Any = ()) -> Proportional:
    pairs = (tuple((int(at), int(to)) for at, to in steps) for steps in (nodes, cores))
    by_nodes, by_cores = pairs
    return Proportional(ladder=Ladder(nodes_to_replicas=by_nodes, cores_to_replicas=by_cores))


def cpa(policy: Proportional, params: dict[str, Any], nodes: int, cores: int) -> int:
    return cpa_replicas(policy, Counted(nodes=nodes, cores=cores), params.get("min", 1), params.get("max", 0))


@pytest.mark.parametrize(("cores", "replicas"), UPSTREAM["linear_single_dim"]["rows"])
def test_cpa_linear_in_one_dimension(cores: int, replicas: int) -> None:
    params = UPSTREAM["linear_single_dim"]["params"]
    assert cpa(linear(params), params, 0, cores) == replicas


@pytest.mark.parametrize(("cores", "nodes", "replicas"), UPSTREAM["linear_multi"]["rows"])
def test_cpa_linear_in_two_dimensions(cores: int, nodes: int, replicas: int) -> None:
    params = UPSTREAM["linear_multi"]["params"]
    assert cpa(linear(params), params, nodes, cores) == replicas


@pytest.mark.parametrize("row", UPSTREAM["linear_include_unschedulable"]["rows"])
def test_cpa_linear_with_unschedulable_nodes_counts_all(row: list[int]) -> None:
    params = UPSTREAM["linear_include_unschedulable"]["params"]
    _, _, all_cores, all_nodes, replicas = row
    assert cpa(linear(params), params, all_nodes, all_cores) == replicas


@pytest.mark.parametrize(("count", "replicas"), UPSTREAM["ladder"]["rows"])
def test_cpa_ladder_takes_the_last_step_reached(count: int, replicas: int) -> None:
    assert cpa(ladder(nodes=UPSTREAM["ladder"]["entries"]), {}, count, 0) == replicas


@pytest.mark.parametrize("entries", ["entries_a", "entries_b"])
@pytest.mark.parametrize(("count", "replicas"), UPSTREAM["ladder_from_zero"]["rows"])
def test_cpa_ladder_can_start_at_zero(entries: str, count: int, replicas: int) -> None:
    assert cpa(ladder(nodes=UPSTREAM["ladder_from_zero"][entries]), {}, count, 0) == replicas


@pytest.mark.parametrize("row", UPSTREAM["ladder_unschedulable"]["rows"])
def test_cpa_ladder_counts_unschedulable_nodes_where_told(row: list[Any]) -> None:
    schedulable_nodes, schedulable_cores, nodes, cores, include, replicas = row
    table = UPSTREAM["ladder_unschedulable"]
    policy = ladder(table["nodesToReplicas"], table["coresToReplicas"])
    counted = (nodes, cores) if include else (schedulable_nodes, schedulable_cores)
    assert cpa(policy, {}, *counted) == replicas


def test_cpa_run_follows_a_live_configuration() -> None:
    nodes = UPSTREAM["run"]["ladder_nodes"]
    by_letter = {
        "ladder A": ladder(nodes, UPSTREAM["run"]["ladder_A"]),
        "ladder B": ladder(nodes, UPSTREAM["run"]["ladder_B"]),
        "switch on": linear({"coresPerReplica": 100, "nodesPerReplica": 10}),
    }
    policy, params, seen = by_letter["ladder A"], {"min": 1, "max": 100}, 0
    for step in UPSTREAM["run"]["steps"]:
        policy = by_letter.get(step.get("config", "")[:9].strip(), policy)
        assert cpa(policy, params, step["nodes"], step["cores"]) == step["replicas"], step
        seen += 1
    assert seen == len(UPSTREAM["run"]["steps"])


@pytest.mark.parametrize(
    "case", CPA["derived"]["linear"], ids=lambda case: f"{case['case']}-{case['schedulable_nodes']}"
)
def test_cpa_derived_cases(case: dict[str, Any]) -> None:
    policy, params = linear(case["params"]), case["params"]
    assert cpa(policy, params, case["schedulable_nodes"], case["schedulable_cores"]) == case["replicas"]


@pytest.mark.parametrize(("x", "per", "code", "_readme"), CPA["derived"]["readme_vs_code_float"]["first"])
def test_cpa_divides_where_its_readme_multiplies(x: int, per: float, code: int, _readme: int) -> None:
    assert cpa(linear({"nodesPerReplica": per}), {}, x, 0) == code


@pytest.mark.parametrize(("x", "per", "in_floats", "exact"), CPA["derived"]["float_vs_decimal_ceil"]["first"])
def test_ours_is_exact_where_cpa_is_off_by_a_float(x: int, per: float, in_floats: int, exact: int) -> None:
    policy = linear({"nodesPerReplica": per})
    assert cpa(policy, {}, x, 0) == in_floats
    assert nodes_needed(policy, Counted(nodes=x, cores=0)) == exact


def test_float_and_exact_ceilings_differ_in_as_many_places_as_the_oracle_says() -> None:
    policies = [linear({"nodesPerReplica": tenth / 10}) for tenth in range(1, 500)]
    counts = [Counted(nodes=x, cores=0) for x in range(400)]
    differ = sum(
        cpa_replicas(policy, counted, 0, 0) != max(1, nodes_needed(policy, counted))
        for policy in policies
        for counted in counts
    )
    assert differ == CPA["derived"]["float_vs_decimal_ceil"]["count"]


@pytest.mark.parametrize(("x", "per", "exact", "in_floats"), CASES["ratio"]["rows"])
def test_ratios_of_the_cases(x: int, per: str, exact: int, in_floats: int) -> None:
    policy = Proportional(linear=Linear(cores_per_replica=Fraction(per)))
    assert nodes_needed(policy, Counted(nodes=0, cores=x)) == exact
    assert cpa(policy, {}, 0, x) == in_floats


def test_an_absent_ratio_contributes_nothing_in_ours_and_one_in_cpa() -> None:
    policy = linear({"coresPerReplica": 1000})
    assert nodes_needed(policy, Counted(nodes=9, cores=0)) == 0
    assert cpa(policy, {}, 9, 0) == 1


def test_single_point_of_failure_needs_two_only_where_there_is_more_than_one_node() -> None:
    policy = linear({"nodesPerReplica": 16, "preventSinglePointFailure": True})
    assert nodes_needed(policy, Counted(nodes=1, cores=4)) == 1
    assert nodes_needed(policy, Counted(nodes=2, cores=8)) == 2


def test_our_ladder_below_its_first_step_gives_the_first_steps_value() -> None:
    assert nodes_needed(ladder(nodes=[(8, 2), (3, 5)]), Counted(nodes=1, cores=0)) == 5
    assert nodes_needed(ladder(cores=[(8, 2)]), Counted(nodes=1, cores=9)) == 2
