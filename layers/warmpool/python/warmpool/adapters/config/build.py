"""Checked documents to the core's own types; what a document leaves out keeps the default of its type there."""

from datetime import timedelta
from typing import Any, Final

from msgspec import UNSET, Struct

from warmpool.adapters.config.checks import given, window_name
from warmpool.adapters.config.controls import OverrideDocument, StopDocument
from warmpool.adapters.config.documents import PoolDocument, SpecDocument
from warmpool.adapters.config.policies import (
    LadderDocument,
    LinearDocument,
    ProportionalDocument,
    TemplatesDocument,
    TolerationDocument,
    WindowDocument,
)
from warmpool.adapters.config.resources import Shape
from warmpool.adapters.config.scalar import Scalar
from warmpool.adapters.config.times import PositiveDuration
from warmpool.core.model import Toleration
from warmpool.core.quantity import NANO, Amounts
from warmpool.core.spec import (
    ClusterRef,
    Counting,
    Demand,
    Ladder,
    Linear,
    Override,
    PoolSpec,
    Proportional,
    ScaleDown,
    Spec,
    Stop,
    Templates,
    Window,
)

_ONE_POD: Final = {"pods": NANO}
_DAY: Final = timedelta(days=1)
_EVERY_DAY: Final = frozenset(range(7))


def spec_of(document: SpecDocument) -> Spec:
    """Build the spec."""
    pools = {name: _pool(name, pool, document) for name, pool in document.pools.items()}
    return Spec(**_plain(document) | {"cluster": ClusterRef(**_plain(document.cluster)), "pools": pools})


def override_of(document: OverrideDocument) -> Override:
    """Build an override."""
    return Override(**_plain(document))


def stop_of(document: StopDocument) -> Stop:
    """Build the stop switch."""
    return Stop(**_plain(document))


def _plain(document: Struct) -> dict[str, Any]:
    """Return the keys that are given, by their Python names, with plain values."""
    values = {name: getattr(document, name) for name in document.__struct_fields__}
    return {name: _value(each) for name, each in values.items() if each is not UNSET and name != "version"}


def _value(each: Any) -> Any:
    if isinstance(each, Scalar):
        return each.value
    return tuple(_value(part) for part in each) if isinstance(each, list) else each


def _pool(name: str, document: PoolDocument, spec: SpecDocument) -> PoolSpec:
    parts: dict[str, Any] = {"name": name, "shape": _shape(document)}
    if spec.timezone is not UNSET:
        parts["timezone"] = spec.timezone.value
    parts |= {key: value for key, value in _plain(document).items() if key not in ("shape", "placeholder")}
    placeholder = None if document.placeholder is UNSET else document.placeholder.value
    parts["placeholder"] = placeholder and _with_pod(placeholder)
    parts["tolerations"] = tuple(_toleration(each) for each in given(document.tolerations, []))
    parts["windows"] = tuple(_window(each) for each in given(document.windows, []))
    if document.proportional is not UNSET:
        parts["proportional"] = _proportional(document.proportional, compat=document.compat is True)
    if document.demand is not UNSET:
        parts["demand"] = Demand(**_plain(document.demand))
    if document.templates is not UNSET:
        parts["templates"] = _templates(document.templates)
    if document.scale_down is not UNSET:
        parts["scale_down"] = ScaleDown(**_plain(document.scale_down))
    return PoolSpec(**parts)


def _shape(document: PoolDocument) -> Amounts:
    asked = {} if document.shape is UNSET else document.shape.value
    return _with_pod({**Shape.read(PoolDocument.defaults["shape"]), **asked})


def _with_pod(amounts: Amounts) -> Amounts:
    return {**amounts, **_ONE_POD}


def _toleration(document: TolerationDocument) -> Toleration:
    return Toleration(**_plain(document))


def _window(document: WindowDocument) -> Window:
    days = [each.value for each in given(document.days, [])]
    return Window(
        name=window_name(document),
        start=timedelta(0) if document.start is UNSET else document.start.value,
        end=_DAY if document.end is UNSET else document.end.value,
        days=frozenset().union(*days) if days else _EVERY_DAY,
        dates=tuple(each.value for each in given(document.dates, [])),
        all_day=document.all_day is True,
        min=given(document.min, None),
        max=given(document.max, None),
        target=given(document.target, None),
    )


def _proportional(document: ProportionalDocument, *, compat: bool) -> Proportional:
    # What CPA itself counts is the only sensible default where its numbers are wanted to the letter.
    default = Counting.SCHEDULABLE if compat else Proportional().counting
    return Proportional(
        counting=given(document.counting, default),
        linear=None if document.linear is UNSET else _linear(document.linear),
        ladder=None if document.ladder is UNSET else _ladder(document.ladder),
    )


def _linear(document: LinearDocument) -> Linear:
    return Linear(**_plain(document))


def _ladder(document: LadderDocument) -> Ladder:
    return Ladder(**{key: tuple(sorted(steps)) for key, steps in _plain(document).items()})


def _templates(document: TemplatesDocument) -> Templates:
    cold_start, cap = TemplatesDocument.defaults["cold_start"], TemplatesDocument.defaults["max_burst_cap"]
    return Templates(
        cold_start=PositiveDuration.read(cold_start) if document.cold_start is UNSET else document.cold_start.value,
        max_burst_cap=given(document.max_burst_cap, cap),
    )
