"""The ReplicaSet controller: as many pods as wanted, and which go first."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cmp_to_key, partial

from warmpool.sim.cluster import pods
from warmpool.sim.cluster.state import PodState, ReplicaSetState
from warmpool.sim.cluster.world import World


def manage(world: World, replicaset: ReplicaSetState) -> None:
    """Create what is missing, or delete what is too much."""
    active = replicaset.active_pods()
    surplus = len(active) - replicaset.replicas
    for _ in range(-surplus):
        pods.create(world, replicaset)
    if surplus > 0:
        for pod in ranked_for_removal(replicaset, world.now)[:surplus]:
            pods.delete(world, pod, "scaled-down")


def ranked_for_removal(replicaset: ReplicaSetState, now: datetime) -> list[PodState]:
    """Sort a ReplicaSet's pods, first to go first, as kube-controller-manager does (ActivePodsWithRanks).

    Unassigned, then pending, then not ready, then lower deletion cost, then doubled up on a node with pods of the same
    Deployment, then ready for less time, then younger. Times count in powers of two (LogarithmicScaleDown), and the
    uid decides within one, so that "newest first" is true only roughly.
    """
    siblings = (pod for each in replicaset.deployment.replicasets for pod in each.active_pods())
    on_node = Counter(pod.node.name for pod in siblings if pod.node)
    compare = partial(_compare, on_node=on_node, now=now)
    return sorted(replicaset.active_pods(), key=cmp_to_key(compare))


def _compare(left: PodState, right: PodState, *, on_node: Mapping[str, int], now: datetime) -> int:
    ours, theirs = _rank(left, on_node), _rank(right, on_node)
    if ours != theirs:
        return -1 if ours < theirs else 1
    spans = []
    if left.ready and right.ready and left.ready_changed and right.ready_changed:
        spans.append((left.ready_changed, right.ready_changed))
    spans.append((left.created, right.created))
    for mine, other in spans:
        if _seconds(mine) != _seconds(other):
            ages = _age(mine, now), _age(other, now)
            uids = left.uid, right.uid
            return -1 if (ages[0], uids[0]) < (ages[1], uids[1]) else 1
    return 0


def _rank(pod: PodState, on_node: Mapping[str, int]) -> tuple[bool, bool, bool, int, int]:
    doubled = on_node[pod.node.name] if pod.node else 0
    return pod.node is not None, pod.running, pod.ready, pod.deletion_cost, -doubled


def _seconds(moment: datetime) -> datetime:
    """Cut to whole seconds, as API times are."""
    return moment.replace(microsecond=0)


def _age(moment: datetime, now: datetime) -> int:
    """Return the power of two of an age in nanoseconds, -1 for none."""
    nanoseconds = (now - _seconds(moment)) // timedelta(microseconds=1) * 1000
    return nanoseconds.bit_length() - 1 if nanoseconds > 0 else -1
