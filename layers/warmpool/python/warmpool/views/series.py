"""Series and units that several parts of the view share."""

from collections.abc import Mapping
from typing import Final

from warmpool.app.measured import Statistic
from warmpool.views.model import PALETTE, Series, Stat, Tone

AVERAGE: Final = Statistic.AVERAGE
SUM: Final = Statistic.SUM
PERCENT: Final = "%"
USD: Final = "USD"
SECONDS: Final = "seconds"
LAUNCHES_UNIT: Final = "launches"
NODES: Final = "nodes"
PASSES: Final = "passes"


def averages(stats: Mapping[str, str]) -> tuple[Series, ...]:
    """Make a series of each metric, by label, in colours that mean nothing."""
    return tuple(
        Series(label=label, stat=Stat(metric=metric, statistic=AVERAGE), tone=tone)
        for (label, metric), tone in zip(stats.items(), PALETTE, strict=False)
    )


def flags(stats: Mapping[str, str]) -> tuple[Series, ...]:
    """Make a series of the share of passes in which each flag was set, by label, beginning with the colour of harm."""
    tones = (Tone.COLD, *PALETTE, Tone.QUIET, Tone.WARM, Tone.PREEMPTED)
    return tuple(
        Series(label=label, stat=Stat(metric=metric, statistic=AVERAGE), factor=100, tone=tone)
        for (label, metric), tone in zip(stats.items(), tones, strict=False)
    )


def one(label: str, metric: str, statistic: Statistic, tone: Tone = Tone.FIRST) -> Series:
    """Make a series of one metric."""
    return Series(label=label, stat=Stat(metric=metric, statistic=statistic), tone=tone)


MISSING: Final = one("pools short of warm room", "RoomMissing", Statistic.MAXIMUM, Tone.COLD)
HIT_RATE: Final = Series(
    label="launches that found a warm node",
    stat=Stat(metric="Hit", statistic=SUM),
    per=Stat(metric="Hit", statistic=Statistic.SAMPLE_COUNT),
    factor=100,
    tone=Tone.WARM,
)
LAUNCHES: Final = one(LAUNCHES_UNIT, "Hit", Statistic.SAMPLE_COUNT)
WAIT_HALF: Final = one("half waited at most", "Wait", Statistic.P50, Tone.WARM)
WAIT_MOST: Final = one("99 % waited at most", "Wait", Statistic.P99, Tone.COLD)
IDLE_COST: Final = one("idle nodes", "IdleCostUsd", SUM, Tone.SECOND)
IDLE_HOURS: Final = one("idle node-hours", "IdleNodeHours", SUM, Tone.SECOND)
COST_PER_WARM: Final = Series(
    label="idle cost for each warm launch",
    stat=Stat(metric="IdleCostUsd", statistic=SUM),
    per=Stat(metric="Hit", statistic=SUM),
    tone=Tone.SECOND,
)
OUTCOMES: Final = (
    one("warm, room", "WarmCoexist", SUM, Tone.WARM),
    one("warm, preempted", "WarmPreempt", SUM, Tone.PREEMPTED),
    one("cold", "Cold", SUM, Tone.COLD),
    one("not known", "Unseen", SUM, Tone.QUIET),
)
COLD_CAUSES: Final = one("", "ColdFor", SUM)
HELD_REASONS: Final = one("", "HeldFor", SUM)
