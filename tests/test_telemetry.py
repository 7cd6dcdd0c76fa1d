"""One log record a pass and EMF that CloudWatch accepts."""

import io
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.adapters.aws.builders import AT, cold, decision, launch, tally, warm
from tests.test_readings import everything
from warmpool.adapters.memory import FixedClock
from warmpool.app.ports import PassReport
from warmpool.core.decision import Decision, Groups, Mark
from warmpool.core.reasons import Code, Exclusion, Reason
from warmpool.metrics import METRICS, NAMESPACE, Level
from warmpool.telemetry import MOST_VALUES, PowertoolsTelemetry

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


class Told:
    """What came out on the stream, line by line."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.telemetry = PowertoolsTelemetry(stack="ml", stream=self.stream, clock=FixedClock(AT))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def logs(self) -> list[dict[str, Any]]:
        return [each for each in self.lines() if "_aws" not in each]

    def blobs(self, **dimensions: str) -> list[dict[str, Any]]:
        """Return the documents with exactly these dimensions beside service and stack; all where none is given."""
        found = [each for each in self.lines() if "_aws" in each]
        wanted = {"service": "warmpool", "stack": "ml", **dimensions}
        return [each for each in found if dimensions_of(each) == wanted] if dimensions else found

    def metrics(self, **dimensions: str) -> dict[str, float]:
        """Return the first values of the one document with exactly these dimensions beside service and stack."""
        wanted = {"service": "warmpool", "stack": "ml", **dimensions}
        [blob] = [each for each in self.blobs() if dimensions_of(each) == wanted]
        return {name: blob[name][0] for name in names_of(blob)}


def dimensions_of(blob: dict[str, Any]) -> dict[str, str]:
    [metrics] = blob["_aws"]["CloudWatchMetrics"]
    [names] = metrics["Dimensions"]
    return {name: blob[name] for name in names}


def names_of(blob: dict[str, Any]) -> list[str]:
    [metrics] = blob["_aws"]["CloudWatchMetrics"]
    return [each["Name"] for each in metrics["Metrics"]]


def report(*decisions: Decision, **changes: Any) -> PassReport:
    values: dict[str, Any] = {"decisions": decisions, "failures": {}, "complete": True, "took_seconds": 1.25}
    return PassReport(**{**values, **changes})


def held(pool: str = "cpu", code: Code = Code.FOREIGN_WRITER, **changes: Any) -> Decision:
    return decision(pool, hold=code, reasons=(Reason(code, "somebody else writes replicas"),), **changes)


@pytest.fixture
def told() -> Told:
    return Told()


def test_every_value_of_a_pass_is_one_document_for_each_set_of_dimensions(told: Told) -> None:
    told.telemetry.publish(report(held("cpu", lead_time=None), decision("gpu", lead_time=MINUTE)))

    assert told.metrics() == {"Heartbeat": 1, "PassFailed": 0, "PassSeconds": 1.25, "Conflicts": 0}
    assert told.metrics(pool="cpu")["Held"] == 1
    assert told.metrics(pool="gpu")["Target"] == 3
    assert told.metrics(pool="cpu", reason="ForeignWriter") == {"HeldFor": 1}


def test_exactly_the_catalogue_is_emitted_with_its_units_and_dimensions(told: Told) -> None:
    told.telemetry.publish(everything())

    emitted = {
        each["Name"]: (each["Unit"], frozenset(dimensions_of(blob)))
        for blob in told.blobs()
        for each in blob["_aws"]["CloudWatchMetrics"][0]["Metrics"]
    }
    assert emitted == {each.name: (each.unit.value, frozenset(each.level.dimensions)) for each in METRICS.values()}


def test_a_metric_that_is_not_in_the_catalogue_is_not_told(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmpool.readings._FLAGS", {"Surprise": Code.STEADY})
    told.telemetry.publish(report(decision()))

    [_, failure] = told.logs()
    assert failure["exception_name"] == "KeyError"


def test_the_dimensions_end_in_what_the_level_says() -> None:
    assert {level.value: level.dimensions[2:] for level in Level} == {
        "stack": (),
        "pool": ("pool",),
        "reason": ("pool", "reason"),
        "cause": ("pool", "cause"),
    }


def test_what_happens_several_times_in_a_pass_is_a_list_of_values(told: Told) -> None:
    launches = launch(warm(), waited=20), launch(cold(), waited=400)
    told.telemetry.publish(report(decision(), tallies={"cpu": tally(*launches)}))

    [blob] = told.blobs(pool="cpu")
    assert (blob["Wait"], blob["Hit"], blob["WarmWait"]) == ([20, 400], [1, 0], [20])


def test_more_values_than_a_document_takes_go_into_several(told: Told) -> None:
    launches = [launch(warm(), waited=number) for number in range(250)]
    told.telemetry.publish(report(decision(), tallies={"cpu": tally(*launches)}))

    blobs = told.blobs(pool="cpu")
    assert [len(each["Wait"]) for each in blobs] == [MOST_VALUES, MOST_VALUES, 52]
    assert [value for each in blobs for value in each["Wait"]] == list(range(250))
    assert [each.get("WarmCoexist") for each in blobs] == [[250], None, None]


def test_metrics_bear_the_time_at_which_the_pass_began_and_not_when_they_are_printed(told: Told) -> None:
    began = AT - 20 * SECOND
    told.telemetry.publish(replace(everything(), decisions=[held(at=began), decision("gpu", at=began)]))

    assert {each["_aws"]["Timestamp"] for each in told.blobs()} == {int(began.timestamp() * 1000)}


def test_a_pass_without_a_decision_has_the_time_of_the_clock(told: Told) -> None:
    told.telemetry.publish(report(complete=False, failures={"*": "KeyError: x"}))

    [blob] = told.blobs()
    assert blob["_aws"]["Timestamp"] == int(AT.timestamp() * 1000)


def test_every_document_is_in_our_namespace(told: Told) -> None:
    told.telemetry.publish(everything())

    assert {blob["_aws"]["CloudWatchMetrics"][0]["Namespace"] for blob in told.blobs()} == {NAMESPACE}


def test_a_pass_is_one_record_with_its_reasons(told: Told) -> None:
    told.telemetry.publish(report(decision(groups=Groups(h=1, i=2)), took_seconds=0.5))

    [record] = told.logs()
    assert (record["level"], record["message"], record["service"], record["stack"]) == (
        "INFO",
        "pass",
        "warmpool",
        "ml",
    )
    assert (record["complete"], record["took_ms"], record["failures"]) == (True, 500, {})
    [pool] = record["pools"]
    assert (pool["pool"], pool["current"], pool["target"], pool["action"], pool["hold"]) == ("cpu", 3, 3, "none", None)
    assert pool["reasons"] == [{"code": "Steady", "text": "three idle nodes, as wanted"}]
    assert pool["placement"] == {"h": 1, "i": 2, "x": 0, "r": 0}


@pytest.mark.parametrize("changes", [{"complete": False}, {"failures": {"cpu": "Conflict: x"}}])
def test_a_pass_with_trouble_is_a_warning(told: Told, changes: dict[str, Any]) -> None:
    told.telemetry.publish(report(decision(), **changes))

    assert [each["level"] for each in told.logs()] == ["WARNING"]


def test_nodes_and_pods_are_counted_and_not_named(told: Told) -> None:
    told.telemetry.publish(
        report(
            decision(
                excluded={"node-a": Exclusion.CORDONED, "node-b": Exclusion.CORDONED},
                marks=(Mark(namespace="ns", pod="pod-a", uid="uid-a"),),
            )
        )
    )

    [record] = told.logs()
    assert record["pools"][0]["excluded"] == {"Cordoned": 2}
    assert record["pools"][0]["marks"] == 1
    text = told.stream.getvalue()
    assert not any(name in text for name in ("node-a", "pod-a", "uid-a"))


def test_a_warning_carries_its_fields_apart(told: Told) -> None:
    told.telemetry.warn("odd", pool="cpu", level="mine", message="mine")

    [record] = told.logs()
    assert (record["level"], record["message"]) == ("WARNING", "odd")
    assert record["fields"] == {"pool": "cpu", "level": "mine", "message": "mine"}


def test_a_report_that_cannot_be_told_is_logged_and_nothing_more(told: Told) -> None:
    told.telemetry.publish(report(decision(busy_nodes="many", lead_time=MINUTE)))

    [_, failure] = told.logs()
    assert failure["level"] == "ERROR"
    assert failure["exception_name"] == "MetricValueError"


def test_two_stacks_in_one_process_write_to_their_own_streams() -> None:
    first, second = Told(), Told()
    second.telemetry.publish(report(decision()))

    assert first.lines() == []
    assert len(second.logs()) == 1
