"""Min, max and pin in force: window, then override, then the stop switch."""

from dataclasses import replace
from datetime import datetime

from warmpool.core.decision import Limits
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override, Stop, StopMode


def override_in_force(override: Override | None, now: datetime) -> Override | None:
    """Return the override unless its `until` has passed; then it has simply ended."""
    if override is None or (override.until is not None and override.until <= now):
        return None
    return override


def stop_in_force(stop: Stop | None, now: datetime) -> Stop | None:
    """Return the stop unless its `until` has passed."""
    if stop is None or (stop.until is not None and stop.until <= now):
        return None
    return stop


def overridden(base: Limits, override: Override | None) -> Limits:
    """Lay an override over the window's limits; what exceeds the max is cut and reported, never an error."""
    if override is None:
        return fitted(base)
    changed = replace(
        base,
        min=base.min if override.min is None else override.min,
        max=base.max if override.max is None else override.max,
        target=base.target if override.target is None else override.target,
        override=True,
        reasons=(*base.reasons, Reason(Code.OVERRIDE, _sets(override))),
    )
    return fitted(changed)


def fitted(limits: Limits) -> Limits:
    """Cut min and pin to the max: max always wins."""
    low = min(limits.min, limits.max)
    pin = None if limits.target is None else min(limits.target, limits.max)
    if (low, pin) == (limits.min, limits.target):
        return limits
    wanted = limits.min if limits.target is None else limits.target
    reason = Reason(Code.CAPPED_BY_MAX, f"{wanted} wanted, max {limits.max} in force: max wins")
    return replace(limits, min=low, target=pin, capped=True, reasons=(*limits.reasons, reason))


def drained(base: Limits, stop: Stop | None) -> Limits:
    """Turn the limits into nothing at all while the stop switch drains."""
    if stop is None or stop.mode is not StopMode.DRAIN:
        return base
    why = f"the stop switch drains all pools{in_words(stop)}"
    return replace(base, min=0, max=0, target=0, override=True, reasons=(*base.reasons, Reason(Code.DRAINING, why)))


def in_words(control: Override | Stop) -> str:
    """Say until when, why and by whom, as the end of a sentence: ` until 2026-12-14T17:00+00:00: exam (by ARN)`."""
    until = " for ever" if control.until is None else f" until {control.until.isoformat(timespec='minutes')}"
    by = f" (by {control.by})" if control.by else ""
    return f"{until}: {control.reason or 'no reason given'}{by}"


def _sets(override: Override) -> str:
    keys = ("min", "max", "target")
    values = [f"{key} {getattr(override, key)}" for key in keys if getattr(override, key) is not None]
    what = ", ".join(values) or "no limits"
    return f"override sets {what}{in_words(override)}"
