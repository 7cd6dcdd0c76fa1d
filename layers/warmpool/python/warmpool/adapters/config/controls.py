"""The override of a pool and the stop switch as they are written."""

from typing import Annotated, Any, ClassVar, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from warmpool.adapters.config.policies import Count
from warmpool.adapters.config.times import Until
from warmpool.core.spec import Override, Stop, StopMode

_SOMEBODY: Final = "arn:aws:sts::123456789012:assumed-role/Operator/alice"


class OverrideDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A pool's limits at run time, from operators: what it says replaces what the window in force says.

    At least one of min, max, target and pause.
    """

    core: ClassVar[type] = Override
    rules: ClassVar[dict[str, Any]] = {"anyOf": [{"required": [key]} for key in ("min", "max", "target", "pause")]}

    min: Annotated[
        Count | UnsetType,
        Meta(description="Instead of the min in force.", examples=[3], extra={"unit": "empty nodes' worth"}),
    ] = UNSET
    max: Annotated[
        Count | UnsetType,
        Meta(
            description="Instead of the max in force; may be above the pool's, never above maxHourlyCost.",
            examples=[12],
            extra={"unit": "nodes"},
        ),
    ] = UNSET
    target: Annotated[
        Count | UnsetType,
        Meta(description="A pin: exactly this much room.", examples=[6], extra={"unit": "empty nodes' worth"}),
    ] = UNSET
    pause: Annotated[bool | UnsetType, Meta(description="Write nothing for this pool.", examples=[True])] = UNSET
    until: Annotated[
        Until,
        Meta(
            description="When it ends: an instant with its offset, or `forever`.", examples=["2026-12-14T18:00+01:00"]
        ),
    ]
    reason: Annotated[str | UnsetType, Meta(description="Why, for whoever reads it.", examples=["workshop"])] = UNSET
    by: Annotated[
        str | UnsetType,
        Meta(description="Who wrote it; `warmpool override set` fills in the AWS identity.", examples=[_SOMEBODY]),
    ] = UNSET


class StopDocument(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The stop switch for all pools of the stack."""

    core: ClassVar[type] = Stop

    mode: Annotated[
        StopMode, Meta(description="freeze writes nothing, drain asks for no room at once.", examples=["freeze"])
    ]
    until: Annotated[
        Until | UnsetType,
        Meta(description="When it ends; left out: `forever`.", examples=["2026-12-14T18:00Z"]),
    ] = UNSET
    reason: Annotated[str | UnsetType, Meta(description="Why, for whoever reads it.", examples=["incident 4711"])] = (
        UNSET
    )
    by: Annotated[
        str | UnsetType,
        Meta(description="Who wrote it; `warmpool stop` fills in the AWS identity.", examples=[_SOMEBODY]),
    ] = UNSET
