"""Serve what the queue delivers: a message is a nudge to look, never data."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from warmpool.app.errors import WarmpoolError
from warmpool.app.ports import Budget, DeadLetters, PassReport, Telemetry
from warmpool.app.reconcile import Reconcile

LONGEST_BODY = 256 * 1024
"""SQS takes no more; a longer body did not come from our queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message as the queue delivered it; `sent` is None where the queue did not say when."""

    body: str
    sent: datetime | None = None
    message_id: str = ""


class ServeNudges:
    """Runs at most one pass for a batch of nudges."""

    def __init__(self, reconcile: Reconcile, dead_letters: DeadLetters, telemetry: Telemetry) -> None:
        """Take the pass and where to put what cannot be read."""
        self._reconcile = reconcile
        self._dead_letters = dead_letters
        self._telemetry = telemetry

    def serve(self, messages: Sequence[Message], budget: Budget) -> PassReport | None:
        """Run one pass for all readable messages, or none where all are unreadable or stale.

        Never raises: a pass that fails is acknowledged, reported and tried again by the next tick.
        """
        readable = [each for each in messages if self._reads(each)]
        if not readable:
            return None
        times = [each.sent for each in readable]
        newest = None if None in times else max(each for each in times if each is not None)
        try:
            return self._reconcile.run(budget, newest)
        except WarmpoolError as error:
            return self._failed(error)
        except Exception as error:  # noqa: BLE001 - the per-pass boundary: redelivery would not mend a defect, an alarm does
            return self._failed(error)

    def _reads(self, message: Message) -> bool:
        why = _unreadable(message.body)
        if why is None:
            return True
        self._telemetry.warn(f"message {message.message_id} goes to the dead-letter queue: {why}")
        self._dead_letters.send(message.body, why)
        return False

    def _failed(self, error: Exception) -> PassReport:
        report = PassReport(
            decisions=(), failures={"*": f"{type(error).__name__}: {error}"}, complete=False, took_seconds=0.0
        )
        self._telemetry.publish(report)
        return report


def _unreadable(body: str) -> str | None:
    """Say why a body is no nudge (an object with a text `kind`), or None."""
    if len(body) > LONGEST_BODY:
        return f"its body has {len(body)} characters, more than a queue takes"
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        return f"its body is not JSON: {error}"
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        return 'its body is not an object with a text "kind"'
    return None
