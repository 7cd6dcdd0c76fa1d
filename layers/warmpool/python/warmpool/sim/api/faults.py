"""Failures that a test orders: the next requests that match are refused, late, cut short or dropped."""

import threading
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus

from warmpool.sim.api.access import User, forbidden
from warmpool.sim.api.resources import Target
from warmpool.sim.api.status import EXPIRED, ApiError

MESSAGES = {
    404: "the server could not find the requested resource",
    410: EXPIRED,
    429: "the server has received too many requests and has asked us to try again later",
    500: "Internal error occurred: etcdserver: request timed out",
    503: "the server is currently unable to handle the request",
}


class Delivery(StrEnum):
    """How an answer reaches the client: whole, half of its body, or not at all."""

    WHOLE = "whole"
    TRUNCATED = "truncated"
    DROPPED = "dropped"


@dataclass(slots=True, kw_only=True)
class Fault:
    """One order. None matches everything; `skip` lets that many matching requests pass first."""

    verb: str | None = None
    resource: str | None = None
    times: int = 1
    skip: int = 0
    status: int | None = None
    retry_after_seconds: int | None = None
    delay_seconds: float = 0.0
    delivery: Delivery = Delivery.WHOLE

    def matches(self, target: Target) -> bool:
        """Tell whether a request is meant."""
        return self.verb in {None, target.verb} and self.resource in {None, target.resource}

    def error(self, user: User, target: Target) -> ApiError | None:
        """Return the refusal that this fault answers with, None where the real answer goes out."""
        if self.status is None:
            return None
        if self.status == HTTPStatus.FORBIDDEN:
            return forbidden(user, target)
        message = MESSAGES.get(self.status, f"status {self.status} as ordered")
        return ApiError(self.status, message, retry_after_seconds=self.retry_after_seconds)


@dataclass(slots=True)
class Faults:
    """The orders that are still open, taken first in, first out; safe between threads."""

    _open: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, fault: Fault) -> None:
        """Order a failure."""
        with self._lock:
            self._open.append(fault)

    def clear(self) -> None:
        """Forget all open orders."""
        with self._lock:
            self._open.clear()

    def take(self, target: Target) -> Fault | None:
        """Use up one time of the first order that matches."""
        if not self._open:
            return None
        with self._lock:
            for fault in self._open:
                if not fault.matches(target):
                    continue
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                if fault.times <= 0:
                    self._open.remove(fault)
                return fault
        return None
