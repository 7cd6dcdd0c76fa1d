"""Transactions of the embedded DynamoDB: all of it or nothing, however much else the table holds."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from warmpool.sim.aws.embedded import EmbeddedAws

Key = dict[str, Any]
BEFORE = {"count": {"N": "1"}}


def key(name: str) -> Key:
    return {"pk": {"S": "stack"}, "sk": {"S": name}}


def add(aws: EmbeddedAws, name: str, condition: str | None = None) -> Any:
    update: dict[str, Any] = {
        "TableName": aws.names.table,
        "Key": key(name),
        "UpdateExpression": "ADD #count :one",
        "ExpressionAttributeNames": {"#count": "count"},
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    return {"Update": {**update, **({} if condition is None else {"ConditionExpression": condition})}}


def put(aws: EmbeddedAws, name: str) -> Any:
    return {"Put": {"TableName": aws.names.table, "Item": {**key(name), **BEFORE}}}


def table(aws: EmbeddedAws) -> dict[str, str]:
    """Return the counts by item."""
    items = aws.dynamodb.scan(TableName=aws.names.table)["Items"]
    return {each["sk"]["S"]: each["count"]["N"] for each in items}


@pytest.fixture
def filled(aws: EmbeddedAws) -> EmbeddedAws:
    for name in ("a", "b", "c"):
        aws.dynamodb.put_item(TableName=aws.names.table, Item={**key(name), **BEFORE})
    return aws


def test_all_of_it_is_written(filled: EmbeddedAws) -> None:
    writes = [add(filled, "a", "attribute_exists(#count)"), put(filled, "d"), add(filled, "e")]
    filled.dynamodb.transact_write_items(TransactItems=writes)

    assert table(filled) == {"a": "2", "b": "1", "c": "1", "d": "1", "e": "1"}


@pytest.mark.parametrize("name", ["a", "f"], ids=["there", "new"])
def test_nothing_is_written_where_a_condition_fails(filled: EmbeddedAws, name: str) -> None:
    failing = add(filled, "c", "attribute_not_exists(#count)")
    writes = [add(filled, name), put(filled, "b"), put(filled, "d"), failing]
    with pytest.raises(ClientError) as caught:
        filled.dynamodb.transact_write_items(TransactItems=writes)

    reasons: Any = caught.value.response
    assert [each["Code"] for each in reasons["CancellationReasons"]] == ["None"] * 3 + ["ConditionalCheckFailed"]
    assert table(filled) == {"a": "1", "b": "1", "c": "1"}
    filled.dynamodb.transact_write_items(TransactItems=[add(filled, "a")])
    assert table(filled)["a"] == "2"
