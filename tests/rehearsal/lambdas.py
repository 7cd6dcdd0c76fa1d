"""Lambda's part: an invocation of a deployed function, and the poller between the deployed queue and its function."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from tests.rehearsal import commands
from tests.rehearsal.calls import Call, calls_of
from tests.rehearsal.deployed import Deployed, Function
from tests.rehearsal.ground import REGION, Ground
from tests.rehearsal.progress import check
from warmpool.sim.api.token_check import Credential
from warmpool.sim.aws.identity import ACCOUNT, AwsIdentity

_INVOKE: Final = Path(__file__).parent / "invoke.py"
_START_SECONDS: Final = 60.0
"""What a fresh process on a busy machine may take beside the function's own timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What came out of one invocation."""

    result: Any
    metrics: Mapping[str, float]
    """Of the documents in embedded metric format, by name; the last value counts."""
    log: str


@dataclass(slots=True)
class Lambdas:
    """Invokes the functions of one stack, and remembers what they call."""

    ground: Ground
    deployed: Deployed
    folder: Path
    calls: dict[str, list[Call]] = field(default_factory=dict)
    """By function: every call on every resource."""
    _number: Any = field(default_factory=lambda: count(1))

    def invoke(self, name: str, event: Mapping[str, Any]) -> Invocation:
        """Invoke a function in a fresh process, with its own session, environment and deployed code.

        Raises Failed where the handler raises, or a call was not written down.
        """
        function, number = self.deployed.functions[name], next(self._number)
        label = f"{number}-{name}"
        request, answer = self.folder / f"{label}-request.json", self.folder / f"{label}-answer.json"
        request.write_text(
            json.dumps({"handler": function.handler, "event": event, "context": _context(function, number)})
        )
        identity = self._session(function, number)
        commands.run(
            label,
            [commands.PYTHON, "-P", str(_INVOKE), str(request), str(answer)],
            environment=self._environment(function, identity),
            folder=self.folder,
            limit_seconds=_START_SECONDS + function.timeout_seconds,
        )
        told = json.loads(answer.read_text())
        for module, place in told["places"].items():
            check(place.startswith(str(function.folder)), f"{module} came from {place}, not from the deployed code")
        self._keep(name, told["calls"], identity)
        log = (self.folder / f"{label}.log").read_text()
        return Invocation(result=told["result"], metrics=_metrics(log), log=log)

    def poll(self) -> Invocation:
        """Take what is in the reconcile queue to its function, as the event source mapping says, and delete it.

        Raises Failed where there is nothing, or the function gives messages back.
        """
        function = self.deployed.functions["reconcile"]
        [mapping] = self.ground.client("lambda").list_event_source_mappings(FunctionName=function.name)[
            "EventSourceMappings"
        ]
        url, sqs = self.deployed.outputs["QueueUrl"], self.ground.client("sqs")
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        check(
            mapping["EventSourceArn"] == arn, f"the function's event source is {mapping['EventSourceArn']}, not {arn}"
        )
        messages = sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=mapping["BatchSize"], MessageSystemAttributeNames=["All"]
        ).get("Messages", [])
        check(messages, f"there is no message in {url}; expected at least one")
        done = self.invoke("reconcile", {"Records": [_record(each, arn) for each in messages]})
        check(done.result == {"batchItemFailures": []}, f"the reconciler gave messages back: {done.result}")
        for each in messages:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
        return done

    def _session(self, function: Function, number: int) -> AwsIdentity:
        """Assume the function's role: STS, and so the cluster, then know the keys of this invocation."""
        identity = AwsIdentity(access_key=f"ASIAREHEARSAL{number:07d}", role=function.role, session=function.name)
        arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/{function.role}/{function.name}"
        self.ground.access.sessions[identity.access_key] = Credential(
            secret_key=identity.secret_key, session_token=identity.session_token, arn=arn
        )
        return identity

    def _environment(self, function: Function, identity: AwsIdentity) -> dict[str, str]:
        return {
            **commands.surroundings(),
            **self.ground.environment(identity),
            **function.environment,
            "AWS_LAMBDA_FUNCTION_NAME": function.name,
            "POWERTOOLS_TRACE_DISABLED": "true",
            "PYTHONPATH": function.path,
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def _keep(self, name: str, written: list[Mapping[str, Any]], identity: AwsIdentity) -> None:
        """Keep the calls. What came to the server under the invocation's keys must be as many, service by service."""
        sent = {service: n for (key, service), n in self.ground.requests.items() if key == identity.access_key}
        told = {service: sum(each["service"] == service for each in written) for service in sent}
        check(
            sent == told and sum(sent.values()) == len(written),
            f"{name} wrote {len(written)} calls down ({told}), and the server saw {sent}",
        )
        for each in written:
            self.calls.setdefault(name, []).extend(calls_of(each, region=REGION, account=ACCOUNT))


def _context(function: Function, number: int) -> dict[str, Any]:
    return {
        "function": function.name,
        "arn": function.arn,
        "memory": function.memory_megabytes,
        "timeout_seconds": function.timeout_seconds,
        "request_id": str(UUID(int=number)),
    }


def _record(message: Mapping[str, Any], queue_arn: str) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": REGION,
    }


def _metrics(log: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line in log.splitlines():
        document = json.loads(line) if line.startswith("{") else {}
        for directive in document.get("_aws", {}).get("CloudWatchMetrics", ()):
            for metric in directive["Metrics"]:
                value = document[metric["Name"]]
                found[metric["Name"]] = value[-1] if isinstance(value, list) else value
    return found
