"""Hand-written stand-ins for AWS and the clock, shared by tests and the simulator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from warmpool.adapters.history import history_key
from warmpool.app.errors import ConfigUnreadable, LedgerUnavailable
from warmpool.app.ports import (
    AutoScaling,
    Budget,
    Completion,
    Decided,
    Document,
    Documents,
    LedgerEntry,
    LedgerState,
    PassReport,
)
from warmpool.core.spec import ClusterRef
from warmpool.core.watch import Tally, Watch


@dataclass(slots=True)
class FixedClock:
    """A clock that stands still until it is moved; `time` may be set."""

    time: datetime

    def now(self) -> datetime:
        """Return the time that was set."""
        return self.time

    def advance(self, by: timedelta) -> datetime:
        """Move on and return the new time."""
        self.time += by
        return self.time


class UnlimitedBudget:
    """Time without end."""

    def remaining_seconds(self) -> float:
        """Return infinity."""
        return float("inf")


@dataclass(slots=True)
class FixedBudget:
    """So much time left and no less, whatever happens."""

    seconds: float

    def remaining_seconds(self) -> float:
        """Return the seconds that were set."""
        return self.seconds


@dataclass(slots=True)
class MemoryConfiguration:
    """Documents that are set by hand; `failure` makes the store unreadable, with this reason."""

    specs: dict[str, Document] = field(default_factory=dict)
    overrides: dict[str, Document] = field(default_factory=dict)
    stop: Document = None
    failure: str | None = None

    def read(self, budget: Budget) -> Documents:
        """Return a copy of the documents. Raises ConfigUnreadable while `failure` is set."""
        if self.failure is not None:
            raise ConfigUnreadable(self.failure)
        _spend(budget, ConfigUnreadable)
        return Documents(specs=dict(self.specs), overrides=dict(self.overrides), stop=self.stop)


@dataclass(slots=True)
class MemoryLedger:
    """A ledger that lives as long as the process; `failure` makes it unavailable, with this reason."""

    failure: str | None = None
    pools: dict[str, LedgerEntry] = field(default_factory=dict)
    history: dict[str, dict[datetime, Decided]] = field(default_factory=dict)
    """By pool and time: each decision that was kept."""
    watch: Watch = field(default_factory=Watch)
    books: dict[str, list[Tally]] = field(default_factory=dict)
    """By pool, what each complete pass added."""
    last_complete_began: datetime | None = None
    good_stop: str | None = None
    lost: frozenset[str] = frozenset()
    """Pools whose entry is damaged, until it is written again."""

    def read(self, budget: Budget) -> LedgerState:
        """Return what was written. Raises LedgerUnavailable while `failure` is set."""
        self._check(budget)
        return LedgerState(
            pools={**self.pools, **dict.fromkeys(self.lost, LedgerEntry())},
            last_complete_began=self.last_complete_began,
            good_stop=self.good_stop,
            lost=self.lost,
            watch=self.watch,
        )

    def write(self, entries: Mapping[str, LedgerEntry], decided: Sequence[Decided], budget: Budget) -> None:
        """Keep each entry, and its pool's decision where that has changed. Raises LedgerUnavailable."""
        self._check(budget)
        by_pool = {each.decision.pool: each for each in decided}
        self.lost -= entries.keys()
        for pool, entry in entries.items():
            found = by_pool.get(pool)
            if found is None or history_key(found.decision) == entry.history_key:
                self.pools[pool] = entry
            else:
                self.history.setdefault(pool, {})[found.decision.at] = found
                self.pools[pool] = replace(entry, history_key=history_key(found.decision))

    def complete(self, completion: Completion, budget: Budget) -> bool:
        """Move the watermark where nobody has since. Raises LedgerUnavailable while `failure` is set."""
        self._check(budget)
        if self.last_complete_began != completion.previous:
            return False
        self.last_complete_began, self.good_stop = completion.began, completion.good_stop
        self.watch = completion.watch
        for pool, tally in completion.tallies.items():
            self.books.setdefault(pool, []).append(tally)
        return True

    def keep_stop(self, good_stop: str | None, budget: Budget) -> None:
        """Keep the stop switch alone. Raises LedgerUnavailable while `failure` is set."""
        self._check(budget)
        self.good_stop = good_stop

    def _check(self, budget: Budget) -> None:
        if self.failure is not None:
            raise LedgerUnavailable(self.failure)
        _spend(budget, LedgerUnavailable)


@dataclass(slots=True)
class RecordingTelemetry:
    """Keeps what it is told."""

    reports: list[PassReport] = field(default_factory=list)
    warnings: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)

    def publish(self, report: PassReport) -> None:
        """Keep the report."""
        self.reports.append(report)

    def warn(self, text: str, **fields: object) -> None:
        """Keep the warning with its fields."""
        self.warnings.append((text, fields))


@dataclass(slots=True)
class MemoryDeadLetters:
    """A queue of (body, why)."""

    sent: list[tuple[str, str]] = field(default_factory=list)

    def send(self, body: str, why: str) -> None:
        """Keep the message."""
        self.sent.append((body, why))


@dataclass(slots=True)
class FixedProvider:
    """Gives the answer that was set, in service unless told otherwise."""

    answer: AutoScaling = field(default_factory=lambda: AutoScaling(in_service=True))

    def autoscaling(self, cluster: ClusterRef, budget: Budget) -> AutoScaling:
        """Return the answer that was set."""
        del cluster, budget
        return self.answer


def _spend(budget: Budget, error: type[ConfigUnreadable | LedgerUnavailable]) -> None:
    """Fail as a real store does when no time is left to ask it."""
    if budget.remaining_seconds() <= 0:
        raise error(f"{budget.remaining_seconds():.1f} s are left")
