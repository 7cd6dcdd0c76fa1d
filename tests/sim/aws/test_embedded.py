"""What the embedded AWS tells, and what it leaves behind."""

import base64
import os
from typing import Protocol

import botocore.session
import pytest
from botocore.exceptions import ClientError
from cryptography import x509
from moto.core.common_models import BaseModel
from moto.eks.models import EKSBackend
from moto.sqs import models as sqs_models
from moto.sqs.models import Queue

from warmpool.adapters.memory import FixedClock
from warmpool.settings import Settings
from warmpool.sim.api.certificates import issue_certificates
from warmpool.sim.aws.embedded import AwsNames, EmbeddedAws
from warmpool.sim.aws.gaps.replacing import replaced


class Endpoint(Protocol):
    url: str
    ca_pem: bytes


def test_the_eks_cluster_has_our_endpoint_and_a_real_authority(aws: EmbeddedAws, endpoint: Endpoint) -> None:
    cluster = aws.eks.describe_cluster(name="ml-research-eks")["cluster"]
    assert cluster["endpoint"] == endpoint.url
    pem = base64.b64decode(cluster["certificateAuthority"]["data"])
    assert x509.load_pem_x509_certificate(pem).subject.rfc4514_string() == "CN=kubernetes"
    assert cluster["accessConfig"] == {"authenticationMode": "API_AND_CONFIG_MAP"}
    assert cluster["resourcesVpcConfig"]["clusterSecurityGroupId"].startswith("sg-")
    assert cluster["resourcesVpcConfig"]["subnetIds"], "what was given stays"
    assert cluster["status"] == "ACTIVE"


def test_a_rotated_authority_is_told_by_the_next_description(aws: EmbeddedAws, endpoint: Endpoint) -> None:
    before = aws.eks.describe_cluster(name="ml-research-eks")["cluster"]["certificateAuthority"]
    endpoint.ca_pem = issue_certificates().ca_pem
    assert aws.eks.describe_cluster(name="ml-research-eks")["cluster"]["certificateAuthority"] != before


def test_the_hyperpod_cluster_leads_to_the_eks_cluster(aws: EmbeddedAws) -> None:
    cluster = aws.sagemaker.describe_cluster(ClusterName="ml-research")
    assert cluster["Orchestrator"]["Eks"]["ClusterArn"].endswith(":cluster/ml-research-eks")
    assert cluster["NodeProvisioningMode"] == "Continuous"
    assert cluster["AutoScaling"] == {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"}
    assert cluster["ClusterStatus"] == "InService"


def test_autoscaling_can_fail_and_recover(aws: EmbeddedAws) -> None:
    sagemaker = aws.sagemaker
    aws.hyperpod.set_autoscaling("ml-research", status="Failed", failure="no role")
    told = sagemaker.describe_cluster(ClusterName="ml-research")["AutoScaling"]
    assert (told["Status"], told["FailureMessage"]) == ("Failed", "no role")
    aws.hyperpod.set_autoscaling("ml-research", status="InService")
    assert sagemaker.describe_cluster(ClusterName="ml-research")["AutoScaling"]["Status"] == "InService"


def test_the_queue_and_its_dead_letters_are_as_deployed(aws: EmbeddedAws) -> None:
    sqs = aws.sqs
    told = sqs.get_queue_attributes(QueueUrl=aws.queues.url, AttributeNames=["All"])["Attributes"]
    assert (told["FifoQueue"], told["ContentBasedDeduplication"]) == ("true", "true")
    assert (told["VisibilityTimeout"], told["MessageRetentionPeriod"]) == ("90", "3600")
    assert '"maxReceiveCount": 3' in told["RedrivePolicy"]


def test_the_table_has_the_ledgers_keys_and_lets_items_expire(aws: EmbeddedAws) -> None:
    dynamodb, name = aws.dynamodb, aws.names.table
    keys = dynamodb.describe_table(TableName=name)["Table"]["KeySchema"]
    assert [(key["AttributeName"], key["KeyType"]) for key in keys] == [("pk", "HASH"), ("sk", "RANGE")]
    expiry = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert (expiry["AttributeName"], expiry["TimeToLiveStatus"]) == ("expires", "ENABLED")


def test_documents_are_written_over_and_removed(aws: EmbeddedAws) -> None:
    aws.put_spec("spaces-cpu", "{}")
    aws.put_spec("spaces-cpu", "x" * 5000)
    aws.put_override("spaces-cpu", '{"min": 5}')
    aws.put_stop('{"mode": "freeze"}')
    aws.delete_parameter("spaces-cpu/override")
    found = aws.ssm.get_parameters_by_path(Path="/warmpool/warmpool-demo", Recursive=True)["Parameters"]
    assert {each["Name"]: len(each["Value"]) for each in found} == {
        "/warmpool/warmpool-demo/spaces-cpu/spec": 5000,
        "/warmpool/warmpool-demo/stop": 18,
    }


def test_the_process_looks_like_the_function(aws: EmbeddedAws) -> None:
    assert Settings.from_env(aws.environment()) == aws.settings()
    assert Settings.from_env(os.environ) == aws.settings()
    credentials = botocore.session.Session().get_credentials()
    assert credentials is not None
    assert (credentials.access_key, credentials.token) == (aws.identity.access_key, aws.identity.session_token)


def test_moto_and_the_environment_are_as_before_when_it_ends(
    clock: FixedClock, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "somebodys")
    monkeypatch.setenv("WARMPOOL_STACK", "another")

    def parts() -> list[object]:
        return [Queue.add_message, EKSBackend.describe_cluster, BaseModel.__new__, vars(sqs_models)["unix_time"]]

    before, environment = parts(), dict(os.environ)
    with EmbeddedAws(AwsNames(), now=clock.now, endpoint=endpoint):
        assert all(new is not old for new, old in zip(parts(), before, strict=True))
        assert "AWS_PROFILE" not in os.environ
    assert parts() == before
    assert dict(os.environ) == environment


def test_it_can_be_entered_twice_and_starts_empty(clock: FixedClock, endpoint: Endpoint) -> None:
    for _ in range(2):
        with EmbeddedAws(AwsNames(), now=clock.now, endpoint=endpoint) as aws:
            assert aws.ssm.get_parameters_by_path(Path="/warmpool", Recursive=True)["Parameters"] == []
            aws.put_spec("p", "{}")


def test_other_regions_are_other_names_only(clock: FixedClock, endpoint: Endpoint) -> None:
    names = AwsNames(stack="prod", region="us-west-2", hyperpod_cluster="hp", eks_cluster="eks")
    with EmbeddedAws(names, now=clock.now, endpoint=endpoint) as aws:
        assert aws.queues.arn == "arn:aws:sqs:us-west-2:123456789012:prod-reconcile.fifo"
        assert aws.sagemaker.describe_cluster(ClusterName="hp")["Orchestrator"]["Eks"]


def test_a_call_can_be_told_to_fail(aws: EmbeddedAws) -> None:
    ssm = aws.ssm
    aws.failures.order("GetParametersByPath", "AccessDeniedException")
    with pytest.raises(ClientError, match="AccessDeniedException"):
        ssm.get_parameters_by_path(Path="/warmpool")
    assert ssm.get_parameters_by_path(Path="/warmpool")["Parameters"] == []


def test_a_throttled_call_is_tried_again_by_the_sdk(aws: EmbeddedAws) -> None:
    aws.failures.order("DescribeCluster", "ThrottlingException", times=1)
    assert aws.sagemaker.describe_cluster(ClusterName="ml-research")["ClusterName"] == "ml-research"


def test_what_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(AttributeError), replaced(Queue, "no_such_method", None):
        pass
