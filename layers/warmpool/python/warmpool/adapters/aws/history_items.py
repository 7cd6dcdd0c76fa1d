"""Changed decisions as items of the ledger: one each, and more where the inputs do not fit into it."""

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from warmpool.adapters.aws.ledger_items import (
    EXPIRES,
    HISTORY,
    INPUTS,
    MOST_BYTES,
    VERSION,
    expiry,
    instant_text,
    key,
    partition,
    timed,
)
from warmpool.adapters.decided_json import read_reasons, write_reasons
from warmpool.adapters.kept_decision import KeptDecision
from warmpool.adapters.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from warmpool.adapters.aws.ledger_items import Item

HISTORY_KEPT: Final = timedelta(days=30)


def history_items(kept: KeptDecision) -> "Iterator[Item]":
    """Yield the items of one decision, the one that names the others last: after a crash none is missing."""
    decision, inputs = kept.decision, kept.inputs
    until: dict[str, AttributeValueTypeDef] = {"version": {"N": VERSION}, EXPIRES: expiry(decision.at + HISTORY_KEPT)}
    packed = pack(kept.written)
    item: dict[str, AttributeValueTypeDef] = {
        **key(partition(decision.pool), timed(HISTORY, decision.at)),
        **until,
        "action": {"S": decision.action.value},
        "decision": {"B": packed},
    }
    if kept.failed:
        item["failed"] = {"S": write_reasons(kept.failed).decode()}
    if kept.left_out:
        item["left_out"] = {"S": kept.left_out}
    if inputs is None:
        yield item
        return
    if len(packed) + len(inputs) <= MOST_BYTES:
        yield {**item, "inputs": {"B": inputs}}
        return
    pieces = [inputs[start : start + MOST_BYTES] for start in range(0, len(inputs), MOST_BYTES)]
    begins = pieces_of(instant_text(decision.at))
    for number, piece in enumerate(pieces):
        yield {**key(partition(decision.pool), f"{begins}{number:03}"), **until, "inputs": {"B": piece}}
    yield {**item, "pieces": {"N": str(len(pieces))}}


def pieces_of(instant: str) -> str:
    """Return what the sort keys of a decision's pieces begin with, by the instant in the decision's own."""
    return f"{INPUTS}#{instant}#"


def pieces_named(item: "Item") -> int:
    """Return in how many pieces the inputs of a decision are kept; 0 where they are in the item, or nowhere.

    Raises ValueError.
    """
    return int(item.get("pieces", {}).get("N", "0"))


def read_history_item(item: "Item", pieces: "Sequence[Item]" = ()) -> KeptDecision:
    """Read a decision that was kept, and its inputs where they are in the item or in the pieces given.

    Raises ValueError where it is damaged.
    """
    written = unpack(_bytes(item, "decision"))
    failed = item.get("failed", {}).get("S")
    inputs = item.get("inputs", {}).get("B")
    left_out = item.get("left_out", {}).get("S", "")
    if pieces:
        inputs = b"".join(_bytes(each, "inputs") for each in pieces)
    if len(pieces) < (named := pieces_named(item)):
        inputs, left_out = None, f"{named - len(pieces)} of {named} pieces of its inputs are not there"
    return KeptDecision.read(
        written,
        inputs=inputs,
        failed=() if failed is None else read_reasons(failed.encode()),
        left_out=left_out,
    )


def _bytes(item: "Item", name: str) -> bytes:
    value = item.get(name, {}).get("B")
    if value is None:
        raise ValueError(f"expected bytes in {name}, found {item.get(name)!r:.100}")
    return value
