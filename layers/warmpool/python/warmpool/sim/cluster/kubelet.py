"""What a node does with its pods: pull each image once, start, and lose touch when it is not ready."""

from datetime import datetime, timedelta
from functools import partial

from warmpool.core.model import Condition
from warmpool.sim.cluster import pods
from warmpool.sim.cluster.identity import stretched
from warmpool.sim.cluster.state import (
    NOT_READY_EVICTS,
    NOT_READY_TAINT,
    WORKSPACE_LABEL,
    NodeState,
    PodState,
    Role,
)
from warmpool.sim.cluster.world import World


def step(world: World, pod: PodState) -> None:
    """Carry a bound pod on: wait for its next image, or start it once all are there."""
    node = pod.node
    if node is None or not pod.active or not node.is_ready or pod.ready or pod.starting:
        return
    images = (*pod.template.init_images, *pod.template.images)
    while pod.next_image < len(images):
        _note_initialised(world, pod)
        there_at = _pulled_at(world, node, images[pod.next_image])
        if there_at > world.now:
            world.at(there_at, partial(step, world, pod))
            return
        pod.next_image += 1
    _note_initialised(world, pod)
    pod.starting = True
    world.after(_start_time(world, pod), partial(_started, world, pod))


def _note_initialised(world: World, pod: PodState) -> None:
    if pod.initialised_at is None and pod.next_image >= len(pod.template.init_images):
        pod.initialised_at = world.now
        world.touch(pod)


def _pulled_at(world: World, node: NodeState, image: str) -> datetime:
    """Return when an image is on a node; the first to ask starts the pull, and a node pulls one image at a time.

    A pull goes on when its pod is gone: containerd keeps what it has, and the next pod wants the same image.
    """
    if image not in node.images:
        took = stretched(world.settings, world.settings.pull_time(image), f"pull/{image}", node.claim.ordinal)
        node.puller_free_at = max(world.now, node.puller_free_at) + took
        node.images[image] = node.puller_free_at
        world.touch(node)
        world.at(node.puller_free_at, partial(_image_arrived, world, node, image))
    return node.images[image]


def _image_arrived(world: World, node: NodeState, image: str) -> None:
    if world.nodes.get(node.name) is node:
        world.touch(node)
        world.note("image-pulled", node.name, image)


def _start_time(world: World, pod: PodState) -> timedelta:
    settings = world.settings
    if pod.role is not Role.WORKSPACE:
        return settings.placeholder_start_time
    extra = settings.preempted_start_extra if pod.preempted else timedelta(0)
    # By the workspace's name: however many placeholders a policy makes, the same launch is as quick.
    return stretched(settings, settings.pod_start_time + extra, f"start/{pod.labels[WORKSPACE_LABEL]}", 0)


def _started(world: World, pod: PodState) -> None:
    pod.starting = False
    if pod.node and pod.node.is_ready and world.pods.get(pod.uid) is pod:
        pods.set_ready(world, pod, ready=True)


def set_node_ready(world: World, node: NodeState, *, ready: bool) -> None:
    """Let a kubelet stop or resume answering; its pods follow, and leave for good when their patience ends."""
    if node.is_ready == ready:
        return
    node.ready = Condition.TRUE if ready else Condition.FALSE
    node.ready_changed = world.now
    unready = (NOT_READY_TAINT, NOT_READY_EVICTS)
    node.taints = [taint for taint in node.taints if taint not in unready] + ([] if ready else list(unready))
    world.touch(node)
    world.capacity_changed(more_room=ready)
    world.note("node-ready" if ready else "node-not-ready", node.name)
    for pod in list(node.pods.values()):
        if ready:
            step(world, pod)
        else:
            pods.set_ready(world, pod, ready=False)
    if not ready:
        world.after(world.settings.not_ready_toleration, partial(_evict_all, world, node, node.ready_changed))


def _evict_all(world: World, node: NodeState, since: datetime) -> None:
    if world.nodes.get(node.name) is not node or node.is_ready or node.ready_changed != since:
        return
    for pod in list(node.pods.values()):
        if pod.role is not Role.DAEMON:
            pods.delete(world, pod, "evicted")
