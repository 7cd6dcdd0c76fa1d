"""The ledger's table in moto, and its items as a reader of DynamoDB sees them."""

from typing import Any

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.history_items import read_history_item
from warmpool.adapters.aws.launch_items import read_launches
from warmpool.adapters.aws.ledger import PARTITION_KEY, SORT_KEY
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.core.decision import Decision
from warmpool.core.launch_counts import LaunchCounts

TABLE = "warmpool-ml"


def create_table(clients: AwsClients) -> None:
    """Create the table as the stack does."""
    clients.client("dynamodb", UnlimitedBudget()).create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": PARTITION_KEY, "KeyType": "HASH"},
            {"AttributeName": SORT_KEY, "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": PARTITION_KEY, "AttributeType": "S"},
            {"AttributeName": SORT_KEY, "AttributeType": "S"},
        ],
    )


def put_entry(clients: AwsClients, pool: str, text: str) -> None:
    """Put a pool's entry by hand, good or not."""
    item = {PARTITION_KEY: {"S": f"pool#{pool}"}, SORT_KEY: {"S": "state"}, "entry": {"S": text}}
    clients.client("dynamodb", UnlimitedBudget()).put_item(TableName=TABLE, Item=item)


def items_of(clients: AwsClients, partition: str) -> list[dict[str, Any]]:
    """Return a partition's items in the order of their sort keys."""
    answer = clients.client("dynamodb", UnlimitedBudget()).query(
        TableName=TABLE,
        KeyConditionExpression="#pk = :pk",
        ExpressionAttributeNames={"#pk": PARTITION_KEY},
        ExpressionAttributeValues={":pk": {"S": partition}},
    )
    return [dict(each) for each in answer["Items"]]


def history_of(clients: AwsClients, pool: str) -> list[Decision]:
    """Return the pool's kept decisions, oldest first."""
    items = items_of(clients, f"pool#{pool}")
    return [read_history_item(each).decision for each in items if each[SORT_KEY]["S"].startswith("history#")]


def launches_of(clients: AwsClients, pool: str) -> list[LaunchCounts]:
    """Return the pool's buckets of launches, oldest first."""
    items = items_of(clients, f"pool#{pool}")
    return [read_launches(each) for each in items if each[SORT_KEY]["S"].startswith("launches#")]
