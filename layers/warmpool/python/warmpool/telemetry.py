"""One log record a pass, and the metrics behind dashboard and alarms (EMF: no API call)."""

import json
import sys
from collections import Counter
from datetime import datetime
from logging import StreamHandler
from typing import Final, TextIO

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from warmpool.adapters.aws.clock import SystemClock
from warmpool.app.ports import Clock, PassReport
from warmpool.core.decision import Decision
from warmpool.metrics import METRICS, NAMESPACE, SERVICE
from warmpool.readings import Reading, readings

MOST_VALUES: Final = 99
"""Of one metric in one document: EMF takes 100, and Powertools prints by itself when it has so many."""


class PowertoolsTelemetry:
    """Logs and metrics as JSON lines on one stream, which Lambda hands to CloudWatch.

    What the metrics are called and what their dimensions are is in `warmpool.metrics`. They bear the time at which the
    pass began, as its decisions and books do; one without a decision that of `clock`, by default the machine's.
    """

    def __init__(self, *, stack: str, stream: TextIO | None = None, clock: Clock | None = None) -> None:
        self._stack = stack
        self._clock = clock or SystemClock()
        self._stream = stream or sys.stdout
        self._logger = Logger(service=SERVICE, stream=self._stream, use_rfc3339=True, utc=True)
        self._logger.append_keys(stack=stack)
        handler = self._logger.registered_handler
        if isinstance(handler, StreamHandler):  # loggers live as long as the process: take over an older one's stream
            handler.setStream(self._stream)

    def publish(self, report: PassReport) -> None:
        """Write the pass' record and its metrics.

        Never raises: a pass that has done its work must not fail over telling of it.
        """
        try:  # a named boundary, so that `except` may be broad: see the docstring
            self._log(report)
            at = report.decisions[0].at if report.decisions else self._clock.now()
            for reading in readings(report):
                self._emit(reading, at)
        except Exception:
            self._logger.exception("the pass could not be told in full")

    def warn(self, text: str, **fields: object) -> None:
        """Log one warning; the fields are set apart, so that none can take the place of a record's own key."""
        self._logger.warning(text, extra={"fields": fields})

    def _log(self, report: PassReport) -> None:
        write = self._logger.warning if report.failures or not report.complete else self._logger.info
        write(
            "pass",
            extra={
                "complete": report.complete,
                "took_ms": round(report.took_seconds * 1000),
                "conflicts": report.conflicts,
                "pools": [_record(each) for each in report.decisions],
                "failures": dict(report.failures),
            },
        )

    def _emit(self, reading: Reading, at: datetime) -> None:
        most = max(len(values) for values in reading.values.values())
        for begin in range(0, most, MOST_VALUES):
            some = {name: values[begin : begin + MOST_VALUES] for name, values in reading.values.items()}
            self._document(Reading(values={name: values for name, values in some.items() if values}, of=reading.of), at)

    def _document(self, reading: Reading, at: datetime) -> None:
        metrics = EphemeralMetrics(namespace=NAMESPACE, service=SERVICE)
        for dimension, text in {"stack": self._stack, **reading.of}.items():
            metrics.add_dimension(name=dimension, value=text)
        for name, amounts in reading.values.items():
            for amount in amounts:
                metrics.add_metric(name=name, unit=MetricUnit(METRICS[name].unit.value), value=amount)
        document = metrics.serialize_metric_set()
        # Powertools reads the machine's clock: later than the pass began, and not that of an embedded run.
        document["_aws"]["Timestamp"] = int(at.timestamp() * 1000)
        print(json.dumps(document, separators=(",", ":")), file=self._stream)


def _record(decision: Decision) -> dict[str, object]:
    groups = decision.groups
    return {
        "pool": decision.pool,
        "at": decision.at.isoformat(),
        "current": decision.current,
        "target": decision.target,
        "action": decision.action.value,
        "hold": decision.hold.value if decision.hold else None,
        "dry_run": decision.dry_run,
        "reasons": [{"code": each.code.value, "text": each.text} for each in decision.reasons],
        "contributions": [each.text for each in decision.contributions],
        "placement": {"h": groups.h, "i": groups.i, "x": groups.x, "r": groups.r},
        "idle_nodes_wanted": decision.idle_nodes_wanted,
        "busy_nodes": decision.busy_nodes,
        "warm_slots": decision.warm_slots,
        "need_slots": decision.need_slots,
        "excluded": dict(Counter(each.value for each in decision.excluded.values())),
        "capped": decision.capped,
        "marks": len(decision.marks),
    }
