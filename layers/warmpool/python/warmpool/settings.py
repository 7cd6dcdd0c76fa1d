"""What the functions are told through their environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from warmpool.app.errors import ConfigInvalid
from warmpool.core.spec import ClusterRef

REGION_VARIABLE: Final = "AWS_REGION"
"""Set by Lambda itself, which refuses a function that sets it."""

_VARIABLES: Final[Mapping[str, str]] = {
    "stack": "WARMPOOL_STACK",
    "table": "WARMPOOL_TABLE",
    "dead_letter_queue_url": "WARMPOOL_DEAD_LETTER_QUEUE_URL",
    "hyperpod_cluster": "WARMPOOL_HYPERPOD_CLUSTER",
    "eks_cluster": "WARMPOOL_EKS_CLUSTER",
    "endpoint": "WARMPOOL_ENDPOINT",
    "certificate_authority": "WARMPOOL_CERTIFICATE_AUTHORITY",
    "prefix": "WARMPOOL_PARAMETER_PREFIX",
    "margin_seconds": "WARMPOOL_MARGIN_SECONDS",
}
_MARGIN_SECONDS: Final = 2.0
_EXPECTED: Final[Mapping[str, str]] = {
    "WARMPOOL_STACK": "the name of the stack, for instance warmpool-ml-research",
    "WARMPOOL_TABLE": "the name of the ledger's DynamoDB table",
    "WARMPOOL_DEAD_LETTER_QUEUE_URL": "the URL of the FIFO dead-letter queue",
    REGION_VARIABLE: "a region, for instance eu-central-1",
    "WARMPOOL_QUEUE_URL": "the URL of the FIFO queue of nudges",
    "WARMPOOL_CONTROLLER_ROLE": "the name of the reconciler's role",
    "WARMPOOL_PLACEHOLDERS": "NAMESPACE/DEPLOYMENT of each pool, with commas between",
}


def stack_name_of(cluster: ClusterRef) -> str:
    """Return the name that a cluster's stack has unless somebody gives it another: 50 characters at most."""
    return f"warmpool-{cluster.hyperpod or cluster.eks}".replace("_", "-")[:50].rstrip("-")


def parameter_prefix_of(stack: str) -> str:
    """Return the path under which SSM holds a stack's documents."""
    return f"/warmpool/{stack}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One function's settings; `environment()` and `from_env()` are each other's inverse."""

    stack: str
    """Name of the stack, which tells the metrics and parameters of several clusters apart.

    No default: two stacks must not share one.
    """
    region: str
    """AWS region of the stack and its cluster. No default: a token for the wrong region's STS is refused."""
    table: str
    """Name of the ledger's table. No default: CloudFormation makes the name."""
    dead_letter_queue_url: str
    """URL of the FIFO queue for unreadable messages. No default: CloudFormation makes the URL."""
    hyperpod_cluster: str | None = None
    """Name of the HyperPod cluster, from which the EKS cluster's name is looked up. None: EKS outside HyperPod."""
    eks_cluster: str | None = None
    """Name of the EKS cluster. None: looked up from the HyperPod cluster. One of the two must be there."""
    endpoint: str | None = None
    """URL of the Kubernetes API. None: read from EKS, kept 15 min; given where EKS' own API cannot be reached."""
    certificate_authority: str | None = None
    """The endpoint's CA, base64 of PEM as EKS gives it. None: read from EKS; it comes together with `endpoint`."""
    prefix: str | None = None
    """Path of the parameters in SSM, without a slash at its end. None: /warmpool/<stack>."""
    margin_seconds: float = _MARGIN_SECONDS
    """Seconds of the function's timeout that a pass leaves unused.

    2 s: time to write the log and metrics of a pass that ran late.
    """

    @property
    def parameter_prefix(self) -> str:
        """Path under which SSM holds the stack's specs, overrides and stop switch."""
        return self.prefix or parameter_prefix_of(self.stack)

    @property
    def cluster(self) -> ClusterRef:
        """The cluster as a spec names it: by HyperPod where there is one."""
        if self.hyperpod_cluster is not None:
            return ClusterRef(hyperpod=self.hyperpod_cluster)
        return ClusterRef(eks=self.eks_cluster)

    def environment(self) -> dict[str, str]:
        """Return the variables to give a function, without the region: Lambda sets that itself."""
        values = {variable: getattr(self, name) for name, variable in _VARIABLES.items()}
        return {variable: str(value) for variable, value in values.items() if value is not None}

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; an empty variable counts as not set.

        Raises ConfigInvalid with the variable's name, the value seen and what was expected.
        """
        given = {name: environ.get(variable, "").strip() or None for name, variable in _VARIABLES.items()}
        margin = given.pop("margin_seconds")
        settings = cls(
            stack=_required(environ, "WARMPOOL_STACK"),
            region=_required(environ, REGION_VARIABLE),
            table=_required(environ, "WARMPOOL_TABLE"),
            dead_letter_queue_url=_required(environ, "WARMPOOL_DEAD_LETTER_QUEUE_URL"),
            hyperpod_cluster=given["hyperpod_cluster"],
            eks_cluster=given["eks_cluster"],
            endpoint=given["endpoint"],
            certificate_authority=given["certificate_authority"],
            prefix=_prefix(given["prefix"]),
            margin_seconds=_MARGIN_SECONDS if margin is None else _margin(margin),
        )
        _check_cluster(settings)
        return settings


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """Settings of the function that reads the audit log; `environment()` and `from_env()` are each other's inverse."""

    stack: str
    """Name of the stack, for the log. No default, as in Settings."""
    region: str
    """AWS region of the queue. No default, as in Settings."""
    queue_url: str
    """URL of the reconcile queue. No default: CloudFormation makes the URL."""
    controller_role: str
    """Name of the reconciler's role: what it does itself is no news. No default: CloudFormation makes the name."""
    placeholders: frozenset[tuple[str, str]]
    """Namespace and name of each placeholder Deployment. No default: other pods' records say nothing of a pool."""

    def environment(self) -> dict[str, str]:
        """Return the variables to give the function, without the region: Lambda sets that itself."""
        return {
            "WARMPOOL_STACK": self.stack,
            "WARMPOOL_QUEUE_URL": self.queue_url,
            "WARMPOOL_CONTROLLER_ROLE": self.controller_role,
            "WARMPOOL_PLACEHOLDERS": ",".join(sorted("/".join(each) for each in self.placeholders)),
        }

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> "IngestSettings":
        """Read the settings. Raises ConfigInvalid with the variable's name, the value seen and what was expected."""
        return cls(
            stack=_required(environ, "WARMPOOL_STACK"),
            region=_required(environ, REGION_VARIABLE),
            queue_url=_required(environ, "WARMPOOL_QUEUE_URL"),
            controller_role=_required(environ, "WARMPOOL_CONTROLLER_ROLE"),
            placeholders=_placeholders(_required(environ, "WARMPOOL_PLACEHOLDERS")),
        )


def _placeholders(text: str) -> frozenset[tuple[str, str]]:
    found = [each.split("/") for each in text.split(",")]
    if any(len(each) != len(("namespace", "name")) or not all(each) for each in found):
        raise _invalid("WARMPOOL_PLACEHOLDERS", f"{text!r} is no list; expected NAMESPACE/DEPLOYMENT,...")
    return frozenset((namespace, name) for namespace, name in found)


def _required(environ: Mapping[str, str], variable: str) -> str:
    value = environ.get(variable, "").strip()
    if not value:
        raise _invalid(variable, f"is not set; expected {_EXPECTED[variable]}; the deployed stack sets it")
    return value


def _prefix(text: str | None) -> str | None:
    if text is None:
        return None
    if not text.startswith("/") or not text.strip("/"):
        raise _invalid("WARMPOOL_PARAMETER_PREFIX", f"{text!r} is not a path; expected for instance /warmpool/my-stack")
    return text.rstrip("/")


def _margin(text: str) -> float:
    try:
        margin = float(text)
    except ValueError:
        margin = -1.0
    if not 0 <= margin < float("inf"):
        raise _invalid("WARMPOOL_MARGIN_SECONDS", f"{text!r} is not a time; expected seconds, 0 or more")
    return margin


def _check_cluster(settings: Settings) -> None:
    if settings.hyperpod_cluster is None and settings.eks_cluster is None:
        raise _invalid("WARMPOOL_HYPERPOD_CLUSTER", "is not set, nor is WARMPOOL_EKS_CLUSTER; expected one of them")
    if (settings.endpoint is None) != (settings.certificate_authority is None):
        raise _invalid("WARMPOOL_ENDPOINT", "comes with WARMPOOL_CERTIFICATE_AUTHORITY; expected both or none")
    if settings.endpoint is not None and not settings.endpoint.startswith("https://"):
        raise _invalid("WARMPOOL_ENDPOINT", f"{settings.endpoint!r} is not an https:// URL")


def _invalid(variable: str, message: str) -> ConfigInvalid:
    return ConfigInvalid(variable, message, source="environment")
