"""Deployments and what scales them: HPAs, KEDA's ScaledObjects, the cluster-proportional-autoscaler."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from warmpool.adapters.kubernetes import wire
from warmpool.adapters.kubernetes.amounts import pod_requests
from warmpool.adapters.kubernetes.decode import uid_of
from warmpool.core.model import Deployment, FieldOwner, Scaler, Selector

CPA_KIND: Final = "ClusterProportionalAutoscaler"

_DEPLOYMENT: Final = "deployment"
_DEFAULT_REPLICAS: Final = 1
"""What the API server fills in where a Deployment says nothing; on a Scale, absence is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment, and what it scales where it runs the cluster-proportional-autoscaler."""

    deployment: Deployment
    scales: tuple[Scaler, ...] = ()


def workload(meta: wire.DeploymentMetadata, spec: wire.DeploymentSpec, status: wire.DeploymentStatus) -> Workload:
    """Build a Deployment and its scalers."""
    replicas = _DEFAULT_REPLICAS if spec.replicas is None else spec.replicas
    pod = (spec.template.spec if spec.template else None) or wire.TemplateSpec()
    deployment = Deployment(
        namespace=meta.namespace or "",
        name=meta.name,
        replicas=replicas,
        uid=uid_of(meta),
        selector=_selector(spec.selector or wire.LabelSelector()),
        requests=pod_requests(pod),
        paused=bool(spec.paused),
        deleting=meta.deletion_timestamp is not None,
        generation=1 if meta.generation is None else meta.generation,
        observed_generation=_observed(meta, status),
        status_replicas=status.replicas or 0,
        updated_replicas=status.updated_replicas or 0,
        replica_owners=tuple(_replica_owners(meta.managed_fields or ())),
    )
    return Workload(deployment=deployment, scales=tuple(_scales(deployment, pod)) if replicas > 0 else ())


def _observed(meta: wire.DeploymentMetadata, status: wire.DeploymentStatus) -> int:
    """Absent means not observed yet; an object without a generation has no rollout that could be told."""
    if meta.generation is None:
        return 1
    return status.observed_generation or 0


def _selector(selector: wire.LabelSelector) -> Selector:
    return Selector(
        labels=selector.match_labels or {},
        expressions=tuple(
            (each.key, each.operator, tuple(each.values or ())) for each in selector.match_expressions or ()
        ),
    )


def _replica_owners(entries: Iterable[wire.ManagedFields]) -> Iterator[FieldOwner]:
    for each in entries:
        spec = each.fields_v1.spec if each.fields_v1 else None
        if spec is not None and bytes(spec.replicas):
            yield FieldOwner(
                manager=each.manager or "",
                operation=each.operation or "",
                subresource=each.subresource or "",
                time=each.time,
            )


def _scales(deployment: Deployment, pod: wire.TemplateSpec) -> Iterator[Scaler]:
    for container in pod.containers or ():
        words = [*(container.command or ()), *(container.args or ())]
        namespace = _option(words, "--namespace") or deployment.namespace
        for target in _option(words, "--target").split(","):
            kind, _, name = target.strip().partition("/")
            if kind.lower() == _DEPLOYMENT and name:
                yield Scaler(kind=CPA_KIND, namespace=namespace, name=deployment.name, target=name)


def _option(words: list[str], name: str) -> str:
    """Return the value of `--name=value` or `--name value`, or an empty text."""
    for word, following in pairwise((*words, "")):
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
        if word == name:
            return following
    return ""


def autoscaler(meta: wire.Metadata, spec: wire.AutoscalerSpec, _status: wire.Nothing) -> Scaler | None:
    """Build the scaler that an HPA is; None where it scales no Deployment."""
    return _scaler("HorizontalPodAutoscaler", meta, spec, default_kind="")


def scaled_object(meta: wire.Metadata, spec: wire.AutoscalerSpec, _status: wire.Nothing) -> Scaler | None:
    """Build the scaler that a ScaledObject is; its target is a Deployment unless it says otherwise."""
    return _scaler("ScaledObject", meta, spec, default_kind=_DEPLOYMENT)


def _scaler(kind: str, meta: wire.Metadata, spec: wire.AutoscalerSpec, *, default_kind: str) -> Scaler | None:
    target = spec.scale_target_ref or wire.ScaleTarget()
    if (target.kind or default_kind).lower() != _DEPLOYMENT or not target.name:
        return None
    return Scaler(kind=kind, namespace=meta.namespace or "", name=meta.name, target=target.name)
