"""From the queue into the handler, in virtual time."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aws_lambda_powertools.utilities.data_classes import SQSEvent
from aws_lambda_powertools.utilities.typing import LambdaContext
from moto.sqs.models import Message

from warmpool.adapters.memory import FixedClock
from warmpool.sim.aws.embedded import EmbeddedAws
from warmpool.sim.aws.lambda_context import EmbeddedLambdaContext
from warmpool.sim.aws.pump import QueuePump

MINUTE = timedelta(minutes=1)


class RecordingHandler:
    """Keeps its events and answers what it is told to, or fails so many times."""

    def __init__(self, *, failures: int = 0) -> None:
        self.events: list[dict[str, Any]] = []
        self.contexts: list[LambdaContext] = []
        self.failures = failures
        self.answer: Any = None

    def __call__(self, event: dict[str, Any], context: LambdaContext) -> Any:
        self.events.append(event)
        self.contexts.append(context)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("killed")
        return self.answer

    def bodies(self) -> list[list[str]]:
        return [[record["body"] for record in event["Records"]] for event in self.events]


def waiting(aws: EmbeddedAws) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    told: Any = aws.sqs.get_queue_attributes(QueueUrl=aws.queues.url, AttributeNames=["All"])["Attributes"]
    return sum(int(told[name]) for name in names)


def test_a_tick_reaches_the_handler_as_lambda_would_bring_it(aws: EmbeddedAws, clock: FixedClock) -> None:
    handler = RecordingHandler()
    QueuePump(aws, handler).tick(clock.now())
    event = SQSEvent(handler.events[0])
    (record,) = event.records
    body = json.loads(record.body)
    assert (body["kind"], body["scheduled"]) == ("tick", "2026-03-02T07:00:00Z")
    assert body["execution"]
    assert int(record.attributes.sent_timestamp) == int(clock.now().timestamp() * 1000)
    assert record.attributes.message_group_id == "reconcile"
    assert record.attributes.approximate_receive_count == "1"
    assert (record.event_source, record.aws_region) == ("aws:sqs", "eu-central-1")
    assert record.event_source_arn == aws.queues.arn
    assert waiting(aws) == 0


def test_every_tick_has_a_body_of_its_own(aws: EmbeddedAws, clock: FixedClock) -> None:
    handler = RecordingHandler()
    pump = QueuePump(aws, handler)
    for _ in range(3):
        pump.tick(clock.now())
    assert len(handler.events) == 3


def test_what_has_come_together_is_one_batch_of_ten_at_most_in_order(aws: EmbeddedAws) -> None:
    handler = RecordingHandler()
    pump = QueuePump(aws, handler)
    for index in range(12):
        pump.send(f"nudge {index}")
    assert pump.deliver() is not None
    assert pump.deliver() is not None
    assert pump.deliver() is None
    assert handler.bodies() == [[f"nudge {index}" for index in range(10)], ["nudge 10", "nudge 11"]]


def test_the_same_body_is_dropped_for_five_minutes_though_it_was_served(aws: EmbeddedAws, clock: FixedClock) -> None:
    handler = RecordingHandler()
    pump = QueuePump(aws, handler)
    served = []
    for after in (timedelta(0), timedelta(minutes=4, seconds=59), timedelta(minutes=5)):
        clock.time = datetime(2026, 3, 2, 7, 0, tzinfo=UTC) + after
        pump.send("same")
        served.append(pump.deliver() is not None)
    assert served == [True, False, True]


def test_a_killed_invocation_is_redelivered_once_nobody_else_may_have_it(aws: EmbeddedAws, clock: FixedClock) -> None:
    handler = RecordingHandler(failures=1)
    pump = QueuePump(aws, handler)
    invocation = pump.tick(clock.now())
    assert invocation is not None
    assert isinstance(invocation.error, RuntimeError)
    clock.advance(timedelta(seconds=90))
    pump.send("later")
    assert pump.deliver() is None, "its group is held by the one under way"
    clock.advance(timedelta(milliseconds=1))
    again = pump.deliver()
    assert again is not None
    assert [record["attributes"]["ApproximateReceiveCount"] for record in again.event["Records"]] == ["2", "1"]
    assert waiting(aws) == 0


def test_a_message_that_kills_three_times_ends_in_the_dead_letters(aws: EmbeddedAws, clock: FixedClock) -> None:
    pump = QueuePump(aws, RecordingHandler(failures=3))
    pump.send("poison")
    for _ in range(3):
        pump.deliver()
        clock.advance(timedelta(seconds=91))
    assert pump.deliver() is None
    assert aws.dead_letters() == ["poison"] == aws.dead_letters()


def test_messages_that_the_handler_names_as_failed_stay_and_the_others_go(aws: EmbeddedAws) -> None:
    handler = RecordingHandler()
    pump = QueuePump(aws, handler)
    pump.send("good")
    pump.send("bad")

    def answer(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        handler(event, context)
        failed = [record["messageId"] for record in event["Records"] if record["body"] == "bad"]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    QueuePump(aws, answer).deliver()
    assert waiting(aws) == 1


@pytest.mark.parametrize(("identifier", "left"), [("no such id", 1), ("", 1)])
def test_a_failure_that_names_nothing_known_fails_the_whole_batch(aws: EmbeddedAws, identifier: str, left: int) -> None:
    handler = RecordingHandler()
    handler.answer = {"batchItemFailures": [{"itemIdentifier": identifier}]}
    pump = QueuePump(aws, handler)
    pump.send("nudge")
    pump.deliver()
    assert waiting(aws) == left


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": []}, "text"])
def test_any_other_answer_acknowledges_all(aws: EmbeddedAws, answer: Any) -> None:
    handler = RecordingHandler()
    handler.answer = answer
    pump = QueuePump(aws, handler)
    pump.send("nudge")
    pump.deliver()
    assert waiting(aws) == 0


def test_the_context_counts_down_and_has_an_id_a_call(aws: EmbeddedAws, clock: FixedClock) -> None:
    handler = RecordingHandler()
    pump = QueuePump(aws, handler)
    pump.tick(clock.now())
    pump.tick(clock.advance(MINUTE))
    first, second = handler.contexts
    assert first.aws_request_id != second.aws_request_id
    assert second.get_remaining_time_in_millis() == 30_000
    clock.advance(timedelta(seconds=12))
    assert second.get_remaining_time_in_millis() == 18_000
    assert first.invoked_function_arn.endswith(":function:warmpool-reconcile")


def test_no_time_remains_after_the_deadline() -> None:
    seconds = iter([100.0, 110.0, 131.0])
    context = EmbeddedLambdaContext(
        "f", request_id="1", region="eu-central-1", timeout_seconds=30, monotonic=lambda: next(seconds)
    )
    assert (context.get_remaining_time_in_millis(), context.get_remaining_time_in_millis()) == (20_000, 0)


def test_deadlines_can_go_by_a_clock_of_their_own(aws: EmbeddedAws, clock: FixedClock) -> None:
    handler = RecordingHandler()
    seconds = iter([0.0, 31.0])
    QueuePump(aws, handler, monotonic=lambda: next(seconds)).tick(clock.now())
    assert handler.contexts[0].get_remaining_time_in_millis() == 0


def test_a_day_of_ticks_leaves_nothing_behind_that_grows(aws: EmbeddedAws, clock: FixedClock) -> None:
    pump = QueuePump(aws, RecordingHandler())
    pump.tick(clock.now())
    tracked = len(Message.instances_tracked)  # type: ignore[attr-defined]
    for _ in range(30):
        pump.tick(clock.advance(MINUTE))
    assert len(Message.instances_tracked) == tracked  # type: ignore[attr-defined]
    assert waiting(aws) == 0
