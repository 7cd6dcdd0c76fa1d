"""Who sizes the pool in a simulated run: our decision, cluster-proportional-autoscaler's formula, or nobody."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final, Protocol

from warmpool.adapters.config.reader import Reader
from warmpool.adapters.memory import FixedProvider, MemoryConfiguration, MemoryLedger, UnlimitedBudget
from warmpool.app.errors import WarmpoolError
from warmpool.app.ports import PassReport, Telemetry
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.counting import Counted, count, look
from warmpool.core.model import Node, Snapshot
from warmpool.core.proportional import cpa_replicas
from warmpool.core.quantity import Amounts, format_quantity, whole_units
from warmpool.core.reasons import Code
from warmpool.core.spec import ClusterRef, Counting, Linear, PoolSpec, Proportional
from warmpool.sim.cluster import EmbeddedCluster, PortDoor, amounts
from warmpool.sim.cluster.values import node_value
from warmpool.sim.stage import install_ours, install_placeholders, placeholder_requests

Tick = Callable[[], str]
"""Looks at the cluster and sets the replicas; says why."""

OUR_TICK: Final = timedelta(minutes=1)
CPA_POLL: Final = timedelta(seconds=10)
GUIDE_PLACEHOLDER: Final[Amounts] = amounts(cpu="2", memory="8Gi")
GUIDE_NODES_PER_REPLICA: Final = 3
GUIDE_MIN: Final = 2
_QUIET: Final = frozenset({Code.STEADY, Code.SURPLUS_WAITS, Code.ROOM_ON_BUSY_NODES, Code.MARKED_FIRST})
"""Reasons that accompany a change and do not cause it."""


class Policy(Protocol):
    """One way to size the pool. Enter `on(cluster)` to install it; call what it gives every `every`."""

    @property
    def name(self) -> str:
        """What tables and legends call it."""
        ...

    @property
    def about(self) -> str:
        """How it works, in a sentence."""
        ...

    @property
    def every(self) -> timedelta:
        """How often it looks."""
        ...

    def on(self, cluster: EmbeddedCluster) -> AbstractContextManager[Tick]:
        """Install it in an empty cluster."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPool:
    """So many placeholders, whatever happens."""

    pool: PoolSpec
    placeholders: int
    every: timedelta = timedelta(hours=1)

    @property
    def name(self) -> str:
        """What tables and legends call it."""
        return f"fixed pool of {self.placeholders}"

    @property
    def about(self) -> str:
        """How it works, in a sentence."""
        return f"{self.placeholders} placeholders like ours at all times; nobody changes the number"

    @contextmanager
    def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
        """Install it in an empty cluster."""
        requests = placeholder_requests(self.pool, cluster.settings)
        install_placeholders(cluster, self.pool, replicas=self.placeholders, requests=requests)
        yield lambda: "never changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideAutoscaler:
    """cluster-proportional-autoscaler as the guide sets it up: linear, every schedulable node counts."""

    pool: PoolSpec
    every: timedelta = CPA_POLL
    name: str = "CPA (guide)"

    @property
    def about(self) -> str:
        """How it works, in a sentence."""
        cpu, memory = (format_quantity(GUIDE_PLACEHOLDER[key], binary=key == "memory") for key in ("cpu", "memory"))
        return (
            f"cluster-proportional-autoscaler's linear formula with the guide's values: coresPerReplica is a node's "
            f"cores, nodesPerReplica {GUIDE_NODES_PER_REPLICA}, min {GUIDE_MIN}, max {self.pool.max}, polled every "
            f"{self.every.seconds} s; placeholders of {cpu} CPU and {memory}, as in the guide"
        )

    @contextmanager
    def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
        """Install it in an empty cluster."""
        install_placeholders(cluster, self.pool, replicas=GUIDE_MIN, requests=GUIDE_PLACEHOLDER)
        cores = Fraction(whole_units(cluster.settings.capacity["cpu"]))
        linear = Linear(nodes_per_replica=Fraction(GUIDE_NODES_PER_REPLICA), cores_per_replica=cores)
        policy = Proportional(counting=Counting.SCHEDULABLE, linear=linear)

        seen: tuple[Node, ...] = ()
        counted = Counted(nodes=0, cores=0)

        def tick() -> str:
            nonlocal seen, counted
            nodes = tuple(node_value(node) for node in cluster.world.nodes.values())
            if nodes != seen:
                seen = nodes
                counted = count(look(self.pool, Snapshot(nodes=nodes), None, cluster.now), Counting.SCHEDULABLE)
            wanted = cpa_replicas(policy, counted, GUIDE_MIN, self.pool.max)
            if wanted != cluster.get_scale(self.pool.namespace, self.pool.deployment):
                cluster.patch_scale(self.pool.namespace, self.pool.deployment, wanted, "cpa", cluster.now)
            return f"{counted.nodes} nodes with {counted.cores} cores"

        yield tick


class PassFailed(WarmpoolError):
    """A pass in the simulated world reported a failure or a warning, for which that world gives no cause."""


@dataclass(slots=True)
class ReasonsKept:
    """A Telemetry that remembers why the last pass decided what it did."""

    also: Telemetry | None = None
    """Told of every pass, too."""
    why: str = ""
    problems: list[str] = field(default_factory=list)

    def publish(self, report: PassReport) -> None:
        """Keep the reasons of a change, and every failure."""
        if self.also is not None:
            self.also.publish(report)
        self.problems += report.failures.values()
        told = [reason for decision in report.decisions for reason in decision.reasons]
        self.why = "; ".join(f"{each.code.value}: {each.text}" for each in told if each.code not in _QUIET)

    def warn(self, text: str, **fields: object) -> None:
        """Keep the warning."""
        self.problems.append(f"{text} {fields or ''}".strip())

    def told(self) -> str:
        """Return why the last pass decided what it did. Raises PassFailed."""
        if self.problems:
            raise PassFailed("; ".join(self.problems))
        return self.why


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterClock:
    """The cluster's time as a Clock."""

    cluster: EmbeddedCluster

    def now(self) -> datetime:
        """Return the cluster's present."""
        return self.cluster.now


@dataclass(frozen=True, slots=True, kw_only=True)
class OurPolicy:
    """Our passes, straight at the model: the same use case as in Lambda, without AWS and HTTPS in between."""

    pool: PoolSpec
    document: str
    """The pool's runtime copy of the spec."""
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    also: Telemetry | None = None
    """Told of every pass, to read its metrics."""
    every: timedelta = OUR_TICK
    name: str = "warmpool"
    about: str = "a pass of spaces-warmpool every minute"

    @contextmanager
    def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
        """Install it in an empty cluster. A tick raises PassFailed."""
        install_ours(cluster, self.pool, replicas=0)
        telemetry = ReasonsKept(also=self.also)
        ports = Ports(
            cluster=PortDoor(cluster),
            configuration=MemoryConfiguration(specs={self.pool.name: self.document}),
            ledger=self.ledger,
            provider=FixedProvider(),
            reader=Reader(),
            telemetry=telemetry,
            clock=ClusterClock(cluster=cluster),
        )
        reconcile = Reconcile(ports, ClusterRef(eks="embedded"))

        def tick() -> str:
            reconcile.run(UnlimitedBudget())
            return telemetry.told()

        yield tick
