"""Pictures of simulated runs as inline SVG that follows the page's light or dark colours."""

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any, Final

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from warmpool.sim.cluster.state import Outcome
from warmpool.sim.outcome import Run

# Each colour is drawn as a stand-in that no library colour equals and that the page's CSS variable then replaces.
INK: Final = "#010203"
MUTED: Final = "#010204"
GRID: Final = "#010205"
DEMAND: Final = "#010206"
BUSY: Final = "#010207"
WARM: Final = "#010208"
PREEMPTED: Final = "#010209"
COLD: Final = "#010210"
SERIES: Final[Sequence[str]] = ("#010211", "#010212", "#010213", "#010214", "#010215", "#010216")
_VARIABLES: Final[Mapping[str, str]] = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    DEMAND: "--demand",
    BUSY: "--busy",
    WARM: "--warm",
    PREEMPTED: "--preempted",
    COLD: "--cold",
} | {colour: f"--series-{number}" for number, colour in enumerate(SERIES, start=1)}
_FOUND: Final = (
    ((Outcome.WARM_COEXIST,), "room on a warm node", WARM),
    ((Outcome.WARM_PREEMPT,), "a placeholder's node", PREEMPTED),
    ((Outcome.COLD, None), "no warm node (cold)", COLD),
)
_STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "warmpool",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "lines.linewidth": 1.8,
}
_WIDTH_INCHES: Final = 9.6
_MINUTE_SECONDS: Final = 60
_CURVE_EVERY: Final = 10
"""Smooth curves show every tenth sample."""
_LEAST_WAIT_SECONDS: Final = 1.0
_WAIT_TICKS_SECONDS: Final = (1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600)


def pool_chart(runs: Sequence[Run]) -> str:
    """Draw nodes (line) against busy nodes (area) over the day, one panel a policy, and the launches above."""
    with _figure(1.3 + 1.75 * len(runs)) as figure:
        panels = figure.subplots(len(runs) + 1, 1, sharex=True, height_ratios=[0.7] + [1.0] * len(runs))
        _launches(panels[0], runs[0])
        top = max(run.nodes.peak_nodes for run in runs) + 1
        for panel, run, colour in zip(panels[1:], runs, SERIES, strict=False):
            _pool(panel, run, colour)
            panel.set_ylim(0, top)
        _hours_axis(panels[-1], runs[0])
        return _svg(figure, "Pool size against demand over the day")


def waits_chart(runs: Sequence[Run]) -> str:
    """Draw the share of launches that were still waiting after each time; both scales are logarithmic, for the tail."""
    with _figure(3.4) as figure:
        axes = figure.subplots()
        for run, colour in zip(runs, SERIES, strict=False):
            waits = run.waits_seconds
            finite = [max(_LEAST_WAIT_SECONDS, wait) for wait in waits if math.isfinite(wait)]
            waiting = [1 - rank / len(waits) for rank, _ in enumerate(finite, start=1)]
            axes.step([_LEAST_WAIT_SECONDS, *finite], [1.0, *waiting], where="post", color=colour, label=run.policy)
        most = max(len(run.launches) for run in runs)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(0.5 / max(most, 1), 1.2)
        axes.xaxis.set_major_locator(FixedLocator(_WAIT_TICKS_SECONDS))
        axes.xaxis.set_minor_locator(FixedLocator([]))
        axes.yaxis.set_minor_locator(FixedLocator([]))
        axes.xaxis.set_major_formatter(FuncFormatter(_seconds_label))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
        axes.set_xlabel("time since the launch")
        axes.set_ylabel("launches still waiting")
        axes.legend(frameon=False, loc="upper right")
        return _svg(figure, "Waiting times of launches")


def found_chart(runs: Sequence[Run]) -> str:
    """Draw what launches found, one bar a policy."""
    with _figure(0.9 + 0.45 * len(runs)) as figure:
        axes = figure.subplots()
        left = [0] * len(runs)
        for outcomes, label, colour in _FOUND:
            counts = [run.found(*outcomes) for run in runs]
            axes.barh([run.policy for run in runs], counts, left=left, height=0.6, color=colour, label=label)
            left = [before + count for before, count in zip(left, counts, strict=True)]
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(0, max(1, *left))
        axes.set_xlabel("launches")
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(_FOUND), borderaxespad=0)
        return _svg(figure, "What launches found")


def cost_chart(runs: Sequence[Run]) -> str:
    """Draw what idle nodes, and all room that no workspace used, have cost since the day began."""
    with _figure(3.2) as figure:
        idle, unused = figure.subplots(1, 2)
        for run, colour in zip(runs, SERIES, strict=False):
            free = [sample.nodes - sample.workspaces / run.per_node for sample in run.samples]
            idle.plot(*_summed_dollars(run, [sample.idle for sample in run.samples]), color=colour, label=run.policy)
            unused.plot(*_summed_dollars(run, free), color=colour, label=run.policy)
        for axes, title in ((idle, "Nodes without a workspace"), (unused, "These, and the free room on busy nodes")):
            axes.set_title(title)
            axes.set_ylim(bottom=0)
            axes.legend(frameon=False, loc="upper left")
            _hours_axis(axes, runs[0])
        idle.set_ylabel("USD, summed up")
        return _svg(figure, "Cost of idle nodes and unused room over the day")


def _summed_dollars(run: Run, nodes: Sequence[float]) -> tuple[list[float], list[float]]:
    """Sum up what so many nodes a sample cost, at the books' price, so that curves end at what was paid."""
    total = sum(sample.nodes for sample in run.samples)
    dollars = run.nodes.cost_usd / total if total else 0.0
    summed = list(accumulate(each * dollars for each in nodes))
    return _days(sample.at for sample in run.samples[::_CURVE_EVERY]), summed[::_CURVE_EVERY]


def _launches(axes: Axes, run: Run) -> None:
    step = timedelta(minutes=10)
    bins = max(1, math.ceil((run.end - run.start) / step))
    counts = [0] * bins
    for launch in run.launches:
        counts[min(bins - 1, int((launch.created - run.start) / step))] += 1
    axes.bar(
        _days(run.start + step * number for number in range(bins)),
        counts,
        width=step * 0.9 / timedelta(days=1),
        align="edge",
        color=DEMAND,
    )
    axes.set_title("Launches in 10 minutes")
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))


def _pool(axes: Axes, run: Run, colour: str) -> None:
    series = (
        ([sample.busy for sample in run.samples], BUSY, "nodes with workspaces"),
        ([sample.workspaces / run.per_node for sample in run.samples], DEMAND, "what they would fill"),
    )
    for values, shade, label in series:
        axes.fill_between(*_steps(run, values), step="post", color=shade, linewidth=0, label=label)
    nodes = [float(sample.nodes) for sample in run.samples]
    axes.step(*_steps(run, nodes), where="post", color=colour, label="all nodes")
    axes.set_title(run.policy)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=3, fontsize=9, borderaxespad=0)


def _steps(run: Run, values: Sequence[float]) -> tuple[list[float], list[float]]:
    """Keep only the samples at which a value changes, and the last: the picture is the same, the file much smaller."""
    last = len(values) - 1
    kept = [each for each in range(len(values)) if each in {0, last} or values[each] != values[each - 1]]
    return _days(run.samples[each].at for each in kept), [values[each] for each in kept]


def _hours_axis(axes: Axes, run: Run) -> None:
    locator = AutoDateLocator(tz=UTC, minticks=5, maxticks=10)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))
    axes.set_xlim(*_days((run.start, run.end)))
    axes.set_xlabel("UTC")


def _days(times: Iterable[datetime]) -> list[float]:
    """Turn instants into days since 1970, which is how the library draws dates."""
    return [at.timestamp() / timedelta(days=1).total_seconds() for at in times]


def _seconds_label(seconds: float, _: int) -> str:
    return f"{seconds:g} s" if seconds < _MINUTE_SECONDS else f"{seconds / _MINUTE_SECONDS:g} min"


@contextmanager
def _figure(height_inches: float) -> Iterator[Figure]:
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH_INCHES, height_inches), layout="constrained")
        figure.patch.set_alpha(0)
        yield figure


def _svg(figure: Figure, title: str) -> str:
    for axes in figure.axes:
        axes.patch.set_alpha(0)
    FigureCanvasSVG(figure)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Title": title})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    # A fixed width in points would not shrink with the page; the viewBox keeps the proportions.
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
