"""Audit records as CloudWatch Logs delivers them: filtered, packed, and at most so many at once."""

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from typing import Any

from tests.events.cloudwatch_filter import Condition

Json = dict[str, Any]


def delivery(messages: Iterable[object], kind: str = "DATA_MESSAGE") -> Json:
    """Build the event of one invocation from records, or from texts that are none."""
    lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
    batch = {
        "messageType": kind,
        "owner": "111122223333",
        "logGroup": "/aws/eks/ml-research-eks/cluster",
        "logStream": "kube-apiserver-audit-0123456789abcdef0123456789abcdef",
        "subscriptionFilters": ["warmpool-ml-research-audit"],
        "logEvents": [
            {"id": f"{number:056d}", "timestamp": 1796115612350 + number, "message": line}
            for number, line in enumerate(lines)
        ],
    }
    return packed(json.dumps(batch).encode())


def packed(text: bytes) -> Json:
    """Pack a batch as CloudWatch Logs does."""
    return {"awslogs": {"data": base64.b64encode(gzip.compress(text, 1, mtime=0)).decode()}}


def subscribed(records: Iterable[Json], condition: Condition, *, at_once: int = 50) -> Iterator[Json]:
    """Yield the deliveries of a subscription whose filter is this condition."""
    taken = [each for each in records if condition(each)]
    for first in range(0, len(taken), at_once):
        yield delivery(taken[first : first + at_once])
