"""The pass: observe once, then decide, apply and record for every pool, each on its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from warmpool.app.errors import (
    ClusterUnavailable,
    ConfigUnreadable,
    Conflict,
    LedgerUnavailable,
    NotPermitted,
    WarmpoolError,
)
from warmpool.app.in_force import InForce, PoolInForce, choose
from warmpool.app.ports import (
    Budget,
    Clock,
    Cluster,
    Completion,
    Configuration,
    Decided,
    DocumentReader,
    Ledger,
    LedgerEntry,
    LedgerState,
    PassReport,
    Provider,
    Telemetry,
)
from warmpool.app.steps import Seen, blind, code_of, inputs_of, scale_change, scope, shared, undone, wrong_for
from warmpool.core.assess import Assessment, Inputs, assess
from warmpool.core.decide import decide, decide_on
from warmpool.core.decision import Decision
from warmpool.core.launches import follow
from warmpool.core.model import Snapshot
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import ClusterRef
from warmpool.core.watch import Tally

ATTEMPTS: Final = 3
"""So often a pool is observed and decided again when somebody else wrote first."""

LEAST_SECONDS: Final = 1.0
"""A pool is not started with less time than this: a write must be able to read back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything that a pass talks to."""

    cluster: Cluster
    configuration: Configuration
    ledger: Ledger
    provider: Provider
    reader: DocumentReader
    telemetry: Telemetry
    clock: Clock


@dataclass(slots=True)
class _Pass:
    """One pass under way."""

    began: datetime
    budget: Budget
    ledger: LedgerState
    ledger_readable: bool
    in_force: InForce
    complete: bool
    conflicts: int = 0
    assessed: Mapping[str, tuple[Inputs, Assessment]] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    inputs: dict[str, Inputs] = field(default_factory=dict)
    """By pool, what its decision came from."""
    failed: dict[str, tuple[Reason, ...]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    tallies: Mapping[str, Tally] = field(default_factory=dict)


class Reconcile:
    """Keeps every pool of one cluster at its decision."""

    def __init__(self, ports: Ports, cluster: ClusterRef) -> None:
        """Take the ports and the cluster whose provider is asked; nothing is read yet."""
        self._ports = ports
        self._cluster_ref = cluster

    def run(self, budget: Budget, newest_nudge: datetime | None = None) -> PassReport | None:
        """Run one pass, or return None where the newest nudge is older than the last complete pass.

        Raises no error of a pool, of the ledger or of the configuration: they are in the report.
        """
        now = self._ports.clock.now()
        ledger, readable = self._read_ledger(budget)
        began = ledger.last_complete_began
        if newest_nudge is not None and began is not None and newest_nudge < began:
            return None
        in_force = self._configuration(ledger, budget, now)
        running = _Pass(
            began=now,
            budget=budget,
            ledger=ledger,
            ledger_readable=readable,
            in_force=in_force,
            complete=in_force.store_read,
        )
        self._decide_and_apply(running)
        self._record(running)
        report = self._report(running)
        self._ports.telemetry.publish(report)
        return report

    def _read_ledger(self, budget: Budget) -> tuple[LedgerState, bool]:
        try:
            return self._ports.ledger.read(budget), True
        except LedgerUnavailable as error:
            self._ports.telemetry.warn(f"the ledger cannot be read, so nothing is lowered: {error}")
            return LedgerState(unreadable=True), False

    def _configuration(self, ledger: LedgerState, budget: Budget, now: datetime) -> InForce:
        try:
            documents = self._ports.configuration.read(budget)
        except (ConfigUnreadable, NotPermitted) as error:
            self._ports.telemetry.warn(f"the configuration cannot be read, the last good one stays: {error}")
            documents = None
        return choose(documents, ledger, self._ports.reader, now)

    def _decide_and_apply(self, running: _Pass) -> None:
        pools = {name: each for name, each in running.in_force.pools.items() if each.spec is not None}
        for name, each in running.in_force.pools.items():
            if each.spec is None:
                running.decisions[name] = blind(name, running.began, each.entry.state, each.notes)
        if not pools:
            return
        snapshot = self._observe(running, pools)
        if snapshot is None:
            return
        running.complete = running.complete and not snapshot.missing
        running.assessed = self._assess(running, pools, snapshot)
        for name, (inputs, assessment) in running.assessed.items():
            self._one_pool(running, name, inputs, assessment)

    def _observe(self, running: _Pass, pools: Mapping[str, PoolInForce]) -> Snapshot | None:
        try:
            return self._ports.cluster.observe(scope(pools, running.began), running.budget)
        except (ClusterUnavailable, NotPermitted) as error:
            code = Code.NOT_PERMITTED if isinstance(error, NotPermitted) else Code.CLUSTER_UNAVAILABLE
            running.complete = False
            for name, each in pools.items():
                why = (Reason(code, f"the cluster could not be read: {error}"), *each.notes)
                running.decisions[name] = blind(name, running.began, each.entry.state, why)
            return None

    def _assess(
        self, running: _Pass, pools: Mapping[str, PoolInForce], snapshot: Snapshot
    ) -> dict[str, tuple[Inputs, Assessment]]:
        autoscaling = self._ports.provider.autoscaling(self._cluster_ref, running.budget)
        seen = Seen(
            snapshot=snapshot,
            now=running.began,
            stop=running.in_force.stop,
            autoscaling=autoscaling,
            lost=frozenset(pools) if not running.ledger_readable else running.ledger.lost,
            watch=running.ledger.watch,
        )
        alone = {name: inputs_of(each.spec, each, seen) for name, each in pools.items() if each.spec is not None}
        limit = running.in_force.stack.max_hourly_cost if running.in_force.stack else None
        return {name: (inputs, assess(inputs)) for name, inputs in shared(alone, limit).items()}

    def _one_pool(self, running: _Pass, name: str, inputs: Inputs, assessment: Assessment) -> None:
        """Decide and apply one pool: the named boundary behind which a broken pool stays alone."""
        try:
            running.inputs[name] = inputs
            decision = decide_on(inputs, assessment)
            running.decisions[name] = decision
            running.decisions[name] = self._apply(running, inputs, decision)
        except WarmpoolError as error:
            self._fail(running, name, inputs, error)
        except Exception as error:  # noqa: BLE001 - the per-pool boundary: one pool's defect must not stop the others
            self._fail(running, name, inputs, error)

    def _fail(self, running: _Pass, name: str, inputs: Inputs, error: Exception) -> None:
        text = f"{type(error).__name__}: {error}"
        running.failures[name] = text
        running.failed[name] = (Reason(code_of(error), text),)
        failed = blind(name, running.began, inputs.state, running.failed[name])
        decided = running.decisions.get(name)
        running.decisions[name] = failed if decided is None else undone(decided, failed)

    def _apply(self, running: _Pass, inputs: Inputs, decision: Decision, attempt: int = 1) -> Decision:
        spec, cluster = inputs.spec, self._ports.cluster
        if running.budget.remaining_seconds() < LEAST_SECONDS:
            raise ClusterUnavailable("no time was left in this invocation; the next tick tries again")
        try:
            if decision.marks:
                cluster.mark(decision.marks, running.budget, dry_run=decision.dry_run)
            if decision.writes_scale:
                cluster.scale(spec, scale_change(decision), running.budget)
        except Conflict:
            running.conflicts += 1
            if attempt == ATTEMPTS:
                raise
            pool = running.in_force.pools[spec.name]
            snapshot = cluster.observe(scope({spec.name: pool}, running.began), running.budget)
            again = replace(inputs, snapshot=snapshot)
            decided = decide(again)
            running.inputs[spec.name], running.decisions[spec.name] = again, decided
            return self._apply(running, again, decided, attempt + 1)
        return decision

    def _record(self, running: _Pass) -> None:
        if not running.ledger_readable:
            # Writing over what could not be read would lose it.
            running.complete = False
            return
        entries = {name: self._entry(running, name) for name in running.decisions}
        try:
            self._ports.ledger.write(entries, [self._decided(running, name) for name in entries], running.budget)
            good_stop = running.in_force.good_stop
            if running.complete:
                self._complete(running)
            elif good_stop != running.ledger.good_stop:
                # An incident is when the switch is turned and when the cluster cannot be seen.
                self._ports.ledger.keep_stop(good_stop, running.budget)
        except LedgerUnavailable as error:
            running.complete = False
            self._ports.telemetry.warn(f"the ledger cannot be written: {error}")

    def _entry(self, running: _Pass, name: str) -> LedgerEntry:
        pool = running.in_force.pools[name]
        return replace(pool.entry, state=running.decisions[name].state)

    def _decided(self, running: _Pass, name: str) -> Decided:
        return Decided(
            decision=running.decisions[name], inputs=running.inputs.get(name), failed=running.failed.get(name, ())
        )

    def _complete(self, running: _Pass) -> None:
        """Count the launches once: where another pass has moved the watermark, it has counted them."""
        ledger = running.ledger
        watch, tallies = follow(ledger.watch, running.assessed, running.began)
        completion = Completion(
            began=running.began,
            previous=ledger.last_complete_began,
            good_stop=running.in_force.good_stop,
            watch=watch,
            tallies=tallies,
        )
        if self._ports.ledger.complete(completion, running.budget):
            running.tallies = tallies

    def _report(self, running: _Pass) -> PassReport:
        pools = running.in_force.pools.items()
        took = (self._ports.clock.now() - running.began).total_seconds()
        for note in running.in_force.notes:
            self._ports.telemetry.warn(note.text, code=note.code.value)
        return PassReport(
            decisions=tuple(running.decisions.values()),
            failures=running.failures,
            complete=running.complete,
            took_seconds=took,
            conflicts=running.conflicts,
            tallies=running.tallies,
            config_ages={name: wrong_for(each.entry, running.began) for name, each in pools},
        )
