"""What only DynamoDB does when a pass is complete: one transaction, its limits, and what can go wrong with it."""

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.adapters.aws.builders import AT, cold, launch, tally, warm
from tests.adapters.aws.faults import Faults
from tests.adapters.aws.table import TABLE, create_table, items_of, launches_of
from tests.builders import amounts
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.memory import RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Completion, LedgerEntry, LedgerState
from warmpool.core.watch import Outcome, PoolWatch, Tally, Waiting, WarmNode, Watch

MINUTE = timedelta(minutes=1)
ANY_TIME = UnlimitedBudget()
SEEN = Watch(began=AT, pools={"cpu": PoolWatch(nodes={"n1": WarmNode(since=AT)})}, recent=frozenset({"uid-1"}))
FIRST = Completion(began=AT, previous=None, watch=SEEN)
SECOND = Completion(began=AT + MINUTE, previous=AT, watch=replace(SEEN, began=AT + MINUTE))


@pytest.fixture
def ledger(clients: AwsClients, telemetry: RecordingTelemetry) -> DynamoDbLedger:
    create_table(clients)
    return DynamoDbLedger(clients, table=TABLE, telemetry=telemetry)


def put(clients: AwsClients, sort_key: str, **attributes: Mapping[str, Any]) -> None:
    """Put an item of the stack by hand."""
    item: dict[str, Any] = {"pk": {"S": "stack"}, "sk": {"S": sort_key}, **attributes}
    clients.client("dynamodb", ANY_TIME).put_item(TableName=TABLE, Item=item)


def move_watermark_as_the_version_before(clients: AwsClients) -> None:
    clients.client("dynamodb", ANY_TIME).update_item(
        TableName=TABLE,
        Key={"pk": {"S": "stack"}, "sk": {"S": "state"}},
        UpdateExpression="SET began = :began",
        ExpressionAttributeValues={":began": {"S": "2026-12-01T09:05:00.000000+00:00"}},
    )


def test_a_pass_is_one_transaction(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.calls.clear()
    ledger.complete(replace(FIRST, tallies={"cpu": tally(launch(warm()))}), ANY_TIME)

    assert faults.calls == {"TransactWriteItems": 1}


def test_what_is_remembered_takes_no_further_read(faults: Faults, ledger: DynamoDbLedger) -> None:
    ledger.write({"cpu": LedgerEntry()}, [], ANY_TIME)
    ledger.complete(FIRST, ANY_TIME)
    faults.calls.clear()

    assert ledger.read(ANY_TIME).watch == SEEN
    assert faults.calls == {"GetItem": 1, "BatchGetItem": 1}


def test_what_is_remembered_unchanged_is_not_written(clients: AwsClients, ledger: DynamoDbLedger) -> None:
    ledger.complete(FIRST, ANY_TIME)
    assert ledger.read(ANY_TIME).watch == SEEN
    put(clients, "watch", watch={"B": b"as it was"})
    ledger.complete(SECOND, ANY_TIME)

    [kept] = [each for each in items_of(clients, "stack") if each["sk"]["S"] == "watch"]
    assert kept["watch"] == {"B": b"as it was"}


@pytest.mark.parametrize("packed", [{"B": b"junk"}, {"S": "text"}, None])
def test_damaged_memory_starts_afresh_and_is_written_again(
    clients: AwsClients, ledger: DynamoDbLedger, telemetry: RecordingTelemetry, packed: dict[str, Any] | None
) -> None:
    ledger.complete(FIRST, ANY_TIME)
    put(clients, "watch", **({} if packed is None else {"watch": packed}))

    assert ledger.read(ANY_TIME) == LedgerState(last_complete_began=AT)
    assert "starts afresh" in telemetry.warnings[0][0]
    ledger.complete(SECOND, ANY_TIME)
    assert ledger.read(ANY_TIME).watch == SECOND.watch


def test_memory_that_is_gone_starts_afresh(clients: AwsClients, ledger: DynamoDbLedger) -> None:
    ledger.complete(FIRST, ANY_TIME)
    key: dict[str, Any] = {"pk": {"S": "stack"}, "sk": {"S": "watch"}}
    clients.client("dynamodb", ANY_TIME).delete_item(TableName=TABLE, Key=key)

    assert ledger.read(ANY_TIME).watch == Watch()


def test_memory_that_an_older_version_left_behind_is_as_old_as_it_is(
    clients: AwsClients, ledger: DynamoDbLedger
) -> None:
    ledger.complete(FIRST, ANY_TIME)
    move_watermark_as_the_version_before(clients)

    assert ledger.read(ANY_TIME) == LedgerState(last_complete_began=AT + 5 * MINUTE, watch=SEEN)


@pytest.mark.parametrize(
    "began", [{"S": "yesterday"}, {"N": "3"}, {"S": "2026-12-01T09:00:00Z"}], ids=["text", "number", "other form"]
)
def test_a_watermark_that_is_written_otherwise_is_moved(
    clients: AwsClients, ledger: DynamoDbLedger, began: dict[str, str]
) -> None:
    put(clients, "state", began=began)
    previous = ledger.read(ANY_TIME).last_complete_began

    assert ledger.complete(replace(SECOND, previous=previous), ANY_TIME)
    assert ledger.read(ANY_TIME).last_complete_began == AT + MINUTE


def test_passes_add_to_a_bucket_which_expires_after_sixty_days(clients: AwsClients, ledger: DynamoDbLedger) -> None:
    ledger.complete(replace(FIRST, tallies={"cpu": tally(launch(warm()), launch(cold()))}), ANY_TIME)
    ledger.complete(replace(SECOND, tallies={"cpu": tally(launch(warm()), abandoned=2)}), ANY_TIME)

    before, after = launches_of(clients, "cpu")
    assert before.start == AT - 5 * MINUTE
    assert before.outcomes == {Outcome.WARM_COEXIST: 2, Outcome.COLD: 1}
    assert (after.start, after.abandoned, after.launches) == (AT, 2, 0)
    expires = [each["expires"]["N"] for each in items_of(clients, "pool#cpu")]
    assert expires == [str(int((each.start + timedelta(days=60)).timestamp())) for each in (before, after)]


def days_of_launches(buckets: int) -> Tally:
    return tally(*(launch(warm(), waited=300 * number) for number in range(1, buckets + 1)))


def test_more_buckets_than_a_transaction_takes_become_coarser(
    clients: AwsClients, ledger: DynamoDbLedger, telemetry: RecordingTelemetry
) -> None:
    ledger.complete(replace(FIRST, tallies={"cpu": days_of_launches(130), "gpu": days_of_launches(1)}), ANY_TIME)

    kept = launches_of(clients, "cpu")
    assert (len(kept), sum(each.launches for each in kept)) == (97, 130)
    assert [each.launches for each in kept[:2]] == [34, 1]
    assert len(launches_of(clients, "gpu")) == 1
    assert telemetry.warnings == [("131 buckets of launches are written as 98: more do not fit at once", {})]


def test_launches_of_more_pools_than_fit_are_left_out_and_named(
    ledger: DynamoDbLedger, telemetry: RecordingTelemetry
) -> None:
    busy = {f"pool-{number:03}": tally(launch(warm()), launch(warm())) for number in range(98)}

    assert ledger.complete(replace(FIRST, tallies={"quiet": tally(launch(warm())), **busy}), ANY_TIME)
    assert "of 1 pools do not fit" in telemetry.warnings[0][0]
    assert "['quiet']" in telemetry.warnings[0][0]


def uids(number: int) -> list[str]:
    chance = random.Random(1)  # noqa: S311 - names, not secrets
    return [str(UUID(int=chance.getrandbits(128))) for _ in range(number)]


def large(nodes: int) -> Watch:
    """Remember so many warm nodes, and as many launches as come to a tenth of them."""
    chance = random.Random(2)  # noqa: S311 - times, not secrets
    warmed = {
        f"hyperpod-i-{uid[:18]}": WarmNode(
            since=AT - timedelta(seconds=chance.randrange(10**6)),
            placeholder=uid,
            room_beside=amounts(cpu=str(chance.randrange(45)), memory=f"{chance.randrange(178)}Gi", pods="9"),
        )
        for uid in uids(nodes)
    }
    waiting = {uid: Waiting(pool="cpu", stranded=True, room_zones=("euc1-az1",)) for uid in uids(nodes // 10)}
    return Watch(began=AT, pools={"cpu": PoolWatch(nodes=warmed)}, waiting=waiting, recent=frozenset(waiting))


def test_five_thousand_nodes_are_remembered(
    clients: AwsClients, ledger: DynamoDbLedger, telemetry: RecordingTelemetry
) -> None:
    assert ledger.complete(replace(FIRST, watch=large(5000)), ANY_TIME)

    assert ledger.read(ANY_TIME).watch == large(5000)
    assert telemetry.warnings == []
    [item] = [each for each in items_of(clients, "stack") if each["sk"]["S"] == "watch"]
    assert len(item["watch"]["B"]) < 350_000


def test_what_is_too_large_to_be_remembered_is_said_and_the_pass_is_complete(
    ledger: DynamoDbLedger, telemetry: RecordingTelemetry
) -> None:
    ledger.complete(FIRST, ANY_TIME)

    assert ledger.complete(replace(SECOND, watch=large(20_000)), ANY_TIME)
    assert "launches go uncounted" in telemetry.warnings[0][0]
    assert ledger.read(ANY_TIME) == LedgerState(last_complete_began=AT + MINUTE)
    assert ledger.complete(Completion(began=AT + 2 * MINUTE, previous=AT + MINUTE, watch=SEEN), ANY_TIME)
    assert ledger.read(ANY_TIME).watch == SEEN


def test_another_pass_that_was_first_is_no_error(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.cancel("ConditionalCheckFailed", "None", "TransactionConflict")

    assert not ledger.complete(FIRST, ANY_TIME)


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError", "ValidationError"])
def test_a_transaction_that_is_cancelled_otherwise_is_one(faults: Faults, ledger: DynamoDbLedger, reason: str) -> None:
    faults.cancel("None", reason)

    with pytest.raises(LedgerUnavailable, match="TransactionCanceledException"):
        ledger.complete(FIRST, ANY_TIME)


def test_a_refusal_names_the_rights_that_are_missing(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.refuse("TransactWriteItems", "AccessDeniedException")

    with pytest.raises(LedgerUnavailable, match=r"allow dynamodb:PutItem and dynamodb:UpdateItem on it"):
        ledger.complete(FIRST, ANY_TIME)


def test_silence_is_an_error_and_the_next_pass_counts(faults: Faults, ledger: DynamoDbLedger) -> None:
    faults.silence("TransactWriteItems", times=1)
    with pytest.raises(LedgerUnavailable, match="ReadTimeoutError"):
        ledger.complete(FIRST, ANY_TIME)

    assert ledger.complete(replace(FIRST, began=AT + MINUTE), ANY_TIME)
