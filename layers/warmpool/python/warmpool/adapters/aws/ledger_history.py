"""The ledger's history as operators read it: changed decisions and launches. The function only writes those."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe
from warmpool.adapters.aws.history_items import pieces_named, pieces_of, read_history_item
from warmpool.adapters.aws.launch_items import read_launches
from warmpool.adapters.aws.ledger_items import (
    HISTORY,
    LAUNCHES,
    PARTITION_KEY,
    SORT_KEY,
    STACK,
    STATE,
    key,
    partition,
    timed,
)
from warmpool.adapters.kept_decision import Damaged, KeptDecision, Span
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Budget
from warmpool.core.launch_counts import LaunchCounts

if TYPE_CHECKING:
    from warmpool.adapters.aws.ledger_items import Item

_BEHIND_ALL: Final = "$"
"""Sorts behind the `#` that joins a kind and an instant."""
_BEHIND_NUMBERS: Final = ":"


class LedgerHistory:
    """Implements warmpool.adapters.kept_decision.History on the ledger's table; raises LedgerUnavailable everywhere."""

    def __init__(self, clients: AwsClients, *, table: str, budget: Budget) -> None:
        """Take the table, and the time for everything that is read of it."""
        self._clients = clients
        self._table = table
        self._budget = budget

    def pools(self) -> Sequence[str]:
        """Name the pools that passes have written."""
        wanted = key(STACK, STATE)
        try:
            answer = self._clients.client("dynamodb", self._budget).get_item(TableName=self._table, Key=wanted)
        except AWS_FAILURES as error:
            raise self._unavailable(error, "dynamodb:GetItem") from error
        return sorted(answer.get("Item", {}).get("pools", {}).get("SS", []))

    def decisions(self, pool: str, span: Span, *, with_inputs: bool) -> Iterator[KeptDecision | Damaged]:
        """Yield a pool's changed decisions, the oldest first."""
        for item in self._items(pool, HISTORY, span):
            yield self._read(pool, item, with_inputs=with_inputs)

    def newest(self, pool: str, span: Span, most: int, *, with_inputs: bool) -> Sequence[KeptDecision | Damaged]:
        """Return a pool's newest changed decisions, the oldest of them first."""
        items = islice(self._items(pool, HISTORY, span, newest_first=True, page=most), most)
        return [self._read(pool, item, with_inputs=with_inputs) for item in items][::-1]

    def launches(self, pool: str, span: Span) -> Sequence[LaunchCounts]:
        """Return a pool's launches in buckets that begin in the span, the oldest first."""
        items = self._items(pool, LAUNCHES, span)
        try:
            return [read_launches(item) for item in items]
        except ValueError as error:
            raise LedgerUnavailable(f"the launches that are kept of pool {pool} are damaged: {error}") from error

    def _read(self, pool: str, item: "Item", *, with_inputs: bool) -> KeptDecision | Damaged:
        try:
            pieces = self._pieces(pool, item) if with_inputs else ()
            return read_history_item(item, pieces)
        except ValueError as error:
            at = item[SORT_KEY].get("S", "").removeprefix(f"{HISTORY}#")
            return Damaged(pool=pool, at=at, why=str(error))

    def _pieces(self, pool: str, item: "Item") -> "Sequence[Item]":
        if not pieces_named(item):
            return ()
        first = pieces_of(item[SORT_KEY].get("S", "").removeprefix(f"{HISTORY}#"))
        return list(self._query(pool, (first, f"{first}{_BEHIND_NUMBERS}")))

    def _items(
        self, pool: str, kind: str, span: Span, *, newest_first: bool = False, page: int | None = None
    ) -> "Iterator[Item]":
        first = f"{kind}#" if span.since is None else timed(kind, span.since)
        last = f"{kind}{_BEHIND_ALL}" if span.until is None else timed(kind, span.until)
        return self._query(pool, (first, last), newest_first=newest_first, page=page)

    def _query(
        self, pool: str, keys: tuple[str, str], *, newest_first: bool = False, page: int | None = None
    ) -> "Iterator[Item]":
        request: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "#pk = :pool AND #sk BETWEEN :first AND :last",
            "ExpressionAttributeNames": {"#pk": PARTITION_KEY, "#sk": SORT_KEY},
            "ExpressionAttributeValues": {
                ":pool": {"S": partition(pool)},
                ":first": {"S": keys[0]},
                ":last": {"S": keys[1]},
            },
            "ScanIndexForward": not newest_first,
            **({} if page is None else {"Limit": page}),
        }
        while True:
            try:
                answer = self._clients.client("dynamodb", self._budget).query(**request)
            except AWS_FAILURES as error:
                raise self._unavailable(error, "dynamodb:Query") from error
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _unavailable(self, error: Exception, action: str) -> LedgerUnavailable:
        return LedgerUnavailable(describe(error, action=action, resource=self._table))
