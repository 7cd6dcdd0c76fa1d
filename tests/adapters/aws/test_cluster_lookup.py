"""What AWS knows of the cluster, how long it is kept, and what happens where AWS does not answer."""

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError
from botocore.session import Session
from botocore.stub import Stubber

from warmpool.adapters.aws.cluster_lookup import ClusterApis, ClusterLookup, GivenCluster, HyperPodProvider
from warmpool.adapters.kubernetes.access import Endpoint
from warmpool.app.errors import ClusterUnavailable, NotPermitted
from warmpool.app.ports import AutoScaling, Budget
from warmpool.core.spec import ClusterRef

NOW = datetime(2026, 12, 1, 2, 0, tzinfo=UTC)
PEM = "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n"
CA = base64.b64encode(PEM.encode()).decode()
EKS = {"name": "ml-eks", "status": "ACTIVE", "endpoint": "https://one.eks", "certificateAuthority": {"data": CA}}
ARN = "arn:aws:eks:eu-central-1:123456789012:cluster/ml-eks"
HYPERPOD = {
    "ClusterArn": "arn:aws:sagemaker:eu-central-1:123456789012:cluster/abcdefghijkl",
    "ClusterStatus": "InService",
    "InstanceGroups": [],
    "Orchestrator": {"Eks": {"ClusterArn": ARN}},
}
IN_SERVICE = {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"}


def failure(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeCluster")


@dataclass(slots=True)
class FakeAws:
    """Both services at once: what they hold, what they raise, and what they were asked."""

    at: datetime = NOW
    eks: dict[str, Any] = field(default_factory=lambda: dict(EKS))
    hyperpod: dict[str, Any] = field(default_factory=lambda: dict(HYPERPOD))
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)
    budgets: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.at

    def apis(self) -> ClusterApis:
        def client(budget: Budget) -> Any:
            self.budgets.append(budget.remaining_seconds())
            return self

        return ClusterApis(eks=client, sagemaker=client)

    def describe_cluster(self, *, name: str = "", ClusterName: str = "") -> dict[str, Any]:  # noqa: N803 - boto's
        self.asked.append(name or ClusterName)
        if self.error is not None:
            raise self.error
        return {"cluster": self.eks} if name else self.hyperpod

    def lookup(self, cluster: ClusterRef | None = None, **given: str) -> ClusterLookup:
        cluster = cluster or ClusterRef(hyperpod="ml-research")
        return ClusterLookup(cluster=cluster, apis=self.apis(), clock=self, given=GivenCluster(**given))


@pytest.fixture
def aws() -> FakeAws:
    return FakeAws()


class TestLookup:
    def test_the_eks_name_is_that_of_the_hyperpod_clusters_orchestrator(self, aws: FakeAws) -> None:
        lookup = aws.lookup()

        assert lookup.eks_name() == "ml-eks"
        assert lookup.endpoint() == Endpoint(url="https://one.eks", ca_pem=PEM)
        assert aws.asked == ["ml-research", "ml-eks"]

    def test_nothing_is_asked_before_it_is_needed(self, aws: FakeAws) -> None:
        aws.lookup()

        assert aws.asked == []

    @pytest.mark.parametrize(
        ("cluster", "given"),
        [(ClusterRef(eks="ml-eks"), {}), (ClusterRef(hyperpod="ml-research"), {"eks_name": "ml-eks"})],
    )
    def test_a_name_that_is_given_is_not_looked_up(
        self, aws: FakeAws, cluster: ClusterRef, given: dict[str, str]
    ) -> None:
        assert aws.lookup(cluster, **given).eks_name() == "ml-eks"
        assert aws.asked == []

    def test_an_endpoint_that_is_given_is_not_looked_up(self, aws: FakeAws) -> None:
        lookup = aws.lookup(url="https://given", certificate_authority=CA)
        lookup.refresh()

        assert lookup.endpoint() == Endpoint(url="https://given", ca_pem=PEM)
        assert aws.asked == []

    def test_the_endpoint_is_kept_for_fifteen_minutes_and_the_name_for_good(self, aws: FakeAws) -> None:
        lookup = aws.lookup()
        lookup.endpoint()

        aws.at = NOW + timedelta(minutes=15) - timedelta(seconds=1)
        lookup.endpoint()
        assert aws.asked == ["ml-research", "ml-eks"]
        aws.at = NOW + timedelta(minutes=15)
        lookup.endpoint()
        assert aws.asked == ["ml-research", "ml-eks", "ml-eks"]

    def test_a_refresh_reads_endpoint_and_ca_anew(self, aws: FakeAws) -> None:
        lookup = aws.lookup()
        lookup.endpoint()
        aws.eks["endpoint"] = "https://two.eks"

        lookup.refresh()

        assert lookup.endpoint().url == "https://two.eks"

    def test_where_aws_does_not_answer_the_endpoint_from_before_stays_for_another_minute(self, aws: FakeAws) -> None:
        lookup = aws.lookup()
        lookup.endpoint()
        aws.at, aws.error = NOW + timedelta(minutes=20), failure("ThrottlingException")

        assert lookup.endpoint().url == "https://one.eks"
        assert lookup.endpoint().url == "https://one.eks"
        assert aws.asked.count("ml-eks") == 2
        aws.at += timedelta(minutes=1)
        lookup.endpoint()
        assert aws.asked.count("ml-eks") == 3

    def test_after_a_refresh_there_is_no_endpoint_from_before(self, aws: FakeAws) -> None:
        lookup = aws.lookup()
        lookup.endpoint()
        lookup.refresh()
        aws.error = failure("ThrottlingException")

        with pytest.raises(ClusterUnavailable, match="eks:DescribeCluster on ml-eks failed: ThrottlingException"):
            lookup.endpoint()

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (failure("AccessDeniedException"), NotPermitted),
            (failure("AccessDenied"), NotPermitted),
            (failure("ResourceNotFoundException"), ClusterUnavailable),
            (ConnectTimeoutError(endpoint_url="https://eks"), ClusterUnavailable),
            (TimeoutError("0.1 s are left"), ClusterUnavailable),
        ],
    )
    def test_a_failure_names_action_and_cluster(
        self, aws: FakeAws, error: Exception, expected: type[Exception]
    ) -> None:
        aws.error = error

        with pytest.raises(expected, match="eks:DescribeCluster on ml-eks failed"):
            aws.lookup(ClusterRef(eks="ml-eks")).endpoint()
        with pytest.raises(expected, match="sagemaker:DescribeCluster on ml-research failed"):
            aws.lookup().eks_name()

    @pytest.mark.parametrize("orchestrator", [None, {}, {"Eks": {}}, {"Slurm": {}}])
    def test_a_hyperpod_cluster_without_eks_is_said_to_be_one(
        self, aws: FakeAws, orchestrator: dict[str, Any] | None
    ) -> None:
        aws.hyperpod.pop("Orchestrator")
        if orchestrator is not None:
            aws.hyperpod["Orchestrator"] = orchestrator

        with pytest.raises(ClusterUnavailable, match="ml-research names no EKS cluster"):
            aws.lookup().endpoint()

    @pytest.mark.parametrize("missing", ["endpoint", "certificateAuthority"])
    def test_a_cluster_that_is_being_created_has_no_endpoint(self, aws: FakeAws, missing: str) -> None:
        aws.eks.pop(missing)
        aws.eks["status"] = "CREATING"

        with pytest.raises(ClusterUnavailable, match="EKS cluster ml-eks is CREATING: it has no endpoint yet"):
            aws.lookup().endpoint()

    @pytest.mark.parametrize("data", ["not base64!", base64.b64encode("ü".encode()).decode()])
    def test_a_ca_that_cannot_be_read_is_an_error(self, aws: FakeAws, data: str) -> None:
        aws.eks["certificateAuthority"] = {"data": data}

        with pytest.raises(ClusterUnavailable, match="not base64 of PEM"):
            aws.lookup().endpoint()

    def test_a_lookup_has_little_time(self, aws: FakeAws) -> None:
        aws.lookup().endpoint()

        assert aws.budgets == [5.0, 5.0]


@dataclass(slots=True)
class Moment:
    def remaining_seconds(self) -> float:
        return 7.0


def autoscaling(aws: FakeAws, cluster: ClusterRef | None = None) -> AutoScaling:
    provider = HyperPodProvider(apis=aws.apis(), clock=aws)
    return provider.autoscaling(cluster or ClusterRef(hyperpod="ml-research"), Moment())


class TestAutoScaling:
    @pytest.mark.parametrize(
        ("block", "expected", "text"),
        [
            (IN_SERVICE, True, "InService"),
            ({**IN_SERVICE, "Status": "Failed", "FailureMessage": "role"}, False, "is Failed: role"),
            ({**IN_SERVICE, "Status": "Creating"}, False, "is Creating"),
            ({**IN_SERVICE, "Mode": "Disable"}, False, "is disabled"),
            ({}, None, "reports no AutoScaling"),
            (None, None, "reports no AutoScaling"),
        ],
    )
    def test_the_status_is_aws_own_word(
        self, aws: FakeAws, block: dict[str, str] | None, expected: object, text: str
    ) -> None:
        if block is not None:
            aws.hyperpod["AutoScaling"] = block

        answer = autoscaling(aws)

        assert answer.in_service is expected
        assert text in answer.text

    def test_plain_eks_has_no_status_and_is_not_asked(self, aws: FakeAws) -> None:
        assert autoscaling(aws, ClusterRef(eks="ml-eks")) == AutoScaling(
            in_service=True, text="plain EKS has no autoscaling status"
        )
        assert aws.asked == []

    @pytest.mark.parametrize("error", [failure("AccessDenied"), failure("Throttling"), TimeoutError("late")])
    def test_a_failure_is_unknown_and_says_why(self, aws: FakeAws, error: Exception) -> None:
        aws.error = error

        answer = autoscaling(aws)

        assert answer.in_service is None
        assert "sagemaker:DescribeCluster on ml-research failed" in answer.text

    def test_an_answer_is_kept_for_five_minutes(self, aws: FakeAws) -> None:
        aws.hyperpod["AutoScaling"] = IN_SERVICE
        provider, cluster = HyperPodProvider(apis=aws.apis(), clock=aws), ClusterRef(hyperpod="ml-research")
        provider.autoscaling(cluster, Moment())
        aws.hyperpod["AutoScaling"] = {**IN_SERVICE, "Status": "Failed"}

        aws.at = NOW + timedelta(minutes=5) - timedelta(seconds=1)
        assert provider.autoscaling(cluster, Moment()).in_service
        aws.at = NOW + timedelta(minutes=5)
        assert provider.autoscaling(cluster, Moment()).in_service is False
        assert aws.budgets == [7.0, 7.0]

    def test_a_failure_is_not_kept(self, aws: FakeAws) -> None:
        provider, cluster = HyperPodProvider(apis=aws.apis(), clock=aws), ClusterRef(hyperpod="ml-research")
        aws.error = failure("Throttling")
        provider.autoscaling(cluster, Moment())
        aws.error, aws.hyperpod["AutoScaling"] = None, IN_SERVICE

        assert provider.autoscaling(cluster, Moment()).in_service


def test_requests_and_answers_are_those_of_the_services_themselves() -> None:
    """Stubber checks both against botocore's service models."""
    session = Session()
    eks = session.create_client("eks", region_name="eu-central-1")
    sagemaker = session.create_client("sagemaker", region_name="eu-central-1")
    fake = FakeAws()
    apis = ClusterApis(eks=lambda _: cast("Any", eks), sagemaker=lambda _: cast("Any", sagemaker))
    with Stubber(eks) as eks_stub, Stubber(sagemaker) as sagemaker_stub:
        sagemaker_stub.add_response("describe_cluster", HYPERPOD, {"ClusterName": "ml-research"})
        eks_stub.add_response("describe_cluster", {"cluster": EKS}, {"name": "ml-eks"})
        lookup = ClusterLookup(cluster=ClusterRef(hyperpod="ml-research"), apis=apis, clock=fake)

        assert lookup.endpoint().url == "https://one.eks"

        sagemaker_stub.add_response(
            "describe_cluster", {**HYPERPOD, "AutoScaling": IN_SERVICE}, {"ClusterName": "ml-research"}
        )
        provider = HyperPodProvider(apis=apis, clock=fake)
        assert provider.autoscaling(ClusterRef(hyperpod="ml-research"), Moment()).in_service
