"""A role's policies against the calls that were made with it, both ways."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.rehearsal.calls import Call

MADE_BY_AWS: Final[Mapping[str, str]] = {
    "logs:CreateLogStream": "Lambda's runtime writes the log",
    "logs:PutLogEvents": "Lambda's runtime writes the log",
    "xray:PutTelemetryRecords": "Lambda's runtime sends traces",
    "xray:PutTraceSegments": "Lambda's runtime sends traces",
    "sqs:ReceiveMessage": "Lambda's poller takes the messages",
    "sqs:DeleteMessage": "Lambda's poller deletes them",
    "sqs:GetQueueAttributes": "Lambda's poller looks at the queue",
    "sqs:ChangeMessageVisibility": "Lambda's poller gives messages back",
}
"""Granted for what no code of ours calls."""

USED_BY_NOBODY: Final[Mapping[str, str]] = {
    "sqs:GetQueueUrl": "the event source of CDK grants it with what the poller needs",
}
"""Granted for nothing, and known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement that allows."""

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]

    def allows(self, call: Call) -> bool:
        """Tell whether it allows the call."""
        return any(map(_Pattern(call.action.lower()).fits, map(str.lower, self.actions))) and any(
            map(_Pattern(call.resource).fits, self.resources)
        )


@dataclass(frozen=True, slots=True)
class _Pattern:
    text: str

    def fits(self, pattern: str) -> bool:
        """Match as IAM does: `*` is any text, `?` one character, and nothing else is special."""
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        return re.fullmatch(expression, self.text, re.DOTALL) is not None


def statements(documents: Iterable[Mapping[str, Any]]) -> Iterator[Statement]:
    """Read policy documents. Raises ValueError for a statement that says more than this matcher understands."""
    for document in documents:
        for given in _list(document["Statement"]):
            if given["Effect"] != "Allow" or not set(given) <= {"Sid", "Effect", "Action", "Resource"}:
                raise ValueError(f"expected an Allow of actions on resources, and nothing else: {given}")
            yield Statement(
                sid=given.get("Sid", ""),
                actions=tuple(_list(given["Action"])),
                resources=tuple(_list(given["Resource"])),
            )


def refused(calls: Iterable[Call], granted: Sequence[Statement]) -> list[Call]:
    """Return the calls that no statement allows."""
    return sorted(call for call in set(calls) if not any(each.allows(call) for each in granted))


def unused(
    calls: Collection[Call], granted: Iterable[Statement], excepted: Collection[str] = frozenset()
) -> list[tuple[str, str, str]]:
    """Return (Sid, action, resource) of each part of a statement that no call needed."""
    parts = (
        (each.sid, Statement(sid=each.sid, actions=(action,), resources=(resource,)))
        for each in granted
        for action in each.actions
        for resource in each.resources
        if action not in excepted
    )
    return [
        (sid, part.actions[0], part.resources[0]) for sid, part in parts if not any(part.allows(call) for call in calls)
    ]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
