"""What metrics, alarms and log cost a month."""

from datetime import timedelta

import pytest

from warmpool.app.metering import AlarmSize, Prices, Series, charges, log_usd

DAY = [
    Series(pool="", hours=24),
    Series(pool="cpu", hours=24),
    Series(pool="cpu", hours=6),
    Series(pool="gpu", hours=24),
]


def test_a_metric_is_paid_for_the_hours_in_which_it_is_written() -> None:
    stack, cpu, gpu = charges(DAY, [], 24)

    assert [(each.pool, each.metrics) for each in (stack, cpu, gpu)] == [("", 1), ("cpu", 2), ("gpu", 1)]
    assert cpu.usd_as_written == pytest.approx(0.30 + 0.30 / 4)
    assert cpu.usd_if_always == pytest.approx(0.60)
    assert gpu.usd == gpu.usd_as_written == pytest.approx(0.30)


def test_an_alarm_is_paid_by_its_metrics_and_a_composite_one_by_itself() -> None:
    alarms = [
        AlarmSize(pool="cpu", metrics=3),
        AlarmSize(pool="cpu", metrics=1),
        AlarmSize(pool="", metrics=0, composite=True),
    ]

    stack, cpu, _ = charges(DAY, alarms, 24)
    assert (stack.alarms, stack.usd_alarms) == (1, 0.50)
    assert cpu.alarms == 2
    assert cpu.usd_alarms == pytest.approx(0.40)
    assert cpu.usd == pytest.approx(0.375 + 0.40)


def test_a_pool_that_only_has_alarms_has_its_charge() -> None:
    assert [each.pool for each in charges([], [AlarmSize(pool="new", metrics=1)], 1)] == ["", "new"]


def test_a_log_is_paid_by_the_gigabyte() -> None:
    gigabytes, usd = log_usd(10_000_000, timedelta(hours=1), Prices(log_gigabyte=0.60))

    assert gigabytes == pytest.approx(7.3)
    assert usd == pytest.approx(4.38)
