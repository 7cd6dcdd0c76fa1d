"""One log record a pass, and the metrics behind dashboard and alarms (EMF: no API call)."""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from logging import StreamHandler
from typing import Final, TextIO

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from warmpool.app.ports import PassReport
from warmpool.core.decision import Decision
from warmpool.core.reasons import Code

NAMESPACE: Final = "Warmpool"
SERVICE: Final = "warmpool"
"""Value of the dimension `service`, which every metric carries beside `stack` (and `pool`)."""

HEARTBEAT: Final = "Heartbeat"
PASS_FAILED: Final = "PassFailed"  # noqa: S105 - a pass over the pools, no password
PASS_SECONDS: Final = "PassSeconds"  # noqa: S105 - as above
CONFLICTS: Final = "Conflicts"

CURRENT: Final = "Current"
TARGET: Final = "Target"
IDLE_NODES: Final = "IdleNodes"
IDLE_NODES_WANTED: Final = "IdleNodesWanted"
BUSY_NODES: Final = "BusyNodes"
WARM_SLOTS: Final = "WarmSlots"
READY_PLACEHOLDERS: Final = "ReadyPlaceholders"
PENDING_PLACEHOLDERS: Final = "PendingPlaceholders"
CAPPED: Final = "Capped"
HELD: Final = "Held"
POOL_FAILED: Final = "PoolFailed"
CONFIG_INVALID: Final = "ConfigInvalid"
FOREIGN_WRITER: Final = "ForeignWriter"
HELD_LONG: Final = "HeldLong"
CAPACITY_STUCK: Final = "CapacityStuck"
IMAGE_PULL_STUCK: Final = "ImagePullStuck"

_FLAGS: Final[Mapping[str, Code]] = {
    CONFIG_INVALID: Code.CONFIG_INVALID,
    FOREIGN_WRITER: Code.FOREIGN_WRITER,
    HELD_LONG: Code.HELD_LONG,
    CAPACITY_STUCK: Code.CAPACITY_STUCK,
    IMAGE_PULL_STUCK: Code.IMAGE_PULL_STUCK,
}
"""Metrics that are 1 in a pass that gave this reason, else 0."""


class PowertoolsTelemetry:
    """Logs and metrics as JSON lines on one stream, which Lambda hands to CloudWatch.

    Dimensions are service, stack and pool, and for `Held` also the reason: names of nodes or pods would make
    a metric each, for every node that ever lived.
    """

    def __init__(self, *, stack: str, stream: TextIO | None = None) -> None:
        self._stack = stack
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
            self._emit(_of_stack(report))
            for decision in report.decisions:
                failed = decision.pool in report.failures
                self._emit({**_of_pool(decision), POOL_FAILED: int(failed)}, pool=decision.pool)
                if decision.hold is not None:
                    self._emit({HELD: 1}, pool=decision.pool, reason=decision.hold.value)
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

    def _emit(self, values: Mapping[str, float], **dimensions: str) -> None:
        metrics = EphemeralMetrics(namespace=NAMESPACE, service=SERVICE)
        for dimension, text in {"stack": self._stack, **dimensions}.items():
            metrics.add_dimension(name=dimension, value=text)
        for name, value in values.items():
            unit = MetricUnit.Seconds if name == PASS_SECONDS else MetricUnit.Count
            metrics.add_metric(name=name, unit=unit, value=value)
        print(json.dumps(metrics.serialize_metric_set()), file=self._stream)


def _of_stack(report: PassReport) -> dict[str, float]:
    failed = bool(report.failures) or not (report.complete or report.decisions)
    values: dict[str, float] = {
        PASS_FAILED: int(failed),
        PASS_SECONDS: report.took_seconds,
        CONFLICTS: report.conflicts,
    }
    # Left out, not 0, after any other pass: the alarm counts the minutes without one.
    return {HEARTBEAT: 1, **values} if report.complete else values


def _of_pool(decision: Decision) -> dict[str, float]:
    codes = {each.code for each in decision.reasons}
    values: dict[str, float] = {
        CAPPED: int(decision.capped),
        HELD: int(decision.held),
        **{name: int(code in codes) for name, code in _FLAGS.items()},
    }
    if decision.current is None or decision.target is None:
        # Nothing was seen: a gauge of 0 would say that the pool is empty.
        return values
    return values | {
        CURRENT: decision.current,
        TARGET: decision.target,
        IDLE_NODES: decision.groups.i,
        IDLE_NODES_WANTED: decision.idle_nodes_wanted,
        BUSY_NODES: decision.busy_nodes,
        WARM_SLOTS: decision.warm_slots,
        READY_PLACEHOLDERS: decision.ready_placeholders,
        PENDING_PLACEHOLDERS: decision.pending_placeholders,
    }


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
        "excluded": dict(Counter(each.value for each in decision.excluded.values())),
        "capped": decision.capped,
        "marks": len(decision.marks),
    }
