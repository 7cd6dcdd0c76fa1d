"""Decisions as the JSON that scripts rely on (design section 11): keys are added, never renamed."""

from typing import Any

from warmpool.cli.instants import instant_text
from warmpool.core.decision import Contribution, Decision, Limits


def decision_document(decision: Decision) -> dict[str, Any]:
    """Write a decision as `warmpool plan --output json` prints it."""
    return {
        "pool": decision.pool,
        "at": instant_text(decision.at),
        "current": decision.current,
        "target": decision.target,
        "action": decision.action.value,
        "reasons": [{"code": reason.code.value, "text": reason.text} for reason in decision.reasons],
        "contributions": [_contribution(each) for each in decision.contributions],
        "limits": _limits(decision.limits),
        "counted_nodes": decision.counted_nodes,
        "busy_nodes": decision.busy_nodes,
        "idle_nodes_wanted": decision.idle_nodes_wanted,
        "placement": {
            "h": decision.groups.h,
            "i": decision.groups.i,
            "x": decision.groups.x,
            "r": decision.groups.r,
        },
        "warm_slots": decision.warm_slots,
        "ready_placeholders": decision.ready_placeholders,
        "pending_placeholders": decision.pending_placeholders,
        "excluded": [{"node": node, "reason": why.value} for node, why in sorted(decision.excluded.items())],
        "capped": decision.capped,
    }


def _contribution(contribution: Contribution) -> dict[str, Any]:
    return {
        "policy": contribution.policy,
        "nodes": contribution.nodes,
        "slots": contribution.slots,
        "text": contribution.text,
    }


def _limits(limits: Limits | None) -> dict[str, Any] | None:
    if limits is None:
        return None
    return {
        "min": limits.min,
        "max": limits.max,
        "window": limits.window,
        "target": limits.target,
        "override": limits.override,
    }
