"""Decisions and entries with overrides."""

from datetime import UTC, datetime
from typing import Any

from warmpool.core.decision import Action, Decision
from warmpool.core.reasons import Code, Reason

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
