"""The parts of a pool as they are written: windows, policies, tolerations and how a surplus goes."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from warmpool.adapters.config.amounts import Positive, Share
from warmpool.adapters.config.names import LabelKey, WindowName
from warmpool.adapters.config.times import Dates, Days, Duration, End, PositiveDuration, Start
from warmpool.core.model import Toleration
from warmpool.core.spec import Counting, Demand, DemandMode, Ladder, Linear, Proportional, ScaleDown, Templates, Window

_INT32 = 2**31 - 1  # what Kubernetes keeps replicas and priorities in

Count = Annotated[int, Meta(ge=0, le=_INT32)]
AtLeastOne = Annotated[int, Meta(ge=1, le=_INT32)]
Whole = Annotated[int, Meta(ge=-_INT32, le=_INT32)]
SomeDays = Annotated[list[Days], Meta(min_length=1)]
SomeDates = Annotated[list[Dates], Meta(min_length=1)]
Steps = Annotated[list[tuple[Count, Count]], Meta(min_length=1)]


class TolerationDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A toleration, as in a pod."""

    core: ClassVar[type] = Toleration

    key: Annotated[
        LabelKey | UnsetType,
        Meta(description="The taint's key; left out with Exists: every taint.", examples=["dedicated"]),
    ] = UNSET
    operator: Annotated[
        Literal["Exists", "Equal"] | UnsetType, Meta(description="Whether the value counts.", examples=["Exists"])
    ] = UNSET
    value: Annotated[str | UnsetType, Meta(description="The taint's value, with Equal.", examples=["spaces"])] = UNSET
    effect: Annotated[
        Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | UnsetType,
        Meta(description="The taint's effect; left out: every effect.", examples=["NoSchedule"]),
    ] = UNSET


class WindowDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A span of wall-clock time, half-open, with limits of its own.

    Where several are in force, dates beat days, then the shorter one wins, then the one with the higher min. Where
    clocks go forward a window has fewer minutes, maybe none; where they go back its two passes are one span.
    """

    core: ClassVar[type] = Window
    rules: ClassVar[dict[str, Any]] = {
        "not": {"required": ["days", "dates"]},
        "oneOf": [
            {"required": ["start", "end"], "properties": {"allDay": {"const": False}}},
            {"required": ["allDay"], "properties": {"allDay": {"const": True}, "start": False, "end": False}},
        ],
    }

    name: Annotated[
        WindowName | UnsetType,
        Meta(description="What reasons and the calendar call it; left out: its days and hours.", examples=["office"]),
    ] = UNSET
    days: Annotated[
        SomeDays | UnsetType,
        Meta(
            description="Days on which it starts, names or ranges that may wrap; without days and dates: every day.",
            examples=[["mon-fri"], ["fri-mon"]],
        ),
    ] = UNSET
    dates: Annotated[
        SomeDates | UnsetType,
        Meta(
            description="Dates on which it starts, instead of days; a range includes its last day.",
            examples=[["2026-12-14", "2026-12-24..2027-01-01"]],
        ),
    ] = UNSET
    start: Annotated[
        Start | UnsetType, Meta(description="Local time from which it is in force.", examples=["08:00"])
    ] = UNSET
    end: Annotated[
        End | UnsetType,
        Meta(
            description="Local time from which it is no longer in force: before `start` that of the next day; 24:00 is"
            " midnight.",
            examples=["18:30"],
        ),
    ] = UNSET
    all_day: Annotated[
        bool | UnsetType, Meta(description="From midnight to midnight, instead of start and end.", examples=[True])
    ] = UNSET
    min: Annotated[
        Count | UnsetType,
        Meta(
            description="Instead of the pool's min; left out: the pool's min, but at most this window's max.",
            examples=[3],
            extra={"unit": "empty nodes' worth"},
        ),
    ] = UNSET
    max: Annotated[
        Count | UnsetType,
        Meta(description="Instead of the pool's max; may be above it.", examples=[12], extra={"unit": "nodes"}),
    ] = UNSET
    target: Annotated[
        Count | UnsetType,
        Meta(
            description="A pin: exactly this much room, whatever the policies ask for.",
            examples=[6],
            extra={"unit": "empty nodes' worth"},
        ),
    ] = UNSET


class LinearDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The larger of nodes / nodesPerReplica and cores / coresPerReplica, each rounded up; at least one of the two."""

    core: ClassVar[type] = Linear
    rules: ClassVar[dict[str, Any]] = {"anyOf": [{"required": ["nodesPerReplica"]}, {"required": ["coresPerReplica"]}]}

    nodes_per_replica: Annotated[
        Positive | UnsetType, Meta(description="One node's worth of room for so many counted nodes.", examples=[4])
    ] = UNSET
    cores_per_replica: Annotated[
        Positive | UnsetType, Meta(description="One node's worth of room for so many counted cores.", examples=[192])
    ] = UNSET
    prevent_single_point_failure: Annotated[
        bool | UnsetType,
        Meta(description="At least two as soon as more than one node counts; max still wins.", examples=[True]),
    ] = UNSET


class LadderDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Steps from a count on; at least one of the two lists, the larger result wins."""

    core: ClassVar[type] = Ladder
    rules: ClassVar[dict[str, Any]] = {"anyOf": [{"required": ["nodesToReplicas"]}, {"required": ["coresToReplicas"]}]}

    nodes_to_replicas: Annotated[
        Steps | UnsetType,
        Meta(
            description="Pairs: from so many counted nodes on, so many nodes' worth of room.",
            examples=[[[1, 1], [8, 2]]],
        ),
    ] = UNSET
    cores_to_replicas: Annotated[
        Steps | UnsetType,
        Meta(
            description="Pairs: from so many counted cores on, so many nodes' worth of room.",
            examples=[[[48, 1], [480, 3]]],
        ),
    ] = UNSET


class ProportionalDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """cluster-proportional-autoscaler's policies; exactly one of linear and ladder."""

    core: ClassVar[type] = Proportional
    rules: ClassVar[dict[str, Any]] = {"oneOf": [{"required": ["linear"]}, {"required": ["ladder"]}]}

    counting: Annotated[
        Counting | UnsetType,
        Meta(
            description="Nodes that count: demand (with launches on them), schedulable or all. With `compat: true`"
            " schedulable where left out, and demand is an error.",
            examples=["demand"],
        ),
    ] = UNSET
    linear: Annotated[LinearDocument | UnsetType, Meta(description="In proportion.")] = UNSET
    ladder: Annotated[LadderDocument | UnsetType, Meta(description="In steps.")] = UNSET


class DemandDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The promise that room is learned for."""

    core: ClassVar[type] = Demand

    mode: Annotated[
        DemandMode | UnsetType,
        Meta(description="advise reports the room that it would take, size lets it act.", examples=["advise"]),
    ] = UNSET
    target_hit_rate: Annotated[
        Share | UnsetType, Meta(description="Share of launches that find a warm node in time.", examples=[0.99])
    ] = UNSET
    ready_within: Annotated[
        Duration | UnsetType, Meta(description="In time: within this span after the launch.", examples=["60s"])
    ] = UNSET


class TemplatesDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What the annotations of WorkspaceTemplates may ask for."""

    core: ClassVar[type] = Templates
    defaults: ClassVar[dict[str, Any]] = {"cold_start": "120s", "max_burst_cap": 5}

    cold_start: Annotated[
        PositiveDuration | UnsetType,
        Meta(description="A template whose ready-within is below this gets warm room.", examples=["120s"]),
    ] = UNSET
    max_burst_cap: Annotated[
        Count | UnsetType,
        Meta(description="Largest max-burst of one template that counts.", examples=[5], extra={"unit": "launches"}),
    ] = UNSET


class ScaleDownDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """How a surplus goes: it must last, then it goes in steps."""

    core: ClassVar[type] = ScaleDown

    after: Annotated[
        Duration | UnsetType, Meta(description="How long a surplus must have lasted.", examples=["10m"])
    ] = UNSET
    step: Annotated[
        AtLeastOne | UnsetType, Meta(description="Nodes that may go a minute.", examples=[1], extra={"unit": "nodes"})
    ] = UNSET
