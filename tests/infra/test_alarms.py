"""What wakes somebody: when, about what, and where it says what to do."""

import re
from pathlib import Path
from typing import Any

import pytest

from infra.constructs.alarm_factory import slug
from tests.infra.synthesis import ROOT, Synthesis, synthesise
from warmpool.app.errors import ConfigInvalid
from warmpool.metrics import NAMESPACE, SERVICE

STACK = "warmpool-ml-research"
POOL = "spaces-cpu"
OF_STACK = {
    "heartbeat-lost",
    "pass-failed",
    "function-errors",
    "throttled",
    "close-to-timeout",
    "queue-late",
    "dead-letters",
    "undelivered-ticks",
}
PROMISE = {"promise-not-kept", "below-floor"}
OF_NODES = {"capacity-stuck", "image-not-pulled", "capped-long"}
OF_SETTINGS = {"held-long", "config-invalid"}
OF_POOL = {f"{POOL}-{name}" for name in (*PROMISE, *OF_NODES, *OF_SETTINGS)}
COMPOSITE = "warm-promise-not-kept"


def alarms_of(synthesis: Synthesis) -> dict[str, dict[str, Any]]:
    """Return every alarm by its name without the stack's."""
    found = [
        each
        for kind in ("Alarm", "CompositeAlarm")
        for each in synthesis.resolve(synthesis.resources(f"AWS::CloudWatch::{kind}")).values()
    ]
    return {each["AlarmName"].removeprefix(f"{STACK}-"): each for each in found}


@pytest.fixture(scope="module")
def alarms(synthesis: Synthesis) -> dict[str, dict[str, Any]]:
    return alarms_of(synthesis)


def test_these_alarms_are_there(alarms: dict[str, dict[str, Any]]) -> None:
    assert set(alarms) == {*OF_STACK, *OF_POOL, COMPOSITE}


def test_a_pool_in_shadow_mode_promises_nothing_and_has_only_the_alarms_on_its_settings(tmp_path: Path) -> None:
    text = (ROOT / "infra/pools.yaml").read_text()
    (tmp_path / "pools.yaml").write_text(text.replace("mode: active ", "mode: shadow "))

    alarms = alarms_of(synthesise(tmp_path / "cdk", {"spec": str(tmp_path / "pools.yaml")}))

    assert set(alarms) == {*OF_STACK, *(f"{POOL}-{name}" for name in OF_SETTINGS)}


def test_a_lost_heartbeat_is_a_gap_filled_with_zeros_in_4_of_5_minutes(alarms: dict[str, dict[str, Any]]) -> None:
    alarm = alarms["heartbeat-lost"]

    [expression] = [each for each in alarm["Metrics"] if each["ReturnData"]]
    [beats] = [each for each in alarm["Metrics"] if not each["ReturnData"]]
    assert expression["Expression"] == f"FILL({beats['Id']}, 0)"
    assert beats["MetricStat"] == {
        "Metric": {
            "Namespace": NAMESPACE,
            "MetricName": "Heartbeat",
            "Dimensions": [{"Name": "service", "Value": SERVICE}, {"Name": "stack", "Value": STACK}],
        },
        "Period": 60,
        "Stat": "Maximum",
    }
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (4, 5)
    assert alarm["TreatMissingData"] == "breaching"


def test_aws_own_metrics_are_those_of_the_deployed_function_and_queues(alarms: dict[str, dict[str, Any]]) -> None:
    watched = {
        name: (each["Namespace"], each["MetricName"], each["Dimensions"][0]["Value"], each["Threshold"])
        for name, each in alarms.items()
        if each.get("Namespace", "").startswith("AWS/")
    }

    function, depth = "<Reconciler/Function>", "ApproximateNumberOfMessagesVisible"
    assert watched == {
        "function-errors": ("AWS/Lambda", "Errors", function, 0),
        "throttled": ("AWS/Lambda", "Throttles", function, 0),
        "close-to-timeout": ("AWS/Lambda", "Duration", function, 24_000),
        "queue-late": ("AWS/SQS", "ApproximateAgeOfOldestMessage", "<Reconcile/Queue>.QueueName", 300),
        "dead-letters": ("AWS/SQS", depth, "<Reconcile/DeadLetters>.QueueName", 0),
        "undelivered-ticks": ("AWS/SQS", depth, "<Tick/DeadLetters>.QueueName", 0),
    }


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("below-floor", "BelowFloor"),
        ("capacity-stuck", "CapacityStuck"),
        ("image-not-pulled", "ImagePullStuck"),
        ("capped-long", "Capped"),
        ("held-long", "HeldLong"),
        ("config-invalid", "ConfigInvalid"),
    ],
)
def test_a_pools_alarms_watch_that_pool(alarms: dict[str, dict[str, Any]], name: str, metric: str) -> None:
    alarm = alarms[f"{POOL}-{name}"]

    assert (alarm["Namespace"], alarm["MetricName"]) == (NAMESPACE, metric)
    assert {each["Name"]: each["Value"] for each in alarm["Dimensions"]} == {
        "service": SERVICE,
        "stack": STACK,
        "pool": POOL,
    }
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)


def spec_with(folder: Path, changes: str) -> dict[str, dict[str, Any]]:
    """Synthesise the newcomer's stack with lines added to its pool."""
    text = (ROOT / "infra/pools.yaml").read_text()
    kept = re.sub(r"(?m)^    (demand|leadTime|leadTimeLimit): .*\n", "", text)
    (folder / "pools.yaml").write_text(re.sub(r"(?m)^(    min:)", f"{changes}\\1", kept, count=1))
    return alarms_of(synthesise(folder / "cdk", {"spec": str(folder / "pools.yaml")}))


def test_thresholds_come_from_the_spec(tmp_path: Path) -> None:
    alarms = spec_with(
        tmp_path,
        "    demand: {targetHitRate: 0.8, readyWithin: 60s}\n    leadTime: 10m\n    leadTimeLimit: 25m\n",
    )

    promise, floor = alarms[f"{POOL}-promise-not-kept"], alarms[f"{POOL}-below-floor"]
    assert (promise["ComparisonOperator"], promise["Threshold"]) == ("LessThanThreshold", 0.8)
    assert "fewer than 80 %" in promise["AlarmDescription"]
    assert (floor["DatapointsToAlarm"], floor["EvaluationPeriods"]) == (25, 27)
    assert "for 25 min" in floor["AlarmDescription"]


@pytest.mark.parametrize(("limit", "period", "points", "periods"), [("1439m", 120, 720, 720), ("20h", 60, 1200, 1202)])
def test_a_limit_of_about_a_day_is_watched_as_far_back_as_cloudwatch_can_look(
    tmp_path: Path, limit: str, period: int, points: int, periods: int
) -> None:
    floor = spec_with(tmp_path, f"    leadTime: 10m\n    leadTimeLimit: {limit}\n")[f"{POOL}-below-floor"]

    assert (floor["Period"], floor["DatapointsToAlarm"], floor["EvaluationPeriods"]) == (period, points, periods)
    assert period * periods <= 86_400


def test_every_alarm_posts_to_the_topic_and_says_when_it_is_over_or_is_part_of_one_that_does(
    synthesis: Synthesis, private_synthesis: Synthesis
) -> None:
    for each in (synthesis, private_synthesis):
        alarms = alarms_of(each)
        told = {name: (alarm.get("AlarmActions"), alarm.get("OKActions")) for name, alarm in alarms.items()}
        quiet = {name for name, actions in told.items() if actions == (None, None)}
        assert quiet == {f"{POOL}-{name}" for name in (*PROMISE, "capped-long")}
        assert {str(told[name]) for name in told.keys() - quiet} == {str((["<Alarms/Topic>"], ["<Alarms/Topic>"]))}

        assert set(each.resources("AWS::SNS::Topic")) == {"Alarms/Topic", "Alarms/Chat/Topic"}

    assert synthesis.resources("AWS::SNS::Subscription") == {}
    [subscription] = private_synthesis.resources("AWS::SNS::Subscription").values()
    assert private_synthesis.resolve(subscription) == {
        "Protocol": "email",
        "Endpoint": "ops@example.com",
        "TopicArn": "<Alarms/Topic>",
    }


def test_the_outputs_tell_the_topic_of_people_and_that_of_chat_tools(synthesis: Synthesis) -> None:
    outputs = synthesis.resolve(synthesis.template["Outputs"])

    assert outputs["AlarmTopicArn"]["Value"] == "<Alarms/Topic>"
    assert outputs["ChatTopicArn"]["Value"] == "<Alarms/Chat/Topic>"


def test_the_composite_alarm_is_of_every_pools_promise_and_silent_without_a_heartbeat(
    alarms: dict[str, dict[str, Any]],
) -> None:
    assert alarms[COMPOSITE]["AlarmRule"] == (
        f'(ALARM("{STACK}-{POOL}-promise-not-kept") OR ALARM("{STACK}-{POOL}-below-floor"))'
        f' AND NOT ALARM("{STACK}-heartbeat-lost")'
    )


def test_it_is_made_of_all_pools_but_those_in_shadow_mode(tmp_path: Path) -> None:
    spec = many_pools(tmp_path, ["one", "two", "three"])
    active, mode, rest = spec.read_text().rpartition("mode: active ")
    spec.write_text(f"{active}{mode.replace('active', 'shadow')}{rest}")

    alarms = alarms_of(synthesise(tmp_path / "cdk", {"spec": str(spec)}))

    parts = [
        f'ALARM("{STACK}-{pool}-{name}")' for pool in ("one", "two") for name in ("promise-not-kept", "below-floor")
    ]
    assert alarms[COMPOSITE]["AlarmRule"] == f'({" OR ".join(parts)}) AND NOT ALARM("{STACK}-heartbeat-lost")'


def many_pools(folder: Path, names: list[str]) -> Path:
    text = (ROOT / "infra/pools.yaml").read_text()
    head, pool = text[: text.index(f"  {POOL}:")], text[text.index(f"  {POOL}:") :]
    bodies = [
        re.sub(
            r"(?m)^    deployment: .*\n",
            f"    deployment: ph-{number}\n",
            re.sub(r"(?m)^    nodeSelector: .*\n", f"    nodeSelector: {{pool: p{number}}}\n", pool),
        ).replace(f"  {POOL}:", f"  {name}:", 1)
        for number, name in enumerate(names)
    ]
    (folder / "pools.yaml").write_text(head + "".join(bodies))
    return folder / "pools.yaml"


def test_more_pools_than_one_composite_alarm_can_watch_are_refused_with_a_way_out(tmp_path: Path) -> None:
    spec = many_pools(tmp_path, [f"pool-{number:02}" for number in range(50)])

    with pytest.raises(ConfigInvalid, match=r"101 alarms .* deploy some pools as a second stack"):
        synthesise(tmp_path / "cdk", {"spec": str(spec)})


def test_a_pool_whose_alarm_would_have_the_composites_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="rename the pool"):
        synthesise(tmp_path / "cdk", {"spec": str(many_pools(tmp_path, ["warm"]))})


def test_every_alarm_says_in_a_sentence_what_is_the_matter_and_ends_in_its_own_place_in_the_runbook(
    audit_synthesis: Synthesis,
) -> None:
    alarms = alarms_of(audit_synthesis)

    assert set(alarms) == {*OF_STACK, *OF_POOL, COMPOSITE, "audit-errors"}
    for name, alarm in alarms.items():
        place = name.removeprefix(f"{POOL}-")
        told = re.fullmatch(r"Warm pools: (\S.{20,})\. Runbook: docs/runbook\.md#([a-z-]+)", alarm["AlarmDescription"])
        assert told, name
        assert told[2] == place
        assert (POOL in told[1]) == (name != place), "which pool it is"


def test_what_an_alarm_says_of_minutes_is_when_it_goes_off(alarms: dict[str, dict[str, Any]]) -> None:
    said = {
        name: (int(found[1]), int(found[2]))
        for name, alarm in alarms.items()
        if (found := re.search(r"in (\d) of (\d) minutes", alarm["AlarmDescription"]))
    }

    assert set(said) == {"heartbeat-lost", "pass-failed", "function-errors", "throttled", "close-to-timeout"}
    for name, asked in said.items():
        assert (alarms[name]["DatapointsToAlarm"], alarms[name]["EvaluationPeriods"]) == asked


def test_the_runbook_may_be_on_the_web(tmp_path: Path) -> None:
    alarms = alarms_of(synthesise(tmp_path / "cdk", {"runbook": "https://wiki.example/runbook"}))

    for name, alarm in alarms.items():
        assert alarm["AlarmDescription"].endswith(f" https://wiki.example/runbook#{name.removeprefix(f'{POOL}-')}")


def test_a_slug_is_how_a_heading_is_linked() -> None:
    assert slug("WarmPromiseNotKept") == "warm-promise-not-kept"
