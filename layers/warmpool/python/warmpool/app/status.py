"""Whether a pool keeps its promise right now, and if not what is wrong, since when and what to do."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from warmpool.app.advice import FIXES, NODE_FIXES
from warmpool.app.steps import shared
from warmpool.core.assess import Assessment, Inputs, assess
from warmpool.core.counting import NodeView
from warmpool.core.decide import preview_on
from warmpool.core.decision import Decision
from warmpool.core.holds import partial_view
from warmpool.core.model import Pod, Snapshot
from warmpool.core.reasons import Code, Exclusion, Reason
from warmpool.core.spec import Spec

_NAMED: Final = 3
"""So many nodes are named; how many there are is told always."""

Since = Mapping[Reason, datetime]
"""Since when a reason holds, where somebody wrote that down."""
_UNKNOWN: Final[Since] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong; `since` None is unknown."""

    code: str
    text: str
    fix: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStatus:
    """One pool now. `kept`: the usable warm room covers the need; None where the cluster could not be seen."""

    pool: str
    kept: bool | None
    warm_nodes: int | None = None
    room_slots: int | None = None
    need_slots: int | None = None
    problems: tuple[Problem, ...] = ()
    decision: Decision | None = None
    """What a pass would answer now, with the limits in force and all reasons; None where none can be made."""


def statuses(spec: Spec, snapshot: Snapshot, now: datetime) -> tuple[PoolStatus, ...]:
    """Judge every pool of a spec by a snapshot alone: without history, overrides and the stop switch."""
    alone = {name: Inputs(spec=pool, snapshot=snapshot, now=now) for name, pool in spec.pools.items()}
    return tuple(judge(inputs) for inputs in shared(alone, spec.max_hourly_cost).values())


def judge(inputs: Inputs, since: Since = _UNKNOWN) -> PoolStatus:
    """Judge one pool. The need is what the policies ask for within min, max and pin; other ceilings do not excuse."""
    found = assess(inputs)
    decision = preview_on(inputs, found)
    seen = partial_view(inputs.spec, inputs.snapshot) is None
    kept = found.room.warm >= found.need.slots if seen else None
    missing = (_room_missing(found),) if kept is False else ()
    return PoolStatus(
        pool=inputs.spec.name,
        kept=kept,
        warm_nodes=decision.warm_nodes if seen else None,
        room_slots=found.room.warm if seen else None,
        need_slots=found.need.slots if seen else None,
        problems=(*missing, *problems_of(decision, _known_since(inputs, found, decision, since)), *_left_out(found)),
        decision=decision,
    )


def problems_of(decision: Decision, since: Since = _UNKNOWN) -> Iterator[Problem]:
    """Pick the reasons that say that something is wrong, each once, with what to do about it."""
    for reason in dict.fromkeys(decision.reasons):
        if reason.code in FIXES:
            yield problem(decision.pool, reason, since.get(reason))


def problem(pool: str, reason: Reason, since: datetime | None = None) -> Problem:
    """Tell one reason as a problem of a pool."""
    return Problem(code=reason.code, text=reason.text, fix=FIXES[reason.code].format(pool=pool), since=since)


def _room_missing(found: Assessment) -> Problem:
    coming = [pod for pod in found.placement.pods if not pod.ready]
    pulling = sum(pod.node is not None for pod in coming)
    ordered = len(coming) - pulling + found.placement.uncreated
    text = (
        f"{found.room.warm} of {found.need.slots} slots wanted are warm and usable; "
        f"placeholders that wait for a node: {ordered}, that are on one and not Ready yet: {pulling}"
    )
    return Problem(
        code=Code.ROOM_MISSING, text=text, fix=FIXES[Code.ROOM_MISSING], since=_oldest(pod.created for pod in coming)
    )


def _left_out(found: Assessment) -> Iterator[Problem]:
    for exclusion, fix in NODE_FIXES.items():
        nodes = [each for each in found.view.nodes.values() if each.exclusion is exclusion]
        if nodes:
            yield Problem(
                code=exclusion, text=_named(nodes, exclusion), fix=fix, since=_since_left_out(nodes, exclusion)
            )


def _named(nodes: list[NodeView], exclusion: Exclusion) -> str:
    names = ", ".join(sorted(each.node.name for each in nodes)[:_NAMED])
    more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
    return f"{len(nodes)} of the pool's nodes cannot take a launch ({exclusion}): {names}{more}"


def _since_left_out(nodes: list[NodeView], exclusion: Exclusion) -> datetime | None:
    if exclusion is not Exclusion.NOT_READY:
        return None
    return _oldest(each.node.ready_changed for each in nodes)


def _known_since(inputs: Inputs, found: Assessment, decision: Decision, since: Since) -> Since:
    """Add what the snapshot and the ledger's state tell to what the caller knows."""
    placement, limit = found.placement, inputs.now - inputs.spec.lead_time_limit
    waiting = [pod.created for pod in placement.idle if pod.node is None and pod.created < limit]
    told = {
        Code.CAPACITY_STUCK: _oldest(waiting),
        Code.IMAGE_PULL_STUCK: _oldest(_began(pod) for pod in placement.pull_stuck),
        Code.MOSTLY_NOT_READY: _since_left_out(
            [each for each in found.view.nodes.values() if each.exclusion is Exclusion.NOT_READY], Exclusion.NOT_READY
        ),
    }
    if decision.hold is not None and decision.hold is inputs.state.hold_code:
        told[decision.hold] = told[Code.HELD_LONG] = inputs.state.hold_since
    known = {reason: told.get(reason.code) for reason in decision.reasons}
    return {**{reason: at for reason, at in known.items() if at is not None}, **since}


def _began(pod: Pod) -> datetime:
    return pod.started or pod.created


def _oldest(times: Iterable[datetime | None]) -> datetime | None:
    return min((each for each in times if each is not None), default=None)
