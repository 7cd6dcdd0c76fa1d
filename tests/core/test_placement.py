"""Where placeholders sit, what is replaced, and their marks. Design section 6 items 4, 5 and 7."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from tests.builders import (
    LONG_AGO,
    NOW,
    amounts,
    claim,
    codes,
    deployment,
    full,
    inputs,
    lasting,
    node,
    not_ready,
    pair,
    placeholder,
    pool,
    workspace,
)
from warmpool.core.decide import decide, preview
from warmpool.core.decision import Action, Groups
from warmpool.core.model import ClaimCondition, Condition, PodPhase, Taint
from warmpool.core.placement import VICTIM_COST
from warmpool.core.reasons import Code
from warmpool.core.spec import Linear, Proportional

MINUTE = timedelta(minutes=1)


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
