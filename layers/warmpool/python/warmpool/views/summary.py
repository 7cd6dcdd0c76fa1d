"""What a manager is shown: the few numbers at the top, and the pools side by side."""

from typing import Final

from warmpool.views.model import Across, Chart, Number, Span
from warmpool.views.series import (
    COST_PER_WARM,
    HIT_RATE,
    IDLE_COST,
    MISSING,
    PERCENT,
    SECONDS,
    USD,
    WAIT_HALF,
    WAIT_MOST,
    flags,
)

MANAGER: Final = (
    Number(
        title="Is the promise kept now?",
        about="Pools whose warm room is smaller than what was promised. 0: kept everywhere",
        unit="pools",
        span=Span.NOW,
        series=(MISSING,),
    ),
    Number(
        title="Fast starts, last 24 hours",
        about="Launches that found a warm node, of those whose start was seen",
        unit=PERCENT,
        span=Span.DAY,
        series=(HIT_RATE,),
    ),
    Number(
        title="Fast starts, last 7 days",
        about="The same for a week",
        unit=PERCENT,
        span=Span.WEEK,
        series=(HIT_RATE,),
    ),
    Number(
        title="Waiting, last 24 hours",
        about="How long people waited for their workspace, in the slowest pool",
        unit=SECONDS,
        span=Span.DAY,
        series=(WAIT_HALF, WAIT_MOST),
        across=Across.MAX,
    ),
    Number(
        title="Idle cost, last 24 hours",
        about="What nodes without a workspace cost; pools without a price are left out",
        unit=USD,
        span=Span.DAY,
        series=(IDLE_COST,),
    ),
    Number(
        title="Cost of one avoided cold start",
        about="Idle cost divided by warm launches, last 7 days",
        unit=USD,
        span=Span.WEEK,
        series=(COST_PER_WARM,),
    ),
)

SIDE_BY_SIDE: Final = (
    Chart(
        title="Short of warm room",
        about="Share of passes in which the warm room was smaller than all policies together ask for",
        unit="% of passes",
        series=flags({"short of room": "RoomMissing"}),
    ),
    Chart(title="Fast starts", about="Launches that found a warm node", unit=PERCENT, series=(HIT_RATE,)),
    Chart(title="Idle cost", about="What nodes without a workspace cost", unit=USD, series=(IDLE_COST,)),
)
"""For a stack with several pools: one line for each."""
