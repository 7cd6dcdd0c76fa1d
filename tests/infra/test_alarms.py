"""What wakes somebody: when, about what, and where it says what to do."""

import re

from tests.infra.synthesis import ROOT, Synthesis
from warmpool import telemetry

RUNBOOK = (ROOT / "docs/runbook.md").read_text()


def test_these_alarms_are_there(synthesis: Synthesis) -> None:
    names = {alarm["AlarmName"] for alarm in synthesis.resources("AWS::CloudWatch::Alarm").values()}

    assert names == {
        f"warmpool-ml-research-{name}"
        for name in (
            "heartbeat-lost",
            "pass-failed",
            "function-errors",
            "queue-late",
            "dead-letters",
            "undelivered-ticks",
            "spaces-cpu-held-long",
            "spaces-cpu-config-invalid",
        )
    }


def test_a_lost_heartbeat_is_a_gap_filled_with_zeros_in_4_of_5_minutes(synthesis: Synthesis) -> None:
    alarm = synthesis.resources("AWS::CloudWatch::Alarm")["Alarms/HeartbeatLost"]

    [expression] = [each for each in alarm["Metrics"] if each["ReturnData"]]
    [beats] = [each for each in alarm["Metrics"] if not each["ReturnData"]]
    assert expression["Expression"] == f"FILL({beats['Id']}, 0)"
    assert beats["MetricStat"] == {
        "Metric": {
            "Namespace": telemetry.NAMESPACE,
            "MetricName": telemetry.HEARTBEAT,
            "Dimensions": [
                {"Name": "service", "Value": telemetry.SERVICE},
                {"Name": "stack", "Value": "warmpool-ml-research"},
            ],
        },
        "Period": 60,
        "Stat": "Maximum",
    }
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (4, 5)
    assert alarm["TreatMissingData"] == "breaching"


def test_crashes_late_messages_and_dead_letters_raise_an_alarm(synthesis: Synthesis) -> None:
    alarms = synthesis.resolve(synthesis.resources("AWS::CloudWatch::Alarm"))
    watched = {
        path: (each["Namespace"], each["MetricName"], each["Dimensions"][0]["Value"], each["Threshold"])
        for path, each in alarms.items()
        if each.get("Namespace", "").startswith("AWS/")
    }

    assert watched == {
        "Alarms/FunctionErrors": ("AWS/Lambda", "Errors", "<Reconciler/Function>", 0),
        "Alarms/QueueLate": ("AWS/SQS", "ApproximateAgeOfOldestMessage", "<Reconcile/Queue>.QueueName", 300),
        "Alarms/DeadLetters": (
            "AWS/SQS",
            "ApproximateNumberOfMessagesVisible",
            "<Reconcile/DeadLetters>.QueueName",
            0,
        ),
        "Alarms/UndeliveredTicks": (
            "AWS/SQS",
            "ApproximateNumberOfMessagesVisible",
            "<Tick/DeadLetters>.QueueName",
            0,
        ),
    }


def test_a_pools_alarms_watch_that_pool(synthesis: Synthesis) -> None:
    alarms = synthesis.resources("AWS::CloudWatch::Alarm")

    for path, metric in (
        ("Alarms/spaces-cpuHeldLong", telemetry.HELD_LONG),
        ("Alarms/spaces-cpuConfigInvalid", telemetry.CONFIG_INVALID),
    ):
        assert alarms[path]["MetricName"] == metric
        assert {each["Name"]: each["Value"] for each in alarms[path]["Dimensions"]} == {
            "service": telemetry.SERVICE,
            "stack": "warmpool-ml-research",
            "pool": "spaces-cpu",
        }


def test_every_alarm_posts_to_the_topic_and_says_when_it_is_over(
    synthesis: Synthesis, private_synthesis: Synthesis
) -> None:
    for each in (synthesis, private_synthesis):
        for alarm in each.resolve(each.resources("AWS::CloudWatch::Alarm")).values():
            assert alarm["AlarmActions"] == alarm["OKActions"] == ["<Alarms/Topic>"]

    assert synthesis.resources("AWS::SNS::Subscription") == {}
    [subscription] = private_synthesis.resources("AWS::SNS::Subscription").values()
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")


def test_every_alarm_leads_to_a_section_of_the_runbook_and_every_section_is_an_alarms(
    audit_synthesis: Synthesis,
) -> None:
    texts = [each["AlarmDescription"] for each in audit_synthesis.resources("AWS::CloudWatch::Alarm").values()]
    linked = {
        match[1] for text in texts for match in [re.search(r"Runbook: docs/runbook\.md#([a-z-]+)$", text)] if match
    }

    assert len(texts) == 9
    assert linked == set(re.findall(r"^## ([a-z-]+)$", RUNBOOK, re.MULTILINE))
    assert all("Runbook: " in text for text in texts)
