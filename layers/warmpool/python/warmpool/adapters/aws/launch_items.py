"""Launches in five-minute buckets as items of the ledger: numbers that passes add to."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from warmpool.adapters.aws.ledger_items import EXPIRES, LAUNCHES, expiry, key, partition, read_instant, timed
from warmpool.core.launch_counts import LaunchCounts
from warmpool.core.watch import Cause, Outcome

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from warmpool.adapters.aws.ledger_items import Item

LAUNCHES_KEPT: Final = timedelta(days=60)

_MILLISECOND: Final = timedelta(milliseconds=1)
_Kind = TypeVar("_Kind", bound=StrEnum)


def add_launches(table: str, pool: str, counts: LaunchCounts) -> "TransactWriteItemTypeDef":
    """Return the part of a transaction that adds to a bucket, and makes it where it is not there."""
    numbers = {name: number for name, number in _numbers(counts).items() if number}
    names = {f"#n{index}": name for index, name in enumerate(numbers)}
    values = {f":n{index}": {"N": str(number)} for index, number in enumerate(numbers.values())}
    added = ", ".join(f"#n{index} :n{index}" for index in range(len(numbers)))
    return {
        "Update": {
            "TableName": table,
            "Key": key(partition(pool), timed(LAUNCHES, counts.start)),
            "UpdateExpression": f"SET #expires = :expires ADD {added}",
            "ExpressionAttributeNames": {"#expires": EXPIRES, **names},
            "ExpressionAttributeValues": {":expires": expiry(counts.start + LAUNCHES_KEPT), **values},
        }
    }


def _numbers(counts: LaunchCounts) -> Mapping[str, int]:
    return {
        **{_name("", kind): number for kind, number in counts.outcomes.items()},
        **{_name("cause_", kind): number for kind, number in counts.causes.items()},
        "abandoned": counts.abandoned,
        "warm_wait_ms": counts.warm_waits // _MILLISECOND,
        "cold_wait_ms": counts.cold_waits // _MILLISECOND,
    }


def read_launches(item: "Item") -> LaunchCounts:
    """Read a bucket; numbers that this version does not know are left out. Raises ValueError where it is damaged."""
    return LaunchCounts(
        start=_start(item),
        outcomes=_counts(Outcome, "", item),
        causes=_counts(Cause, "cause_", item),
        abandoned=_number(item, "abandoned"),
        warm_waits=_number(item, "warm_wait_ms") * _MILLISECOND,
        cold_waits=_number(item, "cold_wait_ms") * _MILLISECOND,
    )


def _start(item: "Item") -> datetime:
    text = item["sk"].get("S", "").removeprefix(f"{LAUNCHES}#")
    start = read_instant(text)
    if start is None:
        raise ValueError(f"expected a bucket's instant, found {text!r}")
    return start


def _counts(kinds: type[_Kind], prefix: str, item: "Item") -> Mapping[_Kind, int]:
    return {kind: number for kind in kinds if (number := _number(item, _name(prefix, kind)))}


def _name(prefix: str, kind: StrEnum) -> str:
    return prefix + kind.value.replace("-", "_")


def _number(item: "Item", name: str) -> int:
    return int(item.get(name, {}).get("N", "0"))
