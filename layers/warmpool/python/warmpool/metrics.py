"""Every metric that the controller writes: its name, unit, dimensions and meaning."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric. `flag` is 1 in a pass of which it is true, else 0; `sparse` is left out where nothing happened."""

    name: str
    level: Level
    unit: Unit
    about: str
    flag: bool = False
    sparse: bool = False


def _of(
    level: Level, unit: Unit, about: Mapping[str, str], *, flag: bool = False, sparse: bool = False
) -> list[Metric]:
    return [
        Metric(name=name, level=level, unit=unit, about=text, flag=flag, sparse=sparse) for name, text in about.items()
    ]


_CATALOGUE: Final = (
    *_of(
        Level.STACK,
        Unit.COUNT,
        {"Heartbeat": "1 for each pass that saw the whole cluster and whose records were kept"},
        sparse=True,
    ),
    *_of(Level.STACK, Unit.COUNT, {"PassFailed": "a pool could not be reconciled, or nothing was seen"}, flag=True),
    *_of(Level.STACK, Unit.COUNT, {"Conflicts": "writes that somebody else was faster with"}),
    *_of(Level.STACK, Unit.SECONDS, {"PassSeconds": "how long the pass took"}),
    *_of(
        Level.POOL,
        Unit.COUNT,
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
        Level.POOL,
        Unit.COUNT,
        {
            "Capped": "a ceiling cut what was wanted",
            "Held": "the pass changed nothing on purpose",
            "PoolFailed": "the pool could not be reconciled",
            "BelowFloor": "the warm room is smaller than `min` or the pin in force asks for",
            "RoomMissing": "the warm room is smaller than all policies together ask for",
            "ConfigInvalid": "a document is wrong and an older one is in force",
            "ForeignWriter": "somebody else writes the replicas",
            "HeldLong": "held for longer than holdLimit, and not because somebody said so (freeze, pause)",
            "CapacityStuck": "orders stay open and no node comes",
            "ImagePullStuck": "a placeholder has a node and does not become Ready",
        },
        flag=True,
    ),
    *_of(
        Level.POOL,
        Unit.SECONDS,
        {
            "ConfigAge": "since when an older document has been in force than the one that ought to be; 0: all is well",
            "LeadTime": "lead time that the decision reckons with",
        },
    ),
    *_of(
        Level.POOL,
        Unit.COUNT,
        {
            "WarmCoexist": "launches that found room on a warm node",
            "WarmPreempt": "launches that took a placeholder's place on a warm node",
            "Cold": "launches that found no warm node",
            "Unseen": "launches whose node no complete pass had seen, or that ended before they were Ready",
            "Hit": "1 for each warm launch, 0 for each cold one: its average is the hit rate",
        },
        sparse=True,
    ),
    *_of(
        Level.POOL,
        Unit.SECONDS,
        {
            "Wait": "from a launch's pod to its readiness",
            "WarmWait": "the same for warm launches alone",
            "LeadNode": "an order's first part: until the node's object was there",
            "LeadJoin": "its second part: until the node was Ready",
            "LeadPull": "its third part: until the placeholder was Ready",
            "LeadTotal": "from the order to warm",
            "Replacement": "from a preemption until the new placeholder was Ready",
        },
        sparse=True,
    ),
    *_of(
        Level.POOL,
        Unit.NONE,
        {
            "IdleNodeHours": "node-hours without an ordinary pod since the last complete pass",
            "IdleCostUsd": "what those cost, by the spec's prices; left out where one is unknown",
        },
    ),
    *_of(Level.REASON, Unit.COUNT, {"HeldFor": "1 in a pass that held for this reason"}, sparse=True),
    *_of(Level.CAUSE, Unit.COUNT, {"ColdFor": "cold launches with this cause"}, sparse=True),
)

METRICS: Final[Mapping[str, Metric]] = {each.name: each for each in _CATALOGUE}
"""By name, in the order in which they are documented."""
