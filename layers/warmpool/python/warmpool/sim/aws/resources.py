"""What the stack deploys and what it finds, made in moto by the same API calls (see infra/constructs)."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from warmpool.adapters.aws.ledger import EXPIRES, PARTITION_KEY, SORT_KEY
from warmpool.sim.aws.identity import ACCOUNT

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_eks import EKSClient
    from mypy_boto3_sagemaker import SageMakerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

FUNCTION_TIMEOUT_SECONDS: Final = 30
_VISIBILITY_SECONDS: Final = 3 * FUNCTION_TIMEOUT_SECONDS
_RETENTION_SECONDS: Final = 3600
_DEAD_RETENTION_SECONDS: Final = 14 * 86_400
_MAX_RECEIVES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Queues:
    """The reconcile queue and its dead letters, by URL, and the former's ARN."""

    url: str
    arn: str
    dead_letters_url: str


def create_queues(sqs: "SQSClient", *, stack: str, region: str) -> Queues:
    """Create both FIFO queues, as infra/constructs/queue.py does."""
    fifo: dict[QueueAttributeNameType, str] = {
        "FifoQueue": "true",
        "ContentBasedDeduplication": "true",
    }
    dead = f"{stack}-reconcile-dead.fifo"
    dead_letters_url = sqs.create_queue(
        QueueName=dead, Attributes={**fifo, "MessageRetentionPeriod": str(_DEAD_RETENTION_SECONDS)}
    )["QueueUrl"]
    redrive = {"deadLetterTargetArn": f"arn:aws:sqs:{region}:{ACCOUNT}:{dead}", "maxReceiveCount": _MAX_RECEIVES}
    url = sqs.create_queue(
        QueueName=f"{stack}-reconcile.fifo",
        Attributes={
            **fifo,
            "VisibilityTimeout": str(_VISIBILITY_SECONDS),
            "MessageRetentionPeriod": str(_RETENTION_SECONDS),
            "RedrivePolicy": json.dumps(redrive),
        },
    )["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return Queues(url=url, arn=arn, dead_letters_url=dead_letters_url)


def create_table(dynamodb: "DynamoDBClient", name: str) -> None:
    """Create the ledger's table, as infra/constructs/ledger.py does."""
    dynamodb.create_table(
        TableName=name,
        KeySchema=[
            {"AttributeName": PARTITION_KEY, "KeyType": "HASH"},
            {"AttributeName": SORT_KEY, "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": PARTITION_KEY, "AttributeType": "S"},
            {"AttributeName": SORT_KEY, "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": EXPIRES})


def create_eks_cluster(eks: "EKSClient", name: str) -> str:
    """Create the EKS cluster and return its ARN."""
    answer = eks.create_cluster(
        name=name,
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/eks",
        resourcesVpcConfig={"subnetIds": ["subnet-0a1b2c3d", "subnet-1a2b3c4d"]},
    )
    return answer["cluster"]["arn"]


def create_hyperpod_cluster(sagemaker: "SageMakerClient", name: str, *, eks_arn: str) -> None:
    """Create a HyperPod cluster on EKS with managed Karpenter."""
    group: Any = {
        "InstanceGroupName": "system",
        "InstanceType": "ml.m5.2xlarge",
        "InstanceCount": 1,
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lifecycle/hyperpod", "OnCreate": "on_create.sh"},
        "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/hyperpod",
        "ThreadsPerCore": 2,
    }
    sagemaker.create_cluster(
        ClusterName=name,
        InstanceGroups=[group],
        VpcConfig={"SecurityGroupIds": ["sg-0c1a5e2b"], "Subnets": ["subnet-0a1b2c3d"]},
        Orchestrator={"Eks": {"ClusterArn": eks_arn}},
        NodeProvisioningMode="Continuous",
        NodeRecovery="Automatic",
        ClusterRole=f"arn:aws:iam::{ACCOUNT}:role/hyperpod-cluster",
        AutoScaling={"Mode": "Enable", "AutoScalerType": "Karpenter"},
    )
