"""cdk-nag fails the synthesis, and what is acknowledged is acknowledged in one place with a reason."""

import json
from pathlib import Path

import pytest
from aws_cdk import App, Validations
from aws_cdk import aws_sqs as sqs

from infra.app import build
from tests.infra.synthesis import ROOT

ARN = "arn:<AWS::Partition>:%s:<AWS::Region>:<AWS::AccountId>:%s"
ACKNOWLEDGED = {
    "Tick/DeadLetters": {"AwsSolutions-SQS3"},
    "Reconciler/Function": {"AwsSolutions-L1"},
    "Reconciler/Role/DefaultPolicy": {
        "AwsSolutions-IAM5[Resource::*]",
        f"AwsSolutions-IAM5[Resource::{ARN % ('ssm', 'parameter/warmpool/warmpool-ml-research/*')}]",
        f"AwsSolutions-IAM5[Resource::{ARN % ('sagemaker', 'cluster/*')}]",
    },
}


def app(folder: Path) -> App:
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    return App(context={**context, "aws:cdk:bundling-stacks": []}, outdir=str(folder))


def test_a_finding_that_nobody_has_acknowledged_fails_the_synthesis(tmp_path: Path) -> None:
    tried = app(tmp_path)
    stack = build(tried)
    sqs.Queue(stack, "PlainText")

    with pytest.raises(RuntimeError, match="ValidationFailed"):
        tried.synth()

    report = (tmp_path / "validation-report.json").read_text()
    assert "AwsSolutions-SQS4" in report
    assert "PlainText" in report


def test_nothing_is_acknowledged_beside_the_known_findings(tmp_path: Path) -> None:
    stack = build(app(tmp_path))

    found: dict[str, set[str]] = {}
    for construct in stack.node.find_all():
        for entry in construct.node.metadata:
            if entry.type == Validations.ACKNOWLEDGED_RULES_METADATA_KEY:
                path = construct.node.path.partition("/")[2]
                found.setdefault(path, set()).update(rule.removeprefix("Annotation::") for rule in entry.data)
    assert found == ACKNOWLEDGED
