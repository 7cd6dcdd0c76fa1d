"""What one launch found on its node, told from what passes saw of that node before and after. Design section 7."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.counting import NodeView
from warmpool.core.model import Pod
from warmpool.core.quantity import Amounts, pods_that_fit
from warmpool.core.spec import PoolSpec
from warmpool.core.watch import Cause, Found, Outcome, Waiting, WarmNode

DIRECTLY: Final = timedelta(seconds=15)
"""So long a pod that has a place may take to it: a preemption (1-2 s), or a new volume that is made first (5-10 s)."""

PLACED_LATE: Final = timedelta(seconds=60)
"""A pod that got its node later than this had found none free; between the two only a pass that saw it can tell."""

FRESH: Final = timedelta(minutes=3)
"""So long what a complete pass saw of the placeholders is taken as the present; passes come once a minute."""

WARM_START: Final = timedelta(seconds=60)
"""From its node to Ready a launch takes 15-40 s where images are there, minutes where they are not."""

PULLED_BEFORE: Final[Mapping[bool, timedelta]] = {True: timedelta(seconds=5), False: WARM_START}
"""How long before it was Ready the images of a pod may have been there, by whether it is a placeholder."""

_EARLIER: Final = timedelta(seconds=2)
_LATER: Final = timedelta(seconds=10)
"""A ReplicaSet makes a new placeholder between these two around its predecessor's end."""

ZONE_LABEL: Final = "topology.kubernetes.io/zone"

COEXIST: Final = Found(outcome=Outcome.WARM_COEXIST)
PREEMPT: Final = Found(outcome=Outcome.WARM_PREEMPT)
UNKNOWN: Final = Found(outcome=Outcome.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """The earliest readiness seen on a node: its images were there by then."""

    at: datetime
    came: datetime
    """When that pod came to the node: from then on it was pulling, or had no need to."""
    placeholder: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is known of the node that a launch went to."""

    spec: PoolSpec
    view: NodeView
    known: WarmNode | None
    """As the last complete pass left it; None where it was not warm then."""
    sign: Sign | None
    """Another pod's readiness that this pass sees on it; None where there is none."""
    seen_until: datetime
    """When the last complete pass began."""
    now: datetime
    """When this one did."""
    placeholders: Sequence[Pod]
    """The pool's, wherever they are."""
    room_beside: Amounts | None
    """What those that came before it have left beside the placeholder; None where one of them took its place."""
    occupied: bool
    """Other ordinary pods are on it."""
    again: bool
    """It was not Ready for a while after the launch had started there: all its pods are Ready anew."""


def asked_at(pod: Pod, waiting: Waiting) -> datetime:
    """Return when a launch asked for its place: at its creation, or where it was gated when it was let through."""
    return pod.started or pod.created if waiting.gated else pod.created


def found_on(pod: Pod, waiting: Waiting, scene: Scene) -> Found | None:
    """Judge a launch that has its node; None where only its wait will tell (see `found_by_wait`)."""
    asked, node = asked_at(pod, waiting), scene.view.node
    joined_later = (node.ready_changed or node.created) > asked and not scene.again
    came_later = node.created > asked or (scene.known is None and joined_later)
    late = (pod.started or asked) - asked
    held_up = waiting.stranded and (waiting.gated or late > DIRECTLY)
    if held_up or came_later or late > PLACED_LATE:
        return Found(outcome=Outcome.COLD, cause=why_cold(waiting, node.labels.get(ZONE_LABEL, "")))
    if foreign_image(pod, scene.spec):
        return None
    since = scene.known.since if scene.known else scene.sign.at if scene.sign else None
    if since is None or since >= asked:
        return _while_pulling(asked, scene)
    if late > DIRECTLY:
        return UNKNOWN
    answered = any(made_in_answer(each, pod) for each in scene.placeholders)
    took = _took_its_place(pod, scene)
    # Long after the last look, or long before this one, launches and placeholders have come and gone that nobody saw.
    fresh = asked <= scene.seen_until + FRESH and scene.now <= asked + FRESH
    if not fresh and (answered or took):
        return UNKNOWN
    return PREEMPT if answered and took else COEXIST


def _took_its_place(pod: Pod, scene: Scene) -> bool:
    """Tell whether this launch is the first that did not fit beside the node's placeholder, which is gone.

    A placeholder that a lower scale removed is gone too, but no other is made in answer.
    """
    known, room = scene.known, scene.room_beside
    if known is None or not known.placeholder or room is None or pods_that_fit(room, pod.requests or scene.spec.shape):
        return False
    return all(each.uid != known.placeholder for each in scene.placeholders)


def made_in_answer(placeholder: Pod, launch: Pod) -> bool:
    """Tell whether a placeholder was made when a launch took its predecessor's place (instants are whole seconds)."""
    return launch.created - _EARLIER <= placeholder.created <= (launch.started or launch.created) + _LATER


def _while_pulling(asked: datetime, scene: Scene) -> Found | None:
    """Judge a launch on a node that no readiness before it proves warm."""
    pulling = Found(outcome=Outcome.COLD, cause=Cause.STILL_PULLING)
    sign = scene.sign
    if scene.again:
        return None  # the readiness of its pods says nothing of their images then
    if sign is not None and sign.came <= asked < sign.at - PULLED_BEFORE[sign.placeholder]:
        return pulling
    # The last complete pass saw the node after the launch had asked, and it was not warm.
    cold_then = scene.known is None and scene.view.node.created < scene.seen_until
    if cold_then and asked < scene.seen_until - PULLED_BEFORE[not scene.occupied]:
        return pulling
    return None


def found_by_wait(pod: Pod, waiting: Waiting, spec: PoolSpec, ready: datetime) -> Found:
    """Judge by how long a launch took on its node, where nothing else tells: minutes mean a pull, seconds nothing."""
    if ready - (pod.started or asked_at(pod, waiting)) <= WARM_START:
        return UNKNOWN
    return Found(outcome=Outcome.COLD, cause=Cause.IMAGE if foreign_image(pod, spec) else Cause.STILL_PULLING)


def foreign_image(pod: Pod, spec: PoolSpec) -> bool:
    """Tell that a launch needs an image that the pool does not keep warm."""
    return bool(spec.images) and not set(pod.images) <= set(spec.images)


def why_cold(waiting: Waiting, zone: str) -> Cause:
    """Name the one cause of a launch for which there was no room, the most particular first."""
    if waiting.gated:
        return Cause.GATED
    if waiting.stock_out:
        return Cause.STOCK_OUT
    if waiting.too_big:
        return Cause.TOO_BIG
    if waiting.room_zones and zone not in waiting.room_zones:
        return Cause.WRONG_ZONE
    return Cause.NONE_FREE


def passed_over(pod: Pod, spec: PoolSpec, views: Iterable[NodeView]) -> tuple[tuple[str, ...], bool]:
    """Tell what warm room a pending launch did not use: the zones that have room for it, and whether it is too big.

    Too big means that there is room for the pool's shape, and none for this launch.
    """
    usable = [(each.node, each.free) for each in views if each.warm and each.exclusion is None and each.free]
    roomy = [(node, free) for node, free in usable if pods_that_fit(free, spec.shape)]
    large = [node for node, free in roomy if pod.requests is not None and pods_that_fit(free, pod.requests)]
    zones = sorted({node.labels.get(ZONE_LABEL, "") for node in large})
    return tuple(zones), bool(roomy) and not large and pod.requests is not None
