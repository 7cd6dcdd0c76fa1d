"""From the assessment to replicas: raise at once, lower in marked, patient steps. Design section 6 item 4."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.assess import Assessment, Inputs
from warmpool.core.decision import Mark, PoolState
from warmpool.core.model import Pod
from warmpool.core.placement import VICTIM_COST, cost_marks, removal_order, victims_first
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Mode

STEP_EVERY: Final = timedelta(seconds=60)
"""`scaleDown.step` is per this much time, however often passes come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Replicas to ask for now, the deletion-cost marks that belong to them, and what to remember."""

    target: int
    reasons: tuple[Reason, ...]
    marks: tuple[Mark, ...]
    state: PoolState


def unsettled_target(assessment: Assessment, current: int) -> int:
    """Return the replicas that the world should end at, were there no stabilisation (what `plan` shows)."""
    groups, wanted = assessment.placement.groups, assessment.idle_wanted
    if assessment.compat_replicas is not None:
        return min(assessment.compat_replicas, current) if assessment.stuck else assessment.compat_replicas
    if groups.i < wanted:
        return raised(assessment, current)
    released = 0 if assessment.placement.any_pending else groups.x
    return max(0, current - (groups.i - wanted) - max(released, _excess_of_unusable(assessment)))


def in_a_sentence(assessment: Assessment, current: int, target: int) -> Reason:
    """Say why an unsettled target is what it is."""
    groups, wanted = assessment.placement.groups, assessment.idle_wanted
    if assessment.compat_replicas is not None:
        text = f"cluster-proportional-autoscaler's formula gives {assessment.compat_replicas}"
        return Reason(Code.COMPAT, text)
    if groups.i < wanted:
        return _why_short(assessment, target - current)
    if target < current:
        text = f"{groups.i} idle nodes held or ordered, {wanted} wanted: {current - target} placeholders can go"
        return Reason(Code.SURPLUS if groups.i > wanted else Code.UNUSABLE_RELEASED, text)
    return _steady(assessment)


def _steady(assessment: Assessment) -> Reason:
    return Reason(Code.STEADY, f"{assessment.idle_wanted} idle nodes wanted and held or ordered")


def raised(assessment: Assessment, current: int) -> int:
    """Return h + x + r + E, never below the present; the scheduler may put new ones on the r busy nodes first."""
    groups = assessment.placement.groups
    if assessment.stuck is not None:
        return current
    return max(current, groups.h + groups.x + groups.r + assessment.idle_wanted)


def _excess_of_unusable(assessment: Assessment) -> int:
    groups = assessment.placement.groups
    return max(0, groups.x - assessment.limits.max)


def settle(inputs: Inputs, assessment: Assessment, current: int) -> Settled:
    """Decide this pass's replicas. Raising is immediate; what goes is marked first and leaves step by step."""
    groups, wanted = assessment.placement.groups, assessment.idle_wanted
    if groups.i < wanted:
        target = raised(assessment, current)
        return Settled(
            target=target,
            reasons=(_why_short(assessment, target - current),),
            marks=tuple(cost_marks(assessment.placement, ())),
            state=replace(inputs.state, surplus_seen=(), surplus_since=None),
        )
    state = remember_surplus(inputs.state, groups.i - wanted, inputs.spec.scale_down.after, inputs.now)
    at_once, why_at_once = _at_once(assessment)
    if at_once:
        return _leave_at_once(inputs, assessment, current, (at_once, why_at_once), state)
    return _leave_patiently(inputs, assessment, current, state)


def _why_short(assessment: Assessment, more: int) -> Reason:
    groups = assessment.placement.groups
    text = f"{groups.i} idle nodes held or ordered, {assessment.idle_wanted} wanted: {more} more placeholders"
    if groups.x:
        text += f", as {groups.x} sit on nodes that cannot take a launch"
        return Reason(Code.UNUSABLE_REPLACED, text)
    return Reason(Code.SHORT, text)


def remember_surplus(state: PoolState, surplus: int, after: timedelta, now: datetime) -> PoolState:
    """Keep the sliding minimum of the surplus over `after`, as a queue of rising values."""
    if surplus <= 0:
        return replace(state, surplus_seen=(), surplus_since=None)
    kept = [(at, seen) for at, seen in state.surplus_seen if seen < surplus and at >= now - after]
    return replace(state, surplus_seen=(*kept, (now, surplus)), surplus_since=state.surplus_since or now)


def lasting_surplus(state: PoolState, after: timedelta, now: datetime) -> int:
    """Return the smallest surplus of the last `after`; 0 until a surplus has been there that long."""
    if state.surplus_since is None or now - state.surplus_since < after or not state.surplus_seen:
        return 0
    return state.surplus_seen[0][1]


def _at_once(assessment: Assessment) -> tuple[int, Reason | None]:
    groups, limits = assessment.placement.groups, assessment.limits
    surplus, excess = groups.i - assessment.idle_wanted, max(0, groups.i + groups.x - limits.max)
    if limits.override and surplus > 0 and assessment.idle_wanted < assessment.idle_wanted_without_override:
        text = f"an override lowers the room: {max(surplus, excess)} of {groups.i + groups.x} idle nodes go at once"
        return max(surplus, excess), Reason(Code.LOWERED_BY_OVERRIDE, text)
    if excess:
        text = f"{groups.i + groups.x} idle nodes held or ordered exceed max {limits.max}: {excess} go at once"
        return excess, Reason(Code.EXCESS, text)
    return 0, None


def _leave_at_once(
    inputs: Inputs, assessment: Assessment, current: int, go: tuple[int, Reason | None], state: PoolState
) -> Settled:
    number, why = go
    placement = assessment.placement
    ordered = [
        *victims_first(placement, assessment.view, inputs.snapshot.claims, inputs.now),
        *removal_order(placement.unusable, {}),
    ]
    from_pods = max(0, number - placement.uncreated)
    victims = ordered[:from_pods]
    first = removal_order(placement.pods, dict.fromkeys((pod.uid for pod in victims), VICTIM_COST))
    # Others that the ReplicaSet removes first (still pulling on a busy node) go along: they hold nothing extra.
    along = _positions_until_gone(first, victims) - len(victims)
    target = max(0, current - number - along)
    return Settled(
        target=target,
        reasons=(why,) if why else (),
        marks=tuple(cost_marks(placement, victims)),
        state=replace(state, last_step_at=inputs.now),
    )


def _positions_until_gone(order: Sequence[Pod], victims: Sequence[Pod]) -> int:
    last = {pod.uid for pod in victims}
    return max((index + 1 for index, pod in enumerate(order) if pod.uid in last), default=0)


def _leave_patiently(inputs: Inputs, assessment: Assessment, current: int, state: PoolState) -> Settled:
    placement, surplus = assessment.placement, assessment.placement.groups.i - assessment.idle_wanted
    ordered = victims_first(placement, assessment.view, inputs.snapshot.claims, inputs.now)
    released = () if placement.any_pending else placement.unusable
    victims = (*released, *ordered[: max(0, surplus - placement.uncreated)])
    allowed, waits = _allowed(inputs, surplus, state)
    number = len(released) + allowed
    marks = tuple(cost_marks(placement, victims))
    if surplus <= 0 and not released:
        return Settled(target=current, reasons=(_steady(assessment),), marks=marks, state=state)
    blocked = _not_yet(inputs, assessment, victims, number)
    reasons = tuple(each for each in (_why_released(released), waits, blocked) if each is not None)
    if blocked is not None or number == 0:
        return Settled(target=current, reasons=reasons, marks=marks, state=state)
    if allowed:
        state = replace(state, last_step_at=inputs.now)
        reasons = (*reasons, Reason(Code.SURPLUS, f"{surplus} idle nodes more than wanted; {allowed} leave now"))
    return Settled(target=max(0, current - number), reasons=reasons, marks=marks, state=state)


def _allowed(inputs: Inputs, surplus: int, state: PoolState) -> tuple[int, Reason | None]:
    down, now = inputs.spec.scale_down, inputs.now
    if surplus <= 0:
        return 0, None
    if not inputs.ledger_readable:
        return 0, Reason(Code.LEDGER_UNREADABLE, "the ledger cannot be read: nothing is lowered until it can")
    lasting = min(surplus, lasting_surplus(state, down.after, now))
    if not lasting:
        since = state.surplus_since or now
        minutes = int(down.after.total_seconds() // 60)
        seen = since.isoformat(timespec="minutes")
        text = f"{surplus} idle nodes more than wanted since {seen}; they go after {minutes} min"
        return 0, Reason(Code.SURPLUS_WAITS, text)
    if state.last_step_at is not None and now - state.last_step_at < STEP_EVERY:
        return 0, Reason(Code.SURPLUS_WAITS, f"the last step was under {int(STEP_EVERY.total_seconds())} s ago")
    return min(lasting, down.step), None


def _not_yet(inputs: Inputs, assessment: Assessment, victims: Sequence[Pod], number: int) -> Reason | None:
    """Say why the scale must wait: marks are not on the pods yet, or the ReplicaSet would remove others."""
    placement = assessment.placement
    if number == 0:
        return None
    if placement.leaving:
        return Reason(Code.NOT_NEXT_TO_GO, f"{placement.leaving} placeholders are still leaving")
    shadow = inputs.spec.mode is Mode.SHADOW
    costs = {pod.uid: VICTIM_COST if shadow else pod.deletion_cost or 0 for pod in victims}
    unmarked = [pod for pod in victims if costs[pod.uid] != VICTIM_COST]
    if unmarked:
        return Reason(Code.MARKED_FIRST, f"{len(unmarked)} placeholders are marked now and leave in a later pass")
    wanted = {pod.uid for pod in victims}
    others = {pod.uid: pod.deletion_cost or 0 for pod in placement.pods if pod.uid not in wanted}
    next_to_go = removal_order(placement.pods, {**others, **costs})[: max(0, number - placement.uncreated)]
    if any(pod.uid not in wanted for pod in next_to_go):
        text = "the ReplicaSet would remove a placeholder that is not marked (still pending or pulling); waiting for it"
        return Reason(Code.NOT_NEXT_TO_GO, text)
    return None


def _why_released(released: Sequence[Pod]) -> Reason | None:
    if not released:
        return None
    return Reason(Code.UNUSABLE_RELEASED, f"{len(released)} placeholders on nodes that cannot take a launch are let go")
