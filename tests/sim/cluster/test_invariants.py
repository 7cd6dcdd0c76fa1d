"""What holds whatever happens: room is never given twice, nobody sits on a node that is not there."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.sim.cluster.builders import FILLING, MINUTE, SECOND, SMALL, cluster, nodes, placeholders, wait
from warmpool.core.model import DELETION_COST
from warmpool.core.quantity import NANO, add
from warmpool.sim.cluster import EmbeddedCluster, amounts

MOST_NODES = 6
SIZES = st.sampled_from(["2", "4", "11", "30", "46"])
INDEX = st.integers(min_value=0, max_value=MOST_NODES - 1)
SETTINGS = st.fixed_dictionaries(
    {
        "consolidation": st.sampled_from(["WhenEmpty", "WhenEmptyOrUnderutilized"]),
        "max_disrupted": st.sampled_from([1, 2, "10%", "100%"]),
        "preemption_grace": st.sampled_from([0 * SECOND, 10 * SECOND]),
        "jitter": st.sampled_from(["none", "lognormal", "uniform"]),
        "never_register": st.sampled_from([frozenset[int](), frozenset({2, 5})]),
        "daemonsets": st.sampled_from([{}, {"agent": amounts(cpu="200m", memory="256Mi")}]),
    }
)


class AnyCluster(RuleBasedStateMachine):
    """A cluster to which anything may happen."""

    made: EmbeddedCluster

    @initialize(settings=SETTINGS, filling=st.booleans(), surge=st.sampled_from([0, 1, "25%"]))
    def start(self, *, settings: dict[str, Any], filling: bool, surge: int | str) -> None:
        self.made = cluster(limits={"nodes": MOST_NODES * NANO}, **settings)
        size = FILLING if filling else SMALL
        self.made.create_placeholders("op", "ph", replicas=2, requests=size, max_surge=surge, max_unavailable=1)
        self.count = 0

    @rule(cpu=SIZES)
    def launch(self, cpu: str) -> None:
        self.count += 1
        self.made.launch(f"w{self.count}", requests=amounts(cpu=cpu, memory="8Gi"))

    @rule(which=INDEX)
    def end(self, which: int) -> None:
        names = [name for _, name in self.made.world.workspaces]
        if names:
            self.made.end(names[which % len(names)])

    @rule(replicas=st.integers(min_value=0, max_value=MOST_NODES))
    def scale(self, replicas: int) -> None:
        self.made.scale("op", "ph", replicas)

    @rule(which=INDEX, cost=st.integers(min_value=-5, max_value=5))
    def mark(self, which: int, cost: int) -> None:
        pods = placeholders(self.made)
        if pods:
            pod = pods[which % len(pods)]
            self.made.patch_pod("op", pod.name, annotations={DELETION_COST: str(cost)})

    @rule(version=st.integers(min_value=1, max_value=3))
    def roll_out(self, version: int) -> None:
        self.made.set_image("op", "ph", f"space:{version}")

    @rule(which=INDEX, what=st.sampled_from(["cordon", "uncordon", "fail", "recover", "remove", "expire"]))
    def trouble(self, which: int, what: str) -> None:
        there = nodes(self.made)
        if not there:
            return
        name = there[which % len(there)].name
        match what:
            case "cordon":
                self.made.cordon(name)
            case "uncordon":
                self.made.uncordon(name)
            case "fail":
                self.made.set_ready(name, ready=False)
            case "recover":
                self.made.set_ready(name, ready=True)
            case "remove":
                self.made.remove_node(name)
            case _:
                self.made.expire(name)

    @rule(seconds=st.integers(min_value=1, max_value=400))
    def wait(self, seconds: int) -> None:
        wait(self.made, seconds * SECOND)

    @invariant()
    def no_node_gives_more_than_it_has(self) -> None:
        for node in self.made.world.nodes.values():
            taken = add(pod.requests for pod in node.pods.values())
            assert {name: value for name, value in node.used.items() if value} == taken
            assert all(value <= node.pool.allocatable[name] for name, value in taken.items())

    @invariant()
    def no_node_has_two_placeholders(self) -> None:
        counts = Counter(pod.node.name for pod in placeholders(self.made) if pod.node)
        assert max(counts.values(), default=0) <= 1

    @invariant()
    def every_bound_pod_is_on_a_node_that_is_there(self) -> None:
        world = self.made.world
        for pod in world.pods.values():
            assert (pod.node is None) == (pod.bound_at is None)
            if pod.node:
                assert world.nodes[pod.node.name].pods[pod.uid] is pod
                assert pod.uid not in world.unbound
        assert {uid for node in world.nodes.values() for uid in node.pods} <= set(world.pods)

    @invariant()
    def the_replicas_are_there(self) -> None:
        deployment = self.made.world.deployments["op", "ph"]
        active = [pod for pod in placeholders(self.made) if pod.active]
        assert deployment.replicas - 1 <= len(active) <= deployment.replicas + 2
        if len([each for each in deployment.replicasets if each.replicas]) <= 1:
            assert len(active) == deployment.replicas

    @invariant()
    def limits_hold_for_all_that_is_not_leaving(self) -> None:
        assert sum(claim.deleting_at is None for claim in self.made.world.claims.values()) <= MOST_NODES

    @invariant()
    def every_instance_is_in_the_books_and_time_adds_up(self) -> None:
        books, now = self.made.books, self.made.now
        running = [claim for claim in self.made.world.claims.values() if claim.launched_at]
        counts = books.node_counts
        assert (counts[-1][1] if counts else 0) == len(running)
        spans = pairwise((*counts, (now, 0)))
        paid = sum(((end - at) * count for (at, count), (end, _) in spans), timedelta(0))
        assert abs(paid.total_seconds() - books.idle_node_seconds - books.busy_node_seconds) < 1e-3

    def teardown(self) -> None:
        """Let the world stand still: pending pods settle, and with nothing left to hold, every node goes."""
        if not hasattr(self, "made"):
            return
        for node in nodes(self.made):
            self.made.uncordon(node.name)
            self.made.set_ready(node.name, ready=True)
        for namespace, name in list(self.made.world.workspaces):
            self.made.end(name, namespace)
        self.made.scale("op", "ph", 1)
        wait(self.made, 40 * MINUTE)
        assert [pod.ready for pod in placeholders(self.made)] == [True]
        self.made.scale("op", "ph", 0)
        wait(self.made, 40 * MINUTE)
        assert self.made.world.nodes == {}
        assert self.made.world.claims == {}


TestAnyCluster = AnyCluster.TestCase
