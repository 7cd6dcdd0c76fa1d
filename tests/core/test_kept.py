"""What is kept of a decision's inputs is less, and enough to decide the same again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import event, given, settings

from tests.builders import (
    NOW,
    SELECTOR,
    amounts,
    claim,
    codes,
    deployment,
    full,
    inputs,
    node,
    nodepool,
    pair,
    placeholder,
    pool,
    snapshot,
    workspace,
)
from tests.core import inputs_strategies
from warmpool.core.assess import Inputs, assess
from warmpool.core.ceilings import by_nodepool, price_of_a_node
from warmpool.core.counting import count
from warmpool.core.decide import decide, may_act
from warmpool.core.kept import kept_inputs
from warmpool.core.model import ClaimCondition, Condition, NodePool, Scaler
from warmpool.core.placement import removal_order, victims_first
from warmpool.core.reasons import Code
from warmpool.core.spec import Counting


def judged(seen: Inputs) -> dict[str, object]:
    """Return all that deciding works with, also where a hold or another number hides it from this decision."""
    found = assess(seen)
    view, placement, nodes = found.view, found.placement, found.view.nodes
    return {
        "nodes": {name: tuple(getattr(each, fact) for fact in NODE_FACTS) for name, each in nodes.items()},
        "created": {name: (each.node.created, each.node.ready_changed) for name, each in nodes.items()},
        "groups": placement.groups,
        "placed": [[pod.uid for pod in pods] for pods in (placement.on_busy, placement.idle, placement.unusable)],
        "stuck": [pod.uid for pod in placement.pull_stuck],
        "victims": [pod.uid for pod in victims_first(placement, view, seen.snapshot.claims, seen.now)],
        "removal": [pod.uid for pod in removal_order(placement.pods, {})],
        "nodepool": by_nodepool(seen.spec, seen.snapshot, view, placement.groups),
        "price": price_of_a_node(seen.spec, view),
        "counted": [count(view, each) for each in Counting],
        **{
            name: getattr(found, name) for name in ("room", "limits", "contributions", "need", "idle_wanted", "reasons")
        },
        "hold": may_act(seen, found),
        "decision": decide(seen),
    }


FOUND = ("room", "limits", "contributions", "need", "idle_wanted", "reasons")
NODE_FACTS = ("exclusion", "unusable", "coming", "busy", "warm", "empty", "free", "open")


@settings(max_examples=60)
@given(inputs_strategies.inputs)
def test_the_same_is_decided_of_what_is_kept(seen: Inputs) -> None:
    decision = decide(seen)
    event(decision.hold.value if decision.hold else decision.action.value)

    assert judged(kept_inputs(seen)) == judged(seen)


def limited(*things: object, nodes: int, **more: Any) -> Inputs:
    """Build inputs of a pool whose NodePool takes so many nodes."""
    return inputs(nodepool(limits={"nodes": nodes * 10**9}), *things, **more)


READY = {"Ready": ClaimCondition(status=Condition.TRUE, changed=NOW - timedelta(minutes=1))}
NOT_LAUNCHED = {"Launched": ClaimCondition(status=Condition.FALSE, reason="None")}
OTHERS = {"karpenter.sh/nodepool": "spaces"}
SOON = NOW + timedelta(hours=1)
LEAVING = claim("c3", nodepool="another", labels={}, node="n3", expires=SOON, conditions=READY)
LONG_PENDING = placeholder(created=NOW - timedelta(hours=2))
PARTICULAR: dict[str, tuple[Inputs, Callable[[Inputs], object]]] = {
    "a claim says that its node expires soon": (
        inputs(
            *pair("n1"),
            *pair("n2"),
            *pair("n3"),
            LEAVING,
        ),
        lambda seen: judged(seen)["victims"] == ["uid-ph-n3", "uid-ph-n1", "uid-ph-n2"],
    ),
    "a placeholder was scheduled long after it was ordered": (
        inputs(node("n1"), placeholder("ph-1", on="n1", ready=False, started=NOW - timedelta(minutes=1))),
        lambda seen: judged(seen)["stuck"] == [],
    ),
    "a node of another pool takes from the NodePool's limits": (
        limited(*pair("n1"), node("n9", labels=OTHERS), nodes=2),
        lambda seen: Code.CAPPED_BY_NODEPOOL in codes(decide(seen)),
    ),
    "a claim without a node takes from the NodePool's limits": (
        limited(*pair("n1"), claim("c9", capacity={"cpu": 10**9}, conditions=READY), nodes=2),
        lambda seen: Code.CAPPED_BY_NODEPOOL in codes(decide(seen)),
    ),
    "a claim and its node are one": (
        limited(*pair("n1"), claim("c1", node="n1", conditions=READY), nodes=2),
        lambda seen: Code.CAPPED_BY_NODEPOOL not in codes(decide(seen)),
    ),
    "a large claim without a node takes more of them": (
        inputs(
            *pair("n1"),
            claim("c9", capacity=amounts(cpu="90"), conditions=READY),
            nodepool(limits=amounts(cpu="200")),
            spec=pool(min=3),
        ),
        lambda seen: Code.CAPPED_BY_NODEPOOL in codes(decide(seen)),
    ),
    "only a claim's label names the NodePool": (
        inputs(
            claim("c1", nodepool="", labels={"pool": "spaces", "karpenter.sh/nodepool": "other"}),
            nodepool(name="other", labels={}, limits={"nodes": 10**9}),
            nodepool(),
        ),
        lambda seen: Code.CAPPED_BY_NODEPOOL in codes(decide(seen)),
    ),
    "a node came lately, by its claim": (
        inputs(LONG_PENDING, claim("c1", conditions=READY)),
        lambda seen: Code.CAPACITY_STUCK not in codes(decide(seen)),
    ),
    "none came, and a claim says why": (
        inputs(
            LONG_PENDING, claim("c1", conditions={"Launched": ClaimCondition(status=Condition.FALSE, reason="None")})
        ),
        lambda seen: "NodeClaim c1 is not Launched: None" in decide(seen).reasons[-2].text,
    ),
    "prices go by instance type": (
        inputs(
            node("n1", labels={**SELECTOR, "node.kubernetes.io/instance-type": "large"}),
            spec=pool(node_hourly_price={"large": Fraction(2), "small": Fraction(1)}, max_hourly_cost=Fraction(2)),
        ),
        lambda seen: Code.CAPPED_BY_COST in codes(decide(seen)) and judged(seen)["price"] == 2,
    ),
}
"""What decides something in a few clusters only, and how to tell that it does in this one."""


@pytest.mark.parametrize("name", PARTICULAR)
def test_what_matters_rarely_is_kept_as_well(name: str) -> None:
    seen, matters = PARTICULAR[name]

    assert matters(seen), "the test shows nothing"
    assert judged(kept_inputs(seen)) == judged(seen)


@settings(max_examples=50)
@given(inputs_strategies.inputs)
def test_what_is_kept_of_what_is_kept_is_all_of_it(seen: Inputs) -> None:
    kept = kept_inputs(seen)

    assert kept_inputs(kept) == kept


class Traced(Mapping[str, str]):
    """Labels that take down which of them are looked at."""

    def __init__(self, labels: Mapping[str, str], read: set[str]) -> None:
        self._labels = labels
        self._read = read

    def __getitem__(self, key: str) -> str:
        self._read.add(key)
        return self._labels[key]

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("somebody looks at all labels, so all of them have to be kept")

    def __len__(self) -> int:
        return len(self._labels)


@given(inputs_strategies.inputs)
def test_every_label_of_a_node_that_deciding_looks_at_is_kept(seen: Inputs) -> None:
    read: set[str] = set()
    there = seen.snapshot
    nodes = tuple(each._replace(labels=Traced(each.labels, read)) for each in there.nodes)
    claims = tuple(replace(each, labels=Traced(each.labels, read)) for each in there.claims)
    decide(replace(seen, snapshot=replace(there, nodes=nodes, claims=claims)))

    labelled = node("n", labels={**dict.fromkeys(read, "x"), **seen.spec.node_selector})
    (kept,) = kept_inputs(replace(seen, snapshot=replace(there, nodes=(labelled,)))).snapshot.nodes
    assert read <= kept.labels.keys()


def test_other_pools_are_left_out() -> None:
    other = {"pool": "other", "karpenter.sh/nodepool": "other"}
    seen = inputs(
        *pair("n1"),
        node("n9", labels=other),
        workspace(on="n9"),
        placeholder("ph-9", labels={"app": "another"}),
        claim("c9", nodepool="other", labels=other),
        nodepool(),
        NodePool(name="other"),
        deployment(1),
        deployment(name="another"),
    )
    kept = kept_inputs(seen).snapshot

    assert [each.name for each in kept.nodes] == ["n1"]
    assert [each.name for each in kept.pods] == ["ph-n1"]
    assert kept.claims == ()
    assert [each.name for each in kept.nodepools] == ["spaces"]
    assert [each.name for each in kept.deployments] == ["ph"]


def test_ordinary_pods_are_kept_as_their_sum_on_each_node() -> None:
    seen = inputs(*pair("n1"), *full("n1"), workspace("system", on="n1", owner_kind="DaemonSet"), node("n2"))
    placeholders, ordinary, fixed = kept_inputs(seen).snapshot.pods

    assert placeholders.name == "ph-n1"
    assert (ordinary.name, ordinary.node, ordinary.owner_kind) == ("", "n1", "ReplicaSet")
    assert ordinary.requests == {"cpu": 44 * 10**9, "memory": 176 * 2**30 * 10**9, "pods": 11 * 10**9}
    assert fixed.owner_kind == "DaemonSet"


def test_of_a_claim_that_is_ready_little_is_kept_and_of_another_what_tells_why() -> None:
    true = ClaimCondition(status=Condition.TRUE, reason="Ready", message="all is well")
    false = ClaimCondition(status=Condition.FALSE, reason="NoCapacity", message="none left")
    steps = {"Launched": true, "Drifted": true, "Ready": true}
    seen = inputs(*pair("n1"), claim("c1", node="n1", conditions=steps), claim("c2", conditions={"Launched": false}))
    ready, waiting = kept_inputs(seen).snapshot.claims

    assert (ready.name, ready.conditions) == ("", {"Ready": ClaimCondition(status=Condition.TRUE)})
    assert (waiting.name, waiting.conditions) == ("c2", {"Launched": false})


def test_what_else_sets_the_replicas_is_kept_and_what_sets_others_is_not() -> None:
    mine, other = (Scaler(kind="HorizontalPodAutoscaler", namespace="op", name="h", target=name) for name in "ab")
    seen = inputs(snapshot=snapshot(deployment(1, name="a"), scalers=(mine, other)), spec=pool(deployment="a"))

    assert kept_inputs(seen).snapshot.scalers == (mine,)
