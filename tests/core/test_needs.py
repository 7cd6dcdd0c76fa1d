"""Needs: how much room there should be, and which policy asks for most. Design section 6 items 1 and 2."""

from fractions import Fraction

from tests.builders import (
    amounts,
    codes,
    full,
    inputs,
    node,
    not_ready,
    pair,
    placeholder,
    pool,
    workspace,
)
from warmpool.core.decide import decide
from warmpool.core.decision import Action
from warmpool.core.reasons import Code, Exclusion
from warmpool.core.spec import Counting, Ladder, Linear, Override, Proportional


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
