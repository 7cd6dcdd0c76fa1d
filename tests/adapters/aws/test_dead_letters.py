"""Unreadable messages end up in the dead-letter queue, with the reason beside them."""

from typing import Any

import pytest

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.dead_letters import SqsDeadLetters
from warmpool.adapters.memory import RecordingTelemetry, UnlimitedBudget


@pytest.fixture
def queue_url(clients: AwsClients) -> str:
    answer = clients.client("sqs", UnlimitedBudget()).create_queue(
        QueueName="dead.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "false"}
    )
    return answer["QueueUrl"]


@pytest.fixture
def dead_letters(clients: AwsClients, queue_url: str, telemetry: RecordingTelemetry) -> SqsDeadLetters:
    return SqsDeadLetters(clients, queue_url=queue_url, telemetry=telemetry)


def received(clients: AwsClients, queue_url: str) -> list[tuple[str, str]]:
    answer: Any = clients.client("sqs", UnlimitedBudget()).receive_message(
        QueueUrl=queue_url, MaxNumberOfMessages=10, MessageAttributeNames=["All"]
    )
    return [(each["Body"], each["MessageAttributes"]["why"]["StringValue"]) for each in answer.get("Messages", [])]


def test_a_message_arrives_with_its_reason(clients: AwsClients, queue_url: str, dead_letters: SqsDeadLetters) -> None:
    dead_letters.send("{not json", "not JSON at character 1")

    assert received(clients, queue_url) == [("{not json", "not JSON at character 1")]


def test_the_same_message_twice_is_there_once(
    clients: AwsClients, queue_url: str, dead_letters: SqsDeadLetters
) -> None:
    dead_letters.send("a", "why")
    dead_letters.send("a", "why")
    dead_letters.send("b", "why")

    assert [body for body, _ in received(clients, queue_url)] == ["a", "b"]


def test_an_empty_message_is_sent_all_the_same(
    clients: AwsClients, queue_url: str, dead_letters: SqsDeadLetters
) -> None:
    dead_letters.send("", "")

    assert received(clients, queue_url) == [("(empty)", "(empty)")]


def test_a_long_reason_with_control_characters_is_made_fit(
    clients: AwsClients, queue_url: str, dead_letters: SqsDeadLetters
) -> None:
    dead_letters.send("x", "a\x00b\nc" + "d" * 1000)

    [(_, why)] = received(clients, queue_url)
    assert why.startswith("a b cdd")
    assert len(why) == 256


def test_a_queue_that_refuses_is_logged_without_the_body(
    faults: Faults, dead_letters: SqsDeadLetters, telemetry: RecordingTelemetry
) -> None:
    faults.refuse("SendMessage", "AccessDenied")
    dead_letters.send("SECRET", "not JSON")

    [(text, fields)] = telemetry.warnings
    assert "sqs:SendMessage on " in text
    assert "dead.fifo failed: AccessDenied" in text
    assert fields["body_characters"] == 6
    assert "SECRET" not in f"{text} {fields}"


def test_a_queue_that_does_not_answer_is_logged(
    faults: Faults, dead_letters: SqsDeadLetters, telemetry: RecordingTelemetry
) -> None:
    faults.silence("SendMessage")
    dead_letters.send("x", "not JSON")

    assert "ReadTimeoutError" in telemetry.warnings[0][0]
