"""The decision: room, E, the groups and what becomes of them. Design section 6."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from tests.builders import (
    LONG_AGO,
    NODE,
    NOW,
    SHAPE,
    amounts,
    claim,
    deployment,
    inputs,
    node,
    nodepool,
    not_ready,
    pair,
    placeholder,
    pool,
    workspace,
)
from warmpool.core.decide import decide, preview
from warmpool.core.decision import Action, Decision, Groups, PoolState
from warmpool.core.model import ClaimCondition, Condition, Pod, PodPhase, Taint
from warmpool.core.placement import VICTIM_COST
from warmpool.core.reasons import Code, Exclusion
from warmpool.core.spec import Counting, Ladder, Linear, Mode, Override, Proportional, ScaleDown, Stop, StopMode

MINUTE = timedelta(minutes=1)


def codes(decision: Decision) -> set[Code]:
    return {reason.code for reason in decision.reasons}


def full(name: str, launches: int = 11) -> list[Pod]:
    return [workspace(f"{name}-w{number}", on=name) for number in range(launches)]


def marked(pod: Pod) -> Pod:
    return replace(pod, deletion_cost=VICTIM_COST)


def lasting(surplus: int, minutes: float = 11) -> PoolState:
    since = NOW - timedelta(minutes=minutes)
    return PoolState(surplus_seen=((since, surplus),), surplus_since=since)


class TestRoom:
    def test_min_is_room_for_so_many_empty_nodes(self) -> None:
        decision = decide(inputs(*pair("a"), *pair("b")))
        assert (decision.target, decision.action) == (2, Action.NONE)
        assert (decision.idle_nodes_wanted, decision.warm_slots) == (2, 22)
        assert Code.STEADY in codes(decision)

    def test_an_empty_pool_orders_min(self) -> None:
        decision = decide(inputs(replicas=0))
        assert (decision.target, decision.action) == (2, Action.UP)
        assert Code.SHORT in codes(decision)

    def test_free_slots_on_busy_nodes_count_towards_the_need(self) -> None:
        half = [node("b"), *full("b", 6), node("c"), *full("c", 5)]
        decision = decide(inputs(*half, *pair("a"), spec=pool(min=2)))
        assert decision.idle_nodes_wanted == 1
        assert Code.ROOM_ON_BUSY_NODES in codes(decision)

    def test_one_free_slot_on_each_of_three_busy_nodes_is_worth_next_to_nothing(self) -> None:
        busy = [thing for name in "bcd" for thing in (node(name), *full(name, 10))]
        assert decide(inputs(*busy, spec=pool(min=2))).idle_nodes_wanted == 2

    def test_a_pending_launch_does_not_reduce_room(self) -> None:
        assert decide(inputs(*pair("a"), *pair("b"), workspace("w"))).target == 2

    def test_room_of_a_node_that_cannot_take_a_launch_is_none(self) -> None:
        busy = [node("b", unschedulable=True), *full("b", 1)]
        decision = decide(inputs(*busy, *pair("a"), spec=pool(min=1)))
        assert decision.idle_nodes_wanted == 1
        assert decision.excluded == {"b": Exclusion.CORDONED}

    def test_a_briefly_not_ready_busy_node_keeps_its_room(self) -> None:
        busy = [node("b", **not_ready(1)), *full("b", 1)]
        assert decide(inputs(*busy, *pair("a"), *pair("c"), spec=pool(min=1))).idle_nodes_wanted == 1

    def test_the_smallest_node_says_how_much_an_empty_one_offers(self) -> None:
        small = node("s", allocatable=amounts(cpu="8", memory="64Gi", pods="110"))
        decision = decide(inputs(*pair("a"), small, spec=pool(min=1), replicas=1))
        assert decision.idle_nodes_wanted == 1
        assert decide(inputs(*pair("a"), small, *full("s", 1), spec=pool(min=1))).idle_nodes_wanted == 1

    def test_without_nodes_the_specs_allocatable_says_it(self) -> None:
        spec = pool(node_allocatable=amounts(cpu="47810m", memory="188520Mi"), min=1)
        decision = decide(inputs(spec=spec, replicas=0))
        assert decision.target == 1
        assert Code.SHAPE_TOO_BIG not in codes(decision)

    def test_a_shape_that_fits_no_node_is_told(self) -> None:
        spec = pool(shape=amounts(cpu="64", memory="1Gi"))
        assert Code.SHAPE_TOO_BIG in codes(decide(inputs(*pair("a"), *pair("b"), spec=spec)))

    def test_pods_are_a_resource_too(self) -> None:
        crowded = node("a", allocatable=amounts(cpu="47900m", memory="196598Mi", pods="3"))
        decision = decide(inputs(crowded, placeholder(on="a"), spec=pool(min=1)))
        assert decision.warm_slots == 3


class TestPolicies:
    def test_a_proportional_policy_counts_busy_nodes_only(self) -> None:
        policy = Proportional(linear=Linear(nodes_per_replica=Fraction(1)))
        busy = [thing for name in "bcde" for thing in (node(name), *full(name))]
        decision = decide(inputs(*busy, *pair("a"), *pair("f"), spec=pool(proportional=policy)))
        assert decision.idle_nodes_wanted == 4
        assert [each.policy for each in decision.contributions] == ["min", "proportional"]

    def test_the_largest_need_wins(self) -> None:
        policy = Proportional(ladder=Ladder(nodes_to_replicas=((0, 1),)))
        assert decide(inputs(spec=pool(proportional=policy), replicas=0)).idle_nodes_wanted == 2

    def test_a_pin_replaces_all_needs(self) -> None:
        policy = Proportional(ladder=Ladder(nodes_to_replicas=((0, 5),)))
        override = Override(target=1, reason="quiet day")
        decision = decide(inputs(spec=pool(proportional=policy), override=override, replicas=0))
        assert decision.idle_nodes_wanted == 1
        assert [each.policy for each in decision.contributions] == ["pin"]
        assert Code.OVERRIDE in codes(decision)

    def test_compat_gives_cpas_number_also_where_it_counts_its_own_nodes(self) -> None:
        policy = Proportional(counting=Counting.SCHEDULABLE, linear=Linear(cores_per_replica=Fraction(48)))
        things = [thing for name in "abcdef" for thing in pair(name)]
        decision = decide(inputs(*things, spec=pool(proportional=policy, compat=True)))
        assert decision.target == 6
        assert Code.COMPAT in codes(decision)

    def test_compat_is_cut_by_max(self) -> None:
        policy = Proportional(
            counting=Counting.ALL,
            linear=Linear(nodes_per_replica=Fraction(16), prevent_single_point_failure=True),
        )
        things = [*pair("a"), node("b", unschedulable=True)]
        decision = decide(inputs(*things, spec=pool(proportional=policy, compat=True, min=1, max=1)))
        assert (decision.target, decision.capped) == (1, True)

    def test_compat_without_a_policy_keeps_cpas_least(self) -> None:
        assert decide(inputs(spec=pool(compat=True, min=0), replicas=3)).target == 1

    def test_compat_obeys_a_pin(self) -> None:
        assert decide(inputs(spec=pool(compat=True), override=Override(target=5), replicas=1)).target == 5


class TestCeilings:
    def test_max_wins_over_min(self) -> None:
        decision = decide(inputs(spec=pool(min=5), override=Override(max=3), replicas=0))
        assert (decision.target, decision.capped) == (3, True)
        assert Code.CAPPED_BY_MAX in codes(decision)

    def test_max_zero_means_zero(self) -> None:
        decision = decide(inputs(*pair("a"), *pair("b"), spec=pool(min=0, max=0)))
        assert (decision.target, decision.action) == (0, Action.DOWN)

    def test_placeholders_on_unusable_nodes_count_within_max(self) -> None:
        cordoned = [node("x", unschedulable=True), placeholder("ph-x", on="x")]
        decision = decide(inputs(*cordoned, *pair("a"), spec=pool(min=2, max=2)))
        assert decision.idle_nodes_wanted == 1
        assert decision.target is not None
        assert decision.target <= 2

    def test_nodepool_limits_leave_room_for_so_many_nodes(self) -> None:
        limits = nodepool(limits=amounts(cpu="144"))
        decision = decide(inputs(*pair("a"), limits, claim(node="a"), spec=pool(min=5)))
        assert decision.idle_nodes_wanted == 3
        assert Code.CAPPED_BY_NODEPOOL in codes(decision)

    def test_a_node_and_its_claim_are_one_capacity(self) -> None:
        limits = nodepool(limits=amounts(cpu="144"))
        unclaimed = node("b")
        decision = decide(inputs(*pair("a"), unclaimed, limits, claim(node="a"), spec=pool(min=5)))
        assert decision.idle_nodes_wanted == 2

    def test_a_limit_on_the_number_of_nodes_counts_nodes(self) -> None:
        limits = nodepool(limits={"nodes": 2 * 10**9})
        assert decide(inputs(*pair("a"), limits, spec=pool(min=5))).idle_nodes_wanted == 2

    def test_a_limit_on_what_nodes_do_not_have_caps_nothing(self) -> None:
        limits = nodepool(limits={"nvidia.com/gpu": 10**9})
        decision = decide(inputs(*pair("a"), limits, spec=pool(min=5)))
        assert decision.idle_nodes_wanted == 5
        assert Code.UNKNOWN_CAPACITY not in codes(decision)

    def test_a_claim_that_has_not_launched_counts_as_a_node_like_the_others(self) -> None:
        limits = nodepool(limits=amounts(cpu="144"))
        decision = decide(inputs(*pair("a"), limits, claim(capacity=None), spec=pool(min=5)))
        assert decision.idle_nodes_wanted == 2

    def test_the_first_claims_capacity_stands_in_while_no_node_is_ready(self) -> None:
        limits = nodepool(limits=amounts(cpu="100"))
        decision = decide(inputs(limits, claim(), spec=pool(min=5), replicas=0))
        assert decision.idle_nodes_wanted == 1

    @pytest.mark.parametrize(
        "things",
        [
            [nodepool(limits=None), node("a")],
            [nodepool(limits=amounts(cpu="96")), claim(capacity=None)],
            [nodepool(limits=amounts(cpu="96"))],
        ],
    )
    def test_unknown_capacity_caps_nothing_and_says_so(self, things: list[Any]) -> None:
        decision = decide(inputs(*things, spec=pool(min=5), replicas=0))
        assert decision.idle_nodes_wanted == 5
        assert Code.UNKNOWN_CAPACITY in codes(decision)

    def test_money_caps_idle_nodes(self) -> None:
        spec = pool(min=5, max_hourly_cost=Fraction(6), node_hourly_price={"": Fraction("2.76")})
        decision = decide(inputs(spec=spec, replicas=0))
        assert (decision.target, decision.capped) == (2, True)
        assert Code.CAPPED_BY_COST in codes(decision)

    def test_the_dearest_type_of_the_pool_counts(self) -> None:
        label = "node.kubernetes.io/instance-type"
        prices = {"cheap": Fraction(1), "dear": Fraction(3)}
        spec = pool(min=5, max_hourly_cost=Fraction(6), node_hourly_price=prices)
        mixed = [
            node("a", labels={"pool": "spaces", label: "cheap"}),
            node("b", labels={"pool": "spaces", label: "dear"}),
        ]
        assert decide(inputs(*mixed, spec=spec, replicas=0)).idle_nodes_wanted == 2
        assert decide(inputs(mixed[0], spec=spec, replicas=0)).idle_nodes_wanted == 5
        assert decide(inputs(spec=spec, replicas=0)).idle_nodes_wanted == 2

    def test_an_unknown_price_caps_nothing_and_says_so(self) -> None:
        spec = pool(min=5, max_hourly_cost=Fraction(6), node_hourly_price={"other": Fraction(1)})
        decision = decide(inputs(node("a"), spec=spec, replicas=0))
        assert decision.idle_nodes_wanted == 5
        assert Code.UNKNOWN_PRICE in codes(decision)

    def test_the_pools_share_of_the_stacks_money_caps_too(self) -> None:
        decision = decide(inputs(spec=pool(min=5), share=3, replicas=0))
        assert (decision.target, decision.capped) == (3, True)


class TestPlacement:
    def test_a_raise_adds_the_busy_nodes_that_could_swallow_placeholders(self) -> None:
        busy = [node("b"), *full("b", 10)]
        decision = decide(inputs(*busy, *pair("a")))
        assert decision.groups == Groups(h=0, i=1, x=0, r=1)
        assert decision.target == 0 + 0 + 1 + 2

    def test_a_busy_node_without_room_for_a_placeholder_swallows_none(self) -> None:
        busy = [node("b"), workspace("big", on="b", requests=amounts(cpu="47", memory="1Gi", pods="1"))]
        assert decide(inputs(*busy, *pair("a"))).groups.r == 0

    def test_placeholders_with_unreadable_requests_are_swallowed_by_nobody(self) -> None:
        busy = [node("b"), *full("b", 10), deployment(0, requests=None)]
        assert decide(inputs(*busy)).groups.r == 0

    def test_a_busy_node_of_unknown_room_swallows_none(self) -> None:
        busy = [node("b"), workspace("w", on="b", requests=None)]
        assert decide(inputs(*busy)).groups.r == 0

    def test_placeholders_on_busy_nodes_hold_nothing_extra(self) -> None:
        busy = [node("b"), placeholder("ph-b", on="b"), *full("b")]
        decision = decide(inputs(*busy, *pair("a"), *pair("c")))
        assert decision.groups == Groups(h=1, i=2, x=0, r=0)
        assert decision.target == 3

    def test_a_second_placeholder_on_a_node_holds_nothing_extra(self) -> None:
        decision = decide(inputs(*pair("a"), placeholder("twin", on="a"), *pair("b")))
        assert (decision.groups.h, decision.groups.i) == (1, 2)

    def test_a_cordoned_nodes_placeholder_is_replaced(self) -> None:
        cordoned = [node("x", unschedulable=True), placeholder("ph-x", on="x")]
        decision = decide(inputs(*cordoned, *pair("a")))
        assert decision.groups == Groups(h=0, i=1, x=1, r=0)
        assert (decision.target, decision.action) == (3, Action.UP)
        assert Code.UNUSABLE_REPLACED in codes(decision)

    def test_unusable_wins_over_busy(self) -> None:
        busy = [node("x", unschedulable=True), placeholder("ph-x", on="x"), workspace("w", on="x")]
        assert decide(inputs(*busy, *pair("a"), *pair("b"))).groups.x == 1

    def test_a_placeholder_on_a_node_that_is_gone_is_on_an_unusable_one(self) -> None:
        assert decide(inputs(placeholder("lost", on="gone"), *pair("a"))).groups.x == 1

    def test_a_placeholder_on_a_coming_node_is_ordered(self) -> None:
        coming = node("new", taints=(Taint(key="karpenter.sh/unregistered", effect="NoExecute"),), **not_ready(9))
        decision = decide(inputs(coming, placeholder("ph-new", on="new", ready=False, started=NOW), *pair("a")))
        assert (decision.groups, decision.target) == (Groups(i=2), 2)

    def test_replicas_that_are_not_created_yet_are_ordered(self) -> None:
        decision = decide(inputs(*pair("a"), replicas=2))
        assert (decision.groups.i, decision.target, decision.pending_placeholders) == (2, 2, 1)

    def test_pods_that_are_still_leaving_hold_nothing_and_nothing_more_goes_meanwhile(self) -> None:
        things = [thing for name in "abcd" for thing in pair(name)]
        decision = decide(inputs(*things, replicas=3, state=lasting(3)))
        assert (decision.groups.i, decision.target) == (3, 3)
        assert Code.NOT_NEXT_TO_GO in codes(decision)

    def test_capacity_stuck_asks_for_no_more_and_says_why(self) -> None:
        launched = ClaimCondition(status=Condition.FALSE, reason="InsufficientCapacity", message="no ml.m5.12xlarge")
        stuck = claim(conditions={"Launched": launched, "Ready": ClaimCondition(status=Condition.FALSE)})
        decision = decide(inputs(placeholder("p"), stuck, spec=pool(min=4)))
        assert (decision.target, decision.action) == (1, Action.NONE)
        (reason,) = (each for each in decision.reasons if each.code is Code.CAPACITY_STUCK)
        assert "InsufficientCapacity" in reason.text
        assert preview(inputs(placeholder("p"), stuck, spec=pool(min=4))).target == 1

    @pytest.mark.parametrize("conditions", [{}, {"Launched": ClaimCondition(status=Condition.TRUE)}])
    def test_capacity_stuck_says_when_nothing_tells_why(self, conditions: dict[str, ClaimCondition]) -> None:
        decision = decide(inputs(placeholder("p"), claim(conditions=conditions), spec=pool(min=4)))
        assert Code.CAPACITY_STUCK in codes(decision)

    def test_compat_is_not_raised_while_capacity_is_stuck(self) -> None:
        policy = Proportional(linear=Linear(nodes_per_replica=Fraction(1)))
        decision = decide(inputs(placeholder("p"), spec=pool(min=4, compat=True, proportional=policy)))
        assert decision.target == 1
        assert Code.CAPACITY_STUCK in codes(decision)

    def test_an_old_order_is_not_stuck_while_nodes_still_come(self) -> None:
        ready = ClaimCondition(status=Condition.TRUE, changed=NOW - MINUTE)
        decision = decide(inputs(placeholder("p"), claim(conditions={"Ready": ready}), spec=pool(min=4)))
        assert decision.target == 4

    def test_a_young_order_is_not_stuck(self) -> None:
        assert decide(inputs(placeholder("p", created=NOW - MINUTE), spec=pool(min=4))).target == 4

    def test_a_pull_that_does_not_end_is_replaced_one_at_a_time(self) -> None:
        pulling = {"ready": False, "phase": PodPhase.PENDING}
        things = [node("a"), placeholder("p1", on="a", **pulling), node("b"), placeholder("p2", on="b", **pulling)]
        decision = decide(inputs(*things))
        assert (decision.groups.x, decision.groups.i, decision.target) == (1, 1, 3)
        assert Code.IMAGE_PULL_STUCK in codes(decision)

    def test_a_deployment_that_differs_from_the_spec_is_told(self) -> None:
        things = [*pair("a"), *pair("b"), deployment(2, requests=amounts(cpu="3", memory="8Gi", pods="1"))]
        decision = decide(inputs(*things))
        (reason,) = (each for each in decision.reasons if each.code is Code.PLACEHOLDER_DIFFERS)
        assert "cpu" in reason.text
        assert "memory" not in reason.text
        assert Code.PLACEHOLDER_DIFFERS not in codes(decide(inputs(*pair("a"), *pair("b"))))


class TestScaleDown:
    def surplus(self, *, count: int = 4, mark: int = 0) -> list[Any]:
        things: list[Any] = []
        for number in range(count):
            name = f"n{number}"
            pod = placeholder(f"ph-{name}", on=name)
            things += [node(name, created=LONG_AGO + number * MINUTE), marked(pod) if number < mark else pod]
        return things

    def test_the_pass_that_first_sees_a_surplus_marks_and_waits(self) -> None:
        decision = decide(inputs(*self.surplus()))
        assert (decision.target, decision.action) == (4, Action.NONE)
        assert {mark.pod for mark in decision.marks} == {"ph-n0", "ph-n1"}
        assert {mark.deletion_cost for mark in decision.marks} == {VICTIM_COST}
        assert Code.SURPLUS_WAITS in codes(decision)

    def test_a_lasting_marked_surplus_leaves_one_step_at_a_time(self) -> None:
        decision = decide(inputs(*self.surplus(mark=2), state=lasting(2)))
        assert (decision.target, decision.action) == (3, Action.DOWN)
        assert decision.state.last_step_at == NOW
        assert Code.SURPLUS in codes(decision)

    def test_a_step_takes_as_many_as_the_spec_says(self) -> None:
        spec = pool(scale_down=ScaleDown(step=5))
        assert decide(inputs(*self.surplus(mark=2), spec=spec, state=lasting(2))).target == 2

    def test_only_the_smallest_surplus_of_the_whole_time_goes(self) -> None:
        since = NOW - 11 * MINUTE
        state = PoolState(surplus_seen=((NOW - 5 * MINUTE, 1),), surplus_since=since)
        spec = pool(scale_down=ScaleDown(step=5))
        assert decide(inputs(*self.surplus(mark=2), spec=spec, state=state)).target == 3

    def test_steps_are_a_minute_apart_however_often_passes_come(self) -> None:
        state = replace(lasting(2), last_step_at=NOW - timedelta(seconds=30))
        decision = decide(inputs(*self.surplus(mark=2), state=state))
        assert decision.target == 4
        assert Code.SURPLUS_WAITS in codes(decision)

    def test_an_unmarked_surplus_is_marked_first_however_long_it_lasts(self) -> None:
        decision = decide(inputs(*self.surplus(), state=lasting(2)))
        assert decision.target == 4
        assert Code.MARKED_FIRST in codes(decision)

    def test_shadow_mode_takes_the_marks_as_made(self) -> None:
        decision = decide(inputs(*self.surplus(), spec=pool(mode=Mode.SHADOW), state=lasting(2)))
        assert (decision.target, decision.dry_run) == (3, True)
        assert decision.state.last_written is None

    def test_a_need_clears_the_marks_and_forgets_the_surplus(self) -> None:
        decision = decide(inputs(*self.surplus(mark=2), spec=pool(min=6), state=lasting(2)))
        assert decision.target == 6
        assert {(mark.pod, mark.deletion_cost) for mark in decision.marks} == {("ph-n0", None), ("ph-n1", None)}
        assert decision.state.surplus_since is None

    def test_a_surplus_that_vanishes_starts_again(self) -> None:
        decision = decide(inputs(*self.surplus(count=2), state=lasting(2)))
        assert (decision.state.surplus_since, decision.state.surplus_seen) == (None, ())

    def test_pending_goes_first_then_expiring_then_oldest(self) -> None:
        things = self.surplus(count=5)
        soon = claim(node="n4", expires=NOW + timedelta(hours=2))
        pulling = placeholder("pulling", on="n5", ready=False, phase=PodPhase.PENDING, started=NOW, created=NOW)
        pending = placeholder("pending", created=NOW)
        decision = decide(inputs(*things, soon, node("n5"), pulling, pending, spec=pool(min=3)))
        assert [mark.pod for mark in sorted(decision.marks, key=lambda mark: mark.pod)] == [
            "pending", "ph-n0", "ph-n4", "pulling",
        ]  # fmt: skip

    def test_nothing_goes_while_the_replicaset_would_take_another(self) -> None:
        busy = [node("b"), *full("b"), placeholder("ph-b", on="b", ready=False, phase=PodPhase.PENDING, started=NOW)]
        decision = decide(inputs(*self.surplus(mark=2), *busy, state=lasting(2)))
        assert decision.target == 5
        assert Code.NOT_NEXT_TO_GO in codes(decision)

    def test_uncreated_replicas_go_before_any_pod(self) -> None:
        decision = decide(inputs(*self.surplus(count=2), replicas=4, state=lasting(2)))
        assert (decision.target, decision.marks) == (3, ())

    def test_placeholders_on_unusable_nodes_go_once_their_replacements_run(self) -> None:
        cordoned = [node("x", unschedulable=True), marked(placeholder("ph-x", on="x"))]
        decision = decide(inputs(*cordoned, *pair("a"), *pair("b")))
        assert (decision.target, decision.action) == (2, Action.DOWN)
        assert Code.UNUSABLE_RELEASED in codes(decision)

    def test_placeholders_on_unusable_nodes_stay_while_a_replacement_is_pending(self) -> None:
        cordoned = [node("x", unschedulable=True), marked(placeholder("ph-x", on="x"))]
        decision = decide(inputs(*cordoned, *pair("a"), placeholder("new", created=NOW)))
        assert decision.target == 3
        assert [mark.deletion_cost for mark in decision.marks] == [None]

    def test_more_than_max_goes_at_once_marked_in_the_same_pass(self) -> None:
        decision = decide(inputs(*self.surplus(count=6), spec=pool(min=1, max=3)))
        assert decision.target == 3
        assert len(decision.marks) == 3
        assert Code.EXCESS in codes(decision)

    def test_an_excess_takes_along_what_the_replicaset_removes_first(self) -> None:
        busy = [node("b"), *full("b"), placeholder("ph-b", on="b", ready=False, phase=PodPhase.PENDING, started=NOW)]
        decision = decide(inputs(*self.surplus(count=4), *busy, spec=pool(min=1, max=3)))
        assert decision.target == 5 - 1 - 1

    def test_an_excess_larger_than_the_idle_takes_the_unusable_too(self) -> None:
        cordoned = [node("x", unschedulable=True), placeholder("ph-x", on="x")]
        assert decide(inputs(*cordoned, *pair("a"), spec=pool(min=0, max=0))).target == 0

    def test_an_excess_that_is_not_created_yet_needs_no_victims(self) -> None:
        decision = decide(inputs(replicas=5, spec=pool(min=0, max=3)))
        assert (decision.target, decision.marks) == (3, ())

    def test_what_an_override_lowers_goes_at_once(self) -> None:
        decision = decide(inputs(*self.surplus(), spec=pool(min=4), override=Override(min=1, reason="quiet")))
        assert decision.target == 1
        assert Code.LOWERED_BY_OVERRIDE in codes(decision)

    def test_an_override_that_lowers_nothing_does_not_hurry(self) -> None:
        decision = decide(inputs(*self.surplus(), override=Override(min=3)))
        assert decision.target == 4

    def test_drain_lets_all_idle_nodes_go_at_once(self) -> None:
        stop = Stop(mode=StopMode.DRAIN, reason="incident")
        decision = decide(inputs(*self.surplus(), stop=stop))
        assert decision.target == 0
        assert Code.DRAINING in codes(decision)

    def test_an_unreadable_ledger_lowers_nothing_and_still_raises(self) -> None:
        lowered = decide(inputs(*self.surplus(mark=2), state=lasting(2), ledger_readable=False))
        assert lowered.target == 4
        assert Code.LEDGER_UNREADABLE in codes(lowered)
        assert decide(inputs(replicas=0, ledger_readable=False)).target == 2

    def test_plan_shows_where_it_ends(self) -> None:
        decision = preview(inputs(*self.surplus()))
        assert (decision.target, decision.action) == (2, Action.DOWN)
        assert Code.BEFORE_STABILISATION in codes(decision)
        cordoned = [node("x", unschedulable=True), placeholder("ph-x", on="x")]
        assert preview(inputs(*cordoned, *pair("a"), *pair("b"))).target == 2
        assert (
            preview(
                inputs(
                    *cordoned,
                    *pair("a"),
                    placeholder("new"),
                    spec=pool(min=2, lead_time_limit=10 * NOW.resolution * 10**12),
                )
            ).target
            == 3
        )


class TestMarks:
    def test_a_ready_placeholder_becomes_warm(self) -> None:
        born: dict[str, Any] = {"labels": {"app": "ph", "warmpool.spaces.aws/warm": "false"}}
        things = [node("a"), placeholder("ready", on="a", **born), placeholder("new", created=NOW, **born)]
        assert [(mark.pod, mark.warm) for mark in decide(inputs(*things)).marks] == [("ready", True)]

    @pytest.mark.parametrize(
        ("seen", "fields"),
        [
            (node("a", unschedulable=True), {"created": NOW}),
            (node("a"), {"created": LONG_AGO, "started": NOW}),
        ],
    )
    def test_a_leaving_or_too_old_placeholder_must_not_block_a_drain(self, seen: Any, fields: dict[str, Any]) -> None:
        born = {"labels": {"app": "ph", "warmpool.spaces.aws/warm": "false"}, "ready": False}
        decision = decide(inputs(seen, placeholder("p", on="a", **born, **fields)))
        assert ("p", True) in [(mark.pod, mark.warm) for mark in decision.marks]

    def test_cost_and_label_of_a_pod_are_one_patch(self) -> None:
        born: dict[str, Any] = {"labels": {"app": "ph", "warmpool.spaces.aws/warm": "false"}}
        things = [thing for name in "abc" for thing in (node(name), placeholder(f"ph-{name}", on=name, **born))]
        decision = decide(inputs(*things))
        assert sorted(
            (mark.pod, mark.deletion_cost, mark.warm) for mark in decision.marks if mark.set_deletion_cost
        ) == [("ph-a", VICTIM_COST, True)]
        assert len(decision.marks) == 3


def test_the_same_inputs_give_the_same_decision() -> None:
    given = inputs(*pair("a"), node("b"), *full("b", 3), spec=pool(min=3))
    assert decide(given) == decide(given)


def test_a_decision_without_history_shows_shape_and_node() -> None:
    assert SHAPE["cpu"] < NODE["cpu"]
