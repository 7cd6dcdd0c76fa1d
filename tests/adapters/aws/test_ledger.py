"""What only DynamoDB does: items, batches, refusals, damage."""

from datetime import timedelta

import pytest

from tests.adapters.aws.builders import AT, decided
from tests.adapters.aws.faults import Faults
from tests.adapters.aws.table import TABLE, create_table, items_of, put_entry
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.memory import FixedBudget, RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import LedgerEntry, LedgerState
from warmpool.core.decision import PoolState

ANY_TIME = UnlimitedBudget()


@pytest.fixture
def ledger(clients: AwsClients, telemetry: RecordingTelemetry) -> DynamoDbLedger:
    create_table(clients)
    return DynamoDbLedger(clients, table=TABLE, telemetry=telemetry, pause=lambda _: None)


def test_every_pool_has_a_partition_of_its_own(clients: AwsClients, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry(), "gpu": LedgerEntry()}, [decided("cpu")], ANY_TIME)

    keys = [[each["sk"]["S"] for each in items_of(clients, name)] for name in ("pool#cpu", "pool#gpu", "stack")]
    assert keys == [["history#2026-12-01T09:00:00.000000+00:00", "state"], ["state"], ["state"]]


def test_a_kept_decision_expires_after_thirty_days(clients: AwsClients, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry()}, [decided()], ANY_TIME)

    kept = items_of(clients, "pool#cpu")[0]
    assert int(kept["expires"]["N"]) == int((AT + timedelta(days=30)).timestamp())
    assert kept["action"] == {"S": "none"}


def test_a_hundred_and_fifty_pools_take_three_reads(faults: Faults, ledger: DynamoDbLedger) -> None:
    entries = {f"pool-{number}": LedgerEntry(state=PoolState(last_h=number)) for number in range(150)}
    ledger.write(entries, [], ANY_TIME)
    faults.calls.clear()

    assert ledger.read(ANY_TIME).pools == entries
    assert faults.calls == {"GetItem": 1, "BatchGetItem": 2}


def test_what_is_unchanged_is_not_written(faults: Faults, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry(), "gpu": LedgerEntry()}, [decided("cpu"), decided("gpu")], ANY_TIME)
    entries = dict(ledger.read(ANY_TIME).pools)
    faults.calls.clear()
    ledger.write({**entries, "gpu": LedgerEntry(good_spec="new")}, [decided("cpu")], ANY_TIME)

    assert faults.calls == {"PutItem": 1}


def test_a_second_function_sees_what_the_first_wrote(clients: AwsClients, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry(good_spec="a")}, [], ANY_TIME)
    other = DynamoDbLedger(clients, table=TABLE, telemetry=RecordingTelemetry())
    other.read(ANY_TIME)
    other.write({"cpu": LedgerEntry(good_spec="b")}, [], ANY_TIME)
    ledger.read(ANY_TIME)
    ledger.write({"cpu": LedgerEntry(good_spec="a")}, [], ANY_TIME)

    assert other.read(ANY_TIME).pools["cpu"].good_spec == "a"


def test_a_damaged_entry_costs_only_its_own_pool(
    clients: AwsClients, ledger: DynamoDbLedger, telemetry: RecordingTelemetry
) -> None:
    good = LedgerEntry(good_spec="good")
    ledger.write({"cpu": good, "gpu": good, "tpu": good}, [], ANY_TIME)
    put_entry(clients, "gpu", '{"good_spec": 3}')
    clients.client("dynamodb", ANY_TIME).put_item(
        TableName=TABLE, Item={"pk": {"S": "pool#tpu"}, "sk": {"S": "state"}, "entry": {"N": "7"}}
    )

    state = ledger.read(ANY_TIME)

    assert state.pools == {"cpu": good, "gpu": LedgerEntry(), "tpu": LedgerEntry()}
    assert state.lost == {"gpu", "tpu"}
    assert sorted(str(fields["pool"]) for _, fields in telemetry.warnings) == ["gpu", "tpu"]


@pytest.mark.parametrize("began", [{"S": "yesterday"}, {"S": "2026-12-01T09:00:00"}, {"N": "3"}])
def test_a_damaged_watermark_is_unknown(clients: AwsClients, ledger: DynamoDbLedger, began: dict[str, str]) -> None:
    clients.client("dynamodb", ANY_TIME).put_item(
        TableName=TABLE,
        Item={"pk": {"S": "stack"}, "sk": {"S": "state"}, "began": began, "pools": {"N": "3"}},
    )

    assert ledger.read(ANY_TIME) == LedgerState()


def test_a_name_without_an_entry_is_a_pool_that_was_never_written(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.refuse("PutItem", "InternalServerError", times=1)
    with pytest.raises(LedgerUnavailable):
        ledger.write({"cpu": LedgerEntry()}, [], ANY_TIME)

    assert ledger.read(ANY_TIME) == LedgerState()
    ledger.write({"cpu": LedgerEntry(good_spec="a")}, [], ANY_TIME)
    assert ledger.read(ANY_TIME).pools["cpu"].good_spec == "a"


def test_a_pool_that_is_refused_does_not_stop_the_others(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.refuse("PutItem", "ValidationException", times=1)

    with pytest.raises(LedgerUnavailable, match=r"^cpu: dynamodb:PutItem on warmpool-ml failed: ValidationException"):
        ledger.write({"cpu": LedgerEntry(good_spec="a"), "gpu": LedgerEntry(good_spec="b")}, [], ANY_TIME)
    assert list(ledger.read(ANY_TIME).pools) == ["gpu"]


def test_silence_is_not_waited_for_once_a_pool(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.silence("PutItem")

    with pytest.raises(LedgerUnavailable, match="ReadTimeoutError"):
        ledger.write({f"pool-{number}": LedgerEntry() for number in range(20)}, [], ANY_TIME)
    assert faults.calls["PutItem"] == 1


def test_a_decision_that_could_not_be_kept_is_tried_again(
    clients: AwsClients, faults: Faults, ledger: DynamoDbLedger
) -> None:
    faults.refuse("PutItem", "InternalServerError", times=1)
    with pytest.raises(LedgerUnavailable):
        ledger.write({"cpu": LedgerEntry()}, [decided()], ANY_TIME)
    ledger.write({"cpu": LedgerEntry()}, [decided(at=AT + timedelta(minutes=1))], ANY_TIME)

    assert [each["sk"]["S"] for each in items_of(clients, "pool#cpu")] == [
        "history#2026-12-01T09:01:00.000000+00:00",
        "state",
    ]


def test_a_refusal_names_the_right_that_is_missing(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.refuse("GetItem", "AccessDeniedException")

    with pytest.raises(LedgerUnavailable, match=r"allow dynamodb:GetItem on it in the caller's role"):
        ledger.read(ANY_TIME)


def test_a_batch_that_fails_is_no_empty_ledger(faults: Faults, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry()}, [], ANY_TIME)
    faults.silence("BatchGetItem")

    with pytest.raises(LedgerUnavailable, match="BatchGetItem"):
        ledger.read(ANY_TIME)


def test_keys_left_unprocessed_are_asked_for_again(faults: Faults, ledger: DynamoDbLedger) -> None:
    entries = {f"pool-{number}": LedgerEntry(state=PoolState(last_h=number)) for number in range(5)}
    ledger.write(entries, [], ANY_TIME)
    faults.leave_unprocessed(times=2)

    assert ledger.read(ANY_TIME).pools == entries
    assert faults.calls["BatchGetItem"] == 3


def test_keys_left_for_ever_make_the_ledger_unavailable(faults: Faults, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry(), "gpu": LedgerEntry()}, [], ANY_TIME)
    faults.leave_unprocessed(times=None)

    with pytest.raises(LedgerUnavailable, match="left 1 keys 5 times"):
        ledger.read(ANY_TIME)


def test_a_late_write_is_refused_before_it_starts(faults: Faults, ledger: DynamoDbLedger) -> None:
    with pytest.raises(LedgerUnavailable, match=r"1\.0 s are left"):
        ledger.write({"cpu": LedgerEntry()}, [], FixedBudget(1))
    assert faults.calls["UpdateItem"] == 0
