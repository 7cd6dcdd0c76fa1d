"""EventBridge Scheduler's part: the deployed schedules, and a message as one of them sends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from tests.rehearsal.calls import Call
from tests.rehearsal.ground import Ground
from tests.rehearsal.progress import check


@dataclass(frozen=True, slots=True)
class Schedules:
    """The schedules of one account, all of which are the stack's."""

    ground: Ground
    found: tuple[dict[str, Any], ...]

    def fire(self, kind: str) -> None:
        """Send what the first schedule of this kind (tick, window) sends, to the queue that it names."""
        body, target = next((body, each) for body, each in self._bodies() if f'"kind":"{kind}"' in body)
        queue = target["Arn"].rpartition(":")[2]
        sqs = self.ground.client("sqs")
        sqs.send_message(
            QueueUrl=sqs.get_queue_url(QueueName=queue)["QueueUrl"],
            MessageBody=body,
            MessageGroupId=target["SqsParameters"]["MessageGroupId"],
        )

    def calls(self, role: str) -> list[Call]:
        """Return what Scheduler does with this role: it sends to each target, and what it cannot send elsewhere.

        Raises Failed where a schedule has another role.
        """
        targets = [each["Target"] for each in self.found]
        roles = {each["RoleArn"].rpartition("/")[2] for each in targets}
        check(roles == {role}, f"the schedules have the roles {sorted(roles)}; expected {role} alone")
        arns = {arn for each in targets for arn in (each["Arn"], each["DeadLetterConfig"]["Arn"])}
        return [Call("sqs:SendMessage", arn) for arn in sorted(arns)]

    def _bodies(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each message, with the time and the execution filled in, and its target."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for each in self.found:
            text = each["Target"]["Input"].replace("<aws.scheduler.scheduled-time>", now)
            yield text.replace("<aws.scheduler.execution-id>", str(uuid4())), each["Target"]


def schedules(ground: Ground) -> Schedules:
    """Read them all."""
    client = ground.client("scheduler")
    listed = [item for page in client.get_paginator("list_schedules").paginate() for item in page["Schedules"]]
    return Schedules(
        ground, tuple(client.get_schedule(GroupName=each["GroupName"], Name=each["Name"]) for each in listed)
    )
