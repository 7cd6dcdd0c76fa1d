"""Ceilings: max always wins, then the NodePool's limits and money. Design section 6 item 3."""

from fractions import Fraction
from typing import Any

import pytest

from tests.builders import (
    NOW,
    amounts,
    claim,
    codes,
    inputs,
    node,
    nodepool,
    pair,
    placeholder,
    pool,
)
from warmpool.core.decide import decide
from warmpool.core.decision import Action
from warmpool.core.reasons import Code
from warmpool.core.spec import Override


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

    def test_orders_that_karpenter_has_not_taken_up_hold_nothing(self) -> None:
        limits = nodepool(limits=amounts(cpu="48"))
        orders = [placeholder(f"p{number}", created=NOW) for number in range(3)]
        decision = decide(inputs(*pair("a"), *orders, limits, claim(node="a"), spec=pool(min=4)))
        assert (decision.idle_nodes_wanted, decision.groups.i) == (1, 4)
        taken_up = claim("coming")
        decision = decide(inputs(*pair("a"), *orders, limits, claim(node="a"), taken_up, spec=pool(min=4)))
        assert decision.idle_nodes_wanted == 2

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
