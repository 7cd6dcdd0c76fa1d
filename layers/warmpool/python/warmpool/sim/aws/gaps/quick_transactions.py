"""Gap: moto copies the whole table for every write of a transaction, a week's history included, to take it back."""

import copy
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from moto.dynamodb import models
from moto.dynamodb.models.table import Table

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def quick_transactions() -> Iterator[None]:
    """Copy the items that a transaction names: moto puts new ones in their place, or changes these."""

    def transact(backend: models.DynamoDBBackend, transact_items: Sequence[dict[str, Any]]) -> None:
        named = {id(item) for each in transact_items if (item := _named(backend, each)) is not None}

        def deepcopy(value: object) -> object:
            return _copied(value, named) if isinstance(value, Table) else copy.deepcopy(value)

        with replaced(models, "copy", SimpleNamespace(deepcopy=deepcopy)):
            original(backend, transact_items)

    with replaced(models.DynamoDBBackend, "transact_write_items", transact) as original:
        yield


def _named(backend: models.DynamoDBBackend, write: dict[str, Any]) -> object:
    """Return the item that a write is about, as it is; None where it is new."""
    (operation,) = write.values()
    table = backend.get_table(operation["TableName"])
    keys = operation.get("Key") or {name: operation["Item"][name] for name in table.table_key_attrs}
    return backend.get_item(operation["TableName"], keys)


def _copied(table: Table, named: set[int]) -> Table:
    new = copy.copy(table)
    new.items = defaultdict(dict)
    for hash_key, ranges in table.items.items():
        new.items[hash_key] = {
            range_key: copy.deepcopy(item) if id(item) in named else item for range_key, item in ranges.items()
        }
    return new
