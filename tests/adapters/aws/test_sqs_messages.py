"""SQS records become messages, whatever is in them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmpool.adapters.aws.sqs_messages import messages
from warmpool.app.nudges import Message

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def record(**changes: Any) -> dict[str, Any]:
    return {
        "messageId": "059f36b4-87a3-44ab-83d2-661975830a7d",
        "body": '{"kind": "tick"}',
        "attributes": {"SentTimestamp": "1796118300123", "MessageGroupId": "pass"},
        **changes,
    }


def test_a_record_becomes_a_message() -> None:
    assert messages({"Records": [record()]}) == [
        Message(
            body='{"kind": "tick"}',
            sent=datetime(2026, 12, 1, 9, 45, 0, 123000, tzinfo=UTC),
            message_id="059f36b4-87a3-44ab-83d2-661975830a7d",
        )
    ]


def test_records_keep_their_order() -> None:
    batch = {"Records": [record(body=str(number)) for number in range(3)]}

    assert [each.body for each in messages(batch)] == ["0", "1", "2"]


@pytest.mark.parametrize("sent", [None, "", "soon", [], {}, "1e400", 10**30, float("nan"), float("inf"), "-"])
def test_a_time_that_is_none_is_unknown(sent: object) -> None:
    [message] = messages({"Records": [record(attributes={"SentTimestamp": sent})]})

    assert message.sent is None


@pytest.mark.parametrize("attributes", [None, [], "x", {}])
def test_a_record_without_attributes_has_no_time(attributes: object) -> None:
    [message] = messages({"Records": [record(attributes=attributes)]})

    assert message.sent is None


@pytest.mark.parametrize("body", [None, 3, {"kind": "tick"}])
def test_a_record_without_a_text_body_keeps_its_json(body: object) -> None:
    [message] = messages({"Records": [record(body=body)]})

    assert json.loads(message.body)["body"] == body


def test_a_record_that_is_no_object_is_still_a_message() -> None:
    assert [each.body for each in messages({"Records": [None, "x"]})] == ["null", '"x"']


def test_an_event_that_is_no_batch_is_one_message() -> None:
    assert messages({"kind": "test"}) == [Message(body='{"kind": "test"}', sent=None, message_id="")]


def test_an_empty_batch_has_no_messages() -> None:
    assert messages({"Records": []}) == []


@given(json_values)
def test_no_event_makes_reading_it_fail(event: object) -> None:
    for each in messages(event):
        assert isinstance(each.body, str)


@given(json_values)
def test_no_record_makes_reading_it_fail(value: object) -> None:
    assert len(messages({"Records": [value, record(attributes=value), record(body=value, messageId=value)]})) == 3
