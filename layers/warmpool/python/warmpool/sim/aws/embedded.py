"""The embedded AWS: one account and region with everything that a stack deploys or finds."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from moto import mock_aws

from warmpool.settings import REGION_VARIABLE, Settings
from warmpool.sim.aws.gaps.eks_endpoint import KubernetesEndpoint, eks_endpoint
from warmpool.sim.aws.gaps.fifo_deduplication import fifo_deduplication
from warmpool.sim.aws.gaps.hyperpod_description import HyperPodDescriptions, hyperpod_description
from warmpool.sim.aws.gaps.ordered_failures import AwsFailures, ordered_failures
from warmpool.sim.aws.gaps.quick_names import quick_names
from warmpool.sim.aws.gaps.quick_transactions import quick_transactions
from warmpool.sim.aws.gaps.untracked_models import untracked_models
from warmpool.sim.aws.gaps.virtual_clock import virtual_clock
from warmpool.sim.aws.identity import AwsIdentity
from warmpool.sim.aws.resources import (
    Queues,
    create_eks_cluster,
    create_hyperpod_cluster,
    create_queues,
    create_table,
)
from warmpool.sim.aws.session import quick_session

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_eks import EKSClient
    from mypy_boto3_sagemaker import SageMakerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient

_ADVANCED_FROM_CHARACTERS: Final = 4096
# A profile, an endpoint or a proxy of this machine would lead out of the embedded world.
_HIDDEN_PREFIXES: Final = ("AWS_", "WARMPOOL_", "LAMBDA_")
_CUT_OFF: Final = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
    "POWERTOOLS_TRACE_DISABLED": "true",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsNames:
    """What things are called."""

    stack: str = "warmpool-demo"
    region: str = "eu-central-1"
    hyperpod_cluster: str = "ml-research"
    eks_cluster: str = "ml-research-eks"

    @property
    def table(self) -> str:
        """The ledger's table."""
        return f"{self.stack}-ledger"


class EmbeddedAws:
    """moto with its gaps filled, while it is entered: the process then looks like the function's own environment.

    SQS lives by `now`. Nothing leaves the process. Enter it before a module is imported that makes AWS sessions.
    """

    def __init__(
        self,
        names: AwsNames,
        *,
        now: Callable[[], datetime],
        endpoint: KubernetesEndpoint,
        identity: AwsIdentity | None = None,
    ) -> None:
        """Take the names, the virtual clock and where the EKS cluster's API answers."""
        self.names = names
        self.now = now
        self.identity = identity or AwsIdentity()
        self._endpoint = endpoint
        self._stack = ExitStack()

    ssm: "SSMClient"
    sqs: "SQSClient"
    dynamodb: "DynamoDBClient"
    sagemaker: "SageMakerClient"
    eks: "EKSClient"
    queues: Queues
    failures: AwsFailures
    hyperpod: HyperPodDescriptions

    def __enter__(self) -> Self:
        """Start moto and create the resources."""
        with ExitStack() as stack:
            stack.enter_context(_process_environment(self._process_variables()))
            stack.enter_context(mock_aws(config={"core": {"mock_credentials": False}}))
            stack.enter_context(quick_names())
            stack.enter_context(quick_transactions())
            stack.enter_context(untracked_models())
            stack.enter_context(virtual_clock(self.now))
            stack.enter_context(fifo_deduplication())
            stack.enter_context(eks_endpoint({self.names.eks_cluster: self._endpoint}))
            self.hyperpod = stack.enter_context(hyperpod_description())
            self.failures = stack.enter_context(ordered_failures())
            self._create()
            stack.enter_context(_process_environment(self.environment()))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put moto and the process' environment back as they were."""
        self._stack.close()

    def settings(self) -> Settings:
        """Return the function's settings, as infra would fill them."""
        return Settings(
            stack=self.names.stack,
            region=self.names.region,
            table=self.names.table,
            dead_letter_queue_url=self.queues.dead_letters_url,
            hyperpod_cluster=self.names.hyperpod_cluster,
        )

    def environment(self) -> dict[str, str]:
        """Return the variables that the function runs with: ours, and those that Lambda sets."""
        return {**self._process_variables(), **self.settings().environment()}

    def put_specs(self, documents: Mapping[str, str]) -> None:
        """Write every pool's spec (`load_spec_file(...).runtime_documents`), as a deployment does."""
        for pool, document in documents.items():
            self.put_spec(pool, document)

    def put_spec(self, pool: str, document: str) -> None:
        """Write a pool's spec, as a deployment does."""
        self._put(f"{pool}/spec", document)

    def put_override(self, pool: str, document: str) -> None:
        """Write a pool's override, as an operator does."""
        self._put(f"{pool}/override", document)

    def put_stop(self, document: str) -> None:
        """Write the stop switch."""
        self._put("stop", document)

    def delete_parameter(self, name: str) -> None:
        """Remove a parameter below the stack's path ("spaces-cpu/override", "stop")."""
        self.ssm.delete_parameter(Name=f"{self.settings().parameter_prefix}/{name}")

    def dead_letters(self) -> list[str]:
        """Return the bodies in the dead-letter queue, ten at most, and leave them there."""
        answer = self.sqs.receive_message(
            QueueUrl=self.queues.dead_letters_url, MaxNumberOfMessages=10, VisibilityTimeout=0
        )
        return [message["Body"] for message in answer.get("Messages", [])]

    def _put(self, name: str, document: str) -> None:
        self.ssm.put_parameter(
            Name=f"{self.settings().parameter_prefix}/{name}",
            Value=document,
            Type="String",
            Tier="Advanced" if len(document) > _ADVANCED_FROM_CHARACTERS else "Standard",
            Overwrite=True,
        )

    def _create(self) -> None:
        session: Any = quick_session()
        self.ssm, self.sqs, self.dynamodb, self.sagemaker, self.eks = (
            session.create_client(service, region_name=self.names.region)
            for service in ("ssm", "sqs", "dynamodb", "sagemaker", "eks")
        )
        self.queues = create_queues(self.sqs, stack=self.names.stack, region=self.names.region)
        create_table(self.dynamodb, self.names.table)
        eks_arn = create_eks_cluster(self.eks, self.names.eks_cluster)
        create_hyperpod_cluster(self.sagemaker, self.names.hyperpod_cluster, eks_arn=eks_arn)

    def _process_variables(self) -> dict[str, str]:
        region = self.names.region
        return {**_CUT_OFF, REGION_VARIABLE: region, "AWS_DEFAULT_REGION": region, **self.identity.environment()}


@contextmanager
def _process_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let the process have these variables and no others of AWS' or ours; afterwards it is as it was."""
    environ = os.environ  # noqa: TID251 - the embedded world is made here, not read
    before = dict(environ)
    for name in [name for name in environ if name.startswith(_HIDDEN_PREFIXES)]:
        del environ[name]
    environ.update(variables)
    try:
        yield
    finally:
        environ.clear()
        environ.update(before)
