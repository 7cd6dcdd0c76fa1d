"""The ledger on one DynamoDB table: one partition per pool, one for the stack."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.completion_items import BEGAN, GOOD_STOP, WATCHED, Known, transaction
from warmpool.adapters.aws.failures import AWS_FAILURES, describe
from warmpool.adapters.aws.history_items import history_items
from warmpool.adapters.aws.ledger_items import (
    EXPIRES,
    MOST_BYTES,
    PARTITION_KEY,
    SORT_KEY,
    STACK,
    STATE,
    VERSION,
    WATCH,
    instant_text,
    key,
    partition,
    read_instant,
    string,
)
from warmpool.adapters.aws.records import decode_entry, decode_watch, encode_entry, encode_watch
from warmpool.adapters.history import history_key
from warmpool.adapters.kept_decision import KeptDecision
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Budget, Completion, Decided, LedgerEntry, LedgerState, Telemetry
from warmpool.core.watch import Watch

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from warmpool.adapters.aws.ledger_items import Item, NewItem

__all__ = ["EXPIRES", "PARTITION_KEY", "SORT_KEY", "DynamoDbLedger"]

_BATCH: Final = 100
"""Keys that BatchGetItem takes at once."""
_ROUNDS: Final = 5
"""How often keys that DynamoDB left unprocessed are asked for again; the pauses add up to 1.5 s."""
_FIRST_PAUSE_SECONDS: Final = 0.1


@dataclass(slots=True)
class _Stored:
    """What stands in the table as far as this function has read or written it."""

    entries: dict[str, str] = field(default_factory=dict)
    """By pool, the entry's text: what is unchanged is not written."""
    watch: Watch | None = None
    """What passes remember, without when; None where it is not there, or damaged."""
    began: "AttributeValueTypeDef | None" = None
    """The watermark as it is written there, readable or not."""


class DynamoDbLedger:
    """The records of one stack's pools.

    Items: `stack`/`state` (names of the pools, the last complete pass), `stack`/`watch` (what that remembers),
    `pool#<name>`/`state` (the entry), `pool#<name>`/`history#<instant>` (a changed decision, 30 days; inputs that do
    not fit into it are in `inputs#<instant>#<n>`) and `pool#<name>`/`launches#<instant>` (launches in five minutes, 60
    days). Reads are consistent. One SQS group means one writer, so only the watermark is written conditionally.
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
        self._stored = _Stored()

    def read(self, budget: Budget) -> LedgerState:
        """Read the stack's item, every pool's entry and what passes remember. Raises LedgerUnavailable."""
        self._stored = _Stored()
        try:
            answer = self._clients.client("dynamodb", budget).get_item(
                TableName=self._table, Key=key(STACK, STATE), ConsistentRead=True
            )
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:GetItem") from error
        stack = answer.get("Item", {})
        self._stored.began = stack.get(BEGAN)
        keys = [key(partition(pool), STATE) for pool in stack.get("pools", {}).get("SS", [])]
        items = {
            (each[PARTITION_KEY].get("S", ""), each[SORT_KEY].get("S", "")): each
            for each in self._batches([*keys, *([key(STACK, WATCH)] if WATCHED in stack else [])], budget)
        }
        watch = self._watch(stack, items.pop((STACK, WATCH), None))
        entries, lost = self._entries(items.values())
        return LedgerState(
            pools=entries,
            last_complete_began=read_instant(stack.get(BEGAN, {}).get("S", "")),
            good_stop=stack.get(GOOD_STOP, {}).get("S"),
            lost=lost,
            watch=watch,
        )

    def write(self, entries: Mapping[str, LedgerEntry], decided: Sequence[Decided], budget: Budget) -> None:
        """Keep each entry, and its pool's decision where that differs from the last one kept.

        A pool that cannot be written does not keep the others from being written. Raises LedgerUnavailable
        with every pool that failed.
        """
        self._register(entries.keys() - self._stored.entries.keys(), budget)
        failed: list[str] = []
        by_pool = {each.decision.pool: each for each in decided}
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

    def complete(self, completion: Completion, budget: Budget) -> bool:
        """Move the watermark from where this pass read it, and with it what is remembered and what was counted.

        All of it or nothing; False where the watermark is elsewhere. Raises LedgerUnavailable.
        """
        known = Known(table=self._table, began=self._watermark(completion.previous))
        remembered = replace(completion.watch, began=None)
        packed = None if remembered == self._stored.watch else encode_watch(remembered)
        forget = packed is not None and len(packed) > MOST_BYTES
        if packed is not None and forget:
            text = f"what passes remember takes {len(packed)} bytes, at most {MOST_BYTES} fit: launches go uncounted"
            self._telemetry.warn(text)
        writes = transaction(known, completion, None if forget else packed, forget=forget)
        if writes.odd:
            self._telemetry.warn(writes.odd)
        try:
            self._clients.client("dynamodb", budget).transact_write_items(TransactItems=writes.items)
        except AWS_FAILURES as error:
            if _elsewhere(error):
                return False
            raise self._unavailable(error, "dynamodb:PutItem and dynamodb:UpdateItem") from error
        self._stored.began = {"S": instant_text(completion.began)}
        self._stored.watch = None if forget else remembered
        return True

    def keep_stop(self, good_stop: str | None, budget: Budget) -> None:
        """Keep the stop switch of a pass that did not see everything. Raises LedgerUnavailable."""
        try:
            self._clients.client("dynamodb", budget).update_item(
                TableName=self._table,
                Key=key(STACK, STATE),
                UpdateExpression="SET #stop = :stop",
                ExpressionAttributeNames={"#stop": GOOD_STOP},
                ExpressionAttributeValues={":stop": string(good_stop)},
            )
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:UpdateItem") from error

    def _entries(self, items: "Iterable[Item]") -> tuple[dict[str, LedgerEntry], frozenset[str]]:
        """Read each pool's entry, and which of them are damaged; an item without one is."""
        entries: dict[str, LedgerEntry] = {}
        lost: set[str] = set()
        for item in items:
            pool = item[PARTITION_KEY].get("S", "").removeprefix(partition(""))
            text = item.get("entry", {}).get("S", "")
            read = decode_entry(text)
            entries[pool] = read.entry
            self._stored.entries[pool] = text
            if read.lost:
                lost.add(pool)
                self._telemetry.warn("a damaged ledger entry starts afresh", pool=pool, lost=list(read.lost))
        return entries, frozenset(lost)

    def _watch(self, stack: "Item", item: "Item | None") -> Watch:
        """Read what the last complete pass remembers; one that is damaged starts afresh."""
        if WATCHED not in stack:
            return Watch()
        packed = {} if item is None else item.get("watch", {})
        read = decode_watch(packed.get("B", b""), read_instant(stack[WATCHED].get("S", "")))
        if read.lost:
            text = "what passes remember is damaged and starts afresh: launches until now may go uncounted"
            self._telemetry.warn(text, lost=list(read.lost))
            return read.watch
        self._stored.watch = replace(read.watch, began=None)
        return read.watch

    def _watermark(self, previous: datetime | None) -> "AttributeValueTypeDef | None":
        """Return how the watermark that a pass has read is written in the table, also where it is damaged."""
        written = self._stored.began
        if written is not None and read_instant(written.get("S", "")) == previous:
            return written
        return None if previous is None else {"S": instant_text(previous)}

    def _batches(self, keys: "Sequence[Item]", budget: Budget) -> "Iterator[Item]":
        for start in range(0, len(keys), _BATCH):
            yield from self._batch(keys[start : start + _BATCH], budget)

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
                Key=key(STACK, STATE),
                UpdateExpression="SET #version = :version ADD #pools :pools",
                ExpressionAttributeNames={"#version": "version", "#pools": "pools"},
                ExpressionAttributeValues={":version": {"N": VERSION}, ":pools": {"SS": sorted(pools)}},
            )
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:UpdateItem") from error

    def _write_pool(self, pool: str, entry: LedgerEntry, decided: Decided | None, budget: Budget) -> None:
        """Write a changed decision before the entry that names it: the other way round a crash would hide it."""
        kept = entry
        if decided is not None and (fingerprint := history_key(decided.decision)) != entry.history_key:
            self._write_history(KeptDecision.of(decided), budget)
            kept = replace(entry, history_key=fingerprint)
        text = encode_entry(kept)
        if text != self._stored.entries.get(pool):
            self._put({**key(partition(pool), STATE), "version": {"N": VERSION}, "entry": {"S": text}}, budget)
            self._stored.entries[pool] = text

    def _write_history(self, kept: KeptDecision, budget: Budget) -> None:
        if kept.left_out:
            self._telemetry.warn(
                "a decision is kept and cannot be replayed", pool=kept.decision.pool, why=kept.left_out
            )
        for item in history_items(kept):
            self._put(item, budget)

    def _put(self, item: "NewItem", budget: Budget) -> None:
        self._clients.client("dynamodb", budget).put_item(TableName=self._table, Item=item)

    def _unavailable(self, error: Exception, action: str) -> LedgerUnavailable:
        return LedgerUnavailable(describe(error, action=action, resource=self._table))


def _elsewhere(error: Exception) -> bool:
    """Tell that a transaction was refused because the watermark is not where the pass had read it."""
    reasons = error.response.get("CancellationReasons", ()) if isinstance(error, ClientError) else ()
    return any(each.get("Code") == "ConditionalCheckFailed" for each in reasons)
