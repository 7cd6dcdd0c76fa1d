"""What the use cases need from the world, as Protocols; every adapter and fake implements one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from warmpool.core.assess import Inputs
from warmpool.core.decision import Decision, Mark, PoolState
from warmpool.core.model import Snapshot
from warmpool.core.reasons import Reason
from warmpool.core.spec import ClusterRef, Override, PoolSpec, Spec, Stop
from warmpool.core.watch import Tally, Watch


class Clock(Protocol):
    """The time, read once a pass."""

    def now(self) -> datetime:
        """Return the present instant, in UTC."""
        ...


class Pause(Protocol):
    """The means to wait."""

    def wait(self, seconds: float) -> None:
        """Return after so many seconds."""
        ...


class Budget(Protocol):
    """The time that this invocation has left."""

    def remaining_seconds(self) -> float:
        """Return the seconds left before the pass must have ended; 0 or less is over."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an observation has to cover."""

    pools: Sequence[PoolSpec]
    read_overhead_of: frozenset[str] = frozenset()
    """Pools whose DaemonSet requests are due (hourly)."""
    known_nodes: Mapping[str, int] = field(default_factory=dict)
    """Pool nodes seen by the last complete pass: an empty list where there were some is read again once."""


class Cluster(Protocol):
    """The Kubernetes cluster."""

    def observe(self, scope: Scope, budget: Budget) -> Snapshot:
        """Read what the pools need; a read that fails is named in `Snapshot.missing`.

        Raises ClusterUnavailable or NotPermitted where nothing could be read at all.
        """
        ...

    def mark(self, marks: Sequence[Mark], budget: Budget, *, dry_run: bool = False) -> None:
        """Patch placeholder pods; a pod that has gone meanwhile is no error."""
        ...

    def scale(self, pool: PoolSpec, change: "ScaleChange", budget: Budget) -> int:
        """Test and set `deployments/scale`, read back and return the replicas.

        Raises Conflict where the present replicas are not `change.current`, DeploymentGone, NotPermitted or
        ClusterUnavailable.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleChange:
    """One write of replicas."""

    current: int
    target: int
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A document that could not be read (AccessDenied, throttling): keep the last good one."""

    why: str


Document = str | None | Unreadable
"""A parameter's text, None where it does not exist, or Unreadable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The configuration as it stands in the store, unparsed."""

    specs: Mapping[str, Document]
    overrides: Mapping[str, Document] = field(default_factory=dict)
    stop: Document = None


class Configuration(Protocol):
    """Where specs, overrides and the stop switch come from (SSM)."""

    def read(self, budget: Budget) -> Documents:
        """Read all documents of the stack. Raises ConfigUnreadable where none could be read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """What the ledger keeps of one pool: state, last good documents and when they were taken over."""

    state: PoolState = PoolState()
    good_spec: str | None = None
    good_override: str | None = None
    override_seen_at: datetime | None = None
    """When `good_override` was first seen: one whose `until` had passed by then is an error, later it has ended."""
    config_wrong_since: datetime | None = None
    """Since when a document has been wrong or unreadable, so that an older one is in force; None while all is well."""
    history_key: str = ""
    """Fingerprint of the last decision kept in the history; an unchanged one is not written again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """Everything that a pass reads of the ledger."""

    pools: Mapping[str, LedgerEntry] = field(default_factory=dict)
    last_complete_began: datetime | None = None
    good_stop: str | None = None
    lost: frozenset[str] = frozenset()
    """Pools whose entry was there but damaged: it starts afresh, so this pass may only raise them."""
    unreadable: bool = False
    """Nothing could be read, so what was seen before is unknown."""
    watch: Watch = field(default_factory=Watch)
    """What the last complete pass saw; a damaged or lost one starts afresh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision with what it came from, so that it can be decided again."""

    decision: Decision
    inputs: Inputs | None = None
    """None where nothing was seen."""
    failed: tuple[Reason, ...] = ()
    """Why it could not be applied; empty where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a pass that saw everything leaves behind, in one conditional write."""

    began: datetime
    previous: datetime | None
    """The watermark that this pass read: where it has moved since, another pass has counted the same."""
    good_stop: str | None = None
    watch: Watch = field(default_factory=Watch)
    tallies: Mapping[str, Tally] = field(default_factory=dict)


class Ledger(Protocol):
    """The durable records of the cluster's pools (DynamoDB)."""

    def read(self, budget: Budget) -> LedgerState:
        """Read all entries. Raises LedgerUnavailable."""
        ...

    def write(self, entries: Mapping[str, LedgerEntry], decided: Sequence[Decided], budget: Budget) -> None:
        """Keep the entries and the changed decisions with their inputs. Raises LedgerUnavailable."""
        ...

    def complete(self, completion: Completion, budget: Budget) -> bool:
        """Move the watermark and add the tallies, all or nothing; False where another pass has moved it meanwhile.

        Raises LedgerUnavailable.
        """
        ...

    def keep_stop(self, good_stop: str | None, budget: Budget) -> None:
        """Remember the stop switch of a pass that did not see everything. Raises LedgerUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoScaling:
    """AWS' word on the cluster's autoscaling: `in_service` None is unknown, with the reason in `text`."""

    in_service: bool | None
    text: str = ""


class Provider(Protocol):
    """The managed cluster behind Kubernetes (SageMaker HyperPod)."""

    def autoscaling(self, cluster: ClusterRef, budget: Budget) -> AutoScaling:
        """Tell whether node autoscaling works, cached for 5 minutes; never raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PassReport:
    """What a pass tells telemetry: decisions, failures by pool, and whether it saw everything."""

    decisions: Sequence[Decision]
    failures: Mapping[str, str]
    complete: bool
    took_seconds: float
    conflicts: int = 0
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    """By pool, what this pass added to the books; empty unless it saw everything and was the first to count it."""
    config_ages: Mapping[str, timedelta] = field(default_factory=dict)
    """By pool, how long an older document has been in force than the one that ought to be."""


class Telemetry(Protocol):
    """Logs and metrics."""

    def publish(self, report: PassReport) -> None:
        """Write one record a pass and the pools' metrics; never raises."""
        ...

    def warn(self, text: str, **fields: object) -> None:
        """Log one warning."""
        ...


class DeadLetters(Protocol):
    """Where unreadable messages go."""

    def send(self, body: str, why: str) -> None:
        """Put one message into the dead-letter queue."""
        ...


class NudgeQueue(Protocol):
    """The queue that feeds the pass."""

    def send(self, body: str, budget: Budget) -> None:
        """Put one nudge into it; a body that was sent in the last minutes is there once. Raises NudgeNotSent."""
        ...


class DocumentReader(Protocol):
    """Turns documents into typed configuration; implemented in adapters.config."""

    def spec(self, text: str, source: str) -> Spec:
        """Decode a spec document. Raises ConfigInvalid with path, value and what was expected."""
        ...

    def override(self, text: str, pool: PoolSpec, source: str) -> Override:
        """Decode a pool's override and check it within itself and against the pool. Raises ConfigInvalid."""
        ...

    def stop(self, text: str, source: str) -> Stop:
        """Decode the stop switch. Raises ConfigInvalid."""
        ...
