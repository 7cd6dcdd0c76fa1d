"""The HTML report of what was measured: the dashboard's view as one file that needs no network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from warmpool.app.measured import Grid
from warmpool.sim.measured_charts import chart_svg, period_text, unit_of
from warmpool.sim.measured_words import NO_DATA, Card, cards, clock, length, percent, seconds, usd
from warmpool.views.engineer import POOL, STACK
from warmpool.views.model import PALETTE, Chart, Group, Series
from warmpool.views.numbers import Numbers, Read, numbers_of, together
from warmpool.views.queries import Line, Names, lines_of, points_of
from warmpool.views.series import IDLE_HOURS
from warmpool.views.summary import SIDE_BY_SIDE

Progress = Callable[[float], None]
"""Called with the share of the page that is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything that was read about one stack."""

    names: Names
    pools: Sequence[str]
    read: Read
    source: str
    """Where it comes from, in words."""
    targets: Mapping[str, float] = field(default_factory=dict)
    """By pool, the promised share of fast starts, where it is known."""

    @property
    def numbers(self) -> tuple[Numbers, ...]:
        """Each pool's numbers."""
        return tuple(numbers_of(pool, self.read, self.names) for pool in self.pools)

    def cards(self) -> tuple[Card, ...]:
        """Return the answers for the stack; of one pool alone they are that pool's."""
        alone = self.pools[0] if len(self.pools) == 1 else ""
        numbers = self.numbers
        grid = self.read.grid
        return cards(numbers[0] if alone else together(numbers), grid.end - grid.start, self.targets.get(alone))


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One chart with its values as a table."""

    chart: Chart
    svg: Markup | None
    """None: there is nothing to draw, and `said` says why."""
    said: str
    unit: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


_NOTHING: Final = "None of these occurred."
_PASSES: Final = IDLE_HOURS
_STACK_PASSES: Final = STACK[0].charts[0].series[0]
COLUMNS: Final = ("pool", "kept", "launches", "fast", "p50 wait", "p99 wait", "idle hours", "idle cost")
"""Headings of the table of pools, on the terminal and in the report."""


def pool_row(numbers: Numbers) -> tuple[str, ...]:
    """Write one pool's numbers as people read them, in the order of COLUMNS."""
    return (
        numbers.pool,
        _or_no_data(percent, numbers.kept_share),
        NO_DATA if numbers.launches is None else str(numbers.launches),
        _or_no_data(percent, numbers.hit_rate),
        _or_no_data(seconds, numbers.wait_p50_seconds),
        _or_no_data(seconds, numbers.wait_p99_seconds),
        NO_DATA if numbers.idle_node_hours is None else f"{numbers.idle_node_hours:,.1f}",
        _or_no_data(usd, numbers.idle_cost_usd),
    )


def _or_no_data(write: Callable[[float], str], value: float | None) -> str:
    return NO_DATA if value is None else write(value)


def write_measured(path: Path, measured: Measured, progress: Progress) -> Path:
    """Draw the report into a file, making its folder, and return the absolute path."""
    page = render_measured(measured, progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path.resolve()


def render_measured(measured: Measured, progress: Progress) -> str:
    """Render the report as HTML."""
    grid = measured.read.grid
    environment = Environment(
        loader=PackageLoader("warmpool.sim"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    draw = _Drawing(measured, progress)
    return environment.get_template("measured.html.j2").render(
        stack=measured.names.stack,
        start=clock(grid.start),
        end=clock(grid.end),
        length=length(grid.end - grid.start),
        period=period_text(grid),
        source=measured.source,
        cards=measured.cards(),
        columns=COLUMNS,
        rows=[pool_row(each) for each in measured.numbers],
        compared=draw.compared() if len(measured.pools) > 1 else (),
        pools=[(pool, draw.groups(POOL, pool)) for pool in measured.pools],
        controller=draw.groups(STACK),
    )


class _Drawing:
    """Draws chart after chart and says how far it is."""

    def __init__(self, measured: Measured, progress: Progress) -> None:
        self._measured = measured
        self._progress = progress
        of_pool = sum(len(group.charts) for group in POOL)
        compared = len(SIDE_BY_SIDE) if len(measured.pools) > 1 else 0
        self._charts = compared + of_pool * len(measured.pools) + sum(len(group.charts) for group in STACK)
        self._drawn = 0

    def compared(self) -> tuple[Picture, ...]:
        """Draw the pools side by side."""
        return tuple(self._picture(chart, self._by_pool(chart.series[0])) for chart in SIDE_BY_SIDE)

    def groups(self, groups: Sequence[Group], pool: str = "") -> tuple[tuple[Group, tuple[Picture, ...]], ...]:
        """Draw groups of charts about a pool, or about the stack."""
        return tuple(
            (group, tuple(self._picture(chart, self._lines(chart, pool), pool) for chart in group.charts))
            for group in groups
        )

    def _by_pool(self, series: Series) -> tuple[Line, ...]:
        answers, names = self._measured.read.series, self._measured.names
        return tuple(
            Line(label=pool, tone=PALETTE[number % len(PALETTE)], points=points_of(series, answers, names, pool))
            for number, pool in enumerate(self._measured.pools)
        )

    def _lines(self, chart: Chart, pool: str) -> tuple[Line, ...]:
        return lines_of(chart, self._measured.read.series, self._measured.names, pool)

    def _measured_at_all(self, pool: str) -> bool:
        """See whether there was any pass, so that no data of what happens now and then means that it did not."""
        points = points_of(_PASSES if pool else _STACK_PASSES, self._measured.read.series, self._measured.names, pool)
        return bool(points)

    def _picture(self, chart: Chart, lines: Sequence[Line], pool: str = "") -> Picture:
        grid = self._measured.read.grid
        known = [each for each in lines if each.points]
        shown = [each for each in known if any(amount for _, amount in each.points)] if chart.only_occurred else known
        self._drawn += 1
        self._progress(self._drawn / self._charts)
        happened = not known and all(each.sparse for each in chart.series) and self._measured_at_all(pool)
        return Picture(
            chart=chart,
            # matplotlib wrote this and escapes what it is given; nothing else goes in unescaped.
            svg=Markup(chart_svg(chart, shown, grid)) if shown else None,  # noqa: S704
            said=_silent(lines) if shown else _NOTHING if known or happened else f"{NO_DATA.capitalize()}.",
            unit=unit_of(chart, grid),
            columns=tuple(each.label for each in shown),
            rows=_table(shown, grid) if shown else (),
        )


def _silent(lines: Sequence[Line]) -> str:
    """Name the series without data: of what happens now and then, it did not; of the rest nothing is known."""
    groups: dict[str, list[str]] = {"None": [], NO_DATA.capitalize(): []}
    for each in lines:
        if not each.points:
            groups["None" if each.sparse else NO_DATA.capitalize()].append(each.label)
    return " ".join(f"{name}: {', '.join(labels)}." for name, labels in groups.items() if labels)


def _table(lines: Sequence[Line], grid: Grid) -> tuple[tuple[str, ...], ...]:
    """Write the values of all lines, a row for each period with any."""
    values = [dict(each.points) for each in lines]
    instants = sorted(set().union(*values))
    return tuple((_row_clock(each, grid), *(_cell(known.get(each)) for known in values)) for each in instants)


def _row_clock(instant: datetime, grid: Grid) -> str:
    same_day = grid.start.date() == grid.end.date()
    return instant.strftime("%H:%M" if same_day else "%m-%d %H:%M")


def _cell(amount: float | None) -> str:
    if amount is None:
        return ""
    return f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.2f}"
