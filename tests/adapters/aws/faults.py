"""Failures of AWS on demand: one operation refuses, or does not answer."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ReadTimeoutError
from botocore.session import Session


@dataclass(frozen=True, slots=True)
class _Fault:
    code: str | None
    after: int
    times: int | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Answer:
    status_code: int


@dataclass(slots=True)
class Faults:
    """Sits before every call of the clients that a session makes from then on; counts calls by operation."""

    calls: Counter[str] = field(default_factory=Counter)
    _planned: dict[str, _Fault] = field(default_factory=dict)
    _halves: float = 0

    def refuse(self, operation: str, code: str, *, after: int = 0, times: int | None = None) -> None:
        """Let `after` calls of an operation through, then answer `times` (None: for ever) with an error code."""
        self.calls[operation] = 0
        self._planned[operation] = _Fault(code, after, times)

    def silence(self, operation: str, *, after: int = 0, times: int | None = None) -> None:
        """As `refuse`, but never answer."""
        self.calls[operation] = 0
        self._planned[operation] = _Fault(None, after, times)

    def cancel(self, *reasons: str) -> None:
        """Cancel every transaction, for these reasons: one a write, "None" for one that was well."""
        self.calls["TransactWriteItems"] = 0
        self._planned["TransactWriteItems"] = _Fault("TransactionCanceledException", 0, None, reasons)

    def leave_unprocessed(self, *, times: int | None) -> None:
        """Let DynamoDB answer only half of the keys of a BatchGetItem, so many times (None: for ever)."""
        self.calls["BatchGetItem"] = 0
        self._halves = float("inf") if times is None else times

    def install(self, session: Session) -> "Faults":
        """Listen to the session's calls."""
        session.register("before-call", self._before_call)  # type: ignore[arg-type]  # the stub forgets the answer
        session.register("after-call.dynamodb.BatchGetItem", self._halve)  # type: ignore[arg-type]  # as above
        return self

    def _halve(self, *, parsed: dict[str, Any], **_: Any) -> None:
        if self._halves <= 0:
            return
        self._halves -= 1
        for table, items in parsed["Responses"].items():
            half = len(items) // 2
            keys = [{"pk": each["pk"], "sk": each["sk"]} for each in items[half:]]
            parsed["Responses"][table] = items[:half]
            parsed["UnprocessedKeys"][table] = {"Keys": keys, "ConsistentRead": True}

    def _before_call(self, *, model: Any, **_: Any) -> Any:
        self.calls[model.name] += 1
        fault = self._planned.get(model.name)
        if fault is None:
            return None
        number = self.calls[model.name] - fault.after
        if number <= 0 or (fault.times is not None and number > fault.times):
            return None
        if fault.code is None:
            raise ReadTimeoutError(endpoint_url="https://nowhere.invalid")
        error: dict[str, Any] = {"Error": {"Code": fault.code, "Message": "told to"}}
        if fault.reasons:
            error["CancellationReasons"] = [{"Code": reason} for reason in fault.reasons]
        return _Answer(400), error
