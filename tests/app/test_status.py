"""Is the promise kept, and if not: what is wrong, since when, what to do."""

from datetime import timedelta
from fractions import Fraction

from tests.builders import (
    LONG_AGO,
    NOW,
    deployment,
    inputs,
    node,
    not_ready,
    pair,
    placeholder,
    pool,
    snapshot,
    workspace,
)
from warmpool.app.advice import FIXES, NODE_FIXES
from warmpool.app.status import PoolStatus, Problem, judge, statuses
from warmpool.core.decision import PoolState
from warmpool.core.model import FieldOwner
from warmpool.core.reasons import Code, Exclusion, Reason
from warmpool.core.spec import ClusterRef, Override, Spec

MINUTE = timedelta(minutes=1)
NO_PROBLEM = {
    Code.FLOOR,
    Code.WINDOW,
    Code.WINDOW_AHEAD,
    Code.PIN,
    Code.OVERRIDE,
    Code.PROPORTIONAL,
    Code.COMPAT,
    Code.ROOM_ON_BUSY_NODES,
    Code.STEADY,
    Code.SHORT,
    Code.SURPLUS,
    Code.SURPLUS_WAITS,
    Code.EXCESS,
    Code.LOWERED_BY_OVERRIDE,
    Code.UNUSABLE_REPLACED,
    Code.UNUSABLE_RELEASED,
    Code.MARKED_FIRST,
    Code.NOT_NEXT_TO_GO,
    Code.CEILING_FELL,
    Code.SHADOW,
    Code.BEFORE_STABILISATION,
}
ON_THEIR_WAY = {Exclusion.DELETING, Exclusion.DISRUPTED, Exclusion.NOT_REGISTERED, Exclusion.NOT_INITIALISED}


def problem(status: PoolStatus, code: str) -> Problem:
    (found,) = (each for each in status.problems if each.code == code)
    return found


def test_every_reason_is_either_a_problem_with_a_fix_or_no_problem() -> None:
    assert FIXES.keys() | NO_PROBLEM == set(Code)
    assert not FIXES.keys() & NO_PROBLEM
    assert NODE_FIXES.keys() | ON_THEIR_WAY == set(Exclusion)
    assert all(text.format(pool="p") for text in FIXES.values())


def test_room_for_two_empty_nodes_keeps_min_two() -> None:
    status = judge(inputs(*pair("n1"), *pair("n2")))
    assert (status.kept, status.warm_nodes, status.room_slots, status.need_slots) == (True, 2, 22, 22)
    assert status.problems == ()


def test_free_slots_on_busy_warm_nodes_count_as_room() -> None:
    busy = [workspace(f"ws-{name}", on=name) for name in ("n1", "n2", "n3")]
    things = [each for name in ("n1", "n2", "n3") for each in pair(name)]
    status = judge(inputs(*things, *busy))
    assert (status.kept, status.warm_nodes, status.room_slots) == (True, 3, 30)


def test_an_ordered_node_is_no_room_yet() -> None:
    ordered = placeholder("ph-2", created=NOW - 4 * MINUTE)
    status = judge(inputs(*pair("n1"), ordered))
    assert (status.kept, status.warm_nodes, status.room_slots) == (False, 1, 11)
    missing = problem(status, "RoomMissing")
    assert "11 of 22 slots" in missing.text
    assert "wait for a node: 1, that are on one and not Ready yet: 0" in missing.text
    assert missing.since == NOW - 4 * MINUTE


def test_a_node_that_is_still_pulling_is_no_room_yet() -> None:
    pulling = placeholder("ph-2", on="n2", ready=False, created=NOW - 2 * MINUTE, started=NOW - MINUTE)
    status = judge(inputs(*pair("n1"), node("n2"), pulling))
    assert (status.kept, status.warm_nodes) == (False, 1)
    assert "wait for a node: 0, that are on one and not Ready yet: 1" in problem(status, "RoomMissing").text


def test_where_nothing_is_on_order_since_when_is_unknown() -> None:
    missing = problem(judge(inputs(*pair("n1"))), "RoomMissing")
    assert missing.since is None


def test_warm_nodes_that_take_no_launch_are_no_room_and_named() -> None:
    held = [placeholder(f"ph-{name}", on=name) for name in ("n1", "n2", "n3", "n4")]
    cordoned = [node(name, unschedulable=True) for name in ("n1", "n2", "n3", "n4")]
    status = judge(inputs(*cordoned, *held))
    assert (status.kept, status.warm_nodes, status.room_slots) == (False, 0, 0)
    left_out = problem(status, "Cordoned")
    assert left_out.text.endswith("(Cordoned): n1, n2, n3 and 1 more")
    assert "kubectl uncordon" in left_out.fix


def test_a_not_ready_node_says_since_when() -> None:
    away = [node("n3", **not_ready(2)), node("n4", **not_ready(3))]
    status = judge(inputs(*pair("n1"), *pair("n2"), *pair("n5"), *away))
    assert problem(status, "NotReady").since == NOW - 3 * MINUTE


def test_a_need_of_nothing_is_kept_by_an_empty_pool() -> None:
    assert judge(inputs(spec=pool(min=0))).kept is True


def test_an_emergency_max_is_the_need_and_told_as_capped() -> None:
    status = judge(inputs(*pair("n1"), override=Override(max=1, reason="incident")))
    assert (status.kept, status.need_slots) == (True, 11)
    assert problem(status, "CappedByMax").fix.startswith("raise max")
    assert "--pool spaces" in problem(status, "CappedByMax").fix


def test_a_need_that_money_does_not_pay_for_is_not_kept() -> None:
    spec = pool(max_hourly_cost=Fraction(1), node_hourly_price={"": Fraction(1)})
    status = judge(inputs(*pair("n1"), spec=spec))
    assert status.kept is False
    assert problem(status, "CappedByMaxHourlyCost").fix


def test_a_partial_view_is_unknown_and_neither_kept_nor_not() -> None:
    view = snapshot(*pair("n1"), missing=("spaces: list pods: 500",))
    status = judge(inputs(snapshot=view))
    assert (status.kept, status.warm_nodes, status.room_slots, status.need_slots) == (None, None, None, None)
    assert problem(status, "PartialView").fix


def test_without_the_deployment_it_is_not_kept_and_says_what_to_do() -> None:
    view = snapshot(deployments=())
    status = judge(inputs(snapshot=view))
    assert status.kept is False
    assert "warmpool manifests" in problem(status, "DeploymentMissing").fix


def test_a_hold_that_the_ledger_knows_says_since_when() -> None:
    state = PoolState(hold_since=NOW - 40 * MINUTE, hold_code=Code.FOREIGN_WRITER)
    owned = deployment(2, replica_owners=(FieldOwner(manager="argocd-controller", operation="Apply", time=LONG_AGO),))
    things = (*pair("n1"), *pair("n2"))
    status = judge(inputs(snapshot=snapshot(*things, owned), state=state))
    assert problem(status, "ForeignWriter").since == NOW - 40 * MINUTE
    assert problem(status, "HeldLong").since == NOW - 40 * MINUTE


def test_what_is_stuck_says_since_when() -> None:
    waiting = placeholder("ph-2", created=NOW - 45 * MINUTE)
    stuck = placeholder("ph-3", on="n3", ready=False, started=NOW - 50 * MINUTE)
    status = judge(inputs(*pair("n1"), waiting, node("n3"), stuck))
    assert problem(status, "CapacityStuck").since == NOW - 45 * MINUTE
    assert problem(status, "ImagePullStuck").since == NOW - 50 * MINUTE


def test_what_the_caller_knows_goes_first() -> None:
    wrong = Reason(Code.CONFIG_INVALID, "spaces/override: min: got text")
    status = judge(inputs(*pair("n1"), *pair("n2"), notes=(wrong, wrong)), {wrong: LONG_AGO})
    assert problem(status, "ConfigInvalid").since == LONG_AGO
    assert status.kept is True


def test_a_snapshot_is_judged_pool_by_pool_with_the_stacks_money_shared() -> None:
    gpu = pool(name="gpu", node_selector={"pool": "gpu"}, deployment="ph-gpu", priority=1)
    priced = {"": Fraction(1)}
    pools = {"spaces": pool(node_hourly_price=priced), "gpu": pool(**{**_fields(gpu), "node_hourly_price": priced})}
    spec = Spec(cluster=ClusterRef(eks="ml"), pools=pools, max_hourly_cost=Fraction(3))
    first, second = statuses(spec, snapshot(*pair("n1"), *pair("n2")), NOW)
    assert (first.pool, first.kept) == ("spaces", True)
    assert problem(first, "CappedByMaxHourlyCost").fix
    assert (second.pool, second.kept) == ("gpu", False)


def test_without_stack_money_nothing_is_shared() -> None:
    spec = Spec(cluster=ClusterRef(eks="ml"), pools={"spaces": pool()})
    (status,) = statuses(spec, snapshot(*pair("n1"), *pair("n2")), NOW)
    assert (status.kept, status.problems) == (True, ())


def _fields(spec: object) -> dict[str, object]:
    return {name: getattr(spec, name) for name in ("name", "node_selector", "deployment", "priority")}
