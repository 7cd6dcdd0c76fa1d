"""cdk-nag over the app: every finding that stays is acknowledged where it arises, with its reason."""

from aws_cdk import Acknowledgment, App, Validations
from cdk_nag import AwsSolutionsChecks
from constructs import IConstruct

from infra.stack import WarmpoolStack


def add_checks(app: App) -> None:
    """Let a finding that nobody has acknowledged fail the synthesis."""
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def acknowledge_findings(stack: WarmpoolStack) -> None:
    """Acknowledge, at the narrowest construct, what is as it must be."""
    _acknowledge(
        stack.tick.dead_letters,
        "AwsSolutions-SQS3",
        "This queue is itself where EventBridge Scheduler puts ticks that it could not deliver; cdk-nag knows only"
        " dead-letter queues of other queues.",
    )
    for function in stack.functions:
        _acknowledge(
            function.function,
            "AwsSolutions-L1",
            "Python 3.13 is one version behind by choice: it is the newest on which the tests import the locked wheels"
            " of the dependency layer, and Lambda supports it until 2029.",
        )
        _acknowledge(
            function.role.node.find_child("DefaultPolicy"),
            "AwsSolutions-IAM5[Resource::*]",
            "xray:PutTraceSegments and xray:PutTelemetryRecords, and in a VPC the calls on network interfaces, know no"
            " resource-level permissions; infra tests list every statement of the policy.",
        )
    _acknowledge_policy(stack)


def _acknowledge_policy(stack: WarmpoolStack) -> None:
    policy = stack.reconciler.role.node.find_child("DefaultPolicy")
    aws = "<AWS::Region>:<AWS::AccountId>"
    _acknowledge(
        policy,
        f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ssm:{aws}:parameter{stack.settings.parameter_prefix}/*]",
        "The controller reads the specs, overrides and stop switch of its own stack; operators create overrides at"
        " run time, so their names cannot be listed here.",
    )
    if stack.settings.hyperpod_cluster is not None:
        _acknowledge(
            policy,
            f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sagemaker:{aws}:cluster/*]",
            "A HyperPod cluster's ARN ends in twelve characters that AWS draws, not in its name, and the synthesis"
            " asks no network for them; the one action granted only reads.",
        )


def _acknowledge(construct: IConstruct, finding: str, reason: str) -> None:
    Validations.of(construct).acknowledge(Acknowledgment(id=finding, reason=reason))
