"""A cluster and a document reader for the use cases, with failures at hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tests.builders import NOW, pool
from warmpool.adapters.memory import (
    FixedClock,
    FixedProvider,
    MemoryConfiguration,
    MemoryLedger,
    RecordingTelemetry,
    UnlimitedBudget,
)
from warmpool.app.errors import ConfigInvalid, Conflict
from warmpool.app.ports import Budget, PassReport, ScaleChange, Scope
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.decision import Decision, Mark
from warmpool.core.model import Snapshot
from warmpool.core.spec import ClusterRef, Override, PoolSpec, Spec, Stop

CLUSTER = ClusterRef(hyperpod="research")


@dataclass(slots=True)
class FakeCluster:
    """Shows one snapshot and keeps what was asked of it."""

    seen: Snapshot = field(default_factory=Snapshot)
    fail_observe: Exception | None = None
    fail_mark: Exception | None = None
    fail_scale: dict[str, Exception] = field(default_factory=dict)
    conflicts: int = 0
    on_conflict: Callable[["FakeCluster"], None] = lambda cluster: None
    scopes: list[Scope] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    changes: list[tuple[str, ScaleChange]] = field(default_factory=list)

    def observe(self, scope: Scope, budget: Budget) -> Snapshot:
        del budget
        self.scopes.append(scope)
        if self.fail_observe is not None:
            raise self.fail_observe
        return self.seen

    def mark(self, marks: Sequence[Mark], budget: Budget, *, dry_run: bool = False) -> None:
        del budget, dry_run
        if self.fail_mark is not None:
            raise self.fail_mark
        self.marks += marks

    def scale(self, spec: PoolSpec, change: ScaleChange, budget: Budget) -> int:
        del budget
        if spec.name in self.fail_scale:
            raise self.fail_scale[spec.name]
        if self.conflicts:
            self.conflicts -= 1
            self.on_conflict(self)
            raise Conflict("somebody else wrote first")
        self.changes.append((spec.name, change))
        return change.target

    def targets(self) -> dict[str, int]:
        return {name: change.target for name, change in self.changes}


@dataclass(slots=True)
class FakeReader:
    """Reads documents by looking them up; a text that it does not know is invalid."""

    specs: dict[str, PoolSpec] = field(default_factory=dict)
    overrides: dict[str, Override] = field(default_factory=dict)
    stops: dict[str, Stop] = field(default_factory=dict)
    stack: Spec = field(default_factory=lambda: Spec(cluster=CLUSTER, pools={}))

    def spec(self, text: str, source: str) -> Spec:
        if text not in self.specs:
            raise ConfigInvalid("min", f"is {text!r}, expected a whole number", source=source)
        known = self.specs[text]
        return replace(self.stack, pools={known.name: known})

    def override(self, text: str, pool: PoolSpec, source: str) -> Override:
        del pool
        if text not in self.overrides:
            raise ConfigInvalid("until", f"is {text!r}, expected an instant", source=source)
        return self.overrides[text]

    def stop(self, text: str, source: str) -> Stop:
        if text not in self.stops:
            raise ConfigInvalid("mode", f"is {text!r}, expected freeze or drain", source=source)
        return self.stops[text]


@dataclass(slots=True)
class World:
    """Everything that a pass talks to, with one good pool to begin with."""

    cluster: FakeCluster = field(default_factory=FakeCluster)
    reader: FakeReader = field(default_factory=lambda: FakeReader(specs={"good": pool()}))
    configuration: MemoryConfiguration = field(default_factory=lambda: MemoryConfiguration(specs={"spaces": "good"}))
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    provider: FixedProvider = field(default_factory=FixedProvider)
    telemetry: RecordingTelemetry = field(default_factory=RecordingTelemetry)
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))
    budget: Budget = field(default_factory=UnlimitedBudget)

    def reconcile(self) -> Reconcile:
        return Reconcile(
            Ports(
                cluster=self.cluster,
                configuration=self.configuration,
                ledger=self.ledger,
                provider=self.provider,
                reader=self.reader,
                telemetry=self.telemetry,
                clock=self.clock,
            ),
            CLUSTER,
        )

    def run(self) -> PassReport:
        report = self.reconcile().run(self.budget)
        assert report is not None
        return report

    def decision(self, name: str = "spaces") -> Decision:
        (found,) = (each for each in self.run().decisions if each.pool == name)
        return found
