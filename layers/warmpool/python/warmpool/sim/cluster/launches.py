"""What each launch found and how long it waited, as it really was."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from warmpool.core.found import DIRECTLY
from warmpool.sim.cluster.state import WORKSPACE_LABEL, NodeState, Outcome, PodState


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRecord:
    """One workspace pod. `outcome` is None until it has a node, `waited` until it is Ready (some never are)."""

    name: str
    namespace: str
    pod: str
    """The pod's uid."""
    created: datetime
    ready_at: datetime | None = None
    outcome: Outcome | None = None
    cause: str = ""
    """Why it was cold: `no room`, `new node`, `still pulling` or `no image`."""
    node: str | None = None

    @property
    def waited(self) -> timedelta | None:
        """From its creation until it was Ready."""
        return None if self.ready_at is None else self.ready_at - self.created


class LaunchLog:
    """All launches, in the order in which they were created."""

    def __init__(self) -> None:
        self._records: dict[str, LaunchRecord] = {}

    def created(self, pod: PodState) -> None:
        """Note that a launch begins."""
        self._records[pod.uid] = LaunchRecord(
            name=pod.labels[WORKSPACE_LABEL], namespace=pod.namespace, pod=pod.uid, created=pod.created
        )

    def placed(self, pod: PodState, node: NodeState) -> None:
        """Note where it was placed, and what it found there."""
        cause = _why_cold(pod, node)
        warm = Outcome.WARM_PREEMPT if pod.preempted else Outcome.WARM_COEXIST
        outcome = Outcome.COLD if cause else warm
        self._records[pod.uid] = replace(self._records[pod.uid], outcome=outcome, cause=cause, node=node.name)

    def ready(self, pod: PodState, at: datetime) -> None:
        """Note that it is Ready; only the first time counts."""
        record = self._records[pod.uid]
        if record.ready_at is None:
            self._records[pod.uid] = replace(record, ready_at=at)

    def all(self) -> list[LaunchRecord]:
        """Return every launch."""
        return list(self._records.values())


def _why_cold(pod: PodState, node: NodeState) -> str:
    if node.created > pod.created or (node.claim.ready_at or pod.created) > pod.created:
        return "new node"
    if pod.stranded and (pod.bound_at or pod.created) - pod.created > DIRECTLY:
        return "no room"
    if all(node.has_image(image, pod.created) for image in pod.template.images):
        return ""
    return "still pulling" if all(image in node.images for image in pod.template.images) else "no image"
