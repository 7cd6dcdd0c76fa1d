"""What there is, what is wanted and what that takes, before stabilisation. Design section 6 items 1 to 4 and 7."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core import ceilings
from warmpool.core.counting import PoolView, count, look, nodepool_of
from warmpool.core.decision import Contribution, Groups, Limits, PoolState
from warmpool.core.limits import drained, fitted, overridden, override_in_force, stop_in_force
from warmpool.core.model import Condition, NodeClaim, Snapshot
from warmpool.core.placement import Placement, place
from warmpool.core.proportional import cpa_replicas, nodes_needed
from warmpool.core.reasons import Code, Reason
from warmpool.core.room import Need, Room, idle_nodes_for, measure, pinned_or_floor
from warmpool.core.schedule import limits_at
from warmpool.core.spec import Counting, Linear, Override, PoolSpec, Proportional, Stop

BETWEEN_PASSES: Final = timedelta(minutes=1)
"""A pass may come so long after an order is due, which a measured lead time does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything that a decision depends on; same inputs, same answer.

    `lead` is the pool's lead time (None: the spec's). `overhead` of the ledger stands in for DaemonSets that the
    snapshot does not show. `share` is the pool's part of the stack's money in idle nodes, None where nothing caps.
    """

    spec: PoolSpec
    snapshot: Snapshot
    now: datetime
    state: PoolState = PoolState()
    lead: timedelta | None = None
    override: Override | None = None
    stop: Stop | None = None
    autoscaling_in_service: bool | None = True
    autoscaling_text: str = ""
    ledger_readable: bool = True
    share: int | None = None
    notes: tuple[Reason, ...] = ()
    """What the use case has to report beside the decision, such as a rejected override."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The pool as it is and as it should be. `idle_wanted` is E after, `unlimited` before the ceilings."""

    view: PoolView
    placement: Placement
    room: Room
    limits: Limits
    contributions: tuple[Contribution, ...]
    need: Need
    idle_wanted: int
    idle_wanted_without_override: int
    capped: bool
    reasons: tuple[Reason, ...]
    compat_replicas: int | None = None
    stuck: Reason | None = None

    @property
    def current(self) -> int | None:
        """The Deployment's replicas, None where it is missing."""
        return None if self.view.deployment is None else self.view.deployment.replicas


def assess(inputs: Inputs) -> Assessment:
    """Work out E, the groups and the caps from one snapshot."""
    spec, now = inputs.spec, inputs.now
    overhead = inputs.snapshot.overheads.get(spec.name, inputs.state.overhead)
    view = look(spec, inputs.snapshot, overhead, now)
    placement = place(view, spec.lead_time_limit, now)
    room = measure(spec, view)
    plain = limits_at(spec, now, spec.lead_time if inputs.lead is None else inputs.lead + BETWEEN_PASSES)
    limits = drained(overridden(plain, override_in_force(inputs.override, now)), stop_in_force(inputs.stop, now))
    contributions = contribute(spec, view, limits)
    need = idle_nodes_for(contributions, room)
    compat = compat_number(spec, view, limits)
    wanted = need.idle_nodes if compat is None else compat
    stuck = capacity_stuck(inputs, view, placement)
    capped = ceilings.cap(wanted, _ceilings(inputs, view, placement, limits.max))
    plainly = idle_nodes_for(contribute(spec, view, fitted(plain)), room).idle_nodes
    before = ceilings.cap(plainly, _ceilings(inputs, view, placement, plain.max))
    return Assessment(
        view=view,
        placement=placement,
        room=room,
        limits=limits,
        contributions=contributions,
        need=need,
        idle_wanted=capped.idle_nodes,
        idle_wanted_without_override=before.idle_nodes,
        capped=capped.capped or limits.capped,
        reasons=(
            *inputs.notes,
            *limits.reasons,
            *room.reasons,
            *capped.reasons,
            *((stuck,) if stuck else ()),
            *_warnings(inputs, view, placement),
        ),
        compat_replicas=None if compat is None else capped.idle_nodes,
        stuck=stuck,
    )


def _ceilings(inputs: Inputs, view: PoolView, placement: Placement, maximum: int) -> tuple[ceilings.Ceiling, ...]:
    groups, spec = placement.groups, inputs.spec
    if spec.compat:
        # CPA's number is replicas, wherever they sit, so all of them count against the ceilings.
        groups = Groups(i=groups.h + groups.i + groups.x)
    return (
        ceilings.by_max(maximum, groups),
        ceilings.by_nodepool(spec, inputs.snapshot, view, groups),
        ceilings.by_cost(spec, ceilings.price_of_a_node(spec, view), groups),
        ceilings.by_share(inputs.share, groups),
    )


def contribute(spec: PoolSpec, view: PoolView, limits: Limits) -> tuple[Contribution, ...]:
    """Ask each policy for its need; a pin replaces them all."""
    floor = pinned_or_floor(limits)
    if limits.target is not None or spec.proportional is None or spec.compat:
        return (floor,)
    return (floor, _proportional(spec.proportional, view))


def _proportional(policy: Proportional, view: PoolView) -> Contribution:
    counted = count(view, policy.counting)
    nodes = nodes_needed(policy, counted)
    how = "linear" if policy.linear is not None else "ladder"
    text = f"{how} of {counted.nodes} {policy.counting.value} nodes with {counted.cores} cores: {nodes} empty nodes"
    return Contribution(policy="proportional", nodes=nodes, text=text)


def compat_number(spec: PoolSpec, view: PoolView, limits: Limits) -> int | None:
    """Return what CPA would set in `compat`, else None. A pin still replaces the number."""
    if not spec.compat:
        return None
    if limits.target is not None:
        return limits.target
    policy = spec.proportional or Proportional(counting=Counting.SCHEDULABLE, linear=Linear())
    counting = Counting.ALL if policy.counting is Counting.ALL else Counting.SCHEDULABLE
    return cpa_replicas(policy, count(view, counting), limits.min, limits.max)


def capacity_stuck(inputs: Inputs, view: PoolView, placement: Placement) -> Reason | None:
    """Tell that orders stay open for leadTimeLimit while no node of the pool became Ready, and why."""
    limit, now = inputs.spec.lead_time_limit, inputs.now
    waiting = [pod for pod in placement.idle if pod.node is None and now - pod.created > limit]
    if not waiting or _node_came(inputs, view, now - limit):
        return None
    oldest = min(pod.created for pod in waiting)
    minutes = int((now - oldest).total_seconds() // 60)
    why = (
        "; ".join(_why_not_ready(claim) for claim in _claims(inputs) if not _is_ready(claim))
        or "no NodeClaim tells why"
    )
    text = f"{len(waiting)} placeholders have waited up to {minutes} min and no node became Ready: {why}"
    return Reason(Code.CAPACITY_STUCK, text)


def _claims(inputs: Inputs) -> list[NodeClaim]:
    name = nodepool_of(inputs.spec, inputs.snapshot)
    return [claim for claim in inputs.snapshot.claims if claim.nodepool == name]


def _node_came(inputs: Inputs, view: PoolView, since: datetime) -> bool:
    claims = [claim.conditions.get("Ready") for claim in _claims(inputs)]
    ready = [each.changed for each in claims if each is not None and each.status is Condition.TRUE]
    ready += [each.node.ready_changed for each in view.nodes.values() if each.node.ready is Condition.TRUE]
    return any(changed is not None and changed >= since for changed in ready)


def _is_ready(claim: NodeClaim) -> bool:
    ready = claim.conditions.get("Ready")
    return ready is not None and ready.status is Condition.TRUE


def _why_not_ready(claim: NodeClaim) -> str:
    for name in ("Launched", "Registered", "Initialized"):
        each = claim.conditions.get(name)
        if each is not None and each.status is not Condition.TRUE:
            return f"NodeClaim {claim.name} is not {name}: {each.reason} {each.message}".strip()
    return f"NodeClaim {claim.name} is not Ready"


def _warnings(inputs: Inputs, view: PoolView, placement: Placement) -> tuple[Reason, ...]:
    reasons = []
    if inputs.autoscaling_in_service is None:
        reasons.append(Reason(Code.AUTOSCALING_UNKNOWN, f"autoscaling status unknown: {inputs.autoscaling_text}"))
    if placement.pull_stuck:
        names = ", ".join(pod.name for pod in placement.pull_stuck[:3])
        text = f"{len(placement.pull_stuck)} placeholders are scheduled but not Ready for over leadTimeLimit: {names}"
        reasons.append(Reason(Code.IMAGE_PULL_STUCK, text))
    real = view.deployment.requests if view.deployment else None
    if inputs.spec.placeholder is not None and real:
        differs = {key for key, value in inputs.spec.placeholder.items() if real.get(key, 0) != value}
        if differs - {"pods"}:
            names = ", ".join(sorted(differs - {"pods"}))
            text = f"the Deployment's {names} requests differ from the spec's placeholder; the Deployment counts"
            reasons.append(Reason(Code.PLACEHOLDER_DIFFERS, text))
    return tuple(reasons)
