"""What the deployed parts say of each other: names and ARNs that CloudFormation resolved, end to end."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.rehearsal import models
from tests.rehearsal.commands import ROOT
from tests.rehearsal.deployed import Deployed
from tests.rehearsal.ground import AUDIT_LOG, Ground
from tests.rehearsal.progress import check
from warmpool.adapters.kubernetes.manifests import CONTROLLER_GROUP


def check_skipped(ground: Ground) -> None:
    """Raise Failed unless exactly the known types were skipped, each looked at by the test that it names."""
    skipped, known = set(ground.skipped), set(models.SKIPPED)
    check(
        skipped == known,
        f"moto's CloudFormation skipped {sorted(skipped)}; expected {sorted(known)}: model what is new in"
        " tests/rehearsal/models.py, or name it there with the template test that covers it",
    )
    for kind, test in models.SKIPPED.items():
        if test:
            check(kind in Path(ROOT, test).read_text(), f"{test} says nothing of {kind}, which the rehearsal skips")


def check_connections(ground: Ground, deployed: Deployed) -> None:
    """Raise Failed where a queue lets others in, an alarm tells nobody or watches nothing, or a filter leads astray."""
    rules = sorted(each["Arn"] for each in ground.client("events").list_rules()["Rules"])
    for output in ("QueueUrl", "UndeliveredTicksQueueUrl"):
        senders = sorted(_allowed_senders(ground, deployed.outputs[output]))
        check(senders == rules, f"{output}: {senders} may send; expected the stack's rules {rules}")
    check(not list(_allowed_senders(ground, deployed.outputs["DeadLetterQueueUrl"])), "the dead letters let others in")
    for alarm in ground.client("cloudwatch").describe_alarms()["MetricAlarms"]:
        _check_alarm(alarm, deployed)
    [subscription] = ground.client("logs").describe_subscription_filters(logGroupName=AUDIT_LOG)["subscriptionFilters"]
    ingest = deployed.functions["ingest_audit"].arn
    check(subscription["destinationArn"] == ingest, f"the audit log goes to {subscription['destinationArn']}")
    [((_, principal), entry)] = models.AccessEntryResource.PRESENT.items()
    role = deployed.functions["reconcile"].role
    check(principal.endswith(f":role/{role}"), f"the access entry is of {principal}; expected {role}")
    check(entry.groups == (CONTROLLER_GROUP,), f"the access entry gives the groups {entry.groups}")


def _allowed_senders(ground: Ground, url: str) -> Iterator[str]:
    answer = ground.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])
    for statement in json.loads(answer["Attributes"]["Policy"])["Statement"]:
        if statement["Effect"] == "Allow":
            yield from statement["Condition"]["ArnEquals"]["aws:SourceArn"]


def _check_alarm(alarm: dict[str, object], deployed: Deployed) -> None:
    topic = [deployed.outputs["AlarmTopicArn"]]
    told = (alarm["AlarmActions"], alarm["OKActions"])
    check(told == (topic, topic), f"alarm {alarm['AlarmName']} tells {told}; expected {topic}")
    names = {each["Name"]: each["Value"] for each in _dimensions(alarm)}
    urls = [url for output, url in deployed.outputs.items() if output.endswith("QueueUrl")]
    known = {
        "FunctionName": {each.name for each in deployed.functions.values()},
        "QueueName": {url.rpartition("/")[2] for url in urls},
        "stack": {each.environment["WARMPOOL_STACK"] for each in deployed.functions.values()},
    }
    for dimension, value in names.items():
        check(
            value in known.get(dimension, {value}), f"alarm {alarm['AlarmName']} watches {dimension} {value}, of nobody"
        )


def _dimensions(alarm: dict[str, object]) -> list[dict[str, str]]:
    found = alarm.get("Dimensions", [])
    if not isinstance(found, list):
        raise TypeError(f"alarm {alarm['AlarmName']} has the dimensions {found!r}")
    return found
