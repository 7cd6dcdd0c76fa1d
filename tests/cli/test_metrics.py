"""`warmpool metrics`: the catalogue, and what a log's metrics and a template's alarms cost a month."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.deployed import NOW
from tests.cli.test_report import emf, log
from warmpool.metrics import METRICS, NAMESPACE

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
        assert (cold["unit"], cold["written"]) == ("Count", "when it happens")

    def test_it_is_a_table_for_people(self, warmpool: Warmpool) -> None:
        result = warmpool("metrics")

        assert result.code == 0
        assert [name for name in METRICS if name[:8] not in result.out] == []

    def test_a_template_alone_says_nothing_of_what_is_written(self, warmpool: Warmpool, tmp_path: Path) -> None:
        result = warmpool("metrics", "--template", template(tmp_path))

        assert result.code == 2
        assert "only with --log" in result.err


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
        )

        result = warmpool("metrics", "--log", "-", "--template", path, "--output", "json", stdin=a_day())
        stack, pool = result.document["charges"]
        assert (stack["alarms"], stack["alarms_usd_per_month"]) == (2, pytest.approx(0.60))
        assert (pool["alarms"], pool["alarms_usd_per_month"]) == (2, pytest.approx(0.30))

    def test_it_is_a_table_for_people_that_says_what_was_assumed(self, warmpool: Warmpool, tmp_path: Path) -> None:
        path = tmp_path / "reconcile.log"
        path.write_bytes(a_day())

        result = warmpool("metrics", "--log", str(path))
        assert result.code == 0
        told = " ".join(result.out.split())
        assert "$0.75" in told
        assert "From 23.0 h of log" in told
        assert "us-east-1" in told
        assert "Alarms are left out: name the synthesised template with --template." in told

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
