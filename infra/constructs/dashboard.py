"""One dashboard: a manager reads its top, an engineer what is below. `warmpool.views` says what is on it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.constructs.dashboard_series import PERIOD, MetricsOfPools
from warmpool.views.engineer import POOL, STACK
from warmpool.views.model import Chart, Group, Number, Resource, Span, Style
from warmpool.views.queries import Names
from warmpool.views.summary import MANAGER, SIDE_BY_SIDE

COLUMNS: Final = 24
MOST_ALARMS: Final = 100
"""That one alarm widget can show."""
CHOSEN: Final = "WARMPOOL_CHOSEN_POOL"
"""Stands for the pool that is chosen at the top of a dashboard of several; no name of a pool has capitals."""

_OVER: Final[Mapping[Span, tuple[str | None, Duration]]] = {
    Span.NOW: (None, PERIOD),
    Span.DAY: ("-PT24H", Duration.days(1)),
    Span.WEEK: ("-P7D", Duration.days(7)),
}
_NUMBER_HEIGHT: Final = 4
_CHART_HEIGHT: Final = 6
_LOG_HEIGHT: Final = 7
_ALARMS_IN_A_ROW: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the dashboard is about."""

    stack_name: str
    pools: Sequence[str]
    priced: Sequence[str]
    """Those with a price: of the others the cost is unknown."""
    resources: Mapping[Resource, str]
    log_group: str
    runbook: str
    alarms: Sequence[cloudwatch.IAlarm] = field(default_factory=tuple)


class Dashboard(Construct):
    """The dashboard; its size does not grow with the number of pools, but for one line each where they are compared.

    CloudWatch shows at most 500 widgets and 2,500 metrics on one dashboard. So the charts of a pool are there once, and
    where there are several pools, one is chosen at the top.
    """

    def __init__(self, scope: Construct, construct_id: str, shown: Shown) -> None:
        super().__init__(scope, construct_id)
        self._shown = shown
        names = Names(stack=shown.stack_name, resources=shown.resources)
        self._metrics = MetricsOfPools(names=names, pools=shown.pools, priced=shown.priced)
        self._pool = shown.pools[0] if len(shown.pools) == 1 else CHOSEN
        self.dashboard = cloudwatch.Dashboard(
            self,
            "Dashboard",
            dashboard_name=shown.stack_name,
            default_interval=Duration.days(1),
            period_override=cloudwatch.PeriodOverride.AUTO,
            variables=list(self._variables()),
            widgets=[list(row) for row in self._rows()],
        )

    def _variables(self) -> Iterator[cloudwatch.IVariable]:
        if self._pool == CHOSEN:
            values = [cloudwatch.VariableValue(value=pool, label=pool) for pool in self._shown.pools]
            yield cloudwatch.DashboardVariable(
                id="pool",
                type=cloudwatch.VariableType.PATTERN,
                label="Pool",
                input_type=cloudwatch.VariableInputType.SELECT,
                value=CHOSEN,
                values=cloudwatch.Values.from_values(*values),
                default_value=cloudwatch.DefaultValue.value(self._shown.pools[0]),
                visible=True,
            )

    def _rows(self) -> Iterator[Sequence[cloudwatch.IWidget]]:
        yield [_text(self._introduction())]
        yield [self._number(each) for each in MANAGER]
        yield from ([each] for each in self._alarms())
        if self._pool == CHOSEN:
            yield [_text("\n".join(["## The pools side by side", *_explained(SIDE_BY_SIDE)]))]
            yield [chart for each in SIDE_BY_SIDE if (chart := self._compared(each))]
        for number, group in enumerate(POOL):
            yield from self._group(group, of=f"Pool {self._pool}" if number == 0 else "")
        yield [self._decisions()]
        for group in STACK:
            yield from self._group(group, of="The controller")
        yield [self._warnings()]

    def _introduction(self) -> str:
        shown = self._shown
        lines = [f"- **{each.title}** ({each.unit}): {each.about}." for each in MANAGER]
        more = f"`warmpool status --stack {shown.stack_name}` tells what is wrong now and what to do about it."
        return "\n".join(
            [f"# Warm pools of {shown.stack_name}", *lines, "", f"{more} {_link(shown.runbook, 'Runbook')}"]
        )

    def _number(self, number: Number) -> cloudwatch.IWidget:
        start, period = _OVER[number.span]
        metrics = [
            self._metrics.overall(each, number.across, f"n{place}", period) for place, each in enumerate(number.series)
        ]
        known, width = [each for each in metrics if each is not None], COLUMNS // len(MANAGER)
        if not known:
            why = f"**{number.title}**\n\nNo data: no pool has a `nodeHourlyPrice` in the spec."
            return cloudwatch.TextWidget(markdown=why, width=width, height=_NUMBER_HEIGHT)
        return cloudwatch.SingleValueWidget(
            title=f"{number.title} ({number.unit})",
            metrics=known,
            width=width,
            height=_NUMBER_HEIGHT,
            start=start,
            period=period,
            set_period_to_time_range=start is not None,
        )

    def _alarms(self) -> Iterator[cloudwatch.IWidget]:
        alarms = self._shown.alarms
        for first in range(0, len(alarms), MOST_ALARMS):
            some = alarms[first : first + MOST_ALARMS]
            yield cloudwatch.AlarmStatusWidget(
                title="Alarms, the latest change first",
                alarms=list(some),
                sort_by=cloudwatch.AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
                width=COLUMNS,
                height=2 + -(-len(some) // _ALARMS_IN_A_ROW),
            )

    def _compared(self, chart: Chart) -> cloudwatch.IWidget | None:
        (series,) = chart.series
        lines = self._metrics.by_pool(series)
        return _graph(chart, lines, width=COLUMNS // len(SIDE_BY_SIDE)) if lines else None

    def _group(self, group: Group, *, of: str) -> Iterator[Sequence[cloudwatch.IWidget]]:
        title = [f"## {of}"] if of else []
        links = ", ".join(_link(f"{self._shown.runbook}#{each}", each) for each in group.runbook)
        todo = ["", f"What to do: {links}"] if links else []
        yield [_text("\n".join([*title, f"### {group.title}", *_explained(group.charts), *todo]))]
        yield [
            _graph(
                chart,
                [self._metrics.line(each, self._pool, f"s{place}") for place, each in enumerate(chart.series)],
                width=COLUMNS // len(group.charts),
            )
            for chart in group.charts
        ]

    def _decisions(self) -> cloudwatch.IWidget:
        return cloudwatch.LogQueryWidget(
            title=f"The latest decisions of pool {self._pool}, with their reasons and holds",
            log_group_names=[self._shown.log_group],
            query_lines=decision_query(self._pool),
            width=COLUMNS,
            height=_LOG_HEIGHT,
        )

    def _warnings(self) -> cloudwatch.IWidget:
        return cloudwatch.LogQueryWidget(
            title="The latest warnings and errors",
            log_group_names=[self._shown.log_group],
            query_lines=[
                "fields @timestamp, level, message, @message",
                'filter level in ["WARNING", "ERROR", "CRITICAL"]',
                "sort @timestamp desc",
                "limit 20",
            ],
            width=COLUMNS,
            height=_LOG_HEIGHT,
        )


def decision_query(pool: str) -> list[str]:
    """Take one pool's part out of the passes' records, whose pools stand in a list that Logs Insights cannot search."""
    part = (
        rf'"pool":"{pool}".*?"current":(?<current>[^,]*),"target":(?<target>[^,]*),"action":"(?<action>[^"]*)"'
        r',"hold":"?(?<hold>[^",]*)"?,.*?"reasons":\[(?<reasons>.*?)\]'
    )
    return [
        "fields @timestamp, complete",
        'filter message = "pass"',
        f"parse @message /{part}/",
        "filter ispresent(reasons)",
        "display @timestamp, complete, action, current, target, hold, reasons",
        "sort @timestamp desc",
        "limit 20",
    ]


def _graph(chart: Chart, lines: Sequence[cloudwatch.IMetric], *, width: int) -> cloudwatch.IWidget:
    return cloudwatch.GraphWidget(
        title=chart.title,
        left=list(lines),
        left_y_axis=cloudwatch.YAxisProps(label=chart.unit, min=0, show_units=False),
        stacked=chart.style is Style.STACKED,
        legend_position=cloudwatch.LegendPosition.BOTTOM,
        width=width,
        height=_CHART_HEIGHT,
    )


def _explained(charts: Sequence[Chart]) -> Iterator[str]:
    return (f"- **{each.title}** ({each.unit}): {each.about}." for each in charts)


def _text(markdown: str) -> cloudwatch.IWidget:
    """Give a text as many rows as it has lines: a row is 60 pixels high, a line of text or a heading half of that."""
    return cloudwatch.TextWidget(markdown=markdown, width=COLUMNS, height=1 + -(-markdown.count("\n") * 2 // 3))


def _link(target: str, text: str) -> str:
    """Link where the runbook is on the web; a path in the repository is told as one."""
    return f"[{text}]({target})" if re.match(r"https?://", target) else f"{text} (`{target}`)"
