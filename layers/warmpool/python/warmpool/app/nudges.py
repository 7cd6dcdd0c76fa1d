"""Serve what the queue delivers: a message is a nudge to look, never data."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from warmpool.app.errors import WarmpoolError
from warmpool.app.kinds import URGENT
from warmpool.app.pace import Pace, Unpaced
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

    def __init__(
        self,
        reconcile: Reconcile,
        dead_letters: DeadLetters,
        telemetry: Telemetry,
        pace: Pace | None = None,
    ) -> None:
        """Take the pass, where to put what cannot be read, and how events are paced (None: they are not)."""
        self._reconcile = reconcile
        self._dead_letters = dead_letters
        self._telemetry = telemetry
        self._pace = pace or Unpaced()

    def serve(self, messages: Sequence[Message], budget: Budget) -> PassReport | None:
        """Run one pass for all readable messages, or none where all are unreadable or stale.

        Never raises: a pass that fails is acknowledged, reported and tried again by the next tick.
        """
        kinds = [self._kind(each) for each in messages]
        readable = [each for each, kind in zip(messages, kinds, strict=True) if kind is not None]
        if not readable:
            return None
        times = [each.sent for each in readable]
        newest = None if None in times else max(each for each in times if each is not None)
        if URGENT.isdisjoint(kinds) and not self._pace.admits(newest, budget):
            return None
        try:
            return self._run(newest, budget)
        except WarmpoolError as error:
            return self._failed(error)
        except Exception as error:  # noqa: BLE001 - the per-pass boundary: redelivery would not mend a defect, an alarm does
            return self._failed(error)

    def _run(self, newest: datetime | None, budget: Budget) -> PassReport | None:
        self._pace.begins()
        report = self._reconcile.run(budget, newest)
        if report is not None and report.complete:
            self._pace.completed()
        return report

    def _kind(self, message: Message) -> str | None:
        """Return what a message is about; where it cannot be read it goes to the dead letters."""
        try:
            return _kind_of(message.body)
        except ValueError as error:
            self._telemetry.warn(f"message {message.message_id} goes to the dead-letter queue: {error}")
            self._dead_letters.send(message.body, str(error))
            return None

    def _failed(self, error: Exception) -> PassReport:
        report = PassReport(
            decisions=(), failures={"*": f"{type(error).__name__}: {error}"}, complete=False, took_seconds=0.0
        )
        self._telemetry.publish(report)
        return report


def _kind_of(body: str) -> str:
    """Return what a nudge (an object with a text `kind`) is about. Raises ValueError where a body is none."""
    if len(body) > LONGEST_BODY:
        raise ValueError(f"its body has {len(body)} characters, more than a queue takes")
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its body is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise ValueError('its body is not an object with a text "kind"')  # noqa: TRY004 - said of the body, not of a type
    kind: str = document["kind"]
    return kind
