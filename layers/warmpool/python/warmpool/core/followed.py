"""One pool while its launches are followed through a pass."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from warmpool.core.assess import Assessment, Inputs
from warmpool.core.counting import PoolView, foreign_taint, nodepool_of
from warmpool.core.found import Scene, Sign, foreign_image
from warmpool.core.idle import Idle
from warmpool.core.lead import kept
from warmpool.core.matching import parse_selector
from warmpool.core.model import Condition, NodeClaim, Pod, Selector
from warmpool.core.orders import Orders
from warmpool.core.quantity import Amounts, pods_that_fit, subtract
from warmpool.core.spec import PoolSpec
from warmpool.core.watch import Launch, PoolWatch, WarmNode

_NO_CAPACITY: Final = "InsufficientCapacity"
"""Part of the reason in Karpenter's NodeClaims (InsufficientCapacityError)."""


@dataclass(slots=True, kw_only=True)
class Followed:
    """What is known of a pool and what this pass adds to it."""

    spec: PoolSpec
    view: PoolView
    before: PoolWatch
    """As the last complete pass left it."""
    selector: Selector
    """Of launches' pods."""
    placed_on: Mapping[str, Pod]
    """By node, the placeholder on it, Ready or not."""
    claims: tuple[NodeClaim, ...]
    """Of its NodePool."""
    stock_out: bool
    """AWS has no instance to give."""
    launches_on: dict[str, list[Pod]] = field(default_factory=dict)
    """Launches on nodes that the last complete pass did not know as warm."""
    room_beside: dict[str, Amounts | None] = field(default_factory=dict)
    """By node, what launches since the last complete pass have left beside its placeholder (see Scene)."""
    preemptors: list[Pod] = field(default_factory=list)
    """Launches that took a placeholder's place since then."""
    done: list[Launch] = field(default_factory=list)
    abandoned: int = 0

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.spec.name

    def known(self, name: str) -> WarmNode | None:
        """Return what the last complete pass knew of a warm node, if that is still the same node."""
        known, view = self.before.nodes.get(name), self.view.nodes.get(name)
        return known if known and view and view.node.created <= known.since else None

    def admits(self, pod: Pod) -> bool:
        """Tell whether a pod without a node could go to this pool: its selector, its tolerations, its size."""
        if any(self.spec.node_selector.get(key, value) != value for key, value in pod.node_selector.items()):
            return False
        for each in self.view.nodes.values():
            if foreign_taint(each.node, pod.tolerations) is None and each.empty is not None:
                return pod.requests is None or pods_that_fit(each.empty, pod.requests) > 0
        return not self.view.nodes

    def scene(self, pod: Pod, passes: tuple[datetime, datetime]) -> Scene:
        """Gather what is known of the node that a launch went to; `passes` began the last complete one and this."""
        name = pod.node or ""
        others = [each for each in self.launches_on.get(name, ()) if each.uid != pod.uid]
        return Scene(
            spec=self.spec,
            view=self.view.nodes[name],
            known=self.known(name),
            sign=self._sign(name, others),
            seen_until=passes[0],
            now=passes[1],
            placeholders=self.view.placeholders,
            room_beside=self._room_beside(name),
            occupied=bool(others),
            again=self.ready_again(pod),
        )

    def ready_again(self, pod: Pod) -> bool:
        """Tell that a launch's node was not Ready for a while after it started there: then its pods are Ready anew."""
        node = self.view.nodes[pod.node or ""].node
        if node.ready_changed is None or pod.started is None:
            return False
        return node.created <= pod.started < node.ready_changed

    def arrived(self, pod: Pod, *, preempted: bool) -> None:
        """Note that a launch has come to its node."""
        name, asks = pod.node or "", pod.requests or self.spec.shape
        room = self._room_beside(name)
        self.room_beside[name] = subtract(room, asks) if room is not None and pods_that_fit(room, asks) else None
        if preempted:
            self.preemptors.append(pod)

    def remembered(self, orders: Orders, idle: Idle) -> PoolWatch:
        """Return what the next complete pass has to know."""
        nodes = {name: node for name in self.view.nodes if (node := self._warm(name))}
        return PoolWatch(
            nodes=nodes,
            lead=kept(self.before.lead, orders.lead),
            replacing=orders.replacing,
            idle_nodes=idle.nodes,
            idle_usd_per_hour=idle.usd_per_hour,
        )

    def _sign(self, node: str, launches: Iterable[Pod]) -> Sign | None:
        """Find the earliest readiness of a placeholder, or of a launch with the pool's images, on a node."""
        mine = self.placed_on.get(node)
        ready = [mine] if mine and mine.ready else []
        ready += [pod for pod in launches if pod.ready and not foreign_image(pod, self.spec)]
        signs = [
            Sign(at=pod.ready_changed, came=pod.started or pod.created, placeholder=pod is mine)
            for pod in ready
            if pod.ready_changed
        ]
        return min(signs, key=lambda each: each.at, default=None)

    def _warm(self, name: str) -> WarmNode | None:
        known, placeholder = self.known(name), self.placed_on.get(name)
        if known is None:
            sign = self._sign(name, self.launches_on.get(name, ()))
            if sign is None:
                return None
            since = sign.at
        else:
            since = known.since
        if placeholder is None:
            return WarmNode(since=since)
        open_ = self.view.nodes[name].open
        room = {} if open_ is None or placeholder.requests is None else subtract(open_, placeholder.requests)
        return WarmNode(since=since, placeholder=placeholder.uid, room_beside=room)

    def _room_beside(self, name: str) -> Amounts | None:
        known = self.known(name)
        return self.room_beside.get(name, known.room_beside if known else None)


def followed(before: PoolWatch, inputs: Inputs, assessment: Assessment) -> Followed:
    """Begin to follow a pool through a pass."""
    snapshot, spec = inputs.snapshot, inputs.spec
    nodepool = nodepool_of(spec, snapshot)
    claims = tuple(each for each in snapshot.claims if each.nodepool == nodepool)
    return Followed(
        spec=spec,
        view=assessment.view,
        before=before,
        selector=parse_selector(spec.workspace_selector),
        placed_on={pod.node: pod for pod in assessment.view.placeholders if pod.node},
        claims=claims,
        stock_out=assessment.stuck is not None or any(map(_refused, claims)),
    )


def _refused(claim: NodeClaim) -> bool:
    launched = claim.conditions.get("Launched")
    return launched is not None and launched.status is not Condition.TRUE and _NO_CAPACITY in launched.reason
