"""A decision in words: what is there, what is wanted and why, what follows, and what would go first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from warmpool.core.assess import Assessment, Inputs
from warmpool.core.decision import Contribution, Decision
from warmpool.core.placement import victims_first

_MOST_LISTED: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its sentences."""

    heading: str
    lines: tuple[str, ...]


def explain_decision(inputs: Inputs, found: Assessment, decision: Decision) -> tuple[Section, ...]:
    """Tell a decision with its arithmetic, from the same inputs it was made of."""
    return (
        Section(heading="What is there", lines=tuple(_there(found, decision))),
        Section(heading="What is wanted", lines=tuple(_wanted(found, decision))),
        Section(heading="What follows", lines=tuple(_follows(decision))),
        Section(heading="What would go first", lines=tuple(_goes_first(inputs, found))),
    )


def explain_unseen(decision: Decision, why: str) -> tuple[Section, ...]:
    """Tell a decision of whose inputs nothing is known, and why that is so."""
    return (
        Section(heading="What is there", lines=(why,)),
        Section(heading="What follows", lines=tuple(_follows(decision))),
    )


def _there(found: Assessment, decision: Decision) -> list[str]:
    nodes = found.view.nodes.values()
    idle = sum(not each.busy and each.exclusion is None for each in nodes)
    groups = decision.groups
    left_out = len(decision.excluded)
    total = _count(len(nodes), "node")
    lines = [
        f"{total} in the pool: {decision.busy_nodes} busy, {idle} idle and usable, {left_out} left out.",
        *(f"Left out: {node} ({why.value})." for node, why in sorted(decision.excluded.items())[:_MOST_LISTED]),
    ]
    if left_out > _MOST_LISTED:
        lines.append(f"... and {left_out - _MOST_LISTED} more are left out.")
    if decision.current is None:
        return [*lines, "The placeholder Deployment is not there."]
    asked = f"The Deployment asks for {_count(decision.current, 'placeholder')}"
    where = f"{groups.h} on busy nodes (h), {groups.i} on idle nodes or ordered (i), {groups.x} on unusable nodes (x)"
    could = f"{_count(groups.r, 'busy node')} without one could take one (r)"
    room = f"Room on warm nodes: {_count(decision.warm_slots, 'launch', 'launches')}."
    return [*lines, f"{asked}: {where}; {could}.", room]


def _wanted(found: Assessment, decision: Decision) -> list[str]:
    limits, room, need = found.limits, found.room, found.need
    window = f"window {limits.window}" if limits.window else "no window"
    pin = "" if limits.target is None else f", pinned to {limits.target}"
    lines = [f"In force: min {limits.min}, max {limits.max}{pin} ({window})."]
    lines += [f"{each.policy}: {each.text}{_in_slots(each, room.per_node)}." for each in decision.contributions]
    if found.compat_replicas is not None:
        return [*lines, f"compat: {decision.target} replicas, as cluster-proportional-autoscaler would set."]
    lines.append(
        f"Idle nodes: ceil(({need.slots} slots needed - {room.on_busy} free on busy nodes) / {room.per_node} a node) "
        f"= {need.idle_nodes}{f', decided by {need.policy}' if need.policy else ''}."
    )
    if found.idle_wanted != need.idle_nodes:
        lines.append(f"Ceilings leave {found.idle_wanted} of them.")
    return lines


def _in_slots(contribution: Contribution, per_node: int) -> str:
    if contribution.slots is not None or contribution.nodes is None:
        return ""
    return f" = {contribution.nodes} x {per_node} = {contribution.nodes * per_node} slots"


def _follows(decision: Decision) -> list[str]:
    if decision.target is None or decision.current is None:
        first = "Nothing is written."
    elif decision.target == decision.current:
        first = f"Placeholders stay at {decision.current} ({decision.action.value})."
    else:
        first = f"Placeholders go from {decision.current} to {decision.target}{_sum(decision)}."
    return [first, *(f"{reason.code.value}: {reason.text}." for reason in decision.reasons)]


def _sum(decision: Decision) -> str:
    # Design section 6 item 4; shown only where nothing else had a say.
    groups, wanted = decision.groups, decision.idle_nodes_wanted
    rising = groups.h + groups.x + groups.r + wanted
    if groups.i < wanted and rising == decision.target:
        return f" = h {groups.h} + x {groups.x} + r {groups.r} + idle nodes {wanted}"
    if groups.h + wanted == decision.target:
        return f" = h {groups.h} + idle nodes {wanted}"
    return ""


def _goes_first(inputs: Inputs, found: Assessment) -> Sequence[str]:
    order = victims_first(found.placement, found.view, inputs.snapshot.claims, inputs.now)
    if not order:
        return ["No placeholder holds an idle node, so there is none to take away."]
    lines = [
        f"{number}. {pod.name} on {pod.node or 'no node yet'}"
        for number, pod in enumerate(order[:_MOST_LISTED], start=1)
    ]
    return lines if len(order) <= _MOST_LISTED else [*lines, f"... and {len(order) - _MOST_LISTED} more"]


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"
