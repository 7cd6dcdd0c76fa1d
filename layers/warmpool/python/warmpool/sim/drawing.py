"""What pictures have in common: inline SVG that follows the page's light or dark colours, and an axis of time."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

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
WIDTH_INCHES: Final = 9.6


def days(times: Iterable[datetime]) -> list[float]:
    """Turn instants into days since 1970, which is how the library draws dates."""
    return [at.timestamp() / timedelta(days=1).total_seconds() for at in times]


def time_axis(axes: Axes, start: datetime, end: datetime) -> None:
    """Show a span of time along the bottom, in UTC."""
    locator = AutoDateLocator(tz=UTC, minticks=5, maxticks=10)  # type: ignore[no-untyped-call]  # matplotlib's own
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))  # type: ignore[no-untyped-call]  # as above
    axes.set_xlim(*days((start, end)))
    axes.set_xlabel("UTC")


@contextmanager
def figure_of(height_inches: float, width_inches: float = WIDTH_INCHES) -> Iterator[Figure]:
    """Give an empty figure in the page's style, by default of the page's width."""
    with rc_context(_STYLE):
        figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
        figure.patch.set_alpha(0)
        yield figure


def svg_of(figure: Figure, title: str) -> str:
    """Write a figure as an `svg` element that scales with the page and takes its colours from it."""
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
