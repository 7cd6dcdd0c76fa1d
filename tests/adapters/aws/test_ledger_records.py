"""The ledger as operators read it."""

from datetime import timedelta

import pytest

from tests.adapters.aws.builders import AT, decision
from tests.adapters.aws.faults import Faults
from tests.adapters.aws.table import TABLE, create_table
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.aws.ledger_records import LedgerRecords
from warmpool.adapters.memory import RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Decided, LedgerEntry
from warmpool.core.decision import Decision

BUDGET = UnlimitedBudget()


@pytest.fixture
def records(clients: AwsClients, telemetry: RecordingTelemetry) -> LedgerRecords:
    create_table(clients)
    return LedgerRecords(clients, table=TABLE, telemetry=telemetry)


def keep(clients: AwsClients, *decisions: Decision) -> None:
    for each in decisions:
        ledger = DynamoDbLedger(clients, table=TABLE, telemetry=RecordingTelemetry())
        ledger.write({each.pool: LedgerEntry(good_override="{}")}, (Decided(decision=each),), BUDGET)


def test_the_state_is_the_ledgers(clients: AwsClients, records: LedgerRecords) -> None:
    keep(clients, decision("cpu"))
    assert records.read(BUDGET).pools["cpu"].good_override == "{}"


def test_the_latest_decision_of_a_pool_is_the_last_one_kept(clients: AwsClients, records: LedgerRecords) -> None:
    first, second = decision("cpu"), decision("cpu", at=AT + timedelta(minutes=3), target=4)
    keep(clients, first, second, decision("gpu", at=AT + timedelta(hours=1)))
    assert records.latest("cpu", BUDGET) == second


def test_a_pool_without_decisions_has_no_latest_one(records: LedgerRecords) -> None:
    assert records.latest("cpu", BUDGET) is None


def test_a_table_that_does_not_answer_is_unavailable(faults: Faults, records: LedgerRecords) -> None:
    faults.refuse("Query", "AccessDeniedException")
    with pytest.raises(LedgerUnavailable, match="allow dynamodb:Query"):
        records.latest("cpu", BUDGET)


@pytest.mark.parametrize("item", [{"decision": {"B": b"no zlib"}}, {}], ids=["damaged", "missing"])
def test_a_damaged_decision_is_no_decision(
    clients: AwsClients, records: LedgerRecords, item: dict[str, dict[str, bytes]]
) -> None:
    key = {"pk": {"S": "pool#cpu"}, "sk": {"S": "history#2026"}}
    clients.client("dynamodb", BUDGET).put_item(TableName=TABLE, Item={**key, **item})
    with pytest.raises(LedgerUnavailable, match="pool cpu is damaged"):
        records.latest("cpu", BUDGET)
