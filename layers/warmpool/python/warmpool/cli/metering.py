"""The catalogue of metrics, and what a log's metrics cost, as tables or JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from warmpool.adapters.emf_log import Lines
from warmpool.app.metering import AlarmSize, Charge, Prices, Series, charges, log_usd
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import read_file
from warmpool.cli.logs import Bars, played_log, read_log, source_of, span_of, stack_in
from warmpool.cli.printing import print_json, print_line, print_table
from warmpool.metrics import METRICS, NAMESPACE
from warmpool.views.metrics_page import read_as, written

_ALARM: Final = "AWS::CloudWatch::Alarm"
_COMPOSITE: Final = "AWS::CloudWatch::CompositeAlarm"
_DASHBOARD: Final = "AWS::CloudWatch::Dashboard"
_PLAYED: Final = "a day that was played on the embedded cluster"
_LEAST_SPAN: Final = timedelta(minutes=5)
"""Less says nothing about a month."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What a synthesised template has that CloudWatch charges for."""

    alarms: Sequence[AlarmSize]
    dashboards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was reckoned, and from how much."""

    source: str
    stack: str
    span: timedelta
    lines: Lines
    charges: list[Charge]
    log_gigabytes: float
    log_usd: float
    template: Template | None

    @property
    def usd(self) -> float:
        """Metrics as written, alarms and log, in a month; dashboards may be free."""
        return sum(each.usd for each in self.charges) + self.log_usd


def show_catalogue(*, as_json: bool) -> None:
    """Print every metric that the controller writes."""
    if as_json:
        documents = [
            {
                "name": each.name,
                "unit": each.unit.value,
                "dimensions": list(each.level.dimensions),
                "statistics": [statistic.value for statistic in each.read],
                "written": written(each),
                "about": each.about,
            }
            for each in METRICS.values()
        ]
        print_json({"namespace": NAMESPACE, "metrics": documents})
        return
    rows = [
        (
            each.name,
            ", ".join(each.level.dimensions[2:]) or "-",
            each.unit.value,
            read_as(each),
            written(each),
            each.about,
        )
        for each in METRICS.values()
    ]
    columns = ("metric", "dimensions", "unit", "read as", "written", "meaning")
    print_table(f"Metrics in the namespace {NAMESPACE}, all with the dimensions service and stack", columns, rows)


def cost_of(name: str | None, template: Path | None, stack: str | None, progress: Bars) -> Cost:
    """Reckon from a log, None: from a day that is played, and from a template. Raises CliError or HandlerMissing."""
    known = None if template is None else _template(template)
    source = _PLAYED if name is None else source_of(name)
    read = played_log(progress) if name is None else read_log(name, progress)
    first, last = span_of(read.metrics, source)
    if last - first < _LEAST_SPAN:
        raise CliError("LogTooShort", "--log", f"{source!r} spans {last - first}; expected {_LEAST_SPAN} or more")
    stack = stack_in(read.metrics, stack)
    hours = read.metrics.hours(NAMESPACE, stack=stack)
    series = [
        Series(pool=dict(dimensions).get("pool", ""), hours=len(written_in))
        for (_, _, dimensions), written_in in hours.items()
    ]
    every_hour = len(frozenset().union(*hours.values()))
    gigabytes, usd = log_usd(read.size_bytes, last - first)
    return Cost(
        source=source,
        stack=stack,
        span=last - first,
        lines=read.metrics.lines,
        charges=charges(series, known.alarms if known else (), every_hour),
        log_gigabytes=gigabytes,
        log_usd=usd,
        template=known,
    )


def _template(path: Path) -> Template:
    """Read a synthesised template. Raises CliError for anything else."""
    try:
        resources = list(json.loads(read_file(str(path), "--template"))["Resources"].values())
        alarms = [_size(each["Type"], each["Properties"]) for each in resources if each["Type"] in {_ALARM, _COMPOSITE}]
        return Template(alarms=alarms, dashboards=sum(each["Type"] == _DASHBOARD for each in resources))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CliError(
            "TemplateInvalid",
            "--template",
            f"{str(path)!r} is no CloudFormation template in JSON; expected cdk.out/STACK.template.json, which"
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
    if as_json:
        print_json(_document(cost, Prices()))
        return
    columns = ("pool", "metrics", "written", "always", "alarms", "alarms' USD", "sum")
    rows = [_row(each.pool or "(stack)", [each], cost) for each in cost.charges]
    rows.append(_row("together", cost.charges, cost))
    print_table(
        "USD a month: metrics as they were written, if they always were, and alarms", columns, rows, right=columns[1:]
    )
    for line in _said(cost, Prices()):
        print_line(line)


def _row(name: str, of: Sequence[Charge], cost: Cost) -> tuple[str, ...]:
    known = cost.template is not None
    return (
        name,
        str(sum(each.metrics for each in of)),
        _usd(sum(each.usd_as_written for each in of)),
        _usd(sum(each.usd_if_always for each in of)),
        str(sum(each.alarms for each in of)) if known else "-",
        _usd(sum(each.usd_alarms for each in of)) if known else "-",
        _usd(sum(each.usd for each in of)),
    )


def _usd(amount: float) -> str:
    return f"${amount:.2f}"


def _said(cost: Cost, prices: Prices) -> Iterator[str]:
    yield f"With the log, {cost.log_gigabytes:.2f} GB a month for {_usd(cost.log_usd)}: {_usd(cost.usd)}."
    if cost.template is None:
        yield "Alarms and dashboard are left out: name the synthesised template with --template."
    elif cost.template.dashboards:
        yield (
            f"Dashboards: {cost.template.dashboards}, {_usd(prices.dashboard_month)} each, unless it is one of the"
            " three of up to 50 metrics that are free in an account."
        )
    yield (
        f"From {cost.span / timedelta(hours=1):.1f} h of log, {cost.source}: {cost.lines.metrics} lines with metrics;"
        f" {cost.lines.other} others and {cost.lines.broken} broken ones were passed over."
    )
    yield (
        f"CloudWatch's list prices of us-east-1, February 2026, free tier not taken off: {_usd(prices.metric_month)} a"
        f" metric, paid for the hours in which it is written; {_usd(prices.alarm_metric_month)} a metric that an alarm"
        f" looks at; {_usd(prices.composite_alarm_month)} a composite alarm; {_usd(prices.log_gigabyte)} a GB of log."
    )


def _document(cost: Cost, prices: Prices) -> dict[str, Any]:
    known = cost.template is not None
    return {
        "source": cost.source,
        "stack": cost.stack,
        "log_hours": cost.span / timedelta(hours=1),
        "lines": asdict(cost.lines),
        "prices_usd": asdict(prices),
        "log_gigabytes_per_month": cost.log_gigabytes,
        "log_usd_per_month": cost.log_usd,
        "charges": [
            {
                "pool": each.pool or None,
                "metrics": each.metrics,
                "metrics_usd_per_month": each.usd_as_written,
                "metrics_usd_per_month_if_always": each.usd_if_always,
                "alarms": each.alarms if known else None,
                "alarms_usd_per_month": each.usd_alarms if known else None,
                "usd_per_month": each.usd,
            }
            for each in cost.charges
        ],
        "usd_per_month": cost.usd,
        "dashboards": cost.template.dashboards if cost.template else None,
    }
