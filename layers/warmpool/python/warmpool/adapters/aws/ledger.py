"""The ledger on one DynamoDB table: one partition per pool, one for the stack."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe, error_code
from warmpool.adapters.aws.records import decode_entry, encode_decision, encode_entry
from warmpool.adapters.history import history_key
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Budget, LedgerEntry, LedgerState, Telemetry
from warmpool.core.decision import Decision

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, UniversalAttributeValueTypeDef

    Item = Mapping[str, AttributeValueTypeDef]

PARTITION_KEY: Final = "pk"
SORT_KEY: Final = "sk"
EXPIRES: Final = "expires"
"""The attribute that DynamoDB's time to live reads, in seconds since 1970."""
HISTORY_KEPT: Final = timedelta(days=30)

_VERSION: Final = "1"
"""Of the items' form. A reader takes what it knows from any version, so it rises only when a meaning changes."""
_STACK: Final = "stack"
_STATE: Final = "state"
_BATCH: Final = 100
"""Keys that BatchGetItem takes at once."""
_ROUNDS: Final = 5
"""How often keys that DynamoDB left unprocessed are asked for again; the pauses add up to 1.5 s."""
_FIRST_PAUSE_SECONDS: Final = 0.1


class DynamoDbLedger:
    """The records of one stack's pools.

    Items: `stack`/`state` (names of the pools, the last complete pass), `pool#<name>`/`state` (the entry) and
    `pool#<name>`/`history#<instant>` (a changed decision, 30 days). Reads are consistent. One SQS group means
    one writer, so only the watermark is written conditionally.
    """

    def __init__(
        self,
        clients: AwsClients,
        *,
        table: str,
        telemetry: Telemetry,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clients = clients
        self._table = table
        self._telemetry = telemetry
        self._pause = pause
        self._stored: dict[str, str] = {}
        """By pool, the entry's text as it stands in the table: what is unchanged is not written."""

    def read(self, budget: Budget) -> LedgerState:
        """Read the stack's item and every pool's entry. Raises LedgerUnavailable."""
        self._stored = {}
        try:
            stack = self._clients.client("dynamodb", budget).get_item(
                TableName=self._table, Key=_key(_STACK), ConsistentRead=True
            )
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:GetItem") from error
        item = stack.get("Item", {})
        entries: dict[str, LedgerEntry] = {}
        lost: set[str] = set()
        for pool, text in self._entries(item.get("pools", {}).get("SS", []), budget):
            read = decode_entry(text)
            entries[pool] = read.entry
            self._stored[pool] = text
            if read.lost:
                lost.add(pool)
                self._telemetry.warn("a damaged ledger entry starts afresh", pool=pool, lost=list(read.lost))
        return LedgerState(
            pools=entries,
            last_complete_began=_instant(item.get("began", {}).get("S", "")),
            good_stop=item.get("good_stop", {}).get("S"),
            lost=frozenset(lost),
        )

    def write(self, entries: Mapping[str, LedgerEntry], decisions: Sequence[Decision], budget: Budget) -> None:
        """Keep each entry, and its pool's decision where that differs from the last one kept.

        A pool that cannot be written does not keep the others from being written. Raises LedgerUnavailable
        with every pool that failed.
        """
        self._register(entries.keys() - self._stored.keys(), budget)
        failed: list[str] = []
        by_pool = {each.pool: each for each in decisions}
        for pool, entry in entries.items():
            try:
                self._write_pool(pool, entry, by_pool.get(pool), budget)
            except ClientError as error:
                failed.append(f"{pool}: {describe(error, action='dynamodb:PutItem', resource=self._table)}")
            except (BotoCoreError, TimeoutError) as error:
                # AWS does not answer: the other pools would wait for the same silence.
                raise self._unavailable(error, "dynamodb:PutItem") from error
        if failed:
            raise LedgerUnavailable("; ".join(failed))

    def complete(self, began: datetime, good_stop: str | None, budget: Budget) -> None:
        """Move the watermark, never back: an older pass that ends late changes nothing. Raises LedgerUnavailable."""
        values = {":began": _string(_text(began)), ":stop": _string(good_stop)}
        try:
            self._clients.client("dynamodb", budget).update_item(
                TableName=self._table,
                Key=_key(_STACK),
                UpdateExpression="SET #began = :began, #stop = :stop",
                ConditionExpression="attribute_not_exists(#began) OR #began <= :began",
                ExpressionAttributeNames={"#began": "began", "#stop": "good_stop"},
                ExpressionAttributeValues=values,
            )
        except AWS_FAILURES as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise self._unavailable(error, "dynamodb:UpdateItem") from error

    def keep_stop(self, good_stop: str | None, budget: Budget) -> None:
        """Keep the stop switch of a pass that did not see everything. Raises LedgerUnavailable."""
        try:
            self._clients.client("dynamodb", budget).update_item(
                TableName=self._table,
                Key=_key(_STACK),
                UpdateExpression="SET #stop = :stop",
                ExpressionAttributeNames={"#stop": "good_stop"},
                ExpressionAttributeValues={":stop": _string(good_stop)},
            )
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:UpdateItem") from error

    def _entries(self, pools: Sequence[str], budget: Budget) -> Iterator[tuple[str, str]]:
        """Yield each pool's entry as text; an item without one yields an empty text, which reads as damaged."""
        for start in range(0, len(pools), _BATCH):
            keys = [_key(_partition(pool)) for pool in pools[start : start + _BATCH]]
            for item in self._batch(keys, budget):
                pool = item[PARTITION_KEY].get("S", "").removeprefix(_partition(""))
                yield pool, item.get("entry", {}).get("S", "")

    def _batch(self, keys: "Sequence[Item]", budget: Budget) -> "Iterator[Item]":
        for round_ in range(_ROUNDS):
            if round_:
                self._pause(_FIRST_PAUSE_SECONDS * 2 ** (round_ - 1))
            try:
                answer = self._clients.client("dynamodb", budget).batch_get_item(
                    RequestItems={self._table: {"Keys": keys, "ConsistentRead": True}}
                )
            except AWS_FAILURES as error:
                raise self._unavailable(error, "dynamodb:BatchGetItem") from error
            yield from answer["Responses"].get(self._table, [])
            keys = answer["UnprocessedKeys"].get(self._table, {"Keys": []})["Keys"]
            if not keys:
                return
        raise LedgerUnavailable(f"dynamodb:BatchGetItem on {self._table} left {len(keys)} keys {_ROUNDS} times")

    def _register(self, pools: "set[str]", budget: Budget) -> None:
        """Add new pools to the stack's item before their own items exist: a name without an item does no harm."""
        if not pools:
            return
        try:
            self._clients.client("dynamodb", budget).update_item(
                TableName=self._table,
                Key=_key(_STACK),
                UpdateExpression="SET #version = :version ADD #pools :pools",
                ExpressionAttributeNames={"#version": "version", "#pools": "pools"},
                ExpressionAttributeValues={":version": {"N": _VERSION}, ":pools": {"SS": sorted(pools)}},
            )
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:UpdateItem") from error

    def _write_pool(self, pool: str, entry: LedgerEntry, decision: Decision | None, budget: Budget) -> None:
        """Write a changed decision before the entry that names it: the other way round a crash would hide it."""
        kept = entry
        if decision is not None and (key := history_key(decision)) != entry.history_key:
            self._put(_history_item(decision), budget)
            kept = replace(entry, history_key=key)
        text = encode_entry(kept)
        if text != self._stored.get(pool):
            self._put({**_key(_partition(pool)), "version": {"N": _VERSION}, "entry": {"S": text}}, budget)
            self._stored[pool] = text

    def _put(self, item: "Mapping[str, UniversalAttributeValueTypeDef]", budget: Budget) -> None:
        self._clients.client("dynamodb", budget).put_item(TableName=self._table, Item=item)

    def _unavailable(self, error: Exception, action: str) -> LedgerUnavailable:
        return LedgerUnavailable(describe(error, action=action, resource=self._table))


def _partition(pool: str) -> str:
    return f"pool#{pool}"


def _string(text: str | None) -> "UniversalAttributeValueTypeDef":
    return {"NULL": True} if text is None else {"S": text}


def _key(partition: str) -> "Item":
    return {PARTITION_KEY: {"S": partition}, SORT_KEY: {"S": _STATE}}


def _history_item(decision: Decision) -> "Item":
    return {
        PARTITION_KEY: {"S": _partition(decision.pool)},
        SORT_KEY: {"S": f"history#{_text(decision.at)}"},
        "version": {"N": _VERSION},
        "action": {"S": decision.action.value},
        "decision": {"B": encode_decision(decision)},
        EXPIRES: {"N": str(int((decision.at + HISTORY_KEPT).timestamp()))},
    }


def _text(at: datetime) -> str:
    """Write an instant so that text sorts as time does: UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _instant(text: str) -> datetime | None:
    """Read an instant; a damaged one is unknown, and the next message gets a pass."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None
