"""Orders that became warm: how long each part took, and how long lost room was missing. Design sections 2 and 7."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from warmpool.core.counting import NodeView, PoolView
from warmpool.core.found import made_in_answer
from warmpool.core.model import Pod
from warmpool.core.watch import LeadSample, PoolWatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What one pass learnt of a pool's orders."""

    lead: tuple[LeadSample, ...] = ()
    replacements: tuple[timedelta, ...] = ()
    replacing: Mapping[str, datetime]
    """By UID, placeholders that stand in for a preempted one and are not Ready yet, and since when it was gone."""


def follow_orders(before: PoolWatch, view: PoolView, preemptors: Iterable[Pod], since: datetime | None) -> Orders:
    """Read off the placeholders that became Ready after the last complete pass; `since` None means that there was none.

    Only those that came to a new node are samples of the lead time. `preemptors` are the launches that took a
    placeholder's place since that pass.
    """
    known = {each.placeholder for each in before.nodes.values()}
    open_ = _standing_in(before.replacing, view.placeholders, preemptors)
    lead, replacements = [], []
    for pod in view.placeholders:
        ready = pod.ready_changed if pod.ready else None
        if ready is None or pod.uid in known:
            continue
        replaced = open_.pop(pod.uid, None)
        if replaced is not None:
            replacements.append(max(timedelta(0), ready - replaced))
        sample = _sample(pod, ready, view.nodes.get(pod.node or ""))
        if sample is not None and since is not None and ready >= since:
            lead.append(sample)
    alive = {pod.uid for pod in view.placeholders}
    return Orders(
        lead=tuple(lead),
        replacements=tuple(replacements),
        replacing={uid: at for uid, at in open_.items() if uid in alive},
    )


def _sample(pod: Pod, ready: datetime, view: NodeView | None) -> LeadSample | None:
    if view is None:
        return None
    node = view.node
    joined = node.ready_changed
    if joined is None or not pod.created < node.created <= joined <= ready:
        # The node was there before the order, or has lost touch and come back since.
        return None
    return LeadSample(node=node.created - pod.created, join=joined - node.created, pull=ready - joined)


def _standing_in(
    replacing: Mapping[str, datetime], placeholders: Sequence[Pod], preemptors: Iterable[Pod]
) -> dict[str, datetime]:
    """Add to the open replacements, for each launch that preempted, the placeholder that was made in answer."""
    open_ = dict(replacing)
    made = sorted(placeholders, key=lambda pod: (pod.created, pod.name))
    for launch in preemptors:
        heir = next((pod for pod in made if pod.uid not in open_ and made_in_answer(pod, launch)), None)
        if heir is not None:
            open_[heir.uid] = launch.created
    return open_
