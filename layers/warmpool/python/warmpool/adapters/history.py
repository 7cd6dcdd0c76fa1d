"""When a decision differs from the one before it, as the ledger's history sees it."""

import json
from hashlib import sha256
from typing import Final

from warmpool.core.decision import Decision
from warmpool.core.reasons import Code

_SAID_BY_PEOPLE: Final = frozenset(
    {Code.OVERRIDE, Code.PAUSED_BY_OVERRIDE, Code.FROZEN, Code.DRAINING, Code.CONFIG_INVALID}
)
"""Sentences that stay as they are until somebody writes another document: who and why belong into the history."""


def history_key(decision: Decision) -> str:
    """Return a fingerprint of the answer and its grounds.

    Counts and most sentences stay out: they change every minute ("waits for 7 more minutes") while the decision
    stays the same, and the history would be a second log.
    """
    limits = decision.limits
    parts = (
        decision.current,
        decision.target,
        decision.action.value,
        decision.hold.value if decision.hold else None,
        [each.code.value for each in decision.reasons],
        [each.text for each in decision.reasons if each.code in _SAID_BY_PEOPLE],
        (limits.min, limits.max, limits.target, limits.window, limits.override) if limits else None,
        decision.idle_nodes_wanted,
        decision.capped,
        decision.dry_run,
    )
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]
