"""Gap: moto's CreateCluster drops what makes a HyperPod cluster one: orchestrator, autoscaling, provisioning mode."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from moto.sagemaker.models import Cluster
from moto.sagemaker.responses import SageMakerResponse

from warmpool.sim.aws.gaps.replacing import replaced

_KEPT: Final = ("Orchestrator", "AutoScaling", "NodeProvisioningMode", "NodeRecovery", "ClusterRole")


@dataclass(slots=True)
class HyperPodDescriptions:
    """What DescribeCluster adds, by cluster name; it may be changed at any time."""

    of: dict[str, dict[str, Any]] = field(default_factory=dict)

    def set_autoscaling(self, cluster: str, *, status: str, failure: str = "") -> None:
        """Let autoscaling be InService, Failed, Creating or Deleting."""
        told = {**self.of[cluster]["AutoScaling"], "Status": status}
        self.of[cluster]["AutoScaling"] = {**told, "FailureMessage": failure} if failure else told


@contextmanager
def hyperpod_description() -> Iterator[HyperPodDescriptions]:
    """Keep those parameters and let DescribeCluster tell them."""
    descriptions = HyperPodDescriptions()

    def create_cluster(response: SageMakerResponse) -> Any:
        result = create(response)
        given = {name: response._get_param(name) for name in _KEPT}  # noqa: SLF001 - moto has no public way
        kept = {name: value for name, value in given.items() if value is not None}
        if "AutoScaling" in kept:
            kept["AutoScaling"] = {**kept["AutoScaling"], "Status": "InService"}
        descriptions.of[response._get_param("ClusterName")] = kept  # noqa: SLF001
        return result

    def describe_cluster(cluster: Cluster) -> dict[str, Any]:
        return {**describe(cluster), **descriptions.of.get(cluster.cluster_name, {})}

    with ExitStack() as stack:
        create = stack.enter_context(replaced(SageMakerResponse, "create_cluster", create_cluster))
        describe = stack.enter_context(replaced(Cluster, "describe", describe_cluster))
        yield descriptions
