"""What a pass measured, by the catalogue's names: pure, so that every name and every gap can be tested."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from warmpool.app.ports import PassReport
from warmpool.core.decision import Decision
from warmpool.core.reasons import Code
from warmpool.core.watch import Outcome, Tally

Values = Mapping[str, Sequence[float]]
"""By metric: one value or, of what happens several times in a pass, as many as happened."""

_FLAGS: Final[Mapping[str, Code]] = {
    "ConfigInvalid": Code.CONFIG_INVALID,
    "ForeignWriter": Code.FOREIGN_WRITER,
    "CapacityStuck": Code.CAPACITY_STUCK,
    "ImagePullStuck": Code.IMAGE_PULL_STUCK,
}
"""Metrics that are 1 in a pass that gave this reason, else 0."""
_SAID_SO: Final = frozenset({Code.FROZEN, Code.PAUSED_BY_OVERRIDE})
"""Somebody chose these holds, with an end: they are no trouble, however long."""
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "WarmCoexist": Outcome.WARM_COEXIST,
    "WarmPreempt": Outcome.WARM_PREEMPT,
    "Cold": Outcome.COLD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Values of metrics that have the same dimensions; `of` are those beside service and stack."""

    values: Values
    of: Mapping[str, str] = field(default_factory=dict)


def readings(report: PassReport) -> Iterator[Reading]:
    """Yield everything that a pass measured, the stack first; what is unknown or did not happen is left out."""
    yield Reading(values=_stack(report))
    for decision in report.decisions:
        pool = {"pool": decision.pool}
        tally = report.tallies.get(decision.pool)
        yield Reading(values={**_pool(report, decision), **_tally(tally)}, of=pool)
        if decision.hold is not None:
            yield Reading(values={"HeldFor": [1]}, of={**pool, "reason": decision.hold.value})
        causes = Counter(each.found.cause for each in tally.launches) if tally else Counter()
        for cause, count in causes.items():
            if cause is not None:
                yield Reading(values={"ColdFor": [count]}, of={**pool, "cause": cause.value})


def _stack(report: PassReport) -> Values:
    failed = bool(report.failures) or not (report.complete or report.decisions)
    values: dict[str, float] = {
        "PassFailed": int(failed),
        "PassSeconds": report.took_seconds,
        "Conflicts": report.conflicts,
    }
    if report.complete:  # left out, not 0, after any other pass: the alarm counts the minutes without one
        values["Heartbeat"] = 1
    return {name: [value] for name, value in values.items()}


def _pool(report: PassReport, decision: Decision) -> Values:
    codes = {each.code for each in decision.reasons}
    values: dict[str, float] = {
        "Capped": int(decision.capped),
        "Held": int(decision.held),
        "PoolFailed": int(decision.pool in report.failures),
        "HeldLong": int(Code.HELD_LONG in codes and decision.hold not in _SAID_SO),
        **{name: int(code in codes) for name, code in _FLAGS.items()},
    }
    if decision.pool in report.config_ages:
        values["ConfigAge"] = report.config_ages[decision.pool].total_seconds()
    if _seen(report, decision):
        values |= _gauges(decision)
    return {name: [value] for name, value in values.items()}


def _seen(report: PassReport, decision: Decision) -> bool:
    """Tell whether the pool was seen as it is: a gauge of 0 would say that it is empty.

    Where a list was cut off, pools that needed it are held, and the pass is not complete.
    """
    return decision.lead_time is not None and (report.complete or decision.hold is None)


def _gauges(decision: Decision) -> Mapping[str, float]:
    values: dict[str, float | None] = {
        "Current": decision.current,
        "Target": decision.target,
        "ReadyPlaceholders": decision.ready_placeholders,
        "PendingPlaceholders": decision.pending_placeholders,
        "IdleNodes": decision.groups.i,
        "IdleNodesWanted": decision.idle_nodes_wanted,
        "BusyNodes": decision.busy_nodes,
        "WarmNodes": decision.warm_nodes,
        "WarmSlots": decision.warm_slots,
        "NeedSlots": decision.need_slots,
        "BelowFloor": int(decision.warm_slots < decision.floor_slots),
        "RoomMissing": int(decision.warm_slots < decision.need_slots),
        "LeadTime": decision.lead_time.total_seconds() if decision.lead_time else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _tally(tally: Tally | None) -> Values:
    if tally is None:
        return {}
    launches = tally.launches
    known = [each for each in launches if each.found.outcome is not Outcome.UNKNOWN]
    counts = {name: tally.count(outcome) for name, outcome in _OUTCOMES.items()}
    counts["Unseen"] = tally.count(Outcome.UNKNOWN) + tally.abandoned
    happened: dict[str, list[float]] = {
        **{name: [count] for name, count in counts.items() if count},
        "Hit": [int(each.found.outcome.warm) for each in known],
        "Wait": [each.waited.total_seconds() for each in launches],
        "WarmWait": [each.waited.total_seconds() for each in launches if each.found.outcome.warm],
        "LeadNode": [each.node.total_seconds() for each in tally.lead],
        "LeadJoin": [each.join.total_seconds() for each in tally.lead],
        "LeadPull": [each.pull.total_seconds() for each in tally.lead],
        "LeadTotal": [each.total.total_seconds() for each in tally.lead],
        "Replacement": [each.total_seconds() for each in tally.replacements],
        "IdleNodeHours": [tally.idle_node_hours],
        "IdleCostUsd": [] if tally.idle_usd is None else [tally.idle_usd],
    }
    return {name: values for name, values in happened.items() if values}
