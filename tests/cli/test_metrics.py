"""`warmpool metrics`: the catalogue, and what a log's metrics and a template's alarms cost a month."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.deployed import NOW, STACK
from tests.cli.test_report import emf, log
from warmpool.metrics import METRICS, NAMESPACE, Level
from warmpool.sim.demo import demo_scene
from warmpool.sim.sessions import DEFAULT_SEED

from .conftest import Warmpool

HOUR = timedelta(hours=1)


def a_day() -> bytes:
    """Print a day with one pass an hour; of two of them the first is held."""
    lines = []
    for hour in range(24):
        at = NOW + hour * HOUR
        lines += [emf(at, {"Heartbeat": 1}), emf(at, {"WarmSlots": 22, "Held": 1 - hour % 2}, pool="spaces")]
        if hour % 2 == 0:
            lines.append(emf(at, {"HeldFor": 1}, pool="spaces", reason="Rollout"))
    return log(*lines, '{"message": "pass"}\n')


def alarm(name: str, *dimensions: tuple[str, str], **properties: Any) -> dict[str, Any]:
    pairs = [{"Name": key, "Value": value} for key, value in dimensions]
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": {"AlarmName": name, "Dimensions": pairs, **properties}}


def template(folder: Path, **resources: Any) -> str:
    path = folder / "stack.template.json"
    path.write_text(json.dumps({"Resources": resources}))
    return str(path)


class TestCatalogue:
    def test_every_metric_is_listed_with_unit_dimensions_and_meaning(self, warmpool: Warmpool) -> None:
        document = warmpool("metrics", "--output", "json").document

        assert document["namespace"] == NAMESPACE
        assert [each["name"] for each in document["metrics"]] == list(METRICS)
        [cold] = [each for each in document["metrics"] if each["name"] == "ColdFor"]
        assert cold["dimensions"] == ["service", "stack", "pool", "cause"]
        assert (cold["unit"], cold["statistics"], cold["written"]) == ("Count", ["Sum"], "when it happens")

    def test_it_is_a_table_for_people(self, warmpool: Warmpool) -> None:
        result = warmpool("metrics")

        assert result.code == 0
        assert [name for name in METRICS if name[:8] not in result.out] == []

    def test_a_template_alone_says_nothing_of_what_is_written(self, warmpool: Warmpool, tmp_path: Path) -> None:
        result = warmpool("metrics", "--template", template(tmp_path))

        assert result.code == 2
        assert "give --log or --demo too" in result.err

    def test_a_log_and_a_played_day_are_two_answers(self, warmpool: Warmpool) -> None:
        result = warmpool("metrics", "--log", "-", "--demo")

        assert result.code == 2
        assert "give either --log or --demo" in result.err


class TestCost:
    def test_a_metric_is_paid_for_the_hours_in_which_it_was_written(self, warmpool: Warmpool) -> None:
        document = warmpool("metrics", "--log", "-", "--output", "json", stdin=a_day()).document

        stack, pool = document["charges"]
        assert (stack["pool"], stack["metrics"], stack["usd_per_month"]) == (None, 1, pytest.approx(0.30))
        assert (pool["pool"], pool["metrics"]) == ("spaces", 3)
        assert pool["metrics_usd_per_month"] == pytest.approx(0.30 * 2.5)
        assert pool["metrics_usd_per_month_if_always"] == pytest.approx(0.90)
        assert (pool["alarms"], pool["alarms_usd_per_month"]) == (None, None)
        assert document["log_hours"] == 23
        assert document["lines"] == {"metrics": 60, "other": 1, "broken": 0}
        assert document["usd_per_month"] == pytest.approx(0.30 * 3.5 + document["log_usd_per_month"])
        assert (document["stack"], document["dashboards"]) == (STACK, None)
        assert document["log_gigabytes_per_month"] == pytest.approx(len(a_day()) / 1e9 * 730 / 23)

    def test_alarms_are_those_of_the_template(self, warmpool: Warmpool, tmp_path: Path) -> None:
        stat = {"Metric": {"Dimensions": [{"Name": "pool", "Value": "spaces"}]}}
        math = [{"Id": "e", "Expression": "a / b"}, {"Id": "a", "MetricStat": stat}, {"Id": "b", "MetricStat": stat}]
        path = template(
            tmp_path,
            A=alarm("a", ("pool", "spaces")),
            B={"Type": "AWS::CloudWatch::Alarm", "Properties": {"Metrics": math}},
            C=alarm("c", ("FunctionName", "f")),
            D={"Type": "AWS::CloudWatch::CompositeAlarm", "Properties": {"AlarmRule": 'ALARM("a")'}},
            E={"Type": "AWS::SNS::Topic"},
            F={"Type": "AWS::CloudWatch::Dashboard"},
        )

        result = warmpool("metrics", "--log", "-", "--template", path, "--output", "json", stdin=a_day())
        stack, pool = result.document["charges"]
        assert (stack["alarms"], stack["alarms_usd_per_month"]) == (2, pytest.approx(0.60))
        assert (pool["alarms"], pool["alarms_usd_per_month"]) == (2, pytest.approx(0.30))
        assert result.document["dashboards"] == 1

        table = warmpool("metrics", "--log", "-", "--template", path, stdin=a_day())
        assert "Dashboards: 1, $3.00 each" in table.out

    def test_it_is_a_table_for_people_that_says_what_was_assumed(self, warmpool: Warmpool, tmp_path: Path) -> None:
        path = tmp_path / "reconcile.log"
        path.write_bytes(a_day())

        result = warmpool("metrics", "--log", str(path))
        assert result.code == 0
        told = " ".join(result.out.split())
        assert "$0.75" in told
        assert "From 23.0 h of log" in told
        assert "60 lines with metrics; 1 others and 0 broken ones were passed over." in told
        assert "us-east-1" in told
        assert "Alarms and dashboard are left out: name the synthesised template with --template." in told

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"", "holds no metrics; expected lines in the embedded metric format"),
            (b"nothing of ours\n", "holds no metrics"),
            (log(emf(NOW, {"Heartbeat": 1})), "expected 0:05:00 or more"),
            (a_day().replace(b'"Warmpool"', b'"Other"'), f"no metrics in the namespace {NAMESPACE}"),
        ],
        ids=["empty", "no-metrics", "a-moment", "another-namespace"],
    )
    def test_a_log_that_says_nothing_of_a_month_is_refused(self, warmpool: Warmpool, content: bytes, told: str) -> None:
        result = warmpool("metrics", "--log", "-", stdin=content)

        assert result.code == 2
        assert told in result.err

    def test_a_broken_line_is_told_and_left_out(self, warmpool: Warmpool) -> None:
        result = warmpool(
            "metrics", "--log", "-", "--output", "json", stdin=a_day() + emf(NOW, {"Held": 1})[:-9].encode()
        )

        assert result.document["lines"]["broken"] == 1
        assert "warning: 1 lines with metrics are cut off or broken: they are left out" in result.err

    def test_of_several_stacks_one_has_to_be_named(self, warmpool: Warmpool) -> None:
        both = a_day() + log(*(emf(NOW + hour * HOUR, {"Held": 1}, stack="b", pool="p") for hour in range(24)))

        assert f"which of the log's stacks? There are: {STACK}, b" in warmpool("metrics", "--log", "-", stdin=both).err
        document = warmpool("metrics", "--log", "-", "--stack", "b", "--output", "json", stdin=both).document
        assert [(each["pool"], each["metrics"]) for each in document["charges"]] == [(None, 0), ("p", 1)]

    @pytest.mark.enable_socket
    @pytest.mark.allow_hosts(["127.0.0.1"])
    def test_without_a_log_a_day_is_played(self, warmpool: Warmpool, monkeypatch: pytest.MonkeyPatch) -> None:
        """Twenty minutes of it: the whole day takes a minute."""
        scene = demo_scene(None, DEFAULT_SEED)
        morning, minute = scene.start + 9 * HOUR, timedelta(minutes=1)
        short = replace(scene, start=morning, end=morning + 20 * minute, warm_up=10 * minute)
        monkeypatch.setattr("warmpool.sim.demo.demo_scene", lambda *_: short)

        document = warmpool("metrics", "--demo", "--output", "json").document
        assert document["source"] == "a day that was played on the embedded cluster"
        stack, pool = document["charges"]
        assert (stack["pool"], stack["metrics"]) == (None, 4)
        always = [each for each in METRICS.values() if each.level is Level.POOL and not each.sparse]
        assert (pool["pool"], pool["metrics"] >= len(always)) == ("spaces-cpu", True)

    def test_a_log_that_is_not_there_is_told(self, warmpool: Warmpool) -> None:
        result = warmpool("metrics", "--log", "/nowhere.log")

        assert (result.code, "cannot read '/nowhere.log': No such file" in result.err) == (2, True)

    @pytest.mark.parametrize("text", ["no JSON", "[]", '{"Resources": {"A": {"Type": "AWS::CloudWatch::Alarm"}}}'])
    def test_a_template_that_is_none_is_told(self, warmpool: Warmpool, tmp_path: Path, text: str) -> None:
        path = tmp_path / "t.json"
        path.write_text(text)

        result = warmpool("metrics", "--log", "-", "--template", str(path), stdin=a_day())
        assert result.code == 2
        assert "expected cdk.out/STACK.template.json, which `make synth` writes" in result.err
