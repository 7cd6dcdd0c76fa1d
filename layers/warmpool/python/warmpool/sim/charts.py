"""Pictures of simulated runs as inline SVG that follows the page's light or dark colours."""

import math
from collections.abc import Sequence
from datetime import timedelta
from itertools import accumulate
from typing import Final

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from warmpool.sim.cluster.state import Outcome
from warmpool.sim.drawing import BUSY, COLD, DEMAND, PREEMPTED, SERIES, WARM, days, figure_of, svg_of, time_axis
from warmpool.sim.outcome import Run

_FOUND: Final = (
    ((Outcome.WARM_COEXIST,), "room on a warm node", WARM),
    ((Outcome.WARM_PREEMPT,), "a placeholder's node", PREEMPTED),
    ((Outcome.COLD, None), "no warm node (cold)", COLD),
)
_MINUTE_SECONDS: Final = 60
_CURVE_EVERY: Final = 10
"""Smooth curves show every tenth sample."""
_LEAST_WAIT_SECONDS: Final = 1.0
_WAIT_TICKS_SECONDS: Final = (1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600)


def pool_chart(runs: Sequence[Run]) -> str:
    """Draw nodes (line) against busy nodes (area) over the day, one panel a policy, and the launches above."""
    with figure_of(1.3 + 1.75 * len(runs)) as figure:
        panels = figure.subplots(len(runs) + 1, 1, sharex=True, height_ratios=[0.7] + [1.0] * len(runs))
        _launches(panels[0], runs[0])
        top = max(run.nodes.peak_nodes for run in runs) + 1
        for panel, run, colour in zip(panels[1:], runs, SERIES, strict=False):
            _pool(panel, run, colour)
            panel.set_ylim(0, top)
        time_axis(panels[-1], runs[0].start, runs[0].end)
        return svg_of(figure, "Pool size against demand over the day")


def waits_chart(runs: Sequence[Run]) -> str:
    """Draw the share of launches that were still waiting after each time; both scales are logarithmic, for the tail."""
    with figure_of(3.4) as figure:
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
        return svg_of(figure, "Waiting times of launches")


def found_chart(runs: Sequence[Run]) -> str:
    """Draw what launches found, one bar a policy."""
    with figure_of(0.9 + 0.45 * len(runs)) as figure:
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
        return svg_of(figure, "What launches found")


def cost_chart(runs: Sequence[Run]) -> str:
    """Draw what idle nodes, and all room that no workspace used, have cost since the day began."""
    with figure_of(3.2) as figure:
        idle, unused = figure.subplots(1, 2)
        for run, colour in zip(runs, SERIES, strict=False):
            free = [sample.nodes - sample.workspaces / run.per_node for sample in run.samples]
            idle.plot(*_summed_dollars(run, [sample.idle for sample in run.samples]), color=colour, label=run.policy)
            unused.plot(*_summed_dollars(run, free), color=colour, label=run.policy)
        for axes, title in ((idle, "Nodes without a workspace"), (unused, "These, and the free room on busy nodes")):
            axes.set_title(title)
            axes.set_ylim(bottom=0)
            axes.legend(frameon=False, loc="upper left")
            time_axis(axes, runs[0].start, runs[0].end)
        idle.set_ylabel("USD, summed up")
        return svg_of(figure, "Cost of idle nodes and unused room over the day")


def _summed_dollars(run: Run, nodes: Sequence[float]) -> tuple[list[float], list[float]]:
    """Sum up what so many nodes a sample cost, at the books' price, so that curves end at what was paid."""
    total = sum(sample.nodes for sample in run.samples)
    dollars = run.nodes.cost_usd / total if total else 0.0
    summed = list(accumulate(each * dollars for each in nodes))
    return days(sample.at for sample in run.samples[::_CURVE_EVERY]), summed[::_CURVE_EVERY]


def _launches(axes: Axes, run: Run) -> None:
    step = timedelta(minutes=10)
    bins = max(1, math.ceil((run.end - run.start) / step))
    counts = [0] * bins
    for launch in run.launches:
        counts[min(bins - 1, int((launch.created - run.start) / step))] += 1
    axes.bar(
        days(run.start + step * number for number in range(bins)),
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
    return days(run.samples[each].at for each in kept), [values[each] for each in kept]


def _seconds_label(seconds: float, _: int) -> str:
    return f"{seconds:g} s" if seconds < _MINUTE_SECONDS else f"{seconds / _MINUTE_SECONDS:g} min"
