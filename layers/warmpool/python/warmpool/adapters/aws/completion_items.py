"""What a complete pass leaves behind, as one transaction: the watermark, what it remembers, and what it counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from warmpool.adapters.aws.launch_items import add_launches
from warmpool.adapters.aws.ledger_items import STACK, STATE, VERSION, WATCH, instant_text, key, string
from warmpool.app.ports import Completion
from warmpool.core.launch_counts import LaunchCounts, counted, fewer
from warmpool.core.watch import Watch

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import (
        AttributeValueTypeDef,
        TransactWriteItemTypeDef,
        UniversalAttributeValueTypeDef,
    )

MOST_ITEMS: Final = 100
"""What DynamoDB takes in one transaction."""

BEGAN: Final = "began"
"""When the last complete pass began: the watermark."""
WATCHED: Final = "watched"
"""When the pass began whose memory is kept: an older version moves the watermark and leaves the memory as it was."""
GOOD_STOP: Final = "good_stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """The writes, and what became of the launches where not all of it fits."""

    items: "tuple[TransactWriteItemTypeDef, ...]"
    odd: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The table, and how the watermark stands in it as far as this pass has read: None where there is none."""

    table: str
    began: "AttributeValueTypeDef | None"


def transaction(known: Known, completion: Completion, watch: bytes | None, *, forget: bool) -> Transaction:
    """Put together what is written all or not at all. `watch` is None where it stands in the table as it is.

    With `forget` the next pass begins to remember afresh.
    """
    first = [_watermark(known, completion, forget=forget)]
    if watch is not None:
        item = {**key(STACK, WATCH), "version": {"N": VERSION}, "watch": {"B": watch}}
        first.append({"Put": {"TableName": known.table, "Item": item}})
    buckets = {pool: counted(tally, completion.began) for pool, tally in completion.tallies.items()}
    fitting = fewer(buckets, MOST_ITEMS - len(first))
    added = (add_launches(known.table, pool, each) for pool, counts in fitting.items() for each in counts)
    return Transaction(items=(*first, *added), odd=_odd(buckets, fitting))


def _watermark(known: Known, completion: Completion, *, forget: bool) -> "TransactWriteItemTypeDef":
    """Move the watermark where it stands as this pass has read it: elsewhere another pass has counted the same."""
    kept = "" if forget else ", #watched = :watched"
    values = {":began": string(instant_text(completion.began)), ":stop": string(completion.good_stop)}
    values |= {} if forget else {":watched": _watched(completion.watch)}
    values |= {} if known.began is None else {":previous": known.began}
    return {
        "Update": {
            "TableName": known.table,
            "Key": key(STACK, STATE),
            "UpdateExpression": f"SET #began = :began, #stop = :stop{kept}{' REMOVE #watched' if forget else ''}",
            "ConditionExpression": "attribute_not_exists(#began)" if known.began is None else "#began = :previous",
            "ExpressionAttributeNames": {"#began": BEGAN, "#stop": GOOD_STOP, "#watched": WATCHED},
            "ExpressionAttributeValues": values,
        }
    }


def _watched(watch: Watch) -> "UniversalAttributeValueTypeDef":
    return string(None if watch.began is None else instant_text(watch.began))


def _odd(buckets: Mapping[str, Sequence[LaunchCounts]], fitting: Mapping[str, Sequence[LaunchCounts]]) -> str:
    number, left = (sum(map(len, each.values())) for each in (buckets, fitting))
    lost = sorted(pool for pool, each in buckets.items() if each and pool not in fitting)
    if lost:
        return f"launches of {len(lost)} pools do not fit into one transaction and are not in the ledger: {lost}"
    return "" if number == left else f"{number} buckets of launches are written as {left}: more do not fit at once"
