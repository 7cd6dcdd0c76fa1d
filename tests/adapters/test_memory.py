"""The stand-ins that have no counterpart to be compared with."""

from datetime import UTC, datetime, timedelta

from warmpool.adapters.memory import (
    FixedBudget,
    FixedClock,
    FixedProvider,
    MemoryDeadLetters,
    RecordingTelemetry,
    UnlimitedBudget,
)
from warmpool.app.ports import AutoScaling, PassReport
from warmpool.core.spec import ClusterRef

NINE = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def test_the_clock_stands_still_until_it_is_moved() -> None:
    clock = FixedClock(NINE)

    assert (clock.now(), clock.now()) == (NINE, NINE)
    assert clock.advance(timedelta(minutes=1)) == clock.now() == NINE + timedelta(minutes=1)


def test_the_clock_can_be_set() -> None:
    clock = FixedClock(NINE)
    clock.time = NINE - timedelta(days=1)

    assert clock.now() == NINE - timedelta(days=1)


def test_budgets_have_what_they_were_given() -> None:
    assert UnlimitedBudget().remaining_seconds() == float("inf")
    assert FixedBudget(3).remaining_seconds() == 3


def test_telemetry_keeps_what_it_is_told() -> None:
    telemetry = RecordingTelemetry()
    report = PassReport(decisions=(), failures={}, complete=True, took_seconds=0)
    telemetry.publish(report)
    telemetry.warn("odd", pool="cpu")

    assert telemetry.reports == [report]
    assert telemetry.warnings == [("odd", {"pool": "cpu"})]


def test_dead_letters_are_kept_in_order() -> None:
    letters = MemoryDeadLetters()
    letters.send("a", "why a")
    letters.send("b", "why b")

    assert letters.sent == [("a", "why a"), ("b", "why b")]


def test_the_provider_is_in_service_unless_told_otherwise() -> None:
    provider = FixedProvider()
    assert provider.autoscaling(ClusterRef(hyperpod="ml"), UnlimitedBudget()) == AutoScaling(in_service=True)

    provider.answer = AutoScaling(in_service=None, text="throttled")
    assert provider.autoscaling(ClusterRef(hyperpod="ml"), UnlimitedBudget()).in_service is None
