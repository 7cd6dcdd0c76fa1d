"""What is in force in a running stack, why, since when, and what is wrong: the pass' own view, without writing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from warmpool.app.advice import FIXES
from warmpool.app.errors import ClusterUnavailable, ConfigUnreadable, LedgerUnavailable, NotPermitted
from warmpool.app.in_force import PoolInForce, choose
from warmpool.app.lead_seen import LeadSeen, lead_seen
from warmpool.app.ports import (
    Budget,
    Clock,
    Cluster,
    Configuration,
    DocumentReader,
    LedgerEntry,
    LedgerState,
    Provider,
)
from warmpool.app.said import Said, Writers, Written
from warmpool.app.status import PoolStatus, judge, problem, problems_of
from warmpool.app.steps import Seen, inputs_of, scope, shared
from warmpool.core.assess import Inputs
from warmpool.core.decision import Decision, Limits
from warmpool.core.model import Snapshot
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override, Spec, Stop
from warmpool.core.watch import PoolWatch, Watch

LATE_AFTER: Final = timedelta(minutes=5)
"""A pass a minute: so long without a complete one is no accident (the alarm heartbeat-lost)."""

_KNOWN_HERE: Final = frozenset(
    {
        Code.CONFIG_INVALID,
        Code.CONFIG_UNREADABLE,
        Code.NO_GOOD_SPEC,
        Code.PAUSED_BY_OVERRIDE,
        Code.FROZEN,
        Code.DRAINING,
        Code.CAPPED_BY_MAX,
    }
)
"""What the documents say by themselves, so that the controller's last word on it is not needed."""


class Records(Protocol):
    """The ledger as far as it is only read."""

    def read(self, budget: Budget) -> LedgerState:
        """Read all entries. Raises LedgerUnavailable."""
        ...

    def latest(self, pool: str, budget: Budget) -> Decision | None:
        """Return the last changed decision of a pool, None where none is kept. Raises LedgerUnavailable."""
        ...


class ClusterOf(Protocol):
    """Knows the way into the cluster that a spec names, with the caller's own identity."""

    def __call__(self, spec: Spec) -> tuple[Cluster, Provider]:
        """Return the cluster and its provider; nothing is read yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePorts:
    """Everything that a live status reads."""

    configuration: Configuration
    records: Records
    writers: Writers
    cluster_of: ClusterOf
    reader: DocumentReader
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLive:
    """One pool: how it is, what is in force and who said so, and the controller's last changed decision."""

    status: PoolStatus
    limits: Limits | None = None
    override: Override | None = None
    """The override in force."""
    taken_over: datetime | None = None
    """When a pass first saw that override; None where no pass has, or that is unknown."""
    written: Written | None = None
    last: Decision | None = None
    lead: LeadSeen | None = None
    """What the last orders took; None where none has been seen through."""
    launches_waiting: int | None = None
    """Launches that were not Ready in the last complete pass; None where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLive:
    """A running stack at one instant."""

    at: datetime
    pools: tuple[PoolLive, ...]
    stop: Stop | None = None
    """The stop switch in force."""
    last_complete: datetime | None = None
    """When the last pass that saw everything began."""


@dataclass(slots=True)
class _Look:
    """What was read so far, and what is wrong for all pools."""

    budget: Budget
    said: Said
    wrong: list[Reason] = field(default_factory=list)


class LiveStatus:
    """Reads a running stack; what cannot be read is a problem in the answer, and the rest is still told."""

    def __init__(self, ports: LivePorts) -> None:
        """Take the ports; nothing is read yet."""
        self._ports = ports

    def look(self, budget: Budget) -> StackLive:
        """Judge every pool of the stack. Raises ConfigUnreadable or NotPermitted where no pool is known at all."""
        look = self._read(budget)
        return StackLive(
            at=look.said.now,
            pools=tuple(self._pools(look)),
            stop=look.said.stop,
            last_complete=look.said.ledger.last_complete_began,
        )

    def _read(self, budget: Budget) -> _Look:
        now, wrong = self._ports.clock.now(), list[Reason]()
        try:
            ledger = self._ports.records.read(budget)
            wrong += _late(ledger, now)
        except LedgerUnavailable as error:
            ledger = LedgerState(unreadable=True)
            wrong.append(Reason(Code.LEDGER_UNREADABLE, f"the ledger cannot be read from here: {error}"))
        try:
            documents = self._ports.configuration.read(budget)
        except (ConfigUnreadable, NotPermitted):
            if not ledger.pools:
                raise
            documents = None
        in_force = choose(documents, ledger, self._ports.reader, now)
        said = Said(now=now, in_force=in_force, ledger=ledger, writers=self._writers(budget))
        return _Look(budget=budget, said=said, wrong=wrong)

    def _writers(self, budget: Budget) -> Mapping[str, Written]:
        try:
            return self._ports.writers.written(budget)
        except (ConfigUnreadable, NotPermitted):
            # An operator may read parameters without being allowed to list who wrote them: then that is unknown.
            return {}

    def _pools(self, look: _Look) -> Iterator[PoolLive]:
        judged, said = self._judged(look), look.said
        for name, pool in said.in_force.pools.items():
            last = self._latest(name, look)
            status = judged[name] if name in judged else _unseen(pool, last, look)
            override = said.override(pool)
            yield PoolLive(
                status=status,
                limits=status.decision.limits if status.decision else said.limits(pool),
                override=override,
                taken_over=said.taken_over(pool) if override else None,
                written=said.written(pool),
                last=last,
                lead=_lead(pool, said.ledger.watch),
                launches_waiting=_waiting(name, said.ledger.watch),
            )

    def _judged(self, look: _Look) -> Mapping[str, PoolStatus]:
        """Judge the pools with a spec by the cluster as it is; none where it cannot be seen from here."""
        spec = look.said.in_force.stack
        if spec is None:
            return {}
        pools = {name: each for name, each in look.said.in_force.pools.items() if each.spec is not None}
        try:
            cluster, provider = self._ports.cluster_of(spec)
            snapshot = cluster.observe(scope(pools, look.said.now), look.budget)
        except (ClusterUnavailable, NotPermitted) as error:
            code = Code.NOT_PERMITTED if isinstance(error, NotPermitted) else Code.CLUSTER_UNAVAILABLE
            look.wrong.append(Reason(code, f"the cluster cannot be read from here: {error}"))
            return {}
        inputs = self._inputs(spec, pools, (snapshot, provider), look)
        return {name: judge(each, look.said.since(pools[name])) for name, each in inputs.items()}

    def _inputs(
        self, spec: Spec, pools: Mapping[str, PoolInForce], seen_in: tuple[Snapshot, Provider], look: _Look
    ) -> Mapping[str, Inputs]:
        snapshot, provider = seen_in
        seen = Seen(
            snapshot=snapshot,
            now=look.said.now,
            stop=look.said.in_force.stop,
            autoscaling=provider.autoscaling(spec.cluster, look.budget),
            lost=frozenset(pools) if look.said.ledger.unreadable else look.said.ledger.lost,
            watch=look.said.ledger.watch,
        )
        alone = {
            name: replace(inputs_of(each.spec, each, seen), notes=(*look.wrong, *each.notes))
            for name, each in pools.items()
            if each.spec is not None
        }
        return shared(alone, spec.max_hourly_cost)

    def _latest(self, pool: str, look: _Look) -> Decision | None:
        try:
            return None if look.said.ledger.unreadable else self._ports.records.latest(pool, look.budget)
        except LedgerUnavailable:
            return None


def _lead(pool: PoolInForce, watch: Watch) -> LeadSeen | None:
    limit = timedelta.max if pool.spec is None else pool.spec.lead_time_limit
    return lead_seen(watch.pools.get(pool.name, PoolWatch()).lead, limit)


def _waiting(pool: str, watch: Watch) -> int | None:
    return None if watch.began is None else sum(each.pool == pool for each in watch.waiting.values())


def _late(ledger: LedgerState, now: datetime) -> Iterator[Reason]:
    began = ledger.last_complete_began
    if began is None:
        yield Reason(Code.PASSES_LATE, "no pass has ever seen the whole cluster")
    elif now - began > LATE_AFTER:
        minutes = int((now - began).total_seconds() // 60)
        yield Reason(Code.PASSES_LATE, f"the last pass that saw the whole cluster began {minutes} min ago")


def _unseen(pool: PoolInForce, last: Decision | None, look: _Look) -> PoolStatus:
    """Tell of a pool whose nodes cannot be seen from here: the documents, and what the controller last decided."""
    since = look.said.since(pool)
    here = (*look.wrong, *look.said.reasons(pool))
    problems = [problem(pool.name, each, since.get(each)) for each in here if each.code in FIXES]
    if last is not None:
        known = problems_of(last, _held_since(last, look.said.ledger))
        problems += [each for each in known if each.code not in _KNOWN_HERE]
    return PoolStatus(pool=pool.name, kept=None, problems=tuple(problems))


def _held_since(last: Decision, ledger: LedgerState) -> Mapping[Reason, datetime]:
    state = ledger.pools.get(last.pool, LedgerEntry()).state
    since = state.hold_since
    return {} if since is None else {each: since for each in last.reasons if each.code is state.hold_code}
