"""The catalogue of metrics, and what a log's metrics cost, as tables or JSON."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from warmpool.app.metering import AlarmSize, Charge, Prices, Series, charges, log_usd
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import read_file
from warmpool.cli.logs import Bars, read_log, source_of, span_of
from warmpool.cli.printing import print_json, print_line, print_table
from warmpool.metrics import METRICS, NAMESPACE
from warmpool.views.metrics_page import written

_ALARM: Final = "AWS::CloudWatch::Alarm"
_COMPOSITE: Final = "AWS::CloudWatch::CompositeAlarm"
_LEAST_SPAN: Final = timedelta(minutes=5)
"""Less says nothing about a month."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was reckoned, and from how much."""

    source: str
    span: timedelta
    charges: list[Charge]
    log_gigabytes: float
    log_usd: float
    with_alarms: bool


def show_catalogue(*, as_json: bool) -> None:
    """Print every metric that the controller writes."""
    if as_json:
        documents = [
            {
                "name": each.name,
                "unit": each.unit.value,
                "dimensions": list(each.level.dimensions),
                "written": written(each),
                "about": each.about,
            }
            for each in METRICS.values()
        ]
        print_json({"namespace": NAMESPACE, "metrics": documents})
        return
    rows = [
        (each.name, ", ".join(each.level.dimensions), each.unit.value, written(each), each.about)
        for each in METRICS.values()
    ]
    print_table(f"Metrics in the namespace {NAMESPACE}", ("metric", "dimensions", "unit", "written", "meaning"), rows)


def from_log(name: str, template: Path | None, progress: Bars) -> Cost:
    """Reckon from a log, and from a template's alarms. Raises CliError."""
    alarms = [] if template is None else list(_alarms(template))
    source = source_of(name)
    read = read_log(name, progress)
    first, last = span_of(read.metrics, source)
    if last - first < _LEAST_SPAN:
        raise CliError("LogTooShort", "--log", f"{source!r} spans {last - first}; expected {_LEAST_SPAN} or more")
    hours = read.metrics.hours(NAMESPACE)
    if not hours:
        raise CliError("NoMetrics", "--log", f"{source!r} holds no metrics in the namespace {NAMESPACE}")
    series = [
        Series(name=key[1], pool=dict(key[2]).get("pool", ""), hours=len(written_in))
        for key, written_in in hours.items()
    ]
    every_hour = len(frozenset().union(*hours.values()))
    gigabytes, usd = log_usd(read.size_bytes, last - first)
    return Cost(
        source=source,
        span=last - first,
        charges=charges(series, alarms, every_hour),
        log_gigabytes=gigabytes,
        log_usd=usd,
        with_alarms=template is not None,
    )


def _alarms(template: Path) -> Iterator[AlarmSize]:
    """Yield a synthesised template's alarms. Raises CliError for anything else."""
    try:
        resources = json.loads(read_file(str(template), "--template"))["Resources"]
        for each in resources.values():
            if each["Type"] in {_ALARM, _COMPOSITE}:
                yield _size(each["Type"], each["Properties"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CliError(
            "TemplateInvalid",
            "--template",
            f"{str(template)!r} is no CloudFormation template in JSON; expected cdk.out/STACK.template.json, which"
            " `make synth` writes",
        ) from error


def _size(kind: str, properties: Mapping[str, Any]) -> AlarmSize:
    if kind == _COMPOSITE:
        return AlarmSize(pool="", metrics=0, composite=True)
    stats = [each["MetricStat"]["Metric"] for each in properties.get("Metrics", ()) if "MetricStat" in each]
    watched = stats or [properties]
    pools = {pair["Value"] for each in watched for pair in each.get("Dimensions", ()) if pair["Name"] == "pool"}
    return AlarmSize(pool=str(min(pools, default="")), metrics=len(watched))


def show_cost(cost: Cost, *, as_json: bool) -> None:
    """Print what it costs a month, and what was assumed."""
    prices = Prices()
    if as_json:
        print_json(_document(cost, prices))
        return
    columns = ("pool", "metrics", "written", "always", "alarms", "alarms' USD", "sum")
    rows = [
        (
            each.pool or "(stack)",
            str(each.metrics),
            f"${each.usd_as_written:.2f}",
            f"${each.usd_if_always:.2f}",
            str(each.alarms) if cost.with_alarms else "-",
            f"${each.usd_alarms:.2f}" if cost.with_alarms else "-",
            f"${each.usd:.2f}",
        )
        for each in cost.charges
    ]
    print_table(
        "USD a month: metrics as they were written, if they always were, and alarms", columns, rows, right=columns[1:]
    )
    print_line(
        f"Log: {cost.log_gigabytes:.2f} GB a month, ${cost.log_usd:.2f}. The dashboard: ${prices.dashboard_month:.2f}"
        " beyond an account's third."
    )
    print_line(
        f"From {cost.span / timedelta(hours=1):.1f} h of log in {cost.source}. CloudWatch's list prices of us-east-1,"
        f" February 2026, free tier not taken off: ${prices.metric_month:.2f} a metric, paid for the hours in which it"
        f" is written; ${prices.alarm_metric_month:.2f} a metric that an alarm looks at;"
        f" ${prices.composite_alarm_month:.2f} a composite alarm; ${prices.log_gigabyte:.2f} a GB of log."
    )
    if not cost.with_alarms:
        print_line("Alarms are left out: name the synthesised template with --template.")


def _document(cost: Cost, prices: Prices) -> dict[str, Any]:
    return {
        "source": cost.source,
        "log_hours": cost.span / timedelta(hours=1),
        "prices_usd": {
            "metric_month": prices.metric_month,
            "alarm_metric_month": prices.alarm_metric_month,
            "composite_alarm_month": prices.composite_alarm_month,
            "dashboard_month": prices.dashboard_month,
            "log_gigabyte": prices.log_gigabyte,
        },
        "log_gigabytes_per_month": cost.log_gigabytes,
        "log_usd_per_month": cost.log_usd,
        "charges": [
            {
                "pool": each.pool or None,
                "metrics": each.metrics,
                "metrics_usd_per_month": each.usd_as_written,
                "metrics_usd_per_month_if_always": each.usd_if_always,
                "alarms": each.alarms if cost.with_alarms else None,
                "alarms_usd_per_month": each.usd_alarms if cost.with_alarms else None,
                "usd_per_month": each.usd,
            }
            for each in cost.charges
        ],
    }
