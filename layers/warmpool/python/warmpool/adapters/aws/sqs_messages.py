"""SQS records as the nudges that they are; nothing in them is trusted."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from warmpool.app.nudges import Message


def messages(event: object) -> Sequence[Message]:
    """Read the messages of one invocation; whatever cannot be read as one becomes a message with its JSON as body.

    So nothing is dropped here: whoever serves the messages sends unreadable bodies to the dead-letter queue,
    and an event that is no batch (a test from the console) is served like a message.
    """
    if isinstance(event, dict) and isinstance(event.get("Records"), list):
        return [_message(each) for each in event["Records"]]
    return [Message(body=_json(event), sent=None, message_id="")]


def _message(record: object) -> Message:
    if not isinstance(record, dict):
        return Message(body=_json(record), sent=None, message_id="")
    body = record.get("body")
    attributes = record.get("attributes")
    return Message(
        body=body if isinstance(body, str) else _json(record),
        sent=_instant(attributes.get("SentTimestamp")) if isinstance(attributes, dict) else None,
        message_id=str(record.get("messageId", "")),
    )


def _instant(milliseconds: Any) -> datetime | None:
    """Read SQS' SentTimestamp; one that is no time is unknown, and an unknown one is never called stale."""
    try:
        return datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _json(value: object) -> str:
    return json.dumps(value, default=str)
