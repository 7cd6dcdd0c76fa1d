"""What AWS knows of the cluster: its EKS name, its endpoint and CA, and whether node autoscaling works."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from warmpool.adapters.aws.failures import AWS_FAILURES, describe, error_code
from warmpool.adapters.kubernetes.access import Endpoint
from warmpool.app.errors import ClusterUnavailable, NotPermitted
from warmpool.app.ports import AutoScaling, Budget, Clock
from warmpool.core.spec import ClusterRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_eks import EKSClient
    from mypy_boto3_sagemaker import SageMakerClient

_Response = Mapping[str, Any]
"""AWS leaves nearly every field of an answer out where it has nothing to say, whatever its types promise."""

ENDPOINT_KEPT: Final = timedelta(minutes=15)
"""EKS can rotate a cluster's CA; a failed handshake refreshes before that."""
AUTOSCALING_KEPT: Final = timedelta(minutes=5)
LOOKUP_SECONDS: Final = 5.0

_AGAIN_AFTER: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterApis:
    """The two services that describe a cluster; each is made for the time that is left, when it is first needed."""

    eks: "Callable[[Budget], EKSClient]"
    sagemaker: "Callable[[Budget], SageMakerClient]"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenCluster:
    """What the settings say already: it is never looked up. URL and CA (base64 of PEM, as EKS has it) go together."""

    eks_name: str | None = None
    url: str | None = None
    certificate_authority: str | None = None


class _Moment:
    """A budget of its own: the client asks for the endpoint before it spends any of the pass's time."""

    def remaining_seconds(self) -> float:
        return LOOKUP_SECONDS


class ClusterLookup:
    """An EndpointSource: the cluster's EKS name, kept for good, and its endpoint and CA, kept for 15 minutes."""

    def __init__(
        self, *, cluster: ClusterRef, apis: ClusterApis, clock: Clock, given: GivenCluster | None = None
    ) -> None:
        self._cluster = cluster
        self._apis = apis
        self._clock = clock
        self._given = given or GivenCluster()
        self._name = self._given.eks_name or cluster.eks
        self._kept: Endpoint | None = None
        self._good_until: datetime | None = None

    def eks_name(self) -> str:
        """Return the EKS cluster's name. Raises NotPermitted or ClusterUnavailable where it cannot be looked up."""
        if self._name is None:
            self._name = self._look_up_name(self._cluster.hyperpod or "")
        return self._name

    def endpoint(self) -> Endpoint:
        """Return endpoint and CA. Raises NotPermitted or ClusterUnavailable where they cannot be looked up.

        Where AWS does not answer, the ones from before stay: they are nearly always right, and TLS tells if not.
        """
        if self._given.url and self._given.certificate_authority:
            return Endpoint(url=self._given.url, ca_pem=_pem(self._given.certificate_authority))
        now = self._clock.now()
        if self._kept is not None and self._good_until is not None and now < self._good_until:
            return self._kept
        try:
            self._kept = self._look_up_endpoint(self.eks_name())
            self._good_until = now + ENDPOINT_KEPT
        except ClusterUnavailable:
            if self._kept is None:
                raise
            self._good_until = now + _AGAIN_AFTER
        return self._kept

    def refresh(self) -> None:
        """Forget endpoint and CA: they have changed."""
        self._kept = None

    def _look_up_name(self, hyperpod: str) -> str:
        found = _describe_hyperpod(self._apis, hyperpod, _Moment())
        arn: str = found.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn", "")
        if not arn:
            raise ClusterUnavailable(f"HyperPod cluster {hyperpod} names no EKS cluster; is it orchestrated by Slurm?")
        return arn.rpartition("/")[2]

    def _look_up_endpoint(self, name: str) -> Endpoint:
        try:
            found = self._apis.eks(_Moment()).describe_cluster(name=name)["cluster"]
        except AWS_FAILURES as error:
            raise _translated(error, action="eks:DescribeCluster", resource=name) from error
        return _endpoint_of(found, name)


def _endpoint_of(found: _Response, name: str) -> Endpoint:
    url = found.get("endpoint", "")
    authority = found.get("certificateAuthority", {}).get("data", "")
    if not url or not authority:
        raise ClusterUnavailable(f"EKS cluster {name} is {found.get('status', 'unknown')}: it has no endpoint yet")
    return Endpoint(url=url, ca_pem=_pem(authority))


def _pem(authority: str) -> str:
    try:
        return base64.b64decode(authority, validate=True).decode("ascii")
    except ValueError as error:  # of base64 and of ASCII alike
        raise ClusterUnavailable(f"the cluster's certificate authority is not base64 of PEM: {error}") from error


def _describe_hyperpod(apis: ClusterApis, name: str, budget: Budget) -> _Response:
    try:
        return apis.sagemaker(budget).describe_cluster(ClusterName=name)
    except AWS_FAILURES as error:
        raise _translated(error, action="sagemaker:DescribeCluster", resource=name) from error


def _translated(error: Exception, *, action: str, resource: str) -> ClusterUnavailable | NotPermitted:
    text = describe(error, action=action, resource=resource)
    return NotPermitted(text) if error_code(error).startswith("AccessDenied") else ClusterUnavailable(text)


class HyperPodProvider:
    """Implements warmpool.app.ports.Provider on SageMaker DescribeCluster."""

    def __init__(self, *, apis: ClusterApis, clock: Clock) -> None:
        self._apis = apis
        self._clock = clock
        self._kept: dict[str, tuple[AutoScaling, datetime]] = {}

    def autoscaling(self, cluster: ClusterRef, budget: Budget) -> AutoScaling:
        """Tell whether node autoscaling works. An answer is kept for 5 minutes, a failure not at all."""
        if cluster.hyperpod is None:
            return AutoScaling(in_service=True, text="plain EKS has no autoscaling status")
        now = self._clock.now()
        if cluster.hyperpod in self._kept:
            answer, good_until = self._kept[cluster.hyperpod]
            if now < good_until:
                return answer
        try:
            answer = _autoscaling_of(_describe_hyperpod(self._apis, cluster.hyperpod, budget), cluster.hyperpod)
        except (ClusterUnavailable, NotPermitted) as error:
            return AutoScaling(in_service=None, text=str(error))
        self._kept[cluster.hyperpod] = (answer, now + AUTOSCALING_KEPT)
        return answer


def _autoscaling_of(found: _Response, name: str) -> AutoScaling:
    """Read the status. A cluster without the block does not say no: it says nothing."""
    scaling = found.get("AutoScaling")
    if not scaling:
        return AutoScaling(
            in_service=None, text=f"HyperPod cluster {name} reports no AutoScaling; is Karpenter set up?"
        )
    mode, status = scaling.get("Mode"), scaling.get("Status")
    if mode == "Disable":
        return AutoScaling(in_service=False, text=f"AutoScaling of HyperPod cluster {name} is disabled")
    if status == "InService":
        return AutoScaling(in_service=True, text=f"AutoScaling of HyperPod cluster {name} is InService")
    why = scaling.get("FailureMessage")
    return AutoScaling(
        in_service=False, text=f"AutoScaling of HyperPod cluster {name} is {status}{f': {why}' if why else ''}"
    )
