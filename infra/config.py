"""What one deployment is: the spec file and the CDK context, checked and typed."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.app.errors import ConfigInvalid
from warmpool.core.lint import Lint
from warmpool.core.spec import ClusterRef, Spec
from warmpool.settings import stack_name_of

Context = Callable[[str], object]
"""Looks a CDK context value up; None where it is absent."""

_VPC_KEYS: Final = ("vpcId", "subnetIds", "clusterSecurityGroupId")


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Where the function runs when the cluster's endpoint is private."""

    vpc_id: str
    subnet_ids: tuple[str, ...]
    """Private subnets that reach the cluster and, by NAT or interface endpoints, the AWS APIs."""
    cluster_security_group_id: str
    """The cluster's own security group; it gets one rule, port 443 from the function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """One stack: one cluster with all its pools."""

    stack_name: str
    """Names the stack, its queues and its parameters' path; at most 50 characters, since a queue's name has 80."""
    spec: Spec
    runtime_documents: Mapping[str, str]
    """By pool: the JSON text that the controller reads at run time."""
    lints: tuple[Lint, ...]
    """What is allowed and will surprise; printed by every synthesis."""
    eks_cluster: str
    """The access entry needs the EKS name, which a HyperPod cluster's own name does not tell."""
    network: Network | None = None
    alarm_email: str | None = None
    runbook: str = "docs/runbook.md"
    """What alarm texts point at; a URL where the docs are published."""
    audit_events: bool = False
    """Read the EKS audit log too, which must be switched on at the cluster. It costs log ingestion and takes one of the
    two subscription filters that the log group may have."""


def load_deployment(context: Context, root: Path) -> Deployment:
    """Read the deployment that the CDK context describes; `root` is the repository.

    Raises ConfigInvalid with the context key or the path in the spec file, the value seen and what was expected;
    ConfigUnreadable where there is no spec file.
    """
    values = _Values(context)
    loaded = load_spec_file(root / (values.text("spec") or "infra/pools.yaml"))
    return Deployment(
        stack_name=_stack_name(values, loaded.spec.cluster),
        spec=loaded.spec,
        runtime_documents=loaded.runtime_documents,
        lints=loaded.lints,
        eks_cluster=_eks_cluster(values, loaded.spec.cluster),
        network=_network(values),
        alarm_email=values.matching("alarmEmail", r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address"),
        runbook=values.text("runbook") or "docs/runbook.md",
        audit_events=values.flag("auditEvents"),
    )


@dataclass(frozen=True, slots=True)
class _Values:
    """CDK context values as texts; cdk.json may hold lists, `-c KEY=VALUE` only texts."""

    lookup: Context

    def text(self, key: str) -> str | None:
        value = self.lookup(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = ",".join(value)
        if value is not None and not isinstance(value, str):
            raise _invalid(key, f"is {value!r}, but a text is expected")
        return value or None

    def flag(self, key: str) -> bool:
        """Read a switch, which `-c` gives as a text; absent is off."""
        value = self.lookup(key)
        known = {None: False, "": False, "false": False, "true": True}
        if isinstance(value, bool):
            return value
        if not isinstance(value, str | None) or value not in known:
            raise _invalid(key, f"is {value!r}, but true or false is expected")
        return known[value]

    def matching(self, key: str, pattern: str, expected: str) -> str | None:
        value = self.text(key)
        if value is not None and re.fullmatch(pattern, value, re.ASCII) is None:
            raise _invalid(key, f"is {value!r}, but {expected} is expected")
        return value

    def required(self, key: str, pattern: str, expected: str) -> str:
        value = self.matching(key, pattern, expected)
        if value is None:
            raise _invalid(key, f"is absent, but {expected} is expected")
        return value


def _invalid(key: str, message: str) -> ConfigInvalid:
    return ConfigInvalid(key, message, source="CDK context")


def _stack_name(values: _Values, cluster: ClusterRef) -> str:
    given = values.matching("stackName", r"[A-Za-z][A-Za-z0-9-]{0,49}", "letters, digits and hyphens, at most 50,")
    return given or stack_name_of(cluster)


def _eks_cluster(values: _Values, cluster: ClusterRef) -> str:
    given = values.matching("eksCluster", r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}", "the name of an EKS cluster")
    if cluster.eks is not None:
        if given not in {None, cluster.eks}:
            raise _invalid("eksCluster", f"is {given!r}, but the spec names {cluster.eks!r}; leave one of them out")
        return cluster.eks
    if given is None:
        raise _invalid(
            "eksCluster",
            f"is absent, but the access entry for HyperPod cluster {cluster.hyperpod!r} needs its EKS cluster's name;"
            f" `aws sagemaker describe-cluster --cluster-name {cluster.hyperpod} --query Orchestrator.Eks.ClusterArn`"
            " ends in it; give it as `-c eksCluster=NAME` or in cdk.json",
        )
    return given


def _network(values: _Values) -> Network | None:
    """All three keys or none: half a network would be a function that cannot reach its cluster."""
    if all(values.text(key) is None for key in _VPC_KEYS):
        return None
    subnet = r"subnet-[0-9a-f]{8,17}"
    return Network(
        vpc_id=values.required("vpcId", r"vpc-[0-9a-f]{8,17}", "vpc-... (with subnetIds and clusterSecurityGroupId)"),
        subnet_ids=tuple(values.required("subnetIds", rf"{subnet}(,{subnet})*", "subnet-...,subnet-...").split(",")),
        cluster_security_group_id=values.required(
            "clusterSecurityGroupId", r"sg-[0-9a-f]{8,17}", "sg-... (the cluster's own security group)"
        ),
    )
