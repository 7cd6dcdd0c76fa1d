"""Gap: moto cannot be told to fail; here the next calls of an operation are refused, as AWS refuses them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from botocore.awsrequest import AWSPreparedRequest
from moto.core.models import botocore_stubber

from warmpool.sim.aws.gaps.replacing import replaced


@dataclass(slots=True)
class AwsFailures:
    """Open orders by operation ("GetParametersByPath"); only AWS' JSON protocols name it in a header."""

    _open: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def order(self, operation: str, code: str, *, times: int = 1, status: int = HTTPStatus.BAD_REQUEST) -> None:
        """Refuse the next calls of an operation with an error code ("AccessDeniedException")."""
        self._open.setdefault(operation, []).extend([(code, int(status))] * times)

    def take(self, operation: str) -> tuple[str, int] | None:
        """Use up one order for the operation."""
        orders = self._open.get(operation)
        return orders.pop(0) if orders else None


@contextmanager
def ordered_failures() -> Iterator[AwsFailures]:
    """Yield the orders; calls without one go to moto."""
    failures = AwsFailures()

    def process_request(request: AWSPreparedRequest) -> Any:
        target: Any = request.headers.get("X-Amz-Target", "")  # bytes, once it is signed
        text = target.decode() if isinstance(target, bytes) else target
        ordered = failures.take(text.rpartition(".")[2])
        if ordered is None:
            return original(request)
        code, status = ordered
        body = json.dumps({"__type": code, "message": f"ordered by a test: {code}"})
        return status, {"x-amzn-errortype": code, "content-type": "application/x-amz-json-1.1"}, body

    with replaced(botocore_stubber, "process_request", process_request) as original:
        yield failures
