"""A pod's life in the API: created, bound, deleted, removed."""

from datetime import timedelta
from functools import partial

from warmpool.core.matching import has_labels
from warmpool.core.quantity import Amounts
from warmpool.sim.cluster import identity
from warmpool.sim.cluster.state import ZONE_LABEL, NodeState, PodState, PodTemplate, ReplicaSetState, Role
from warmpool.sim.cluster.world import World


def create(world: World, replicaset: ReplicaSetState) -> PodState:
    """Create one pod of a ReplicaSet, for the scheduler to place."""
    ordinal = world.ordinal("pod")
    name = f"{replicaset.name}-{identity.suffix(world.settings.seed, 'pod', ordinal)}"
    labels = {**replicaset.template.labels, "pod-template-hash": replicaset.hash}
    pod = _new(world, name, replicaset.namespace, replicaset.template, labels)
    pod.owner = replicaset
    replicaset.pods[pod.uid] = pod
    world.unbound[pod.uid] = pod
    if pod.role is Role.WORKSPACE:
        world.launches.created(pod)
    world.note("pod-created", name)
    return pod


def create_daemon(world: World, node: NodeState, name: str, requests: Amounts) -> None:
    """Create a DaemonSet's pod on its node."""
    template = PodTemplate(
        role=Role.DAEMON,
        requests=requests,
        labels={"app": name},
        priority=2000001000,
        priority_class="system-node-critical",
    )
    ordinal = world.ordinal("pod")
    full_name = f"{name}-{identity.suffix(world.settings.seed, 'pod', ordinal)}"
    bind(world, _new(world, full_name, "kube-system", template, {"app": name}), node)


def _new(world: World, name: str, namespace: str, template: PodTemplate, labels: dict[str, str]) -> PodState:
    pod = PodState(
        name=name,
        uid=world.new_uid("pod"),
        created=world.now,
        namespace=namespace,
        template=template,
        ordinal=world.ordinal("pod-order"),
        labels=labels,
        annotations=dict(template.annotations),
    )
    world.pods[pod.uid] = pod
    world.pods_by_name[namespace, name] = pod
    world.touch(pod)
    return pod


def bind(world: World, pod: PodState, node: NodeState) -> None:
    """Put a pod on a node, for good."""
    clear_nomination(world, pod)
    world.unbound.pop(pod.uid, None)
    pod.node, pod.bound_at, pod.message = node, world.now, ""
    node.pods[pod.uid] = pod
    _add(node.used, pod.requests, 1)
    # API server 1.36 tells a bound pod its zone (samples/README.md).
    pod.labels[ZONE_LABEL] = node.claim.zone
    if pod.role is not Role.DAEMON:
        _note_pod_event(world, node)
        world.note("pod-bound", pod.name, node.name)
    if pod.role is Role.WORKSPACE:
        world.launches.placed(pod, node)
        world.books.set_busy(node.claim.name, world.now, busy=True)
    world.touch(pod)
    world.capacity_changed(more_room=False)


def delete(world: World, pod: PodState, why: str, *, grace: timedelta | None = None) -> None:
    """Delete a pod; it keeps its room until its grace (its own, where none is given) is over."""
    if not pod.active:
        return
    world.note(f"pod-{why}", pod.name, pod.node.name if pod.node else "")
    pod.deleting_at = world.now
    world.unbound.pop(pod.uid, None)
    clear_nomination(world, pod)
    if pod.owner:
        world.make_dirty(pod.owner.deployment)
    left = pod.template.grace if grace is None else grace
    if pod.node and left:
        pod.ready = False
        pod.ready_changed = world.now
        world.touch(pod)
        _note_pod_event(world, pod.node)
        world.after(left, partial(remove, world, pod))
    else:
        remove(world, pod)


def remove(world: World, pod: PodState) -> None:
    """Take a pod out of the API; whatever it held is free."""
    if world.pods.pop(pod.uid, None) is None:
        return
    del world.pods_by_name[pod.namespace, pod.name]
    world.unbound.pop(pod.uid, None)
    if pod.owner:
        pod.owner.pods.pop(pod.uid, None)
        world.make_dirty(pod.owner.deployment)
    if pod.node:
        _leave(world, pod, pod.node)
    world.resource_version += 1


def _leave(world: World, pod: PodState, node: NodeState) -> None:
    del node.pods[pod.uid]
    _add(node.used, pod.requests, -1)
    world.capacity_changed(more_room=True)
    if pod.role is Role.DAEMON:
        return
    _note_pod_event(world, node)
    world.note("pod-deleted", pod.name, node.name)
    if not any(other.role is Role.WORKSPACE for other in node.pods.values()):
        world.books.set_busy(node.claim.name, world.now, busy=False)


def _note_pod_event(world: World, node: NodeState) -> None:
    """Restart the clock of consolidateAfter."""
    node.claim.last_pod_event = world.now
    world.touch(node.claim)


def set_ready(world: World, pod: PodState, *, ready: bool) -> None:
    """Change a pod's Ready condition."""
    if pod.ready == ready or not pod.active:
        return
    pod.ready, pod.ready_changed = ready, world.now
    world.touch(pod)
    if pod.owner:
        world.make_dirty(pod.owner.deployment)
    if ready and pod.role is not Role.DAEMON:
        world.note("pod-ready", pod.name, pod.node.name if pod.node else "")
    if ready and pod.role is Role.WORKSPACE:
        world.launches.ready(pod, world.now)


def nominate(world: World, pod: PodState, node: NodeState) -> None:
    """Promise a node's room to a pod that preempted for it."""
    clear_nomination(world, pod)
    pod.nominated = node.name
    world.nominated.setdefault(node.name, {})[pod.uid] = pod
    world.touch(pod)


def clear_nomination(world: World, pod: PodState) -> None:
    """Take a promise back."""
    if pod.nominated is not None:
        world.nominated.get(pod.nominated, {}).pop(pod.uid, None)
        pod.nominated = None
        world.touch(pod)


def held_by_budget(world: World, pod: PodState) -> bool:
    """Tell whether a PodDisruptionBudget (maxUnavailable 0) covers a pod."""
    return any(
        budget.namespace == pod.namespace and budget.match_labels and has_labels(budget.match_labels, pod.labels)
        for budget in world.budgets.values()
    )


def _add(used: dict[str, int], requests: Amounts, sign: int) -> None:
    for name, amount in requests.items():
        used[name] = used.get(name, 0) + sign * amount
