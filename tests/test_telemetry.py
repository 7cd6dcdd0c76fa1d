"""One log record a pass and EMF that CloudWatch accepts."""

import io
import json
from typing import Any

import pytest

from tests.adapters.aws.builders import decision
from warmpool import telemetry as module
from warmpool.app.ports import PassReport
from warmpool.core.decision import Decision, Groups, Mark
from warmpool.core.reasons import Code, Exclusion, Reason
from warmpool.telemetry import NAMESPACE, PowertoolsTelemetry


class Told:
    """What came out on the stream, line by line."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.telemetry = PowertoolsTelemetry(stack="ml", stream=self.stream)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def logs(self) -> list[dict[str, Any]]:
        return [each for each in self.lines() if "_aws" not in each]

    def metrics(self, **dimensions: str) -> dict[str, float]:
        """Return the values of the one blob with exactly these dimensions beside service and stack."""
        wanted = {"service": "warmpool", "stack": "ml", **dimensions}
        found = [each for each in self.lines() if "_aws" in each and dimensions_of(each) == wanted]
        [blob] = found
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


def test_a_complete_pass_beats(told: Told) -> None:
    told.telemetry.publish(report(decision()))

    assert told.metrics() == {"Heartbeat": 1, "PassFailed": 0, "PassSeconds": 1.25, "Conflicts": 0}


@pytest.mark.parametrize("failures", [{}, {"cpu": "Failed"}])
def test_an_incomplete_pass_does_not_beat(told: Told, failures: dict[str, str]) -> None:
    told.telemetry.publish(report(decision(), complete=False, failures=failures, conflicts=2))

    assert told.metrics() == {"PassFailed": len(failures), "PassSeconds": 1.25, "Conflicts": 2}


def test_a_pass_that_never_came_to_a_decision_failed(told: Told) -> None:
    told.telemetry.publish(report(complete=False))

    assert told.metrics()["PassFailed"] == 1


def test_a_failure_of_the_whole_pass_makes_no_pool_of_its_own(told: Told) -> None:
    told.telemetry.publish(report(complete=False, failures={"*": "KeyError: x"}))

    assert told.metrics()["PassFailed"] == 1
    assert len(told.lines()) == 2


def test_every_pool_has_its_gauges(told: Told) -> None:
    told.telemetry.publish(
        report(
            decision(
                "gpu",
                current=4,
                target=5,
                groups=Groups(h=1, i=3),
                idle_nodes_wanted=4,
                busy_nodes=2,
                warm_slots=9,
                ready_placeholders=3,
                pending_placeholders=1,
                capped=True,
            ),
            decision("cpu"),
        )
    )

    assert told.metrics(pool="gpu") == {
        "Current": 4,
        "Target": 5,
        "IdleNodes": 3,
        "IdleNodesWanted": 4,
        "BusyNodes": 2,
        "WarmSlots": 9,
        "ReadyPlaceholders": 3,
        "PendingPlaceholders": 1,
        "Capped": 1,
        "Held": 0,
        "PoolFailed": 0,
        "ConfigInvalid": 0,
        "ForeignWriter": 0,
        "HeldLong": 0,
        "CapacityStuck": 0,
        "ImagePullStuck": 0,
    }
    assert told.metrics(pool="cpu")["Target"] == 3


def test_what_was_not_seen_is_left_out_and_not_zero(told: Told) -> None:
    told.telemetry.publish(report(held(current=None, target=None, code=Code.CLUSTER_UNAVAILABLE), complete=False))

    assert told.metrics(pool="cpu").keys().isdisjoint({"Current", "Target", "IdleNodes", "BusyNodes", "WarmSlots"})
    assert told.metrics(pool="cpu")["Held"] == 1


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (Code.CONFIG_INVALID, "ConfigInvalid"),
        (Code.FOREIGN_WRITER, "ForeignWriter"),
        (Code.HELD_LONG, "HeldLong"),
        (Code.CAPACITY_STUCK, "CapacityStuck"),
        (Code.IMAGE_PULL_STUCK, "ImagePullStuck"),
    ],
)
def test_a_reason_that_alarms_is_a_metric(told: Told, code: Code, name: str) -> None:
    told.telemetry.publish(report(decision(reasons=(Reason(Code.STEADY, "x"), Reason(code, "y")))))

    assert told.metrics(pool="cpu")[name] == 1


def test_a_hold_is_counted_once_more_by_its_reason(told: Told) -> None:
    told.telemetry.publish(report(held("cpu"), decision("gpu")))

    assert told.metrics(pool="cpu", reason="ForeignWriter") == {"Held": 1}
    assert [dimensions_of(each) for each in told.lines() if "_aws" in each and "reason" in each] == [
        {"service": "warmpool", "stack": "ml", "pool": "cpu", "reason": "ForeignWriter"}
    ]


def test_a_pool_that_failed_says_so(told: Told) -> None:
    told.telemetry.publish(report(held("cpu"), decision("gpu"), failures={"cpu": "Conflict: x"}, complete=False))

    assert told.metrics(pool="cpu")["PoolFailed"] == 1
    assert told.metrics(pool="gpu")["PoolFailed"] == 0


def test_every_blob_is_in_our_namespace_with_units(told: Told) -> None:
    told.telemetry.publish(report(held()))

    for blob in [each for each in told.lines() if "_aws" in each]:
        [metrics] = blob["_aws"]["CloudWatchMetrics"]
        assert metrics["Namespace"] == NAMESPACE
        assert {each["Unit"] for each in metrics["Metrics"]} <= {"Count", "Seconds"}


def test_every_metric_of_a_pass_is_named_by_a_constant(told: Told) -> None:
    told.telemetry.publish(report(held()))

    constants = {value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}
    assert {name for each in told.lines() if "_aws" in each for name in names_of(each)} <= constants


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
    assert (pool["pool"], pool["current"], pool["target"], pool["action"]) == ("cpu", 3, 3, "none")
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
    told.telemetry.publish(report(decision(busy_nodes="many")))

    [_, failure] = told.logs()
    assert failure["level"] == "ERROR"
    assert failure["exception_name"] == "MetricValueError"


def test_two_stacks_in_one_process_write_to_their_own_streams() -> None:
    first, second = Told(), Told()
    second.telemetry.publish(report(decision()))

    assert first.lines() == []
    assert len(second.logs()) == 1
