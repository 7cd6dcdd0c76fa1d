"""SQS FIFO queue -> one reconcile pass over all pools."""

from typing import Any

from warmpool.wiring import App, RemainingTime, application


def handler(event: dict[str, Any], context: RemainingTime, app: App | None = None) -> dict[str, list[Any]]:
    """Serve one batch of nudges and acknowledge all of it.

    A failed pass is told by a metric and an alarm, and the next tick tries again; redelivery would only let
    old nudges queue up. So the list of failures is always empty, and only a killed invocation, or a function
    whose environment is wrong, has its messages delivered again. Tests and the embedded run give their own `app`.
    """
    (app or application()).serve(event, context)
    return {"batchItemFailures": []}
