"""The kinds of objects that a pass reads."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

import msgspec

from warmpool.adapters.kubernetes import decode, wire, wire_karpenter, workloads
from warmpool.adapters.kubernetes.malformed import Malformed, explain
from warmpool.adapters.kubernetes.wire import Item
from warmpool.adapters.kubernetes.workloads import Workload
from warmpool.core.model import Node, NodeClaim, NodePool, Pod, Scaler

_M = TypeVar("_M", bound=wire.Metadata)
_S = TypeVar("_S", bound=wire.Wire)
_U = TypeVar("_U", bound=wire.Wire)
_P = TypeVar("_P", bound=wire.Wire)
_V_co = TypeVar("_V_co", covariant=True)


class Kind(Generic[_V_co]):
    """One kind of object: what it is called, and how its parts become a value of the core's model."""

    def __init__(
        self, name: str, group: str, parts: tuple[type[_M], type[_S], type[_U]], build: Callable[[_M, _S, _U], _V_co]
    ) -> None:
        self.name = name
        self.group = group
        self.read: Final = _reader(parts, build)
        """Build the value of one object. Raises Malformed with path, value and what was expected."""
        self.read_page: Final = _page_reader(parts, build)
        """Build the values of a page; its continue token comes with them. Raises Malformed."""

    def matches(self, api_version: str | None) -> bool:
        """Tell whether an apiVersion is of this kind's group; every version of it reads the same here."""
        return api_version is None or api_version.rpartition("/")[0] == self.group


def _reader(
    parts: tuple[type[_M], type[_S], type[_U]], build: Callable[[_M, _S, _U], _V_co]
) -> Callable[[Item], _V_co]:
    metadata: msgspec.json.Decoder[_M] = msgspec.json.Decoder(parts[0])
    spec = _optional(parts[1], "spec")
    status = _optional(parts[2], "status")

    def read(item: Item) -> _V_co:
        try:
            meta = metadata.decode(item.metadata)
        except (msgspec.DecodeError, RecursionError) as error:
            raise explain(error, item.metadata, below="metadata") from error
        return build(meta, spec(item.spec), status(item.status))

    return read


def _optional(kind: type[_P], name: str) -> Callable[[msgspec.Raw], _P]:
    decoder: msgspec.json.Decoder[_P | None] = msgspec.json.Decoder(kind | None)

    def read(raw: msgspec.Raw) -> _P:
        try:
            part = decoder.decode(raw)
        except (msgspec.DecodeError, RecursionError) as error:
            raise explain(error, raw, below=name) from error
        return kind() if part is None else part

    return read


def _page_reader(
    parts: tuple[type[_M], type[_S], type[_U]], build: Callable[[_M, _S, _U], _V_co]
) -> Callable[[bytes], tuple[list[_V_co], str]]:
    page: Any = wire.Page  # subscripted with types that only the caller knows
    decoder: msgspec.json.Decoder[wire.Page[_M, _S, _U]] = msgspec.json.Decoder(page[parts])
    no_spec, no_status = parts[1](), parts[2]()

    def read(body: bytes) -> tuple[list[_V_co], str]:
        try:
            found = decoder.decode(body)
        except (msgspec.DecodeError, RecursionError) as error:
            raise explain(error, body) from error
        if found.items is msgspec.UNSET:
            raise Malformed("items", "(missing)", "expected an array of objects")
        built = [build(each.metadata, each.spec or no_spec, each.status or no_status) for each in found.items or ()]
        return built, (found.metadata.continue_ if found.metadata else None) or ""

    return read


NODES: Final[Kind[Node]] = Kind("Node", "", (wire.Metadata, wire.NodeSpec, wire.NodeStatus), decode.node)
PODS: Final[Kind[Pod]] = Kind("Pod", "", (wire.Metadata, wire.PodSpec, wire.PodStatus), decode.pod)
DEPLOYMENTS: Final[Kind[Workload]] = Kind(
    "Deployment",
    "apps",
    (wire.DeploymentMetadata, wire.DeploymentSpec, wire.DeploymentStatus),
    workloads.workload,
)
NODE_CLAIMS: Final[Kind[NodeClaim]] = Kind(
    "NodeClaim",
    "karpenter.sh",
    (wire.Metadata, wire_karpenter.NodeClaimSpec, wire_karpenter.NodeClaimStatus),
    decode.node_claim,
)
NODE_POOLS: Final[Kind[NodePool]] = Kind(
    "NodePool",
    "karpenter.sh",
    (wire.Metadata, wire_karpenter.NodePoolSpec, wire_karpenter.NodePoolStatus),
    decode.node_pool,
)
AUTOSCALERS: Final[Kind[Scaler | None]] = Kind(
    "HorizontalPodAutoscaler", "autoscaling", (wire.Metadata, wire.AutoscalerSpec, wire.Nothing), workloads.autoscaler
)
SCALED_OBJECTS: Final[Kind[Scaler | None]] = Kind(
    "ScaledObject", "keda.sh", (wire.Metadata, wire.AutoscalerSpec, wire.Nothing), workloads.scaled_object
)

KINDS: Final[Mapping[str, Kind[object]]] = {
    each.name: each for each in (NODES, PODS, DEPLOYMENTS, NODE_CLAIMS, NODE_POOLS, AUTOSCALERS, SCALED_OBJECTS)
}
