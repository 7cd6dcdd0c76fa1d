"""Every metric that the controller writes: its name, unit, dimensions and meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from warmpool.app.measured import Statistic

NAMESPACE: Final = "Warmpool"
SERVICE: Final = "warmpool"
"""Value of the dimension `service`, which every metric carries beside `stack` (and `pool`)."""


class Unit(StrEnum):
    """CloudWatch's names of units; it has none for money and node-hours: those are `None` and say it in their names."""

    COUNT = "Count"
    SECONDS = "Seconds"
    NONE = "None"


class Level(StrEnum):
    """What a metric is about, which is the last of its dimensions."""

    STACK = "stack"
    POOL = "pool"
    REASON = "reason"
    """A pool and a reason of the vocabulary."""
    CAUSE = "cause"
    """A pool and the cause of a cold launch."""

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions. Never a node's or a pod's: each would be a metric of its own, for good."""
        stack, pool = ("service", "stack"), ("service", "stack", "pool")
        return {Level.STACK: stack, Level.POOL: pool}.get(self, (*pool, self.value))


class When(StrEnum):
    """In which passes a metric is written."""

    ALWAYS = "each pass"
    SEEN = "each pass that saw the pool"
    COMPLETE = "each complete pass"
    HAPPENS = "when it happens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric. `flag` is 1 in a pass of which it is true, else 0."""

    name: str = ""
    about: str = ""
    level: Level = Level.POOL
    unit: Unit = Unit.COUNT
    when: When
    read: tuple[Statistic, ...]
    """The statistics that say what the metric means, the most usual first."""
    flag: bool = False

    @property
    def sparse(self) -> bool:
        """It is left out where nothing happened."""
        return self.when is When.HAPPENS


def _of(like: Metric, about: Mapping[str, str]) -> list[Metric]:
    return [replace(like, name=name, about=text) for name, text in about.items()]


_LEVELS: Final = (Statistic.AVERAGE, Statistic.MINIMUM, Statistic.MAXIMUM)
_SUM: Final = (Statistic.SUM,)
_MAXIMUM: Final = (Statistic.MAXIMUM,)
_LEAD: Final = (Statistic.P90, Statistic.AVERAGE)
_WAITS: Final = (Statistic.P50, Statistic.P99)
_FLAG: Final = Metric(when=When.ALWAYS, read=_LEVELS, flag=True)
_GAUGE: Final = Metric(when=When.SEEN, read=_LEVELS)
_COUNT: Final = Metric(when=When.HAPPENS, read=_SUM)
_SECONDS: Final = Metric(unit=Unit.SECONDS, when=When.HAPPENS, read=_LEAD)
_PASS: Final = Metric(level=Level.STACK, when=When.ALWAYS, read=_SUM)

_CATALOGUE: Final = (
    *_of(
        replace(_PASS, when=When.HAPPENS, read=(*_MAXIMUM, *_SUM)),
        {"Heartbeat": "1 for each pass that saw the whole cluster and whose records were kept"},
    ),
    *_of(
        replace(_PASS, read=(*_MAXIMUM, *_SUM), flag=True),
        {"PassFailed": "a pool could not be reconciled, or nothing was seen"},
    ),
    *_of(_PASS, {"Conflicts": "writes that somebody else was faster with"}),
    *_of(
        replace(_PASS, unit=Unit.SECONDS, read=(Statistic.AVERAGE, Statistic.MAXIMUM)),
        {"PassSeconds": "how long the pass took"},
    ),
    *_of(
        _GAUGE,
        {
            "Current": "the Deployment's replicas",
            "Target": "replicas that the pass decided on",
            "ReadyPlaceholders": "placeholders that are Ready",
            "PendingPlaceholders": "placeholders that wait for a node or are not created yet",
            "IdleNodes": "idle nodes held or ordered (group i)",
            "IdleNodesWanted": "idle nodes that the decision wants (E)",
            "BusyNodes": "nodes with an ordinary pod",
            "WarmNodes": "nodes that a launch would find warm",
            "WarmSlots": "launches that would find a warm node now",
            "NeedSlots": "launches that the policies want room for",
        },
    ),
    *_of(
        replace(_GAUGE, flag=True),
        {
            "BelowFloor": "the warm room is smaller than `min` or the pin in force asks for",
            "RoomMissing": "the warm room is smaller than all policies together ask for",
        },
    ),
    *_of(
        _FLAG,
        {
            "Capped": "a ceiling cut what was wanted",
            "Held": "the pass changed nothing on purpose",
            "PoolFailed": "the pool could not be reconciled",
            "ConfigInvalid": "a document is wrong and an older one is in force",
            "ForeignWriter": "somebody else writes the replicas",
            "HeldLong": "held for longer than holdLimit, and not because somebody said so (freeze, pause)",
            "CapacityStuck": "orders stay open and no node comes",
            "ImagePullStuck": "a placeholder has a node and does not become Ready",
        },
    ),
    *_of(
        Metric(unit=Unit.SECONDS, when=When.ALWAYS, read=_MAXIMUM),
        {
            "ConfigAge": "since when an older document has been in force than the one that ought to be; 0: all is well",
        },
    ),
    *_of(
        Metric(unit=Unit.SECONDS, when=When.SEEN, read=_MAXIMUM),
        {"LeadTime": "lead time that the decision reckons with"},
    ),
    *_of(
        _COUNT,
        {
            "WarmCoexist": "launches that found room on a warm node",
            "WarmPreempt": "launches that took a placeholder's place on a warm node",
            "Cold": "launches that found no warm node",
            "Unseen": "launches whose node or readiness no complete pass saw, or that ended before they were Ready",
        },
    ),
    *_of(
        replace(_COUNT, read=(Statistic.AVERAGE, Statistic.SUM, Statistic.SAMPLE_COUNT)),
        {"Hit": "1 for each warm launch, 0 for each cold one: its average is the hit rate"},
    ),
    *_of(
        replace(_SECONDS, read=_WAITS),
        {
            "Wait": "from a launch's pod to its readiness",
            "WarmWait": "the same for warm launches alone",
        },
    ),
    *_of(
        _SECONDS,
        {
            "LeadNode": "an order's first part: until the node's object was there",
            "LeadJoin": "its second part: until the node was Ready",
            "LeadPull": "its third part: until the placeholder was Ready",
            "LeadTotal": "from the order to warm",
            "Replacement": "from a preemption until the new placeholder was Ready",
        },
    ),
    *_of(
        Metric(unit=Unit.NONE, when=When.COMPLETE, read=_SUM),
        {
            "IdleNodeHours": "node-hours without an ordinary pod since the last complete pass",
            "IdleCostUsd": "what those cost, by the spec's prices; left out where one is unknown",
        },
    ),
    *_of(replace(_COUNT, level=Level.REASON), {"HeldFor": "1 in a pass that held for this reason"}),
    *_of(replace(_COUNT, level=Level.CAUSE), {"ColdFor": "cold launches with this cause"}),
)

METRICS: Final[Mapping[str, Metric]] = {each.name: each for each in _CATALOGUE}
"""By name, in the order in which they are documented."""
