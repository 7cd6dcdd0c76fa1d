"""The ledger's table in moto, and its items as a reader of DynamoDB sees them."""

from typing import Any

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import PARTITION_KEY, SORT_KEY
from warmpool.adapters.aws.records import decode_decision
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.core.decision import Decision

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
    return [decode_decision(each["decision"]["B"]) for each in items if each[SORT_KEY]["S"].startswith("history#")]
