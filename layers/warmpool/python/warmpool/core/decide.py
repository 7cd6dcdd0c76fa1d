"""The decision for one pool: pure and total. Design section 6."""

from dataclasses import replace

from warmpool.core.assess import Assessment, Inputs, assess
from warmpool.core.decision import Action, Decision, PoolState
from warmpool.core.holds import (
    Hold,
    autoscaling_hold,
    deployment_hold,
    foreign_writer,
    manual_scale,
    missing_deployment,
    mostly_not_ready,
    operator_hold,
    partial_view,
)
from warmpool.core.limits import override_in_force, stop_in_force
from warmpool.core.model import Deployment, PodPhase
from warmpool.core.placement import joined, warm_marks
from warmpool.core.reasons import Code, Reason
from warmpool.core.settle import Settled, in_a_sentence, settle, unsettled_target
from warmpool.core.spec import Mode

__all__ = ["Inputs", "assess", "decide", "preview"]


def decide(inputs: Inputs) -> Decision:
    """Decide one pool's replicas and marks from one snapshot. Never raises on any snapshot."""
    return decide_on(inputs, assess(inputs))


def decide_on(inputs: Inputs, assessment: Assessment) -> Decision:
    """Decide with an assessment that is there already (the stack's money is shared between the two steps)."""
    verdict = may_act(inputs, assessment)
    if isinstance(verdict, Hold):
        return _held(inputs, assessment, verdict)
    current = verdict.replicas
    settled = _replicas(inputs, assessment, current)
    warm = warm_marks(assessment.placement, inputs.spec.lead_time_limit, inputs.now)
    decision = _frame(inputs, assessment)
    return replace(
        decision,
        target=settled.target,
        action=_action(current, settled.target),
        reasons=(*decision.reasons, *settled.reasons),
        marks=joined((*settled.marks, *warm)),
        state=_remember(inputs, assessment, settled),
    )


def preview(inputs: Inputs) -> Decision:
    """Return the answer before stabilisation: no history, no `after`, no `step`, no mark-then-scale."""
    return preview_on(inputs, assess(inputs))


def preview_on(inputs: Inputs, assessment: Assessment) -> Decision:
    """Return the answer before stabilisation with an assessment that is there already."""
    verdict = may_act(inputs, assessment)
    if isinstance(verdict, Hold):
        return _held(inputs, assessment, verdict)
    current = verdict.replicas
    target = unsettled_target(assessment, current)
    decision = _frame(inputs, assessment)
    note = Reason(Code.BEFORE_STABILISATION, "a snapshot has no history: `scaleDown` and mark-then-scale are left out")
    why = in_a_sentence(assessment, current, target)
    return replace(decision, target=target, action=_action(current, target), reasons=(*decision.reasons, why, note))


def may_act(inputs: Inputs, assessment: Assessment) -> Hold | Deployment:
    """Return the first reason to change nothing, the gravest first, or else the Deployment that may be changed.

    In shadow mode a foreign writer is no reason.
    """
    spec, snapshot, deployment = inputs.spec, inputs.snapshot, assessment.view.deployment
    override = override_in_force(inputs.override, inputs.now)
    said = operator_hold(override, stop_in_force(inputs.stop, inputs.now))
    partial = partial_view(spec, snapshot)
    if deployment is None:
        # A Deployment that could not be read is not one that is missing.
        return said or partial or missing_deployment(spec)
    if said is not None:
        return said
    foreign = foreign_writer(deployment, snapshot, inputs.state)
    if foreign is not None and spec.mode is not Mode.SHADOW:
        return foreign
    return (
        partial
        or mostly_not_ready(assessment.view)
        or manual_scale(deployment, inputs.state, spec.manual_hold, inputs.now)
        or deployment_hold(deployment)
        or autoscaling_hold(inputs.autoscaling_in_service, inputs.autoscaling_text)
        or deployment
    )


def _replicas(inputs: Inputs, assessment: Assessment, current: int) -> Settled:
    if assessment.compat_replicas is None:
        return settle(inputs, assessment, current)
    target = unsettled_target(assessment, current)
    why = in_a_sentence(assessment, current, target)
    return Settled(target=target, reasons=(why,), marks=(), state=inputs.state)


def _action(current: int, target: int) -> Action:
    if target == current:
        return Action.NONE
    return Action.UP if target > current else Action.DOWN


def _frame(inputs: Inputs, assessment: Assessment) -> Decision:
    """Return the parts that every decision shows, with nothing changed."""
    view, placement = assessment.view, assessment.placement
    current = assessment.current
    return Decision(
        pool=inputs.spec.name,
        at=inputs.now,
        current=current,
        target=current,
        action=Action.NONE,
        reasons=(*assessment.reasons, *_room_reason(assessment), *_shadow(inputs, assessment)),
        contributions=assessment.contributions,
        limits=assessment.limits,
        groups=placement.groups,
        counted_nodes=len(view.nodes) - len(view.excluded),
        busy_nodes=view.busy_nodes,
        idle_nodes_wanted=assessment.idle_wanted,
        warm_slots=assessment.room.warm,
        warm_nodes=sum(each.warm and each.exclusion is None for each in view.nodes.values()),
        lead_time=inputs.spec.lead_time if inputs.lead is None else inputs.lead,
        need_slots=assessment.need.slots,
        floor_slots=(assessment.contributions[0].nodes or 0) * assessment.room.per_node,
        ready_placeholders=sum(pod.ready for pod in placement.pods),
        pending_placeholders=sum(pod.phase is PodPhase.PENDING for pod in placement.pods) + placement.uncreated,
        excluded=view.excluded,
        capped=assessment.capped,
        dry_run=inputs.spec.mode is Mode.SHADOW,
        state=inputs.state,
    )


def _room_reason(assessment: Assessment) -> tuple[Reason, ...]:
    room, need = assessment.room, assessment.need
    if not need.slots or not room.on_busy:
        return ()
    text = (
        f"{room.on_busy} of the {need.slots} slots wanted are free on busy nodes; "
        f"{need.idle_nodes} empty nodes of {room.per_node} slots cover the rest"
    )
    return (Reason(Code.ROOM_ON_BUSY_NODES, text),)


def _shadow(inputs: Inputs, assessment: Assessment) -> tuple[Reason, ...]:
    if inputs.spec.mode is not Mode.SHADOW:
        return ()
    shadow = Reason(Code.SHADOW, "shadow mode: everything but the writes")
    deployment = assessment.view.deployment
    foreign = foreign_writer(deployment, inputs.snapshot, inputs.state) if deployment else None
    return (shadow,) if foreign is None else (shadow, foreign.reason)


def _held(inputs: Inputs, assessment: Assessment, hold: Hold) -> Decision:
    """Change nothing, say why; only a ceiling that has fallen is enforced, unless someone else owns the replicas."""
    decision = _frame(inputs, assessment)
    code, reasons = hold.reason.code, (hold.reason, *decision.reasons)
    since = inputs.state.hold_since or inputs.now
    if inputs.now - since >= inputs.spec.hold_limit:
        text = f"held since {since.isoformat(timespec='minutes')}, longer than holdLimit"
        reasons = (*reasons, Reason(Code.HELD_LONG, text))
    target = decision.current
    ceiling = None if hold.silent else _fallen_ceiling(inputs, assessment, code)
    if ceiling is not None and target is not None and target > ceiling:
        target = ceiling
        text = f"the ceiling in force is {ceiling} placeholders, also during a hold"
        reasons = (*reasons, Reason(Code.CEILING_FELL, text))
    lowered = target != decision.current
    manual = code is Code.MANUAL_SCALE
    state = replace(
        inputs.state,
        manual_since=hold.since if manual else inputs.state.manual_since,
        manual_replicas=decision.current if manual else inputs.state.manual_replicas,
        surplus_seen=(),
        surplus_since=None,
        hold_since=since,
        hold_code=code,
        last_written=target if lowered and not decision.dry_run else inputs.state.last_written,
        last_written_at=inputs.now if lowered and not decision.dry_run else inputs.state.last_written_at,
    )
    return replace(
        decision,
        target=target,
        action=Action.DOWN if lowered else Action.HOLD,
        reasons=reasons,
        hold=code,
        state=state,
    )


def _fallen_ceiling(inputs: Inputs, assessment: Assessment, code: Code) -> int | None:
    """Return max in force plus the last known h; None where h is unknown or a person asked for more under this max."""
    state, maximum = inputs.state, assessment.limits.max
    if code is Code.MANUAL_SCALE and (state.last_max is None or maximum >= state.last_max):
        return None
    partial = code in {Code.PARTIAL_VIEW, Code.NOT_PERMITTED}
    h = state.last_h if partial else assessment.placement.groups.h
    return None if h is None else maximum + h


def _remember(inputs: Inputs, assessment: Assessment, settled: Settled) -> PoolState:
    state, shadow = settled.state, inputs.spec.mode is Mode.SHADOW
    # A steady pass leaves the state as it was, so that the ledger need not be written every minute.
    writes = {assessment.current, state.last_written} != {settled.target} or state.last_written_at is None
    return replace(
        state,
        last_written=None if shadow else settled.target,
        last_written_at=None if shadow else inputs.now if writes else state.last_written_at,
        deployment_uid=assessment.view.deployment.uid if assessment.view.deployment else "",
        manual_since=None,
        manual_replicas=None,
        last_h=assessment.placement.groups.h,
        last_max=assessment.limits.max,
        hold_since=None,
        hold_code=None,
        known_nodes=len(assessment.view.nodes),
        overhead=inputs.snapshot.overheads.get(inputs.spec.name, state.overhead),
        overhead_read_at=inputs.now if inputs.spec.name in inputs.snapshot.overheads else state.overhead_read_at,
    )
