"""Our own AWS adapters against the embedded AWS: what they need of it is there."""

from dataclasses import replace
from datetime import timedelta

import botocore.session
import pytest

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.configuration import SsmConfiguration
from warmpool.adapters.aws.dead_letters import SqsDeadLetters
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.memory import FixedBudget, FixedClock, RecordingTelemetry
from warmpool.app.errors import ConfigUnreadable, LedgerUnavailable
from warmpool.app.ports import Completion, LedgerEntry
from warmpool.core.decision import PoolState
from warmpool.core.watch import Watch
from warmpool.sim.aws.embedded import EmbeddedAws

BUDGET = FixedBudget(28.0)


@pytest.fixture
def clients(aws: EmbeddedAws) -> AwsClients:
    return AwsClients(botocore.session.Session(), region=aws.names.region)


def test_documents_come_back_as_they_were_put(aws: EmbeddedAws, clients: AwsClients) -> None:
    telemetry = RecordingTelemetry()
    configuration = SsmConfiguration(clients, prefix=aws.settings().parameter_prefix, telemetry=telemetry)
    for index in range(12):
        aws.put_spec(f"pool-{index}", f"spec {index}")
    aws.put_override("pool-3", "override")
    documents = configuration.read(BUDGET)
    assert len(documents.specs) == 12, "more than one page"
    assert (documents.specs["pool-3"], documents.overrides, documents.stop) == ("spec 3", {"pool-3": "override"}, None)
    aws.failures.order("GetParametersByPath", "AccessDeniedException")
    with pytest.raises(ConfigUnreadable, match="AccessDenied"):
        configuration.read(BUDGET)


def test_the_ledger_keeps_what_a_pass_writes(aws: EmbeddedAws, clients: AwsClients, clock: FixedClock) -> None:
    ledger = DynamoDbLedger(clients, table=aws.names.table, telemetry=RecordingTelemetry())
    assert ledger.read(BUDGET).pools == {}
    entry = LedgerEntry(state=PoolState(last_written=3, last_written_at=clock.now()), good_spec="{}")
    ledger.write({"spaces-cpu": entry}, [], BUDGET)
    completion = Completion(began=clock.now(), previous=None, watch=Watch(began=clock.now()))
    assert ledger.complete(completion, BUDGET)
    assert not ledger.complete(replace(completion, began=clock.now() + timedelta(minutes=1)), BUDGET)
    read = ledger.read(BUDGET)
    assert read.pools["spaces-cpu"].state == entry.state
    assert (read.last_complete_began, read.watch) == (clock.now(), Watch(began=clock.now()))
    aws.failures.order("GetItem", "AccessDeniedException")
    with pytest.raises(LedgerUnavailable, match="AccessDenied"):
        ledger.read(BUDGET)


def test_an_unreadable_message_arrives_in_the_dead_letters(aws: EmbeddedAws, clients: AwsClients) -> None:
    letters = SqsDeadLetters(clients, queue_url=aws.queues.dead_letters_url, telemetry=RecordingTelemetry())
    letters.send("not json", "its body is not JSON")
    letters.send("not json", "its body is not JSON")
    assert aws.dead_letters() == ["not json"]
