"""Nudges reach the reconcile queue, in its one group, each of them once."""

import pytest

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP, SqsNudges
from warmpool.adapters.memory import FixedBudget, UnlimitedBudget
from warmpool.app.errors import NudgeNotSent


@pytest.fixture
def queue_url(clients: AwsClients) -> str:
    answer = clients.client("sqs", UnlimitedBudget()).create_queue(
        QueueName="reconcile.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "true"}
    )
    return answer["QueueUrl"]


@pytest.fixture
def nudges(clients: AwsClients, queue_url: str) -> SqsNudges:
    return SqsNudges(clients, queue_url=queue_url)


def received(clients: AwsClients, queue_url: str) -> list[tuple[str, str]]:
    answer = clients.client("sqs", UnlimitedBudget()).receive_message(
        QueueUrl=queue_url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
    )
    return [(each["Body"], each["Attributes"]["MessageGroupId"]) for each in answer.get("Messages", [])]


def test_a_nudge_arrives_in_the_one_group(clients: AwsClients, queue_url: str, nudges: SqsNudges) -> None:
    nudges.send('{"kind":"audit"}', UnlimitedBudget())

    assert received(clients, queue_url) == [('{"kind":"audit"}', MESSAGE_GROUP)]


@pytest.mark.parametrize("error", ["AccessDenied", "ThrottlingException"])
def test_a_queue_that_refuses_is_our_own_error_with_advice(faults: Faults, nudges: SqsNudges, error: str) -> None:
    faults.refuse("SendMessage", error)

    with pytest.raises(NudgeNotSent, match=f"sqs:SendMessage on .*reconcile.fifo failed: {error}"):
        nudges.send("{}", UnlimitedBudget())


def test_a_queue_that_does_not_answer_is_our_own_error(faults: Faults, nudges: SqsNudges) -> None:
    faults.silence("SendMessage")

    with pytest.raises(NudgeNotSent, match="ReadTimeoutError"):
        nudges.send("{}", UnlimitedBudget())


def test_without_time_nothing_is_tried(nudges: SqsNudges) -> None:
    with pytest.raises(NudgeNotSent, match="TimeoutError"):
        nudges.send("{}", FixedBudget(0.1))
