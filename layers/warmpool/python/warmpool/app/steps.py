"""The values that a pass hands from one step to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

from warmpool.app.errors import ClusterUnavailable, Conflict, DeploymentGone, NotPermitted
from warmpool.app.in_force import PoolInForce
from warmpool.app.ports import AutoScaling, LedgerEntry, ScaleChange, Scope
from warmpool.core.assess import Assessment, Inputs, assess
from warmpool.core.ceilings import Claim, price_of_a_node, shares
from warmpool.core.decision import Action, Decision, PoolState
from warmpool.core.lead import lead_time
from warmpool.core.model import Snapshot
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import PoolSpec, Stop
from warmpool.core.watch import PoolWatch, Watch

OVERHEAD_EVERY: Final = timedelta(hours=1)
"""So often the DaemonSets' requests are read again."""


def scale_change(decision: Decision) -> ScaleChange:
    """Return the write that a decision asks for. Raises DeploymentGone where there is nothing to write to."""
    if decision.current is None or decision.target is None:
        raise DeploymentGone("there is no Deployment to scale")
    return ScaleChange(current=decision.current, target=decision.target, dry_run=decision.dry_run)


def scope(pools: Mapping[str, PoolInForce], now: datetime) -> Scope:
    """Say what an observation for these pools has to cover."""

    def due(state: PoolState) -> bool:
        return state.overhead_read_at is None or now - state.overhead_read_at >= OVERHEAD_EVERY

    return Scope(
        pools=[each.spec for each in pools.values() if each.spec is not None],
        read_overhead_of=frozenset(name for name, each in pools.items() if due(each.entry.state)),
        known_nodes={name: each.entry.state.known_nodes for name, each in pools.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What all pools of a pass share."""

    snapshot: Snapshot
    now: datetime
    stop: Stop | None
    autoscaling: AutoScaling
    lost: frozenset[str]
    """Pools whose ledger entry is unknown."""
    watch: Watch = field(default_factory=Watch)
    """What passes have learnt of launches and lead times."""


def inputs_of(spec: PoolSpec, pool: PoolInForce, seen: Seen) -> Inputs:
    """Gather what one pool's decision depends on."""
    return Inputs(
        spec=spec,
        snapshot=seen.snapshot,
        now=seen.now,
        state=pool.entry.state,
        lead=lead_time(seen.watch.pools.get(spec.name, PoolWatch()).lead, spec.lead_time_limit),
        override=pool.override,
        stop=seen.stop,
        autoscaling_in_service=seen.autoscaling.in_service,
        autoscaling_text=seen.autoscaling.text,
        ledger_readable=spec.name not in seen.lost,
        notes=pool.notes,
    )


def claim(inputs: Inputs, assessment: Assessment) -> Claim:
    """Return what the pool would like of the stack's money."""
    return Claim(
        pool=inputs.spec.name,
        priority=inputs.spec.priority,
        nodes=assessment.idle_wanted + assessment.placement.groups.x,
        price=price_of_a_node(inputs.spec, assessment.view),
    )


def shared(alone: Mapping[str, Inputs], limit: Fraction | None) -> Mapping[str, Inputs]:
    """Give each pool its part of the stack's money: what one may take depends on what the others want."""
    if limit is None:
        return alone
    granted = shares([claim(inputs, assess(inputs)) for inputs in alone.values()], limit)
    return {name: replace(inputs, share=granted[name]) for name, inputs in alone.items()}


def wrong_for(entry: LedgerEntry, now: datetime) -> timedelta:
    """Return how long a pool has not had the configuration that it ought to have; zero while all is well."""
    since = entry.config_wrong_since
    return timedelta(0) if since is None else max(timedelta(0), now - since)


def blind(name: str, now: datetime, state: PoolState, reasons: tuple[Reason, ...]) -> Decision:
    """Hold without having seen the pool; what the ledger knows is kept."""
    code = reasons[0].code if reasons else Code.FAILED
    since = state.hold_since or now
    return Decision(
        pool=name,
        at=now,
        current=None,
        target=None,
        action=Action.HOLD,
        reasons=reasons,
        hold=code,
        state=replace(state, surplus_seen=(), surplus_since=None, hold_since=since, hold_code=code),
    )


def undone(decided: Decision, failed: Decision) -> Decision:
    """Return the decision that could not be applied: what was seen, nothing changed, and the failure first."""
    return replace(
        decided,
        target=decided.current,
        action=Action.HOLD,
        marks=(),
        hold=failed.hold,
        reasons=(*failed.reasons, *decided.reasons),
        state=failed.state,
    )


def code_of(error: Exception) -> Code:
    """Name an error by the vocabulary of reasons."""
    match error:
        case NotPermitted():
            return Code.NOT_PERMITTED
        case Conflict():
            return Code.CONFLICT
        case DeploymentGone():
            return Code.DEPLOYMENT_MISSING
        case ClusterUnavailable():
            return Code.CLUSTER_UNAVAILABLE
        case _:
            return Code.FAILED
