"""EventBridge's part of a rule: moto's matcher, and the input transformer that makes the message of an event."""

import json
import re
from collections.abc import Mapping
from typing import Any

from moto.events.models import EventPattern

LARGEST_MESSAGE = 256 * 1024
"""What SQS took of one message for years, and the reader still goes by."""


def matches(pattern: Mapping[str, Any], event: object) -> bool:
    """Say whether a rule with this pattern takes the event."""
    return EventPattern.load(json.dumps(pattern)).matches_event(event)  # type: ignore[arg-type] # events are untrusted


def transformed(transformer: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """Fill a JSON template: a variable becomes its value as JSON, and one without a value becomes nothing."""
    values = {name: _at(event, path) for name, path in transformer["InputPathsMap"].items()}
    return re.sub(r"<([\w-]+)>", lambda found: values[found[1]], transformer["InputTemplate"])


def _at(event: Any, path: str) -> str:
    for key in path.removeprefix("$.").split("."):
        if not isinstance(event, dict) or key not in event:
            return ""
        event = event[key]
    return json.dumps(event)


def transformer(kind: str) -> dict[str, Any]:
    """Return the transformer that every rule of the stack has; tests/infra compares it with the template."""
    return {
        "InputPathsMap": {"id": "$.id", "time": "$.time", "detail-type": "$.detail-type"},
        "InputTemplate": f'{{"kind":"{kind}","id":<id>,"time":<time>,"type":<detail-type>}}',
    }
