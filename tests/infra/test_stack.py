"""What is deployed, and how its parts are connected."""

import json
from pathlib import Path

from cfnlint.api import lint_all

from tests.infra.synthesis import NETWORK, ROOT, Synthesis, synthesise
from warmpool.settings import REGION_VARIABLE, Settings

FUNCTION = "Reconciler/Function"


def test_the_template_is_clean_in_cfn_lint(synthesis: Synthesis, private_synthesis: Synthesis) -> None:
    for each in (synthesis, private_synthesis):
        assert [str(match) for match in lint_all(each.template_path.read_text())] == []


def test_no_finding_and_no_warning_is_left(synthesis: Synthesis, private_synthesis: Synthesis) -> None:
    """A finding of cdk-nag fails the synthesis itself; a warning would only be printed."""
    for each in (synthesis, private_synthesis):
        assert json.loads((each.folder / "validation-report.json").read_text())["pluginReports"] == []


def test_ticks_never_collide_in_deduplication(synthesis: Synthesis) -> None:
    target = synthesis.resources("AWS::Scheduler::Schedule")["Tick/EveryMinute"]["Target"]

    assert json.loads(target["Input"]) == {
        "kind": "tick",
        "scheduled": "<aws.scheduler.scheduled-time>",
        "execution": "<aws.scheduler.execution-id>",
    }
    assert synthesis.resources("AWS::SQS::Queue")["Reconcile/Queue"]["ContentBasedDeduplication"] is True


def test_the_schedule_ticks_every_minute_into_the_one_group_and_replays_nothing(synthesis: Synthesis) -> None:
    schedule = synthesis.resolve(synthesis.resources("AWS::Scheduler::Schedule")["Tick/EveryMinute"])

    assert schedule["ScheduleExpression"] == "rate(1 minute)"
    assert schedule["State"] == "ENABLED"
    assert schedule["FlexibleTimeWindow"] == {"Mode": "OFF"}
    assert schedule["GroupName"] == synthesis.resources("AWS::Scheduler::ScheduleGroup")["Tick/Group"]["Name"]
    target = schedule["Target"]
    assert target["Arn"] == "<Reconcile/Queue>.Arn"
    assert target["SqsParameters"] == {"MessageGroupId": "reconcile"}
    assert target["RetryPolicy"] == {"MaximumEventAgeInSeconds": 60, "MaximumRetryAttempts": 1}
    assert target["DeadLetterConfig"] == {"Arn": "<Tick/DeadLetters>.Arn"}
    assert target["RoleArn"] == "<Tick/Role>.Arn"


def test_a_killed_pass_is_redelivered_after_90_seconds_and_three_are_dead_letters(synthesis: Synthesis) -> None:
    queues = synthesis.resolve(synthesis.resources("AWS::SQS::Queue"))

    assert queues["Reconcile/Queue"]["VisibilityTimeout"] == 90
    assert queues["Reconcile/Queue"]["RedrivePolicy"] == {
        "deadLetterTargetArn": "<Reconcile/DeadLetters>.Arn",
        "maxReceiveCount": 3,
    }
    assert queues["Reconcile/Queue"]["QueueName"] == "warmpool-ml-research-reconcile.fifo"
    assert queues["Reconcile/DeadLetters"]["QueueName"].endswith(".fifo")
    assert "FifoQueue" not in queues["Tick/DeadLetters"]  # EventBridge Scheduler delivers to standard queues only
    assert all(queue["SqsManagedSseEnabled"] for queue in queues.values())


def test_the_function_is_what_the_design_says(synthesis: Synthesis) -> None:
    function = synthesis.resolve(synthesis.resources("AWS::Lambda::Function")[FUNCTION])

    assert list(synthesis.resources("AWS::Lambda::Function")) == [FUNCTION]
    assert function["Architectures"] == ["arm64"]
    assert function["Runtime"] == "python3.13"
    assert function["Handler"] == "handler.handler"
    assert function["Timeout"] == 30
    assert function["MemorySize"] == 512
    assert function["TracingConfig"] == {"Mode": "Active"}
    assert function["LoggingConfig"] == {"LogFormat": "JSON", "LogGroup": "<Reconciler/Log>"}
    assert set(function["Layers"]) == {"<Layers/Package>", "<Layers/Dependencies>"}
    assert function["Role"] == "<Reconciler/Role>.Arn"
    assert "VpcConfig" not in function
    assert synthesis.resources("AWS::Logs::LogGroup")["Reconciler/Log"]["RetentionInDays"] == 30


def test_the_function_reads_its_settings_from_what_the_stack_sets(synthesis: Synthesis) -> None:
    function = synthesis.resolve(synthesis.resources("AWS::Lambda::Function")[FUNCTION])
    environment = function["Environment"]["Variables"]

    settings = Settings.from_env({**environment, REGION_VARIABLE: "eu-central-1"})

    assert settings == Settings(
        stack="warmpool-ml-research",
        region="eu-central-1",
        table="<Ledger/Table>",
        dead_letter_queue_url="<Reconcile/DeadLetters>",
        hyperpod_cluster="ml-research",
        eks_cluster="ml-research-eks",
    )


def test_the_queue_feeds_the_function_ten_at_a_time_and_nothing_limits_its_concurrency(synthesis: Synthesis) -> None:
    [mapping] = synthesis.resolve(list(synthesis.resources("AWS::Lambda::EventSourceMapping").values()))

    assert mapping == {
        "BatchSize": 10,
        "EventSourceArn": "<Reconcile/Queue>.Arn",
        "FunctionName": f"<{FUNCTION}>",
    }
    assert "ReservedConcurrentExecutions" not in synthesis.resources("AWS::Lambda::Function")[FUNCTION]


def test_the_ledger_outlives_the_stack(synthesis: Synthesis) -> None:
    [(logical_id, table)] = [
        (logical_id, resource)
        for logical_id, resource in synthesis.template["Resources"].items()
        if resource["Type"] == "AWS::DynamoDB::Table"
    ]

    assert synthesis.path(logical_id) == "Ledger/Table"
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    properties = table["Properties"]
    assert properties["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


def test_everything_but_the_ledger_goes_with_the_stack(synthesis: Synthesis) -> None:
    kept = [
        synthesis.path(logical_id)
        for logical_id, resource in synthesis.template["Resources"].items()
        if resource.get("DeletionPolicy") == "Retain"
    ]

    assert kept == ["Ledger/Table"]


def test_cdk_owns_the_specs_and_never_an_override_or_the_stop_switch(synthesis: Synthesis) -> None:
    parameters = synthesis.resources("AWS::SSM::Parameter")

    assert [each["Name"] for each in parameters.values()] == ["/warmpool/warmpool-ml-research/spaces-cpu/spec"]
    [spec] = parameters.values()
    assert list(json.loads(spec["Value"])["pools"]) == ["spaces-cpu"]
    assert (spec["Type"], spec["Tier"]) == ("String", "Standard")


def test_a_spec_of_more_than_4_kib_takes_an_advanced_parameter(tmp_path: Path) -> None:
    dates = ", ".join(f'"{year}-12-24..{year}-12-31"' for year in range(2026, 2176))
    pools = (ROOT / "infra/pools.yaml").read_text().replace('"2026-12-24..2027-01-01"', dates)
    (tmp_path / "pools.yaml").write_text(pools)

    synthesis = synthesise(tmp_path / "cdk", {"spec": str(tmp_path / "pools.yaml")})

    [spec] = synthesis.resources("AWS::SSM::Parameter").values()
    assert 4096 < len(spec["Value"]) < 8192
    assert spec["Tier"] == "Advanced"


def test_a_lint_of_the_spec_is_a_warning_of_the_synthesis(tmp_path: Path) -> None:
    pools = (ROOT / "infra/pools.yaml").read_text()
    (tmp_path / "pools.yaml").write_text(pools.replace("counting: demand", "counting: all").replace("192", "16"))

    synthesis = synthesise(tmp_path / "cdk", {"spec": str(tmp_path / "pools.yaml")})

    assert "warmpool:FeedsOnItself" in (synthesis.folder / "validation-report.json").read_text()


def test_the_access_entry_gives_a_group_and_no_policy(synthesis: Synthesis) -> None:
    entries = synthesis.resolve(synthesis.resources("AWS::EKS::AccessEntry"))

    assert entries == {
        "ClusterAccess/Entry": {
            "ClusterName": "ml-research-eks",
            "PrincipalArn": "<Reconciler/Role>.Arn",
            "KubernetesGroups": ["warmpool-controller"],
            "Type": "STANDARD",
        }
    }


def test_in_a_vpc_the_function_speaks_https_only_and_the_cluster_lets_it_in(private_synthesis: Synthesis) -> None:
    function = private_synthesis.resolve(private_synthesis.resources("AWS::Lambda::Function")[FUNCTION])
    [group] = private_synthesis.resources("AWS::EC2::SecurityGroup").values()
    ingress = private_synthesis.resolve(private_synthesis.resources("AWS::EC2::SecurityGroupIngress"))

    assert function["VpcConfig"] == {
        "SubnetIds": NETWORK["subnetIds"].split(","),
        "SecurityGroupIds": ["<Network/SecurityGroup>.GroupId"],
    }
    assert group["VpcId"] == NETWORK["vpcId"]
    assert [(rule["FromPort"], rule["ToPort"], rule["IpProtocol"]) for rule in group["SecurityGroupEgress"]] == [
        (443, 443, "tcp")
    ]
    assert "SecurityGroupIngress" not in group
    assert ingress == {
        "Network/ClusterIngress": {
            "GroupId": NETWORK["clusterSecurityGroupId"],
            "SourceSecurityGroupId": "<Network/SecurityGroup>.GroupId",
            "IpProtocol": "tcp",
            "FromPort": 443,
            "ToPort": 443,
            "Description": "Kubernetes API for the warm-pool controller",
        }
    }


def test_no_custom_resource_and_no_cdk_bookkeeping_is_deployed(synthesis: Synthesis) -> None:
    kinds = {resource["Type"] for resource in synthesis.template["Resources"].values()}

    assert not [kind for kind in kinds if kind.startswith(("AWS::CloudFormation::", "AWS::CDK::", "Custom::"))]


def test_the_outputs_name_what_the_runbook_uses(synthesis: Synthesis) -> None:
    runbook = (ROOT / "docs/runbook.md").read_text()

    for name in synthesis.template["Outputs"]:
        assert f"`{name}`" in runbook
