"""NodeClaims and NodePools as values of the core's model."""

from datetime import timedelta
from typing import Any

import pytest

from tests.adapters.kubernetes.bodies import (
    CREATED_AT,
    LATER_AT,
    item,
    metadata,
    node_claim,
    node_pool,
)
from tests.builders import amounts
from warmpool.adapters.kubernetes import objects
from warmpool.adapters.kubernetes.decode import read_duration
from warmpool.core.model import (
    ClaimCondition,
    Condition,
    NodeClaim,
    NodePool,
)


def claim_of(body: dict[str, Any]) -> NodeClaim:
    return objects.NODE_CLAIMS.read(item(body))


def nodepool_of(body: dict[str, Any]) -> NodePool:
    return objects.NODE_POOLS.read(item(body))


class TestKarpenter:
    def test_a_claim_is_read_whole(self) -> None:
        assert claim_of(node_claim()) == NodeClaim(
            name="spaces-1",
            uid="uid-spaces-1",
            created=CREATED_AT,
            nodepool="spaces",
            node="n1",
            labels={"pool": "spaces", "karpenter.sh/nodepool": "spaces"},
            capacity=amounts(cpu="48", memory="192Gi", pods="110"),
            conditions={"Ready": ClaimCondition(status=Condition.TRUE, reason="Ready", changed=LATER_AT)},
            expires=CREATED_AT + timedelta(hours=720),
        )

    @pytest.mark.parametrize("capacity", [None, {}, {"cpu": "1K"}])
    def test_a_capacity_that_is_not_known_is_none(self, capacity: dict[str, str] | None) -> None:
        assert claim_of(node_claim(capacity=capacity)).capacity is None

    @pytest.mark.parametrize("after", ["Never", None, "", "soon", "720", "99999999h", "9999999999999999h"])
    def test_what_never_expires_has_no_expiry(self, after: str | None) -> None:
        assert claim_of(node_claim(spec={"expireAfter": after})).expires is None

    def test_an_undated_claim_has_no_expiry(self) -> None:
        body = node_claim()
        body["metadata"]["creationTimestamp"] = None

        assert claim_of(body).expires is None

    def test_a_nodepool_is_read_whole(self) -> None:
        assert nodepool_of(node_pool(limits={"cpu": "960", "memory": "2Ti"})) == NodePool(
            name="spaces",
            labels={"pool": "spaces", "karpenter.sh/nodepool": "spaces"},
            limits=amounts(cpu="960", memory="2Ti"),
            consolidation="WhenEmpty",
            ready=Condition.TRUE,
        )

    def test_a_limit_may_be_a_number(self) -> None:
        assert nodepool_of(node_pool(limits={"cpu": 1000})).limits == amounts(cpu="1000")

    def test_limits_are_none_where_unreadable_and_empty_where_there_are_none(self) -> None:
        assert nodepool_of(node_pool(limits={"cpu": "lots"})).limits is None
        assert nodepool_of(node_pool()).limits == {}

    def test_a_requirement_of_one_value_is_a_label_of_the_nodes(self) -> None:
        requirements = [
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
            {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["a", "b"]},
            {"key": "zone", "operator": "NotIn", "values": ["c"]},
            {"key": "gpu", "operator": "Exists"},
        ]

        seen = nodepool_of(node_pool(template={"spec": {"requirements": requirements}}))

        assert seen.labels == {"kubernetes.io/arch": "amd64", "karpenter.sh/nodepool": "spaces"}

    def test_a_nodepool_that_says_nothing_consolidates_as_karpenter_does(self) -> None:
        seen = nodepool_of({"metadata": metadata("bare")})

        assert (seen.consolidation, seen.ready, seen.limits) == ("WhenEmptyOrUnderutilized", Condition.ABSENT, {})


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("720h", 2_592_000),
        ("1h30m", 5400),
        ("1.5h", 5400),
        ("90s", 90),
        ("0s", 0),
        ("250ms", 0.25),
        ("2us3µs4ns", 5e-6),
    ],
)
def test_go_durations_are_read(text: str, seconds: float) -> None:
    assert read_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "Never", "10", "h", "1d", " 1h", "1h ", "-1h", "1h-", "\u0661h"])
def test_what_is_no_go_duration_is_none(text: str) -> None:
    assert read_duration(text) is None
