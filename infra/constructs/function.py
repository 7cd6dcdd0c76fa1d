"""ControllerFunction: the one shape that every Lambda function of the controller has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aws_cdk import CfnResource, Duration, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.constructs.layers import ARCHITECTURE, RUNTIME
from infra.constructs.network import FunctionNetwork

_NOT_SHIPPED: Final = ("**/__pycache__", "__init__.py", "**/.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionShape:
    """What differs between functions; the rest is decided in ControllerFunction."""

    folder: Path
    """functions/<name>, with handler.py in it."""
    description: str
    timeout: Duration
    layers: Sequence[lambda_.ILayerVersion]
    environment: Mapping[str, str] = field(default_factory=dict)
    network: FunctionNetwork | None = None


class ControllerFunction(Construct):
    """A function with its own role, which may write its log and traces and nothing else until `allow` is called.

    No reserved concurrency: the queue's one message group already means one pass at a time, and a reservation
    below what the pollers start with is throttled and burns receives into the dead letters.
    """

    def __init__(self, scope: Construct, construct_id: str, shape: FunctionShape) -> None:
        super().__init__(scope, construct_id)
        self.log_group = logs.LogGroup(
            self, "Log", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        )
        self.role = iam.Role(
            self,
            "Role",
            description=shape.description,
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        )
        self.allow("WriteLog", ["logs:CreateLogStream", "logs:PutLogEvents"], [self.log_group.log_group_arn])
        if shape.network is not None:
            shape.network.admit(self.role)
        self.function = self._function(shape)
        # CDK names the role as a dependency beside its policy, which cfn-lint finds said twice.
        _default_child(self.function).add_metadata("cfn-lint", {"config": {"ignore_checks": ["W3005"]}})

    def allow(self, sid: str, actions: Sequence[str], resources: Sequence[str]) -> None:
        """Give the role one statement; its name is what the tests and an auditor look for."""
        self.role.add_to_policy(iam.PolicyStatement(sid=sid, actions=list(actions), resources=list(resources)))

    def _function(self, shape: FunctionShape) -> lambda_.Function:
        network = shape.network
        return lambda_.Function(
            self,
            "Function",
            description=shape.description,
            code=lambda_.Code.from_asset(str(shape.folder), exclude=list(_NOT_SHIPPED)),
            handler="handler.handler",
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            memory_size=512,
            timeout=shape.timeout,
            layers=list(shape.layers),
            environment=dict(shape.environment),
            role=self.role,
            log_group=self.log_group,
            logging_format=lambda_.LoggingFormat.JSON,
            tracing=lambda_.Tracing.ACTIVE,
            vpc=network.vpc if network else None,
            vpc_subnets=ec2.SubnetSelection(subnets=network.subnets) if network else None,
            security_groups=[network.security_group] if network else None,
        )


def _default_child(construct: Construct) -> CfnResource:
    child = construct.node.default_child
    if not isinstance(child, CfnResource):
        raise TypeError(f"{construct.node.path} has no CloudFormation resource of its own")
    return child
