"""`warmpool report`: from a log and from CloudWatch, as numbers, as JSON and as a page."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.session import Session

from tests.cli.deployed import NOW, STACK, Deployed, deployed_stack, spec
from warmpool.metrics import METRICS, NAMESPACE, SERVICE
from warmpool.sim.aws.gaps.percentiles import percentiles

from .conftest import SPEC, Warmpool

MINUTE = timedelta(minutes=1)
PASS = {"RoomMissing": 0, "WarmSlots": 22, "NeedSlots": 11, "IdleNodeHours": 0.05, "IdleCostUsd": 0.138}


def emf(at: datetime, values: dict[str, Any], *, stack: str = STACK, **dimensions: str) -> str:
    """Write what the controller prints for one set of metrics."""
    names = {"service": SERVICE, "stack": stack, **dimensions}
    metrics = [{"Name": name, "Unit": METRICS[name].unit.value} for name in values]
    directive = {"Namespace": NAMESPACE, "Dimensions": [list(names)], "Metrics": metrics}
    about = {"Timestamp": int(at.timestamp() * 1000), "CloudWatchMetrics": [directive]}
    return json.dumps({"_aws": about, **names, **values}) + "\n"


def an_hour(pool: str = "spaces", **changes: Any) -> Iterator[str]:
    """Print an hour of passes, in the 30th minute four launches, one of them cold."""
    for minute in range(60):
        at = NOW - (60 - minute) * MINUTE
        yield emf(at, {"Heartbeat": 1, "PassSeconds": 0.4})
        yield emf(at, {**PASS, **changes}, pool=pool)
        if minute == 30:
            yield emf(at, {"Hit": [1, 1, 1, 0], "Wait": [10, 12, 14, 300], "WarmCoexist": 3, "Cold": 1}, pool=pool)
            yield emf(at, {"ColdFor": 1}, pool=pool, cause="stock-out")


def log(*lines: str) -> bytes:
    return "".join(lines).encode()


class TestLog:
    def test_the_numbers_are_those_of_the_log(self, warmpool: Warmpool) -> None:
        result = warmpool("report", "--log", "-", "--output", "json", stdin=log(*an_hour()))
        assert result.code == 0
        document = result.document
        (pool,) = document["pools"]
        assert {key: pool[key] for key in ("pool", "kept", "launches", "warm", "cold", "not_known", "hit_rate")} == {
            "pool": "spaces",
            "kept": True,
            "launches": 4,
            "warm": 3,
            "cold": 1,
            "not_known": 0,
            "hit_rate": 0.75,
        }
        assert (pool["p50_wait_s"], pool["p99_wait_s"], pool["cold_causes"]) == (12.0, 300.0, {"stock-out": 1})
        assert (pool["idle_node_hours"], pool["idle_cost_usd"]) == (3.0, 8.28)
        assert pool["usd_per_avoided_cold_start"] == 2.76
        assert pool["idle_cost_usd_per_day"] == pytest.approx(8.28 * 24, abs=0.01)
        assert (document["stack"], document["from"], document["to"]) == (
            STACK,
            "2026-12-14T07:00:00Z",
            "2026-12-14T08:00:00Z",
        )
        assert (document["all"]["launches"], document["page"]) == (4, None)

    def test_people_get_sentences_and_a_page(self, warmpool: Warmpool, tmp_path: Path) -> None:
        (tmp_path / "log").write_bytes(log(*an_hour()))
        page = tmp_path / "out/report.html"
        result = warmpool("report", "--log", tmp_path / "log", "--out", page)
        assert result.code == 0
        assert (
            "Fast starts: 75.0 %. 3 of 4 launches found a warm node; 1 did not (1 x AWS had no instance)." in result.out
        )
        assert "Is the promise kept? yes." in result.out
        assert "Waiting: 12 s. Half of the launches waited at most 12 s, 99 % at most 5 min." in result.out
        assert f"Report: {page}" in result.out
        assert "<svg " in page.read_text(encoding="utf-8")
        assert "drawing" in result.err

    def test_a_metric_that_is_not_there_is_null_and_never_0(self, warmpool: Warmpool) -> None:
        lines = [emf(NOW, {"WarmSlots": 1}, pool="spaces")]
        (pool,) = warmpool("report", "--log", "-", "--output", "json", stdin=log(*lines)).document["pools"]
        assert pool.pop("pool") == "spaces"
        assert (pool.pop("unpriced"), pool.pop("cold_causes"), pool.pop("held_passes")) == ([], {}, {})
        assert pool.pop("measured_hours") == 0
        assert set(pool.values()) == {None}

    def test_a_time_may_be_chosen(self, warmpool: Warmpool) -> None:
        words = ("report", "--log", "-", "--output", "json", "--from", "2026-12-14T07:00Z", "--to", "2026-12-14T07:30Z")
        document = warmpool(*words, stdin=log(*an_hour())).document
        assert (document["all"]["launches"], document["all"]["idle_node_hours"]) == (0, 1.5)
        days = warmpool("report", "--log", "-", "--output", "json", "--days", "2", stdin=log(*an_hour())).document
        assert (days["from"], days["all"]["measured_hours"]) == ("2026-12-12T08:00:00Z", 1.0)

    def test_of_several_stacks_one_is_chosen_and_of_its_pools_some(self, warmpool: Warmpool) -> None:
        text = log(*an_hour(), *an_hour("gpu", RoomMissing=1), emf(NOW, PASS, stack="other", pool="far"))
        which = warmpool("report", "--log", "-", "--output", "json", stdin=text).error
        assert (which["path"], "warmpool-ml-research, other" in which["message"]) == ("--stack", True)
        words = ("report", "--log", "-", "--stack", STACK, "--output", "json")
        both = warmpool(*words, stdin=text).document
        assert ([each["pool"] for each in both["pools"]], both["all"]["kept"]) == (["spaces", "gpu"], False)
        one = warmpool(*words, "--pool", "gpu", stdin=text).document
        assert [each["pool"] for each in one["pools"]] == ["gpu"]
        assert warmpool(*words, "--pool", "no", stdin=text).error["path"] == "--pool"
        assert warmpool("report", "--log", "-", "--stack", "no", "-o", "json", stdin=text).error["path"] == "--stack"

    def test_the_promised_share_comes_from_the_spec(self, warmpool: Warmpool, tmp_path: Path) -> None:
        path = tmp_path / "pools.yaml"
        path.write_text(
            SPEC + "    timezone: UTC\n    demand: {targetHitRate: 0.99, readyWithin: 60s}\n", encoding="utf-8"
        )
        result = warmpool("report", "--log", "-", "--spec", path, stdin=log(*an_hour()))
        assert "Promised: 99.0 %." in result.out

    @pytest.mark.parametrize(
        ("words", "path"),
        [
            (["--log", "/nowhere"], "--log"),
            (["--log", "-"], "--log"),
            (["--log", "-", "--days", "2", "--from", "2026-12-14"], "--days"),
            ([], "--stack"),
        ],
    )
    def test_wrong_input_is_an_error(self, warmpool: Warmpool, words: list[str], path: str) -> None:
        assert warmpool("report", *words, "--output", "json", stdin=b"START RequestId\n").error["path"] == path

    def test_a_span_that_runs_backwards_and_a_page_that_cannot_be_written_are_errors(
        self, warmpool: Warmpool, tmp_path: Path
    ) -> None:
        words = ("report", "--log", "-", "-o", "json")
        for wrong in ("2026-12-15", "soon"):
            assert warmpool(*words, "--from", wrong, stdin=log(*an_hour())).error["path"] == "--from"
        (tmp_path / "file").write_text("")
        error = warmpool(*words, "--out", tmp_path / "file/page.html", stdin=log(*an_hour())).error
        assert (error["code"], error["path"]) == ("FileUnwritable", "--out")


class TestCloudWatch:
    @pytest.fixture
    def deployed(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
        with deployed_stack(monkeypatch) as here, percentiles():
            here.faults.refuse("DescribeStacks", "AccessDenied")
            here.put("gpu/spec", spec("gpu", demand={"targetHitRate": 0.7, "readyWithin": "60s"}))
            yield here

    @pytest.fixture
    def measured(self, deployed: Deployed) -> Deployed:
        client: Any = Session().create_client("cloudwatch", region_name="eu-central-1")
        for line in an_hour("gpu"):
            document = json.loads(line)
            (directive,) = document["_aws"]["CloudWatchMetrics"]
            # moto compares three dimensions in any order, four only in the same.
            dimensions = [{"Name": name, "Value": document[name]} for name in sorted(directive["Dimensions"][0])]
            for metric in directive["Metrics"]:
                value = document[metric["Name"]]
                datum = {
                    "MetricName": metric["Name"],
                    "Dimensions": dimensions,
                    "Timestamp": document["_aws"]["Timestamp"] / 1000,
                    **({"Values": value} if isinstance(value, list) else {"Value": value}),
                }
                client.put_metric_data(Namespace=NAMESPACE, MetricData=[datum])
        return deployed

    def test_a_stacks_metrics_are_read_for_the_pools_that_are_deployed(
        self, warmpool: Warmpool, measured: Deployed
    ) -> None:
        result = warmpool("report", "--stack", STACK, "--days", "1", "--output", "json")
        gpu, spaces = sorted(result.document["pools"], key=lambda each: str(each["pool"]))
        assert (gpu["kept"], gpu["launches"], gpu["hit_rate"], gpu["target_hit_rate"]) == (True, 4, 0.75, 0.7)
        assert (gpu["idle_cost_usd"], gpu["measured_hours"]) == (8.28, 1.0)
        assert (gpu["p50_wait_s"], gpu["p99_wait_s"], gpu["cold_causes"]) == (12.0, 300.0, {"stock-out": 1})
        assert (spaces["kept"], spaces["launches"], spaces["idle_node_hours"]) == (None, None, None)
        assert result.document["source"] == "from CloudWatch in eu-central-1"
        assert "queues and function are left out, their names are unknown: cloudformation:DescribeStacks" in result.err

    def test_what_aws_measures_of_the_queues_is_on_the_page(
        self, warmpool: Warmpool, deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = "https://sqs.eu-central-1.amazonaws.com/123456789012/ticks.fifo"
        monkeypatch.setattr("warmpool.cli.reporting.outputs", lambda *_: {"QueueUrl": url, "Function": "reconcile"})
        client: Any = Session().create_client("cloudwatch", region_name="eu-central-1")
        dimensions = [{"Name": "QueueName", "Value": "ticks.fifo"}]
        age = {"MetricName": "ApproximateAgeOfOldestMessage", "Dimensions": dimensions, "Value": 7}
        client.put_metric_data(Namespace="AWS/SQS", MetricData=[{**age, "Timestamp": NOW - 2 * MINUTE}])
        page = tmp_path / "page.html"
        assert warmpool("report", "--stack", STACK, "--days", "1", "--out", page).code == 0
        assert page.read_text(encoding="utf-8").count("<svg ") == 1
        assert 'aria-label="Age of the oldest nudge: ' in page.read_text(encoding="utf-8")

    def test_a_refusal_names_the_right(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.faults.refuse("GetMetricData", "AccessDenied")
        error = warmpool("report", "--stack", STACK, "--output", "json").error
        assert (error["code"], "allow cloudwatch:GetMetricData" in error["message"]) == ("NotPermitted", True)

    def test_a_stack_that_is_not_there_is_an_error(self, warmpool: Warmpool, deployed: Deployed) -> None:
        assert warmpool("report", "--stack", "nope", "-o", "json").error["path"] == "--stack"
