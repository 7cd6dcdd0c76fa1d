"""CloudWatch Logs subscription on the EKS audit log -> at most one nudge in the reconcile queue."""

from typing import Any

from warmpool.ingest_wiring import IngestApp, RemainingTime, ingest


def handler(event: dict[str, Any], context: RemainingTime, app: IngestApp | None = None) -> dict[str, int]:
    """Read one delivery and say how many of its records matter.

    What cannot be read is logged and dropped. A queue that does not take the nudge fails the invocation: Lambda
    tries once more, the alarm counts it, and the next tick sees the change anyway. Tests give their own `app`.
    """
    return {"matter": (app or ingest()).take(event, context)}
