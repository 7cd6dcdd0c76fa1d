"""The audit log's subscription: off unless asked for, and then no more than it needs."""

import re

import pytest

from infra.audit_filter import filter_pattern
from infra.config import load_deployment
from tests.infra.synthesis import ROOT, Synthesis
from tests.infra.test_least_privilege import TRACES, granted
from warmpool.adapters.kubernetes import manifests
from warmpool.app.errors import ConfigInvalid
from warmpool.app.ingest import CONTROLLER_GROUP
from warmpool.settings import REGION_VARIABLE, IngestSettings

FUNCTION = "Audit/Ingest/Function"


def test_nothing_of_it_is_there_unless_asked_for(synthesis: Synthesis) -> None:
    assert synthesis.resources("AWS::Logs::SubscriptionFilter") == {}
    assert list(synthesis.resources("AWS::Lambda::Function")) == ["Reconciler/Function"]


def test_the_filter_is_on_the_clusters_log_and_drops_nearly_everything(audit_synthesis: Synthesis) -> None:
    filters = audit_synthesis.resolve(audit_synthesis.resources("AWS::Logs::SubscriptionFilter"))

    assert filters == {
        "Audit/Filter": {
            "DestinationArn": f"<{FUNCTION}>.Arn",
            "FilterName": "warmpool-ml-research-audit",
            "FilterPattern": filter_pattern(["spaces-overprovisioning"]),
            "LogGroupName": "/aws/eks/ml-research-eks/cluster",
        }
    }


def test_its_function_reads_its_settings_from_what_the_stack_sets(audit_synthesis: Synthesis) -> None:
    function = audit_synthesis.resolve(audit_synthesis.resources("AWS::Lambda::Function")[FUNCTION])

    assert IngestSettings.from_env({**function["Environment"]["Variables"], REGION_VARIABLE: "eu-central-1"}) == (
        IngestSettings(
            stack="warmpool-ml-research",
            region="eu-central-1",
            queue_url="<Reconcile/Queue>",
            controller_role="<Reconciler/Role>",
            placeholders=frozenset({("spaces-overprovisioning", "spaces-placeholder-cpu")}),
        )
    )
    assert "VpcConfig" not in function
    assert function["LoggingConfig"] == {"LogFormat": "JSON", "LogGroup": "<Audit/Ingest/Log>"}
    assert function["Role"] == "<Audit/Ingest/Role>.Arn"


def test_it_may_send_into_the_one_queue_and_write_its_log(audit_synthesis: Synthesis) -> None:
    assert granted(audit_synthesis.statements("Audit/Ingest/Role")) == {
        (frozenset({"logs:CreateLogStream", "logs:PutLogEvents"}), frozenset({"<Audit/Ingest/Log>.Arn"})),
        (frozenset({"sqs:SendMessage"}), frozenset({"<Reconcile/Queue>.Arn"})),
        TRACES,
    }


def test_only_that_log_may_invoke_it(audit_synthesis: Synthesis) -> None:
    permissions = audit_synthesis.resolve(audit_synthesis.resources("AWS::Lambda::Permission"))

    assert list(permissions.values()) == [
        {
            "Action": "lambda:InvokeFunction",
            "FunctionName": f"<{FUNCTION}>.Arn",
            "Principal": "logs.amazonaws.com",
            "SourceArn": "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
            "/aws/eks/ml-research-eks/cluster:*",
        }
    ]


def test_a_failed_delivery_is_tried_once_more_and_never_after_a_minute(audit_synthesis: Synthesis) -> None:
    [settings] = audit_synthesis.resources("AWS::Lambda::EventInvokeConfig").values()

    assert (settings["MaximumRetryAttempts"], settings["MaximumEventAgeInSeconds"]) == (1, 60)


def test_its_errors_raise_an_alarm_with_a_place_in_the_runbook(audit_synthesis: Synthesis) -> None:
    alarm = audit_synthesis.resolve(audit_synthesis.resources("AWS::CloudWatch::Alarm")["Alarms/AuditErrors"])

    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "Errors")
    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": f"<{FUNCTION}>"}]
    assert alarm["AlarmActions"] == ["<Alarms/Topic>"]
    found = re.search(r"#([a-z-]+)$", alarm["AlarmDescription"])
    assert found is not None
    assert f"## {found[1]}\n" in (ROOT / "docs/runbook.md").read_text()


def test_our_own_group_is_the_one_that_the_access_entry_gives() -> None:
    assert CONTROLLER_GROUP == manifests.CONTROLLER_GROUP


@pytest.mark.parametrize(
    ("value", "on"), [(True, True), ("true", True), (False, False), ("false", False), (None, False)]
)
def test_the_switch_is_true_or_false(value: object, on: bool) -> None:  # noqa: FBT001 - a table
    given = {"auditEvents": value, "eksCluster": "ml-research-eks"}

    assert load_deployment(given.get, ROOT).audit_events is on


@pytest.mark.parametrize("value", ["yes", "True", 1, [], ["true"]])
def test_a_switch_that_is_neither_is_refused(value: object) -> None:
    given = {"auditEvents": value, "eksCluster": "ml-research-eks"}

    with pytest.raises(ConfigInvalid, match=r"CDK context: auditEvents: is .*, but true or false is expected"):
        load_deployment(given.get, ROOT)
