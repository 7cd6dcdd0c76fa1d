"""Which node a pod gets: kube-scheduler's queue, filters and default scores."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from warmpool.sim.cluster import fitting, kubelet, pods
from warmpool.sim.cluster.preemption import preempt
from warmpool.sim.cluster.state import NodeState, PodState
from warmpool.sim.cluster.world import World

FIRST_BACKOFF: Final = timedelta(seconds=1)
LONGEST_BACKOFF: Final = timedelta(seconds=10)
_SMALLEST_IMAGE: Final = 23 * 1024**2
_LARGEST_IMAGE: Final = 1000 * 1024**2


def schedule(world: World) -> None:
    """Try every pod that waits and has a reason to hope: it is new, or something changed since its last try."""
    refused: dict[str, str] = {}
    for pod in sorted(world.unbound.values(), key=_queue_order):
        if pod.uid not in world.unbound or not _may_try(world, pod):
            continue
        like = pod.template.placed_like
        if like in refused:
            pod.tried_version = world.room_version
            _refuse(world, pod, refused[like], preempted=False)
        elif not _try(world, pod):
            refused[like] = pod.message


def _queue_order(pod: PodState) -> tuple[int, float, int]:
    return -pod.template.priority, pod.created.timestamp(), pod.ordinal


def _may_try(world: World, pod: PodState) -> bool:
    if pod.attempts and pod.tried_version == world.room_version:
        return False
    # A pod that has come up empty waits a little before it is tried again; `_refuse` has planned the wake-up.
    return pod.retry_at is None or pod.retry_at <= world.now


def _try(world: World, pod: PodState) -> bool:
    """Place a pod, or preempt for it; False where neither helps."""
    reasons: Counter[str] = Counter()
    best: tuple[int, NodeState] | None = None
    for node in world.nodes.values():
        reason = fitting.refusal(world, pod, node)
        if reason:
            reasons[reason] += 1
            continue
        score = _score(world, pod, node)
        # Equal scores go to the oldest node, so that runs repeat; the real scheduler draws lots.
        if best is None or score > best[0]:
            best = score, node
    if best:
        pods.bind(world, pod, best[1])
        kubelet.step(world, pod)
        return True
    pod.tried_version = world.room_version
    preempted = preempt(world, pod)
    _refuse(world, pod, _message(len(world.nodes), reasons), preempted=preempted)
    return preempted


def _refuse(world: World, pod: PodState, message: str, *, preempted: bool) -> None:
    pod.attempts += 1
    wait = min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** min(pod.attempts - 1, 8))
    pod.retry_at = world.now + wait
    world.at(pod.retry_at, _nothing)
    pod.stranded = pod.stranded or not preempted
    if pod.message != message or pod.refused_at is None:
        pod.refused_at = pod.refused_at or world.now
        pod.message = message
        world.touch(pod)


def _nothing() -> None:
    """Wake the scheduler: it runs after every event."""


def _message(nodes: int, reasons: Mapping[str, int]) -> str:
    if not nodes:
        return "no nodes available to schedule pods"
    return f"0/{nodes} nodes are available: {', '.join(f'{count} {text}' for text, count in reasons.items())}."


def _score(world: World, pod: PodState, node: NodeState) -> int:
    """Add up the default profile's scores that differ between our nodes, each 0 to 100 and of weight 1."""
    fractions = []
    least = 0
    for name in ("cpu", "memory"):
        there = node.pool.allocatable.get(name, 0)
        if there <= 0:
            continue
        used = node.used.get(name, 0) + pod.requests.get(name, 0)
        least += max(0, there - used) * 100 // there
        fractions.append(min(1.0, used / there))
    spread = max(fractions, default=0.0) - min(fractions, default=0.0)
    balanced = int((1 - spread / 2) * 100)
    return least // max(1, len(fractions)) + balanced + _image_locality(world, pod, node)


def _image_locality(world: World, pod: PodState, node: NodeState) -> int:
    """Score the pod's images that a node has, each scaled by the share of nodes that have it (ImageLocality)."""
    sizes = world.settings.image_sizes
    images = [*pod.template.init_images, *pod.template.images]
    if not sizes or not images:
        return 0
    total = 0
    for image in images:
        if node.has_image(image, world.now):
            having = sum(other.has_image(image, world.now) for other in world.nodes.values())
            total += sizes.get(image, 0) * having // len(world.nodes)
    largest = _LARGEST_IMAGE * len(images)
    return (min(max(total, _SMALLEST_IMAGE), largest) - _SMALLEST_IMAGE) * 100 // (largest - _SMALLEST_IMAGE)
