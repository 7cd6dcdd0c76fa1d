"""Decisions, alone and with what they came from."""

from datetime import UTC, datetime, timedelta
from typing import Any

from warmpool.app.ports import Decided
from warmpool.core.decision import Action, Decision
from warmpool.core.reasons import Code, Reason
from warmpool.core.watch import Cause, Found, Launch, Outcome, Tally

AT = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def decision(pool: str = "cpu", **changes: Any) -> Decision:
    """Return a decision for three replicas that stay."""
    values: dict[str, Any] = {
        "pool": pool,
        "at": AT,
        "current": 3,
        "target": 3,
        "action": Action.NONE,
        "reasons": (Reason(Code.STEADY, "three idle nodes, as wanted"),),
    }
    return Decision(**{**values, **changes})


def decided(pool: str = "cpu", **changes: Any) -> Decided:
    """Return such a decision of which nobody knows what it came from."""
    return Decided(decision=decision(pool, **changes))


def warm() -> Found:
    """Return what a launch finds beside a placeholder."""
    return Found(outcome=Outcome.WARM_COEXIST)


def cold(cause: Cause = Cause.NONE_FREE) -> Found:
    """Return what a launch finds that has to wait for a node."""
    return Found(outcome=Outcome.COLD, cause=cause)


def launch(found: Found, *, ready: datetime = AT, waited: float = 30) -> Launch:
    """Return a launch that was Ready then after so many seconds."""
    return Launch(uid="uid", created=ready - timedelta(seconds=waited), ready=ready, found=found)


def tally(*launches: Launch, **more: Any) -> Tally:
    """Return what a pass counted."""
    return Tally(launches=launches, **more)
