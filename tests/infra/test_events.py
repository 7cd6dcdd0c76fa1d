"""Events of AWS on their way through the deployed rules to the handler: the right nudge, or a drop that is told."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from functions.reconcile.handler import handler
from infra.event_patterns import alarm_pattern, cluster_event_pattern, cluster_state_pattern, parameter_pattern
from tests.app.fakes import FakeCluster, World
from tests.builders import snapshot
from tests.events.eventbridge import LARGEST_MESSAGE, matches, transformed, transformer
from tests.events.samples import ENORMOUS, events, sample, spoilt
from tests.infra.synthesis import ROOT, Synthesis, synthesise
from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP
from warmpool.adapters.memory import MemoryDeadLetters
from warmpool.app.nudges import ServeNudges
from warmpool.settings import Settings
from warmpool.wiring import App

SETTINGS = Settings(
    stack="warmpool-ml-research",
    region="eu-central-1",
    table="ledger",
    dead_letter_queue_url="https://sqs.eu-central-1.amazonaws.com/123456789012/dead.fifo",
    eks_cluster="ml-research-eks",
)
CHAT = "Alarms/Chat/Rule"
"""The one rule that nudges nobody: alarms, for chat tools."""
KINDS = {"hyperpod": "cluster-event", "ssm": "parameter"}


class Context:
    """Half a minute, as Lambda gives it."""

    def get_remaining_time_in_millis(self) -> int:
        return 30_000


@dataclass(slots=True)
class Deployed:
    """The rules of a template, and the handler behind the queue."""

    rules: Mapping[str, Mapping[str, Any]]
    world: World = field(default_factory=lambda: World(cluster=FakeCluster(seen=snapshot(replicas=0))))
    letters: MemoryDeadLetters = field(default_factory=MemoryDeadLetters)

    def bodies(self, event: Mapping[str, Any]) -> list[str]:
        """Return what each rule that takes the event would send."""
        return [
            transformed(rule["Targets"][0]["InputTransformer"], event)
            for rule in self.rules.values()
            if matches(rule["EventPattern"], event)
        ]

    def passes(self, body: str) -> int:
        """Let the handler have one message and return how many passes it made."""
        before = len(self.world.telemetry.reports)
        nudges = ServeNudges(self.world.reconcile(), self.letters, self.world.telemetry)
        batch = {"Records": [{"messageId": "1", "body": body, "attributes": {"SentTimestamp": "1796115612350"}}]}
        assert handler(batch, Context(), App(settings=SETTINGS, nudges=nudges)) == {"batchItemFailures": []}
        return len(self.world.telemetry.reports) - before


@pytest.fixture
def deployed(synthesis: Synthesis) -> Deployed:
    return Deployed(rules=synthesis.resources("AWS::Events::Rule"))


@pytest.mark.parametrize("name", events())
def test_every_event_of_the_cluster_and_its_parameters_is_one_nudge(deployed: Deployed, name: str) -> None:
    event = events()[name]
    [body] = deployed.bodies(event)

    assert json.loads(body) == {
        "kind": KINDS[name.partition("-")[0]],
        "id": event["id"],
        "time": event["time"],
        "type": event["detail-type"],
    }
    assert deployed.passes(body) == 1
    assert deployed.letters.sent == []


def test_both_events_of_one_fault_come_through_and_no_two_bodies_are_alike(deployed: Deployed) -> None:
    """The queue would drop a body that it has seen within five minutes, and with it the event that matters."""
    bodies = [body for event in events().values() for body in deployed.bodies(event)]

    assert len(set(bodies)) == len(bodies) == len(events())


def foreign() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield events that belong to somebody else, or to nobody."""
    other = sample("hyperpod-instance-failed")
    other["detail"]["EventDetails"]["ClusterName"] = "ml-research-2"
    yield "another cluster", other
    other = sample("hyperpod-state-changed")
    other["detail"]["ClusterName"] = "ml"
    yield "another cluster's state", other
    for name in ("/warmpool/warmpool-ml-research-2/stop", "/warmpool/stop", "/other", "/warmpool/warmpool-ml-research"):
        other = sample("ssm-stop-created")
        other["detail"]["name"] = name
        yield f"parameter {name}", other
    yield (
        "a label",
        {**sample("ssm-stop-created"), "detail": {"name": "/warmpool/x", "operation": "LabelParameterVersion"}},
    )
    yield "another service", {**sample("hyperpod-instance-failed"), "source": "aws.ec2"}
    yield "another event", {**sample("hyperpod-instance-failed"), "detail-type": "SageMaker Training Job State Change"}


@pytest.mark.parametrize(("what", "event"), list(foreign()))
def test_what_belongs_to_others_costs_nothing(deployed: Deployed, what: str, event: dict[str, Any]) -> None:
    assert deployed.bodies(event) == [], what


@pytest.mark.parametrize("name", events())
def test_a_spoilt_event_is_a_nudge_or_a_drop_that_is_told_and_never_a_crash(deployed: Deployed, name: str) -> None:
    for how, event in spoilt(events()[name]):
        for body in deployed.bodies(event):
            if len(body) > LARGEST_MESSAGE:
                # EventBridge cannot deliver it: the queue of undelivered messages gets it, which has an alarm.
                assert how in {"id is enormous", "time is enormous"}
                continue
            told = len(deployed.letters.sent)
            if not deployed.passes(body):
                assert len(deployed.letters.sent) == told + 1, how
                assert how in {"id is missing", "time is missing"}
            assert "i-0391f86fa0fe0d465" not in body, "a nudge carries no data"


def test_an_enormous_event_is_a_small_nudge(deployed: Deployed) -> None:
    event = sample("hyperpod-instance-failed")
    event["detail"]["EventDetails"]["Description"] = ENORMOUS

    [body] = deployed.bodies(event)
    assert len(body) < 300


def test_a_message_that_went_round_the_rules_is_dropped_and_told(deployed: Deployed) -> None:
    """Whoever may send into the queue could send an event whole, or anything."""
    for body in ("", "null", "[]", '{"kind": 3}', json.dumps(sample("hyperpod-instance-failed")), ENORMOUS, "{" * 5000):
        assert deployed.passes(body) == 0
    assert len(deployed.letters.sent) == 7


def test_every_rule_sends_into_the_one_group_and_gives_up_after_a_minute(synthesis: Synthesis) -> None:
    for path, rule in synthesis.resolve(synthesis.resources("AWS::Events::Rule")).items():
        if path == CHAT:
            continue
        [target] = rule["Targets"]
        assert target["Arn"] == "<Reconcile/Queue>.Arn"
        assert target["SqsParameters"] == {"MessageGroupId": MESSAGE_GROUP}
        assert target["RetryPolicy"] == {"MaximumRetryAttempts": 2, "MaximumEventAgeInSeconds": 60}
        assert target["DeadLetterConfig"] == {"Arn": "<Tick/DeadLetters>.Arn"}
        assert rule["State"] == "ENABLED"
        kind = "parameter" if rule["EventPattern"]["source"] == ["aws.ssm"] else "cluster-event"
        assert target["InputTransformer"] == transformer(kind)


def test_the_rules_are_these(synthesis: Synthesis) -> None:
    patterns = {path: rule["EventPattern"] for path, rule in synthesis.resources("AWS::Events::Rule").items()}

    assert patterns == {
        "Events/Parameters": parameter_pattern("/warmpool/warmpool-ml-research"),
        "Events/ClusterEvents": cluster_event_pattern("ml-research"),
        "Events/ClusterState": cluster_state_pattern("ml-research"),
        CHAT: alarm_pattern("warmpool-ml-research"),
    }


def changed(before: str, after: str, name: str = "warmpool-ml-research-spaces-cpu-capped-long") -> dict[str, Any]:
    """Return what CloudWatch sends to EventBridge when an alarm's state changes."""
    detail = {"alarmName": name, "state": {"value": after}, "previousState": {"value": before}}
    return {"source": "aws.cloudwatch", "detail-type": "CloudWatch Alarm State Change", "detail": detail}


def test_chat_tools_hear_of_every_alarm_of_this_stack_when_it_goes_off_and_when_it_is_over(
    synthesis: Synthesis,
) -> None:
    rule = synthesis.resolve(synthesis.resources("AWS::Events::Rule"))[CHAT]
    [target] = rule["Targets"]

    assert (target["Arn"], target.keys() & {"Input", "InputPath", "InputTransformer"}) == ("<Alarms/Chat/Topic>", set())
    heard = {
        (before, after): matches(rule["EventPattern"], changed(before, after))
        for before in ("OK", "ALARM", "INSUFFICIENT_DATA")
        for after in ("OK", "ALARM", "INSUFFICIENT_DATA")
        if before != after
    }
    assert {change for change, told in heard.items() if told} == {
        ("OK", "ALARM"),
        ("INSUFFICIENT_DATA", "ALARM"),
        ("ALARM", "OK"),
    }
    assert not matches(rule["EventPattern"], changed("OK", "ALARM", "warmpool-ml-research2-heartbeat-lost"))


def test_outside_hyperpod_there_are_no_rules_of_sagemaker(plain_synthesis: Synthesis) -> None:
    rules = plain_synthesis.resources("AWS::Events::Rule")

    assert set(rules) == {"Events/Parameters", CHAT}
    assert "sagemaker" not in json.dumps(plain_synthesis.template).replace("/sagemaker/sagemaker-distribution", "")
    deployed = Deployed(rules=rules)
    assert not [name for name, event in events().items() if name.startswith("hyperpod") and deployed.bodies(event)]


def test_settings_of_plain_eks_name_no_hyperpod_cluster(plain_synthesis: Synthesis) -> None:
    function = plain_synthesis.resolve(plain_synthesis.resources("AWS::Lambda::Function")["Reconciler/Function"])
    variables = function["Environment"]["Variables"]

    settings = Settings.from_env({**variables, "AWS_REGION": "eu-central-1"})
    assert (settings.hyperpod_cluster, settings.eks_cluster) == (None, "plain-eks")
    assert replace(settings, stack="x").cluster.hyperpod is None


@pytest.fixture(scope="session")
def plain_synthesis(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """Give the stack of an EKS cluster outside HyperPod."""
    folder = tmp_path_factory.mktemp("plain")
    pools = (ROOT / "infra/pools.yaml").read_text().replace("{hyperpod: ml-research}", "{eks: plain-eks}")
    (folder / "eks.yaml").write_text(pools)
    return synthesise(folder / "cdk", {"spec": str(folder / "eks.yaml"), "eksCluster": "", "stackName": "plain"})
