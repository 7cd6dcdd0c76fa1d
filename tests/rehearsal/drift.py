"""The embedded run's own queues and table (warmpool.sim.aws.resources) against the deployed ones."""

import json
from collections.abc import Mapping
from typing import Any, Final

from tests.rehearsal.ground import REGION, Ground
from tests.rehearsal.progress import check
from warmpool.sim.aws.resources import create_queues, create_table

_ELSEWHERE: Final = "eu-west-1"
"""Where the embedded run's resources are made for comparison, out of the deployed ones' way."""
_OF_THE_MOMENT: Final = frozenset({"CreatedTimestamp", "LastModifiedTimestamp"})
_DEPLOYED_ONLY: Final = frozenset({"Policy", "SqsManagedSseEnabled"})
"""Encryption and who may send: nothing that the embedded run could tell apart."""


def compare(ground: Ground, stack: str, outputs: Mapping[str, str]) -> None:
    """Raise Failed where a deployed queue or the table differs from what the embedded run makes."""
    embedded = create_queues(ground.client("sqs", _ELSEWHERE), stack=stack, region=_ELSEWHERE)
    _same("queue", _queue(ground, outputs["QueueUrl"], REGION), _queue(ground, embedded.url, _ELSEWHERE))
    _same(
        "dead-letter queue",
        _queue(ground, outputs["DeadLetterQueueUrl"], REGION),
        _queue(ground, embedded.dead_letters_url, _ELSEWHERE),
    )
    create_table(ground.client("dynamodb", _ELSEWHERE), outputs["LedgerTable"])
    _same("table", *(_table(ground, outputs["LedgerTable"], region) for region in (REGION, _ELSEWHERE)))


def _same(what: str, deployed: Mapping[str, Any], embedded: Mapping[str, Any]) -> None:
    different = {
        name: (deployed.get(name), embedded.get(name))
        for name in sorted({*deployed, *embedded})
        if deployed.get(name) != embedded.get(name)
    }
    check(
        not different,
        f"the deployed {what} is not the embedded one; change warmpool/sim/aws/resources.py or infra/constructs"
        f" (name: deployed, embedded): {different}",
    )


def _queue(ground: Ground, url: str, region: str) -> dict[str, Any]:
    answer = ground.client("sqs", region).get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    kept = {name: value for name, value in answer.items() if name not in _OF_THE_MOMENT | _DEPLOYED_ONLY}
    # Texts of JSON differ in their spaces, ARNs in the region.
    return {name: _read(value.replace(region, "REGION")) for name, value in kept.items()}


def _read(text: str) -> Any:
    return json.loads(text) if text.startswith("{") else text


def _table(ground: Ground, name: str, region: str) -> dict[str, Any]:
    client = ground.client("dynamodb", region)
    found = client.describe_table(TableName=name)["Table"]
    return {
        "keys": found["KeySchema"],
        "attributes": sorted(found["AttributeDefinitions"], key=lambda each: str(each["AttributeName"])),
        "billing": found["BillingModeSummary"]["BillingMode"],
        "expiry": client.describe_time_to_live(TableName=name)["TimeToLiveDescription"],
    }
