"""The spec file as it is written: every key, its type and what it means.

These types are the source of the decoder, the published JSON Schema and docs/configuration.md. A key that is left out
is UNSET: its default is the one of the type in core.spec that `core` names, so that the two cannot drift apart.
"""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from warmpool.adapters.config.amounts import NotNegative, Prices
from warmpool.adapters.config.names import DnsLabel, DnsName, EksName, HyperPodName, Image, Labels, LabelSelector, Zone
from warmpool.adapters.config.policies import (
    Count,
    DemandDocument,
    ProportionalDocument,
    ScaleDownDocument,
    TemplatesDocument,
    TolerationDocument,
    Whole,
    WindowDocument,
)
from warmpool.adapters.config.resources import NodeOffer, Placeholder, Shape
from warmpool.adapters.config.times import Duration, PositiveDuration
from warmpool.core.spec import ClusterRef, DoNotDisrupt, Mode, PoolSpec, Spec


class ClusterDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The cluster: exactly one of the two names."""

    core: ClassVar[type] = ClusterRef
    rules: ClassVar[dict[str, Any]] = {"oneOf": [{"required": ["hyperpod"]}, {"required": ["eks"]}]}

    hyperpod: Annotated[
        HyperPodName | UnsetType,
        Meta(
            description="Name of the SageMaker HyperPod cluster; its EKS cluster is looked up.",
            examples=["ml-research"],
        ),
    ] = UNSET
    eks: Annotated[
        EksName | UnsetType, Meta(description="Name of an EKS cluster outside HyperPod.", examples=["research"])
    ] = UNSET


class PoolDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """One pool: one placeholder Deployment and the nodes that it warms."""

    core: ClassVar[type] = PoolSpec
    defaults: ClassVar[dict[str, Any]] = {"shape": {"cpu": "2100m", "memory": "9Gi"}, "placeholder": "node"}

    namespace: Annotated[
        DnsLabel | UnsetType,
        Meta(description="Namespace of the placeholder Deployment.", examples=["spaces-overprovisioning"]),
    ] = UNSET
    deployment: Annotated[
        DnsName, Meta(description="Name of the placeholder Deployment.", examples=["spaces-placeholder-cpu"])
    ]
    node_selector: Annotated[
        Labels,
        Meta(
            description="Labels of the pool's nodes. No two pools may have the same.",
            examples=[{"karpenter.sh/nodepool": "spaces-cpu"}],
        ),
    ]
    workspace_selector: Annotated[
        LabelSelector | UnsetType,
        Meta(
            description="Label selector of the launches' pods, in any namespace.",
            examples=["workspace.jupyter.org/workspace-name"],
        ),
    ] = UNSET
    timezone: Annotated[
        Zone | UnsetType,
        Meta(
            description="IANA time zone of this pool's windows and demand, instead of the spec's.",
            examples=["Asia/Tokyo"],
        ),
    ] = UNSET
    images: Annotated[
        list[Image] | UnsetType,
        Meta(
            description="Images pulled on every warm node, in this order.",
            examples=[["public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu"]],
        ),
    ] = UNSET
    pause_image: Annotated[
        Image | UnsetType, Meta(description="Image of the placeholder itself.", examples=["registry.k8s.io/pause:3.10"])
    ] = UNSET
    image_pull_secrets: Annotated[
        list[DnsName] | UnsetType,
        Meta(description="Secrets of the placeholder's namespace that pull the images.", examples=[["registry"]]),
    ] = UNSET
    tolerations: Annotated[
        list[TolerationDocument] | UnsetType,
        Meta(
            description="Taints of the nodes that placeholders tolerate, as in a pod.",
            examples=[[{"key": "dedicated", "value": "spaces", "effect": "NoSchedule"}]],
        ),
    ] = UNSET
    shape: Annotated[
        Shape | UnsetType,
        Meta(
            description="What one launch asks for, sidecars included; cpu or memory left out keeps its default."
            " `gpu` is short for nvidia.com/gpu.",
            examples=[{"cpu": "4", "memory": "16Gi"}],
        ),
    ] = UNSET
    placeholder: Annotated[
        Placeholder | UnsetType,
        Meta(
            description="What one placeholder asks for: `node` fills its node, less DaemonSets and a margin.",
            examples=["node", {"cpu": "2", "memory": "8Gi"}],
        ),
    ] = UNSET
    node_allocatable: Annotated[
        NodeOffer | UnsetType,
        Meta(
            description="What an empty node offers, until one is there; `pods` may be left out.",
            examples=[{"cpu": "47810m", "memory": "188520Mi"}],
        ),
    ] = UNSET
    priority: Annotated[
        Whole | UnsetType,
        Meta(description="Whose room is cut last when the spec's maxHourlyCost binds: the highest.", examples=[10]),
    ] = UNSET
    min: Annotated[
        Count,
        Meta(
            description="Room that is always there, outside windows.",
            examples=[1],
            extra={"unit": "empty nodes' worth"},
        ),
    ]
    max: Annotated[
        Count, Meta(description="Idle nodes held or ordered, never more.", examples=[8], extra={"unit": "nodes"})
    ]
    windows: Annotated[
        list[WindowDocument] | UnsetType,
        Meta(description="Spans of wall-clock time with limits of their own; needs a timezone."),
    ] = UNSET
    proportional: Annotated[
        ProportionalDocument | UnsetType, Meta(description="Room in proportion to nodes and cores; off where absent.")
    ] = UNSET
    demand: Annotated[
        DemandDocument | UnsetType,
        Meta(description="Room for a promised share of launches, learned; off where absent; needs a timezone."),
    ] = UNSET
    templates: Annotated[
        TemplatesDocument | UnsetType,
        Meta(description="Room that WorkspaceTemplates ask for by annotation; off where absent."),
    ] = UNSET
    scale_down: Annotated[ScaleDownDocument | UnsetType, Meta(description="How fast a surplus goes.")] = UNSET
    lead_time: Annotated[
        PositiveDuration | UnsetType,
        Meta(description="From the order to the warm node, until it has been measured.", examples=["15m"]),
    ] = UNSET
    lead_time_limit: Annotated[
        PositiveDuration | UnsetType,
        Meta(description="Longest lead time reckoned with; what takes longer counts as stuck.", examples=["30m"]),
    ] = UNSET
    manual_hold: Annotated[
        Duration | UnsetType, Meta(description="How long a person's `kubectl scale` is honoured.", examples=["30m"])
    ] = UNSET
    hold_limit: Annotated[
        PositiveDuration | UnsetType,
        Meta(description="How long a pool may be held before it alarms.", examples=["30m"]),
    ] = UNSET
    max_hourly_cost: Annotated[
        NotNegative | UnsetType,
        Meta(description="What this pool's idle nodes may cost.", examples=[40], extra={"unit": "USD an hour"}),
    ] = UNSET
    node_hourly_price: Annotated[
        Prices | UnsetType,
        Meta(
            description="Price of one node, or by instance type.",
            examples=[2.76, {"ml.m5.12xlarge": 2.76}],
            extra={"unit": "USD an hour"},
        ),
    ] = UNSET
    do_not_disrupt: Annotated[
        DoNotDisrupt | UnsetType,
        Meta(
            description="When placeholders carry karpenter.sh/do-not-disrupt; auto: where the NodePool consolidates"
            " underutilised nodes.",
            examples=["auto"],
        ),
    ] = UNSET
    compat: Annotated[
        bool | UnsetType,
        Meta(description="Replicas as cluster-proportional-autoscaler sets them, to the letter.", examples=[False]),
    ] = UNSET
    mode: Annotated[
        Mode | UnsetType, Meta(description="active, or shadow: everything but the writes.", examples=["shadow"])
    ] = UNSET


class SpecDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The pools of one cluster."""

    core: ClassVar[type] = Spec

    version: Annotated[Literal[1], Meta(description="Version of this format.", examples=[1])] = 1
    cluster: Annotated[ClusterDocument, Meta(description="The cluster that the pools belong to.")]
    timezone: Annotated[
        Zone | UnsetType,
        Meta(
            description="IANA time zone of the pools without one of their own; needed as soon as there are windows or"
            " demand.",
            examples=["Europe/Berlin"],
        ),
    ] = UNSET
    max_hourly_cost: Annotated[
        NotNegative | UnsetType,
        Meta(description="What the idle nodes of all pools may cost.", examples=[120], extra={"unit": "USD an hour"}),
    ] = UNSET
    pools: Annotated[
        dict[str, PoolDocument],
        Meta(
            min_length=1,
            description="The pools, by name.",
            extra_json_schema={"propertyNames": {"pattern": DnsLabel.schema["pattern"], "maxLength": DnsLabel.limit}},
        ),
    ]
