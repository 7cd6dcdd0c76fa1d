"""Whom a launch pushes out, ranked as kube-scheduler's DefaultPreemption does (pickOneNodeForPreemption)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from warmpool.sim.cluster import fitting, pods
from warmpool.sim.cluster.state import NodeState, PodState
from warmpool.sim.cluster.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node, and who must leave it."""

    node: NodeState
    victims: tuple[PodState, ...]
    violations: int


def preempt(world: World, pod: PodState) -> bool:
    """Make room for a pod by deleting lower ones, and nominate it; False where that does not help."""
    if not pod.template.preempts or _victims_still_leaving(world, pod):
        return pod.nominated is not None
    candidates = [each for node in world.nodes.values() if (each := _candidate(world, pod, node))]
    if not candidates:
        pods.clear_nomination(world, pod)
        return False
    best = min(candidates, key=lambda candidate: _rank(candidate, world.now))
    pods.nominate(world, pod, best.node)
    pod.preempted = True
    for victim in best.victims:
        pods.delete(world, victim, "preempted")
    return True


def _victims_still_leaving(world: World, pod: PodState) -> bool:
    node = world.nodes.get(pod.nominated or "")
    if node is None:
        return False
    return any(not each.active and each.template.priority < pod.template.priority for each in node.pods.values())


def _candidate(world: World, pod: PodState, node: NodeState) -> Candidate | None:
    """Find the fewest pods that must leave: take all lower ones away, then let each stay that still fits."""
    if fitting.unsuitable(pod, node):
        return None
    lower = [each for each in node.pods.values() if each.template.priority < pod.template.priority]
    staying = [each for each in node.pods.values() if each.template.priority >= pod.template.priority]
    staying += fitting.promised(world, pod, node)
    if not lower or not _fits(pod, node, staying):
        return None
    lower.sort(key=lambda each: (-each.template.priority, _started(each, world.now), each.ordinal))
    held = [each for each in lower if pods.held_by_budget(world, each)]
    free = [each for each in lower if each not in held]
    victims: list[PodState] = []
    for each in (*held, *free):
        if _fits(pod, node, [*staying, each]):
            staying.append(each)
        else:
            victims.append(each)
    violations = sum(each in held for each in victims)
    victims.sort(key=lambda each: -each.template.priority)
    return Candidate(node=node, victims=tuple(victims), violations=violations) if victims else None


def _fits(pod: PodState, node: NodeState, staying: Sequence[PodState]) -> bool:
    used: dict[str, int] = {}
    for each in staying:
        for name, amount in each.requests.items():
            used[name] = used.get(name, 0) + amount
    return fitting.crowded(pod, node, staying, used) is None


def _rank(candidate: Candidate, now: datetime) -> tuple[int, int, int, int, float, int]:
    """Order candidates.

    Fewest budget violations, then lowest highest priority, then least sum of priorities, then fewest victims, then
    those of highest priority that started last; a tie goes to the older node (the real scheduler draws lots).
    """
    highest = candidate.victims[0].template.priority
    # The scheduler lifts priorities above zero before it adds them, so that more victims never look better.
    total = sum(each.template.priority + 2**31 for each in candidate.victims)
    earliest = min(_started(each, now) for each in candidate.victims if each.template.priority == highest)
    return (
        candidate.violations,
        highest,
        total,
        len(candidate.victims),
        -earliest.timestamp(),
        candidate.node.claim.ordinal,
    )


def _started(pod: PodState, now: datetime) -> datetime:
    """Return when a pod's kubelet took it on; one that no kubelet has seen counts as starting now."""
    return pod.bound_at or now
