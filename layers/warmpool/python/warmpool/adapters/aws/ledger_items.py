"""What the ledger's items are called and how their values are written."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, UniversalAttributeValueTypeDef

    Item = Mapping[str, AttributeValueTypeDef]
    NewItem = Mapping[str, UniversalAttributeValueTypeDef]

PARTITION_KEY: Final = "pk"
SORT_KEY: Final = "sk"
EXPIRES: Final = "expires"
"""The attribute that DynamoDB's time to live reads, in seconds since 1970."""
VERSION: Final = "1"
"""Of the items' form. A reader takes what it knows from any version, so it rises only when a meaning changes."""
MOST_BYTES: Final = 390_000
"""What an item of ours may hold; DynamoDB takes 400 KB (409,600 bytes), names included."""

STACK: Final = "stack"
STATE: Final = "state"
WATCH: Final = "watch"
HISTORY: Final = "history"
INPUTS: Final = "inputs"
LAUNCHES: Final = "launches"


def partition(pool: str) -> str:
    """Name a pool's partition."""
    return f"pool#{pool}"


def key(partition_key: str, sort_key: str) -> "dict[str, AttributeValueTypeDef]":
    """Return an item's key."""
    return {PARTITION_KEY: {"S": partition_key}, SORT_KEY: {"S": sort_key}}


def timed(kind: str, at: datetime) -> str:
    """Name an item of an instant: as text they sort as time does."""
    return f"{kind}#{instant_text(at)}"


def string(text: str | None) -> "UniversalAttributeValueTypeDef":
    """Write a text that may be absent."""
    return {"NULL": True} if text is None else {"S": text}


def expiry(at: datetime) -> "AttributeValueTypeDef":
    """Write when an item may go."""
    return {"N": str(int(at.timestamp()))}


def instant_text(at: datetime) -> str:
    """Write an instant so that text sorts as time does: UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def read_instant(text: str) -> datetime | None:
    """Read an instant; a damaged one is unknown."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None
