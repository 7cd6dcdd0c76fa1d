"""The parts of Kubernetes' JSON that a pass needs, decoded partially; every other field is skipped unread."""

from datetime import datetime
from typing import Annotated, Generic, TypeVar

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

Time = Annotated[datetime, Meta(tz=True)]
"""An instant with its offset; Kubernetes writes UTC."""

Quantities = dict[str, str | int | float]
"""Built-in types hold texts; custom resources keep a number where somebody wrote one (`limits: {cpu: 1000}`)."""


class Wire(Struct, rename="camel", gc=False):
    """A part of an object: unknown fields are skipped, a missing or null field is its default.

    None of these can take part in a cycle, so the garbage collector need not look at tens of thousands of them.
    """


M = TypeVar("M")
S = TypeVar("S")
U = TypeVar("U")


class Item(Wire):
    """Any object, its three parts still unread: one pass over the bytes tells what it is."""

    kind: str | None = None
    api_version: str | None = None
    metadata: Raw = Raw(b"null")
    spec: Raw = Raw(b"null")
    status: Raw = Raw(b"null")


class ListMetadata(Wire):
    """A list's own metadata."""

    continue_: str | None = field(default=None, name="continue")


class Document(Item):
    """What a file holds: a list of objects, or one object."""

    items: list[Item] | None = None
    message: Raw = Raw(b"null")


class ApiStatus(Wire):
    """The API server's answer to a request that failed."""

    message: str | None = None
    reason: str | None = None


class OwnerReference(Wire):
    """Who made an object."""

    kind: str
    name: str
    controller: bool | None = None


class Annotations(Wire):
    """The one annotation that a pass reads."""

    deletion_cost: str | None = field(default=None, name="controller.kubernetes.io/pod-deletion-cost")


class Metadata(Wire):
    """What every object says of itself."""

    name: str
    namespace: str | None = None
    uid: str | None = None
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    labels: dict[str, str] | None = None
    annotations: Annotations | None = None
    owner_references: list[OwnerReference] | None = None


class ScaledFields(Wire):
    """The fields below `f:spec`; Raw, since being there is what counts: absence is no bytes at all."""

    replicas: Raw = field(default=Raw(), name="f:replicas")


class OwnedFields(Wire):
    """The fields that a manager owns."""

    spec: ScaledFields | None = field(default=None, name="f:spec")


class ManagedFields(Wire):
    """One manager's entry."""

    manager: str | None = None
    operation: str | None = None
    subresource: str | None = None
    time: Time | None = None
    fields_v1: OwnedFields | None = field(default=None, name="fieldsV1")


class DeploymentMetadata(Metadata):
    """As Metadata, with who owns which field: for other objects that is the larger part of the bytes."""

    generation: int | None = None
    managed_fields: list[ManagedFields] | None = None


class StatusCondition(Wire):
    """A condition as far as nodes and pods need it."""

    type: str
    status: str | None = None
    last_transition_time: Time | None = None


class ToldCondition(StatusCondition):
    """A condition with its reason in words."""

    reason: str | None = None
    message: str | None = None


class TaintFields(Wire):
    """A node's taint."""

    key: str
    effect: str | None = None
    value: str | None = None


class NodeSpec(Wire):
    """A node's spec."""

    taints: list[TaintFields] | None = None
    unschedulable: bool | None = None


class NodeStatus(Wire):
    """A node's status."""

    allocatable: Quantities | None = None
    capacity: Quantities | None = None
    conditions: list[StatusCondition] | None = None


class Requests(Wire):
    """A container's or a pod's resources, as far as a pod has its requests filled in from its limits."""

    requests: Quantities | None = None


class Container(Wire):
    """A pod's container; `restart_policy` Always makes an init container a sidecar."""

    resources: Requests | None = None
    restart_policy: str | None = None
    image: str | None = None


class Resources(Requests):
    """A template's resources, where nothing has been filled in yet."""

    limits: Quantities | None = None


class TemplateContainer(Wire):
    """A template's container, with the words that tell what it scales."""

    resources: Resources | None = None
    restart_policy: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None


class TolerationFields(Struct, rename="camel", gc=False, frozen=True):
    """A pod's toleration; frozen, since it is looked up as a key."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None


class PodSpec(Wire):
    """A pod's spec."""

    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    overhead: Quantities | None = None
    resources: Requests | None = None
    node_name: str | None = None
    node_selector: dict[str, str] | None = None
    priority: int | None = None
    tolerations: list[TolerationFields] | None = None
    scheduling_gates: list[Raw] | None = None


class PodStatus(Wire):
    """A pod's status."""

    phase: str | None = None
    conditions: list[StatusCondition] | None = None
    start_time: Time | None = None
    nominated_node_name: str | None = None


class SelectorTerm(Wire):
    """One expression of a label selector."""

    key: str
    operator: str
    values: list[str] | None = None


class LabelSelector(Wire):
    """A label selector."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[SelectorTerm] | None = None


class TemplateSpec(Wire):
    """A pod template's spec."""

    containers: list[TemplateContainer] | None = None
    init_containers: list[TemplateContainer] | None = None
    overhead: Quantities | None = None
    resources: Resources | None = None


class PodTemplate(Wire):
    """A Deployment's pod template."""

    spec: TemplateSpec | None = None


class DeploymentSpec(Wire):
    """A Deployment's spec."""

    replicas: int | None = None
    paused: bool | None = None
    selector: LabelSelector | None = None
    template: PodTemplate | None = None


class DeploymentStatus(Wire):
    """A Deployment's status; the API leaves zeros out."""

    observed_generation: int | None = None
    replicas: int | None = None
    updated_replicas: int | None = None


class ScaleSpec(Wire):
    """A Scale's spec; the API leaves 0 out."""

    replicas: int | None = None


class Scale(Wire):
    """The scale subresource."""

    spec: ScaleSpec | None = None


class ScaleTarget(Wire):
    """What an autoscaler scales."""

    name: str | None = None
    kind: str | None = None


class AutoscalerSpec(Wire):
    """The spec of an HPA or a ScaledObject."""

    scale_target_ref: ScaleTarget | None = None


class Nothing(Wire):
    """A part that is not needed."""


class Object(Wire, Generic[M, S, U]):
    """An object of a known kind, read in one go."""

    metadata: M
    spec: S | None = None
    status: U | None = None


class Page(Wire, Generic[M, S, U]):
    """One page of a list of a known kind; an answer without items is none."""

    metadata: ListMetadata | None = None
    items: list[Object[M, S, U]] | UnsetType | None = UNSET
