"""Every right that the stack grants, statement by statement: one more or one less fails."""

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import grimp

from tests.infra.synthesis import ROOT, Synthesis, synthesise

RECONCILER = "Reconciler/Role"
TICK = "Tick/Role"
ARN = "arn:${AWS::Partition}:%s:${AWS::Region}:${AWS::AccountId}:%s"
PACKAGES = ROOT / "layers/warmpool/python"
ACTION = re.compile(r"(dynamodb|eks|sagemaker|sqs|ssm):[A-Z][A-Za-z]+")
PARAMETERS = ARN % ("ssm", "parameter/warmpool/warmpool-ml-research")

Statements = set[tuple[frozenset[str], frozenset[str]]]

LOG = (frozenset({"logs:CreateLogStream", "logs:PutLogEvents"}), frozenset({"<Reconciler/Log>.Arn"}))
TRACES = (frozenset({"xray:PutTelemetryRecords", "xray:PutTraceSegments"}), frozenset({"*"}))
MESSAGES = (
    frozenset(
        {
            "sqs:ChangeMessageVisibility",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
            "sqs:GetQueueUrl",
            "sqs:ReceiveMessage",
        }
    ),
    frozenset({"<Reconcile/Queue>.Arn"}),
)
DEAD_LETTERS = (frozenset({"sqs:SendMessage"}), frozenset({"<Reconcile/DeadLetters>.Arn"}))
LEDGER = (
    frozenset({"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"}),
    frozenset({"<Ledger/Table>.Arn"}),
)
SETTINGS = (frozenset({"ssm:GetParametersByPath"}), frozenset({PARAMETERS, f"{PARAMETERS}/*"}))
ENDPOINT = (frozenset({"eks:DescribeCluster"}), frozenset({ARN % ("eks", "cluster/ml-research-eks")}))
HYPERPOD = (frozenset({"sagemaker:DescribeCluster"}), frozenset({ARN % ("sagemaker", "cluster/*")}))
INTERFACES = (
    frozenset(
        {
            "ec2:AssignPrivateIpAddresses",
            "ec2:CreateNetworkInterface",
            "ec2:DeleteNetworkInterface",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSubnets",
            "ec2:UnassignPrivateIpAddresses",
        }
    ),
    frozenset({"*"}),
)
SEND_TICKS = (
    frozenset({"sqs:SendMessage"}),
    frozenset({"<Reconcile/Queue>.Arn", "<Tick/DeadLetters>.Arn"}),
)


def granted(statements: Iterable[Mapping[str, Any]]) -> Statements:
    """Return (actions, resources) of each statement; a shape that hides a right fails here."""
    rights: Statements = set()
    for statement in statements:
        assert set(statement) <= {"Sid", "Effect", "Action", "Resource"}
        assert statement["Effect"] == "Allow"
        rights.add((_texts(statement["Action"]), _texts(statement["Resource"])))
    return rights


def _texts(value: object) -> frozenset[str]:
    return frozenset(map(str, value if isinstance(value, list) else [value]))


def test_the_reconciler_may_do_what_it_does_and_nothing_else(synthesis: Synthesis) -> None:
    expected = {LOG, TRACES, MESSAGES, DEAD_LETTERS, LEDGER, SETTINGS, ENDPOINT, HYPERPOD}

    assert granted(synthesis.statements(RECONCILER)) == expected


def test_in_a_vpc_it_may_also_have_network_interfaces(private_synthesis: Synthesis) -> None:
    expected = {LOG, TRACES, MESSAGES, DEAD_LETTERS, LEDGER, SETTINGS, ENDPOINT, HYPERPOD, INTERFACES}

    assert granted(private_synthesis.statements(RECONCILER)) == expected


def test_the_schedule_may_send_ticks_and_nothing_else(synthesis: Synthesis) -> None:
    assert granted(synthesis.statements(TICK)) == {SEND_TICKS}


def test_outside_hyperpod_no_right_on_sagemaker_is_given(tmp_path: Path) -> None:
    (tmp_path / "eks.yaml").write_text(
        (ROOT / "infra/pools.yaml").read_text().replace("{hyperpod: ml-research}", "{eks: plain-eks}")
    )

    synthesis = synthesise(
        tmp_path / "cdk", {"spec": str(tmp_path / "eks.yaml"), "eksCluster": "", "stackName": "plain"}
    )

    actions = {action for actions, _ in granted(synthesis.statements(RECONCILER)) for action in actions}
    assert not [action for action in actions if action.startswith("sagemaker:")]
    assert synthesis.resources("AWS::EKS::AccessEntry")["ClusterAccess/Entry"]["ClusterName"] == "plain-eks"


def test_no_role_takes_a_policy_that_others_write(synthesis: Synthesis, private_synthesis: Synthesis) -> None:
    for each in (synthesis, private_synthesis):
        for properties in each.resources("AWS::IAM::Role").values():
            assert "ManagedPolicyArns" not in properties


def test_resource_policies_deny_plain_text_and_let_only_the_own_rules_and_alarms_in(synthesis: Synthesis) -> None:
    allowed = [
        statement
        for kind in ("AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy")
        for properties in synthesis.resources(kind).values()
        for statement in synthesis.resolve(properties["PolicyDocument"]["Statement"])
        if statement["Effect"] == "Allow"
    ]

    chat = "Alarms/Chat/Rule"
    others = [path for path in synthesis.resources("AWS::Events::Rule") if path != chat]
    rules = {"ArnEquals": {"aws:SourceArn": [f"<{path}>.Arn" for path in others]}}
    assert allowed == [
        *(
            {
                "Sid": "EventsOfThisStack",
                "Effect": "Allow",
                "Action": "sqs:SendMessage",
                "Principal": {"Service": "events.amazonaws.com"},
                "Resource": queue,
                "Condition": rules,
            }
            for queue in ("<Reconcile/Queue>.Arn", "<Tick/DeadLetters>.Arn")
        ),
        {
            "Sid": "AlarmsOfThisStack",
            "Effect": "Allow",
            "Action": "sns:Publish",
            "Principal": {"Service": "cloudwatch.amazonaws.com"},
            "Resource": "<Alarms/Topic>",
            "Condition": {"ArnLike": {"aws:SourceArn": ARN % ("cloudwatch", "alarm:warmpool-ml-research-*")}},
        },
        {
            "Sid": "AlarmEventsOfThisStack",
            "Effect": "Allow",
            "Action": "sns:Publish",
            "Principal": {"Service": "events.amazonaws.com"},
            "Resource": "<Alarms/Chat/Topic>",
            "Condition": {"ArnEquals": {"aws:SourceArn": f"<{chat}>.Arn"}},
        },
    ]
    assert synthesis.resources("AWS::Lambda::Permission") == {}


def test_what_is_granted_is_what_the_adapters_call(synthesis: Synthesis) -> None:
    """The adapters name the action of each call in its error text; polling and logging are Lambda's own.

    Only what the handler imports counts: the command line has adapters of its own, which run as the operator.
    """
    graph = grimp.build_graph("functions", "warmpool", cache_dir=None)
    called = {
        node.value
        for module in graph.find_upstream_modules("functions.reconcile.handler")
        if module.startswith("warmpool.adapters.aws.")
        for node in ast.walk(ast.parse((PACKAGES / f"{module.replace('.', '/')}.py").read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ACTION.fullmatch(node.value)
    }

    own = granted(synthesis.statements(RECONCILER)) - {LOG, TRACES, MESSAGES}
    assert {name for actions, _ in own for name in actions} == called


def test_only_lambda_and_the_own_schedules_may_take_the_roles(synthesis: Synthesis) -> None:
    trusts = {
        path: synthesis.resolve(properties["AssumeRolePolicyDocument"]["Statement"])
        for path, properties in synthesis.resources("AWS::IAM::Role").items()
    }

    assert trusts == {
        RECONCILER: [{"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}}],
        TICK: [
            {
                "Action": "sts:AssumeRole",
                "Effect": "Allow",
                "Principal": {"Service": "scheduler.amazonaws.com"},
                "Condition": {"StringEquals": {"aws:SourceArn": "<Tick/Group>.Arn"}},
            }
        ],
    }
