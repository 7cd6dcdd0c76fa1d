"""Reads what was measured, from CloudWatch or from a log, and shows it as numbers and as a page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from warmpool.adapters.aws.clock import Deadline
from warmpool.adapters.aws.metric_data import CloudWatchMeasurements
from warmpool.adapters.aws.stack_outputs import outputs
from warmpool.app.errors import ConfigUnreadable, NotPermitted
from warmpool.app.measured import Grid, Measurements
from warmpool.app.ports import Budget
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import spec_of
from warmpool.cli.instants import instant_text, parse_instant_or_day
from warmpool.cli.live import LiveStack, deployed_pools, open_stack
from warmpool.cli.logs import Bars, read_log, source_of, span_of, stack_in
from warmpool.cli.printing import print_json, print_line, print_table, warn
from warmpool.core.spec import PoolSpec
from warmpool.metrics import NAMESPACE, SERVICE
from warmpool.sim.measured_report import COLUMNS, Measured, pool_row, write_measured
from warmpool.views.engineer import POOL, STACK
from warmpool.views.model import Resource
from warmpool.views.numbers import Numbers, Read, now_grid, now_queries, together, whole_queries
from warmpool.views.queries import Names, queries_of
from warmpool.views.spans import grid_over
from warmpool.views.summary import SIDE_BY_SIDE

_SECONDS: Final = 600.0
"""What reading may take: forty pools are some thirty calls."""
_DAYS: Final = 7
_READING: Final = "reading"
_DRAWING: Final = "drawing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asked for."""

    stack: str | None = None
    region: str | None = None
    spec: str | None = None
    start: str | None = None
    end: str | None = None
    days: int | None = None
    pools: tuple[str, ...] = ()

    def span(self, first: datetime | None, last: datetime) -> tuple[datetime, datetime]:
        """Return from when to when; `first` is where it begins unless something else is said, `last` where it ends.

        Raises CliError.
        """
        end = last if self.end is None else parse_instant_or_day(self.end, "--to", None)
        if self.start is not None:
            start = parse_instant_or_day(self.start, "--from", None)
        elif self.days is not None or first is None:
            start = end - timedelta(days=self.days or _DAYS)
        else:
            start = first
        if start >= end:
            raise CliError("Usage", "--from", f"{instant_text(start)} is not before the end, {instant_text(end)}")
        return start, end


def from_cloudwatch(asked: Asked, progress: Bars) -> Measured:
    """Read a deployed stack's metrics. Raises CliError, ConfigUnreadable, NotPermitted or MetricsUnreadable."""
    there = open_stack(asked.stack, asked.region, asked.spec)
    now = there.now()
    grid = grid_over(*asked.span(None, now), now)
    specs = deployed_pools(there.documents())
    pools = _chosen(asked, specs)
    names = Names(stack=there.name, resources=_resources(there))
    read = _read((CloudWatchMeasurements(there.clients), Deadline(_SECONDS)), names, (pools, grid), progress)
    known = {name: pool for name, pool in specs.items() if isinstance(pool, PoolSpec)}
    source = f"from CloudWatch in {there.region}"
    return Measured(names=names, pools=pools, read=read, source=source, targets=_targets(known))


def from_log(name: str, asked: Asked, progress: Bars) -> Measured:
    """Read a log's metrics. Raises CliError, also where it holds none, or those of several stacks."""
    source = source_of(name)
    log = read_log(name, progress).metrics
    first, last = span_of(log, source)
    stack = stack_in(log, asked.stack)
    grid = grid_over(*asked.span(first, last + timedelta(minutes=1)), last)
    pools = _chosen(asked, log.named("pool", NAMESPACE, service=SERVICE, stack=stack))
    names = Names(stack=stack)
    read = _read((log, Deadline(_SECONDS)), names, (pools, grid), progress)
    targets = _targets(spec_of(asked.spec).pools) if asked.spec is not None else {}
    return Measured(names=names, pools=pools, read=read, source=f"from the log {source}", targets=targets)


def show(measured: Measured, *, out: Path | None, as_json: bool, progress: Bars) -> None:
    """Draw the page where one is asked for, and print the numbers. Raises CliError where it cannot be written."""
    try:
        written = None if out is None else write_measured(out, measured, partial(progress, _DRAWING))
    except OSError as error:
        raise CliError("FileUnwritable", "--out", f"cannot write {str(out)!r}: {error.strerror}") from error
    if as_json:
        print_json(_document(measured, written))
        return
    grid = measured.read.grid
    print_line(f"{measured.names.stack}, {instant_text(grid.start)} to {instant_text(grid.end)}", bold=True)
    for card in measured.cards():
        print_line(
            f"{card.title} {card.value}. {card.sentence}"
            if card.title.endswith("?")
            else f"{card.title}: {card.value}. {card.sentence}"
        )
    print_table("The pools", COLUMNS, [pool_row(each) for each in measured.numbers], right=COLUMNS[1:])
    if written is not None:
        print_line(f"Report: {written}", bold=True)


def _read(
    source: tuple[Measurements, Budget], names: Names, about: tuple[tuple[str, ...], Grid], progress: Bars
) -> Read:
    measurements, budget = source
    pools, grid = about
    charts = [chart for group in (*POOL, *STACK) for chart in group.charts]
    series = [each for chart in (*charts, *SIDE_BY_SIDE) for each in chart.series]
    asked = (
        (list({query for pool in pools for query in queries_of(series, names, pool)}), grid),
        (list(whole_queries(names, pools)), grid.whole),
        (list(now_queries(names, pools)), now_grid(grid)),
    )
    all_queries, done, answers = sum(len(queries) for queries, _ in asked), 0, []
    for queries, over in asked:
        part = partial(_advanced, progress, done / all_queries, len(queries) / all_queries)
        answers.append(measurements.read(queries, over, budget, part))
        done += len(queries)
    return Read(grid=grid, series=answers[0], whole=answers[1], now=answers[2])


def _advanced(progress: Bars, before: float, size: float, share: float) -> None:
    progress(_READING, before + size * share)


def _chosen(asked: Asked, known: Iterable[str]) -> tuple[str, ...]:
    pools = tuple(known)
    unknown = [each for each in asked.pools if each not in pools]
    if unknown:
        raise CliError(
            "UnknownPool", "--pool", f"{unknown[0]!r} was not measured; there are {', '.join(sorted(pools))}"
        )
    return asked.pools or pools


def _targets(pools: Mapping[str, PoolSpec]) -> Mapping[str, float]:
    return {name: float(pool.demand.target_hit_rate) for name, pool in pools.items() if pool.demand is not None}


def _resources(there: LiveStack) -> Mapping[Resource, str]:
    """Name the parts of the stack that AWS measures by itself; what is not known is told, and has no data."""
    try:
        found = outputs(there.clients, there.name, there.budget)
    except (ConfigUnreadable, NotPermitted) as error:
        warn(f"queues and function are left out, their names are unknown: {error}")
        return {}
    # A queue's URL ends in its name.
    return {each: found[each.value].rpartition("/")[2] for each in Resource if each.value in found}


def _document(measured: Measured, written: Path | None) -> dict[str, Any]:
    grid, numbers = measured.read.grid, measured.numbers
    return {
        "stack": measured.names.stack,
        "source": measured.source,
        "from": instant_text(grid.start),
        "to": instant_text(grid.end),
        "all": _numbers(together(numbers)),
        "pools": [
            {"pool": each.pool, **_numbers(each), "target_hit_rate": measured.targets.get(each.pool)}
            for each in numbers
        ],
        "page": None if written is None else str(written),
    }


def _numbers(numbers: Numbers) -> dict[str, Any]:
    return {
        "measured_hours": round(numbers.measured / timedelta(hours=1), 2),
        "kept": numbers.kept,
        "kept_at": None if numbers.kept_at is None else instant_text(numbers.kept_at),
        "kept_share": _rounded(numbers.kept_share, 4),
        "launches": numbers.launches,
        "warm": numbers.warm,
        "cold": numbers.cold,
        "not_known": numbers.unseen,
        "hit_rate": _rounded(numbers.hit_rate, 4),
        "cold_causes": dict(numbers.causes),
        "p50_wait_s": _rounded(numbers.wait_p50_seconds, 1),
        "p99_wait_s": _rounded(numbers.wait_p99_seconds, 1),
        "idle_node_hours": _rounded(numbers.idle_node_hours, 2),
        "idle_cost_usd": _rounded(numbers.idle_cost_usd, 2),
        "idle_cost_usd_per_day": _rounded(numbers.idle_cost_usd_per_day, 2),
        "usd_per_avoided_cold_start": _rounded(numbers.usd_per_avoided_cold_start, 4),
        "unpriced": list(numbers.unpriced),
        "p90_lead_time_s": _rounded(numbers.lead_p90_seconds, 1),
        "held_passes": dict(numbers.held),
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
