"""The HTML report of simulated runs: one file that needs no network."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from warmpool.sim.charts import cost_chart, found_chart, pool_chart, waits_chart
from warmpool.sim.outcome import Run

_MOST_CHANGES: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What a report says besides numbers: a headline, and what they rest on."""

    title: str
    assumptions: Mapping[str, str]


def render_report(story: Story, runs: Sequence[Run]) -> str:
    """Render the report of one or more runs of the same day as HTML."""
    environment = Environment(
        loader=PackageLoader("warmpool.sim"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["clock"] = _clock
    charts: dict[str, Markup] = {
        # matplotlib wrote these and escapes what it is given; nothing else goes in unescaped.
        "pool": Markup(pool_chart(runs)),  # noqa: S704
        "found": Markup(found_chart(runs)),  # noqa: S704
        "waits": Markup(waits_chart(runs)),  # noqa: S704
        "cost": Markup(cost_chart(runs)),  # noqa: S704
    }
    return environment.get_template("report.html.j2").render(
        story=story,
        runs=runs,
        columns=COLUMNS,
        rows=[summary_row(run) for run in runs],
        charts=charts,
        most_changes=_MOST_CHANGES,
    )


def write_report(path: Path, story: Story, runs: Sequence[Run]) -> Path:
    """Render the report into a file, making its folder, and return the absolute path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_report(story, runs), encoding="utf-8")
    return path.resolve()


COLUMNS: Final = (
    "policy",
    "launches",
    "hit rate",
    "p50 wait",
    "p99 wait",
    "idle node-hours",
    "cost",
    "of it idle",
    "peak nodes",
    "pool size at the end",
)
"""Headings of the summary table, on the terminal and in the report."""


def summary_row(run: Run) -> tuple[str, ...]:
    """Write one run's numbers as people read them, in the order of COLUMNS."""
    return (
        run.policy,
        str(len(run.launches)),
        "-" if run.hit_rate is None else f"{run.hit_rate:.1%}",
        _seconds(run.wait_seconds(0.5)),
        _seconds(run.wait_seconds(0.99)),
        f"{run.nodes.idle_hours:.1f}",
        f"${run.nodes.cost_usd:,.2f}",
        f"${run.nodes.idle_cost_usd:,.2f}",
        str(run.nodes.peak_nodes),
        f"{run.replicas_at_end} ({run.nodes_at_end} nodes)",
    )


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return "never" if math.isinf(value) else f"{value:.0f} s"


def _clock(instant: datetime) -> str:
    return instant.strftime("%a %H:%M:%S")
