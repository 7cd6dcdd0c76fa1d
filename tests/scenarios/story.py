"""Stories: a cluster and our pass, minute by minute in virtual time, straight through the ports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.app.fakes import CLUSTER, FakeReader
from tests.builders import pool
from warmpool.adapters.memory import (
    FixedClock,
    FixedProvider,
    MemoryConfiguration,
    MemoryLedger,
    RecordingTelemetry,
    UnlimitedBudget,
)
from warmpool.app.ports import PassReport
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.decision import Decision
from warmpool.core.model import WARM_LABEL
from warmpool.core.reasons import Code
from warmpool.core.spec import Override, PoolSpec
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, PortDoor, amounts

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SMALL = amounts(cpu="2", memory="8Gi", pods="1")
FILLING = amounts(cpu="45", memory="178Gi", pods="1")
"""A placeholder that fills a 48-CPU node but for 5 %."""


def spaces(**overrides: Any) -> PoolSpec:
    """Build the pool that the story's cluster serves; short patience, so that stories stay short."""
    return pool(**{"placeholder": FILLING, "lead_time": timedelta(minutes=10), **overrides})


@dataclass(slots=True)
class Story:
    """One pool on one cluster; `tick` is a minute with one pass at its end."""

    spec: PoolSpec = field(default_factory=spaces)
    settings: ClusterSettings = field(default_factory=ClusterSettings)
    replicas: int = 0
    cluster: EmbeddedCluster = field(init=False)
    door: PortDoor = field(init=False)
    configuration: MemoryConfiguration = field(init=False)
    reader: FakeReader = field(init=False)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    provider: FixedProvider = field(default_factory=FixedProvider)
    telemetry: RecordingTelemetry = field(default_factory=RecordingTelemetry)
    clock: FixedClock = field(default_factory=lambda: FixedClock(START))

    def __post_init__(self) -> None:
        """Put the placeholder Deployment, its budget and the pool's documents in place."""
        self.cluster = EmbeddedCluster(self.settings, START)
        self.door = PortDoor(self.cluster)
        self.reader = FakeReader(specs={"spec": self.spec})
        self.configuration = MemoryConfiguration(specs={"spaces": "spec"})
        self.cluster.create_placeholders(
            "op",
            "ph",
            replicas=self.replicas,
            requests=self.spec.placeholder or FILLING,
            images=(self.settings.launch_image,),
            node_selector={"pool": "spaces"},
            labels={"app": "ph", WARM_LABEL: "false"},
            max_surge=0,
            max_unavailable=1,
        )
        self.cluster.add_disruption_budget("op", "warming", {"app": "ph", WARM_LABEL: "false"})

    def tick(self, minutes: int = 1) -> Decision:
        """Let minutes pass, with a pass at the end of each, and return the last decision."""
        for _ in range(minutes):
            self.clock.advance(MINUTE)
            self.cluster.advance(self.clock.time)
            report = self.once()
        (decision,) = report.decisions
        return decision

    def once(self) -> PassReport:
        """Run one pass without moving the time."""
        ports = Ports(
            cluster=self.door,
            configuration=self.configuration,
            ledger=self.ledger,
            provider=self.provider,
            reader=self.reader,
            telemetry=self.telemetry,
            clock=self.clock,
        )
        report = Reconcile(ports, CLUSTER).run(UnlimitedBudget())
        assert report is not None
        return report

    def until(self, holds: Callable[[Decision], bool], within: int = 180) -> Decision:
        """Tick until a decision is as expected. Fails after so many minutes."""
        for _ in range(within):
            decision = self.tick()
            if holds(decision):
                return decision
        raise AssertionError(
            f"not within {within} min; last {decision.current} -> {decision.target}: {decision.reasons}"
        )

    def launch(self, *names: str) -> None:
        """Start workspaces of the cluster's shape."""
        for name in names:
            self.cluster.launch(name)

    def end(self, *names: str) -> None:
        """Stop workspaces."""
        for name in names:
            self.cluster.end(name)

    def override(self, override: Override) -> None:
        """Put an override into the store."""
        text = repr(override)
        self.reader.overrides[text] = override
        self.configuration.overrides["spaces"] = text

    def reset_spec(self, **changes: Any) -> None:
        """Put a changed spec into the store."""
        self.spec = spaces(**changes)
        self.reader.specs["spec"] = self.spec

    @property
    def scale(self) -> int:
        """The Deployment's replicas."""
        return self.cluster.world.deployments["op", "ph"].replicas

    @property
    def nodes(self) -> int:
        """Nodes that exist."""
        return len(self.cluster.world.nodes)

    def outcomes(self) -> dict[str, str]:
        """Tell what each launch found."""
        return {launch.name: str(launch.outcome) for launch in self.cluster.launches}


def codes(decision: Decision) -> set[Code]:
    """Return the codes of a decision's reasons."""
    return {reason.code for reason in decision.reasons}
