"""What the deployed parts say of each other: names and ARNs that CloudFormation resolved, end to end."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.rehearsal import models
from tests.rehearsal.commands import ROOT
from tests.rehearsal.deployed import Deployed
from tests.rehearsal.ground import AUDIT_LOG, Ground
from tests.rehearsal.progress import check
from warmpool.adapters.kubernetes.manifests import CONTROLLER_GROUP

QUIET: Final = "-capped-long"
"""The alarm that wakes nobody: chat tools hear of it."""


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
    outputs = deployed.outputs
    chat, rules = _rules(ground, to=outputs["ChatTopicArn"])
    check(len(chat) == 1, f"{chat} post alarms to the chat topic; expected one rule")
    for output in ("QueueUrl", "UndeliveredTicksQueueUrl"):
        senders = sorted(_allowed_senders(ground, outputs[output]))
        check(senders == rules, f"{output}: {senders} may send; expected the stack's rules {rules}")
    check(not list(_allowed_senders(ground, outputs["DeadLetterQueueUrl"])), "the dead letters let others in")
    _check_alarms(ground, deployed)
    _check_audit(ground, deployed)
    [((_, principal), entry)] = models.AccessEntryResource.PRESENT.items()
    role = deployed.functions["reconcile"].role
    check(principal.endswith(f":role/{role}"), f"the access entry is of {principal}; expected {role}")
    check(entry.groups == (CONTROLLER_GROUP,), f"the access entry gives the groups {entry.groups}")


def _rules(ground: Ground, *, to: str) -> tuple[list[str], list[str]]:
    """Return the rules that lead to a topic, and all others."""
    events = ground.client("events")
    there: list[str] = []
    others: list[str] = []
    for rule in sorted(events.list_rules()["Rules"], key=lambda each: each["Arn"]):
        targets = [each["Arn"] for each in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]]
        (there if targets == [to] else others).append(rule["Arn"])
    return there, others


def _check_audit(ground: Ground, deployed: Deployed) -> None:
    """Raise Failed unless the audit log leads to the ingest function, which lets that log group in and no other."""
    ingest = deployed.functions["ingest_audit"]
    [subscription] = ground.client("logs").describe_subscription_filters(logGroupName=AUDIT_LOG)["subscriptionFilters"]
    check(subscription["destinationArn"] == ingest.arn, f"the audit log goes to {subscription['destinationArn']}")
    policy = json.loads(ground.client("lambda").get_policy(FunctionName=ingest.name)["Policy"])
    for statement in policy["Statement"]:
        told = json.dumps(statement)
        check("logs" in told and f":log-group:{AUDIT_LOG}:*" in told, f"who may call the ingest function: {told}")
    check(len(policy["Statement"]) == 1, f"{len(policy['Statement'])} permissions let others call the ingest function")


def _allowed_senders(ground: Ground, url: str) -> Iterator[str]:
    answer = ground.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])
    for statement in json.loads(answer["Attributes"]["Policy"])["Statement"]:
        if statement["Effect"] == "Allow":
            yield from statement["Condition"]["ArnEquals"]["aws:SourceArn"]


def _check_alarms(ground: Ground, deployed: Deployed) -> None:
    """Raise Failed where an alarm watches what is not there, or tells nobody, neither itself nor through its parent."""
    found = ground.client("cloudwatch").describe_alarms(AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    metric, composite = found["MetricAlarms"], found["CompositeAlarms"]
    check(len(composite) == 1, f"{len(composite)} composite alarms; expected one")
    rule = composite[0]["AlarmRule"]
    parts = set(re.findall(r'ALARM\("([^"]+)"\)', rule))
    missing = parts - {each["AlarmName"] for each in metric}
    check(
        bool(parts) and not missing, f"the composite alarm's rule {rule} names {sorted(missing)}, which are not there"
    )
    for alarm in (*metric, *composite):
        _check_told(alarm, deployed, parts)
        _check_watched(alarm, deployed)


def _check_told(alarm: Mapping[str, Any], deployed: Deployed, parts: set[str]) -> None:
    topic = [deployed.outputs["AlarmTopicArn"]]
    name, told = alarm["AlarmName"], (alarm["AlarmActions"], alarm["OKActions"])
    quiet = told == ([], []) and (name in parts or name.endswith(QUIET))
    check(quiet or told == (topic, topic), f"alarm {name} tells {told}; expected {topic}")


def _check_watched(alarm: Mapping[str, Any], deployed: Deployed) -> None:
    names = {each["Name"]: each["Value"] for each in _dimensions(alarm)}
    urls = [url for output, url in deployed.outputs.items() if output.endswith("QueueUrl")]
    known = {
        "FunctionName": {each.name for each in deployed.functions.values()},
        "QueueName": {url.rpartition("/")[2] for url in urls},
        "stack": {each.environment["WARMPOOL_STACK"] for each in deployed.functions.values()},
    }
    for dimension, value in names.items():
        wanted = known.get(dimension, {value})
        check(value in wanted, f"alarm {alarm['AlarmName']} watches {dimension} {value}, of nobody")


def _dimensions(alarm: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the dimensions of an alarm's metric, or of every metric in its expression."""
    queries = [each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return [pair for each in (alarm, *queries) for pair in each.get("Dimensions", [])]
