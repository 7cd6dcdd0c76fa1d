"""Pictures of what was measured: one for each chart of a view."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from warmpool.app.measured import Grid, Points
from warmpool.sim.drawing import COLD, DEMAND, PREEMPTED, SERIES, WARM, days, figure_of, svg_of, time_axis
from warmpool.views.model import PALETTE, Chart, Style, Tone
from warmpool.views.queries import Line

_COLOURS: Final[Mapping[Tone, str]] = {
    Tone.WARM: WARM,
    Tone.PREEMPTED: PREEMPTED,
    Tone.COLD: COLD,
    Tone.QUIET: DEMAND,
    **dict(zip(PALETTE, SERIES, strict=True)),
}
_WIDTH_INCHES: Final = 5.3
_HEIGHT_INCHES: Final = 2.4
_LEGEND_ROW_INCHES: Final = 0.22
_LEGEND_CHARACTERS: Final = 58
"""Of one row of the legend, marks and gaps counted too."""
_MARK_CHARACTERS: Final = 5
_DOT_POINTS: Final = 3.5
_TICKS_SECONDS: Final = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000)
_FULL_PERCENT: Final = 104


def chart_svg(chart: Chart, lines: Sequence[Line], grid: Grid) -> str:
    """Draw a chart of lines with data; what has none leaves a gap."""
    columns = _columns([each.label for each in lines])
    rows = -(-len(lines) // columns)
    with figure_of(_HEIGHT_INCHES + rows * _LEGEND_ROW_INCHES, _WIDTH_INCHES) as figure:
        axes = figure.subplots()
        _DRAWN[chart.style](axes, lines, grid)
        # A list of points where nothing is but zeros would have an axis without a height.
        top = max((amount for each in lines for _, amount in each.points), default=0)
        axes.set_ylim(bottom=0, top=_FULL_PERCENT if chart.unit.startswith("%") else None if top > 0 else 1)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        if chart.logarithmic:
            _logarithmic(axes, lines)
        axes.set_ylabel(unit_of(chart, grid))
        axes.legend(
            frameon=False,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=columns,
            borderaxespad=0,
            fontsize=9,
            columnspacing=1.2,
            handlelength=1.4,
        )
        time_axis(axes, grid.start, grid.end)
        axes.set_xlabel("")
        return svg_of(figure, f"{chart.title}: {chart.about}")


def unit_of(chart: Chart, grid: Grid) -> str:
    """Name the unit; what adds up depends on the length of the period, so that is said."""
    return f"{chart.unit} in {period_text(grid)}" if chart.sums else chart.unit


def period_text(grid: Grid) -> str:
    """Write the period as people say it."""
    minutes = int(grid.period.total_seconds() // 60)
    hours, rest = divmod(minutes, 60)
    return f"{minutes} min" if rest or not hours else f"{hours} h"


def _columns(labels: Sequence[str]) -> int:
    widest = max(map(len, labels)) + _MARK_CHARACTERS
    return max(1, min(len(labels), _LEGEND_CHARACTERS // widest))


def _logarithmic(axes: Axes, lines: Sequence[Line]) -> None:
    """Show waits from a second to an hour; an axis from 0 would press most of them flat."""
    most = max(amount for each in lines for _, amount in each.points)
    axes.set_yscale("log")
    axes.set_ylim(1, max(_TICKS_SECONDS[3], most) * 1.5)
    axes.yaxis.set_major_locator(FixedLocator(_TICKS_SECONDS))
    axes.yaxis.set_minor_locator(FixedLocator([]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _lines(axes: Axes, lines: Sequence[Line], grid: Grid) -> None:
    for line in lines:
        at, amounts = _filled(line.points, grid)
        axes.step(at, amounts, where="post", color=_COLOURS[line.tone], label=line.label)


def _filled(points: Points, grid: Grid) -> tuple[list[float], list[float]]:
    """Give every period a value, one without data a gap; the last one is drawn to its end."""
    known = dict(points)
    count = (grid.end - grid.start) // grid.period
    instants = [grid.start + number * grid.period for number in range(count)]
    amounts = [known.get(each, math.nan) for each in instants]
    ends = [
        before if math.isnan(after) else after for before, after in zip(amounts, [*amounts[1:], math.nan], strict=True)
    ]
    return (
        days(each for instant in instants for each in (instant, instant + grid.period)),
        [each for pair in zip(amounts, ends, strict=True) for each in pair],
    )


def _dots(axes: Axes, lines: Sequence[Line], grid: Grid) -> None:
    for line in lines:
        at = days(instant + grid.period / 2 for instant, _ in line.points)
        amounts = [amount for _, amount in line.points]
        axes.plot(at, amounts, "o", markersize=_DOT_POINTS, color=_COLOURS[line.tone], label=line.label)


def _stacked(axes: Axes, lines: Sequence[Line], grid: Grid) -> None:
    below: dict[float, float] = {}
    (width,) = (end - start for start, end in [days((grid.start, grid.start + grid.period))])
    for line in lines:
        at = days(instant for instant, _ in line.points)
        amounts = [amount for _, amount in line.points]
        bottoms = [below.get(each, 0.0) for each in at]
        axes.bar(at, amounts, width, bottom=bottoms, align="edge", color=_COLOURS[line.tone], label=line.label)
        below |= {each: low + amount for each, low, amount in zip(at, bottoms, amounts, strict=True)}


_DRAWN: Final[Mapping[Style, Callable[[Axes, Sequence[Line], Grid], None]]] = {
    Style.LINES: _lines,
    Style.DOTS: _dots,
    Style.STACKED: _stacked,
}
