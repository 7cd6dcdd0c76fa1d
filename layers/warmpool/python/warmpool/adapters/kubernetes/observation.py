"""One observation of the cluster: only what the pools need, each thing once however many pools share it."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar
from urllib.parse import quote

from warmpool.adapters.kubernetes import objects
from warmpool.adapters.kubernetes.amounts import largest
from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.collected import Collected
from warmpool.adapters.kubernetes.failures import NotFound
from warmpool.adapters.kubernetes.lists import Listing, read_list, read_one
from warmpool.adapters.kubernetes.reads import EVERY_POOL, Reads
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.kubernetes.workloads import Workload
from warmpool.app.errors import ClusterUnavailable
from warmpool.app.ports import Budget, Scope
from warmpool.core.matching import has_labels
from warmpool.core.model import NODEPOOL_LABEL, Condition, Deployment, Node, Pod, PodPhase, Selector, Snapshot
from warmpool.core.quantity import Amounts, add
from warmpool.core.spec import PoolSpec

OVERHEAD_NODES: Final = 3
"""Ready nodes of a pool whose DaemonSets are looked at."""

_T = TypeVar("_T")
_K = TypeVar("_K")
_OVER: Final = frozenset({PodPhase.SUCCEEDED, PodPhase.FAILED})
_NODE_OWNED: Final = frozenset({"DaemonSet", "Node"})


class Observation:
    """Reads the world once for all pools of a scope."""

    def __init__(self, client: KubernetesClient, scope: Scope, budget: Budget) -> None:
        self._client = client
        self._scope = scope
        self._budget = budget
        self._reads = Reads()
        self._found = Collected()

    def take(self) -> Snapshot:
        """Read everything. Raises ClusterUnavailable or NotPermitted where nothing could be read at all."""
        self._nodes()
        self._deployments()
        self._placeholders()
        self._workspaces()
        self._scalers()
        self._karpenter()
        overheads = dict(self._overheads())
        self._reads.insist()
        return dataclasses.replace(self._found.snapshot(), missing=self._reads.missing, overheads=overheads)

    def _list(self, pools: Iterable[str], listing: Listing[_T]) -> Sequence[_T]:
        return self._reads.attempt(pools, read_list, self._client, listing, self._budget)

    def _keep(self, found: Iterable[object]) -> None:
        for each in found:
            self._found.add(each)

    def _nodes(self) -> None:
        for selector, pools in self._grouped(lambda pool: equality_selector(pool.node_selector)):
            listing = Listing(kind=objects.NODES, path="/api/v1/nodes", does="list nodes", labels=selector)
            self._keep(self._reads.attempt(pools, self._nodes_again_if_gone, listing, pools))

    def _nodes_again_if_gone(self, listing: Listing[Node], pools: Iterable[str]) -> list[Node]:
        """Read the list again, once, where it is empty and was not: that is more often a fault than the truth."""
        nodes = read_list(self._client, listing, self._budget)
        if nodes or not any(self._scope.known_nodes.get(pool) for pool in pools):
            return nodes
        return read_list(self._client, listing, self._budget)

    def _deployments(self) -> None:
        for (namespace, name), pools in self._grouped(lambda pool: (pool.namespace, pool.deployment)):
            for each in self._reads.attempt(pools, self._deployment, namespace, name):
                self._found.add(each)

    def _deployment(self, namespace: str, name: str) -> list[Workload]:
        path = f"{_within('/apis/apps/v1', namespace)}/deployments/{quote(name, safe='')}"
        call = Call(does=f"get deployments.apps {namespace}/{name}", path=path)
        try:
            return [read_one(self._client, objects.DEPLOYMENTS, call, self._budget)]
        except NotFound:
            return []

    def _placeholders(self) -> None:
        deployments = {(each.namespace, each.name): each for each in self._found.deployments.values()}
        for place, pools in self._grouped(lambda pool: (pool.namespace, pool.deployment)):
            if place in deployments:
                self._keep(self._reads.attempt(pools, self._pods_of, deployments[place]))

    def _pods_of(self, deployment: Deployment) -> list[Pod]:
        labels = selector_text(deployment.selector)
        if not labels:
            raise ClusterUnavailable(f"Deployment {deployment.namespace}/{deployment.name} has no selector")
        listing = Listing(
            kind=objects.PODS,
            path=f"{_within('/api/v1', deployment.namespace)}/pods",
            does=f"list pods in {deployment.namespace}",
            labels=labels,
        )
        return read_list(self._client, listing, self._budget)

    def _workspaces(self) -> None:
        for selector, pools in self._grouped(lambda pool: pool.workspace_selector):
            self._keep(self._list(pools, _pods(labels=selector)))

    def _scalers(self) -> None:
        """Read what may set replicas in the pools' namespaces, a live cluster-proportional-autoscaler included."""
        for namespace, pools in self._grouped(lambda pool: pool.namespace):
            for group, resource, kind in (
                ("autoscaling/v2", "horizontalpodautoscalers", objects.AUTOSCALERS),
                ("keda.sh/v1alpha1", "scaledobjects", objects.SCALED_OBJECTS),
            ):
                path = f"{_within(f'/apis/{group}', namespace)}/{resource}"
                does = f"list {resource}.{group.partition('/')[0]} in {namespace}"
                self._keep(self._reads.attempt(pools, self._optional, Listing(kind=kind, path=path, does=does)))
            path = f"{_within('/apis/apps/v1', namespace)}/deployments"
            does = f"list deployments.apps in {namespace}"
            for workload in self._list(pools, Listing(kind=objects.DEPLOYMENTS, path=path, does=does)):
                self._keep(workload.scales)

    def _karpenter(self) -> None:
        """Read NodePools, and the NodeClaims of the pools' own ones; without Karpenter there are none."""
        self._keep(self._reads.attempt((EVERY_POOL,), self._optional, _karpenters("nodepools", objects.NODE_POOLS)))
        claims = _karpenters("nodeclaims", objects.NODE_CLAIMS)
        narrowed = dataclasses.replace(claims, labels=self._claims_selector())
        self._keep(self._reads.attempt((EVERY_POOL,), self._optional, narrowed))

    def _claims_selector(self) -> str:
        """Select the claims of the pools' NodePools; all claims where a pool's NodePool is not known."""
        names: set[str] = set()
        for pool in self._scope.pools:
            own = set(self._nodepools_of(pool))
            if not own:
                return ""
            names |= own
        return f"{NODEPOOL_LABEL} in ({','.join(sorted(names))})" if names else ""

    def _nodepools_of(self, pool: PoolSpec) -> Iterator[str]:
        if NODEPOOL_LABEL in pool.node_selector:
            yield pool.node_selector[NODEPOOL_LABEL]
        for node in self._nodes_of(pool):
            if NODEPOOL_LABEL in node.labels:
                yield node.labels[NODEPOOL_LABEL]
        for nodepool in self._found.nodepools.values():
            if has_labels(pool.node_selector, nodepool.labels):
                yield nodepool.name

    def _nodes_of(self, pool: PoolSpec) -> list[Node]:
        return [node for node in self._found.nodes.values() if has_labels(pool.node_selector, node.labels)]

    def _overheads(self) -> Iterator[tuple[str, Amounts]]:
        for pool in self._scope.pools:
            if pool.name in self._scope.read_overhead_of:
                found = self._reads.attempt((pool.name,), self._overheads_of, pool)
                if found:
                    yield pool.name, largest(found)

    def _overheads_of(self, pool: PoolSpec) -> list[Amounts]:
        """Return what DaemonSets and static pods take of each node looked at, the longest-lived nodes first."""
        ready = [node for node in self._nodes_of(pool) if node.ready is Condition.TRUE and not node.deleting]
        chosen = sorted(ready, key=lambda node: (node.created, node.name))[:OVERHEAD_NODES]
        return [
            _overhead(read_list(self._client, _pods(fields=f"spec.nodeName={node.name}"), self._budget))
            for node in chosen
        ]

    def _optional(self, listing: Listing[_T]) -> list[_T]:
        """Read a list of a type that the cluster need not have."""
        try:
            return read_list(self._client, listing, self._budget)
        except NotFound:
            return []

    def _grouped(self, key: Callable[[PoolSpec], _K]) -> Iterable[tuple[_K, list[str]]]:
        """Group the pools' names by what has to be read for them."""
        groups: dict[_K, list[str]] = {}
        for pool in self._scope.pools:
            groups.setdefault(key(pool), []).append(pool.name)
        return groups.items()


def equality_selector(labels: Mapping[str, str]) -> str:
    """Write labels as a selector."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def selector_text(selector: Selector) -> str:
    """Write a Deployment's selector as the API takes it in a query."""
    terms = [equality_selector(selector.labels)] if selector.labels else []
    for key, operator, values in selector.expressions:
        match operator:
            case "Exists":
                terms.append(key)
            case "DoesNotExist":
                terms.append(f"!{key}")
            case _:  # In, NotIn
                terms.append(f"{key} {operator.lower()} ({','.join(values)})")
    return ",".join(terms)


def _within(group: str, namespace: str) -> str:
    return f"{group}/namespaces/{quote(namespace, safe='')}"


def _pods(*, labels: str = "", fields: str = "") -> Listing[Pod]:
    return Listing(
        kind=objects.PODS, path="/api/v1/pods", does="list pods in all namespaces", labels=labels, fields=fields
    )


def _karpenters(resource: str, kind: objects.Kind[_T]) -> Listing[_T]:
    return Listing(kind=kind, path=f"/apis/karpenter.sh/v1/{resource}", does=f"list {resource}.karpenter.sh")


def _overhead(pods: Iterable[Pod]) -> Amounts:
    """Sum what DaemonSets and static pods take. Raises ClusterUnavailable where a quantity cannot be read."""
    counted = [pod for pod in pods if pod.owner_kind in _NODE_OWNED and pod.phase not in _OVER]
    unreadable = [pod for pod in counted if pod.requests is None]
    if unreadable:
        raise ClusterUnavailable(f"pod {unreadable[0].namespace}/{unreadable[0].name} has an unreadable request")
    return add(pod.requests for pod in counted if pod.requests is not None)
