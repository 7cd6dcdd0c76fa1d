"""What CloudFormation tells of a stack. moto's needs the whole of OpenAPI, so its answers are given here."""

from typing import Any

import pytest

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.stack_outputs import LEDGER_TABLE, outputs
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.app.errors import ConfigUnreadable, NotPermitted

BUDGET = UnlimitedBudget()


class _Answer:
    status_code = 200


def answering(clients: AwsClients, stack: dict[str, Any]) -> list[dict[str, Any]]:
    """Let DescribeStacks answer with this stack, and return what it is asked for."""
    asked: list[dict[str, Any]] = []

    def answer(*, params: dict[str, Any], **_: Any) -> Any:
        asked.append(params["body"])
        return _Answer(), {"Stacks": [stack]}

    client = clients.client("cloudformation", BUDGET)
    client.meta.events.register_first("before-call.cloudformation.DescribeStacks", answer)
    return asked


def test_outputs_are_given_by_key(clients: AwsClients) -> None:
    found = {"StackName": "ml", "Outputs": [{"OutputKey": LEDGER_TABLE, "OutputValue": "ml-Ledger-1"}]}
    asked = answering(clients, found)
    assert outputs(clients, "ml", BUDGET) == {"LedgerTable": "ml-Ledger-1"}
    assert asked[0]["StackName"] == "ml"


def test_a_stack_that_is_not_there_yet_has_none(clients: AwsClients) -> None:
    answering(clients, {"StackName": "ml"})
    assert outputs(clients, "ml", BUDGET) == {}


@pytest.mark.parametrize(("code", "error"), [("AccessDenied", NotPermitted), ("ValidationError", ConfigUnreadable)])
def test_a_stack_that_cannot_be_described_is_an_error(
    faults: Faults, clients: AwsClients, code: str, error: type[Exception]
) -> None:
    faults.refuse("DescribeStacks", code)
    with pytest.raises(error, match=f"cloudformation:DescribeStacks on ml failed: {code}"):
        outputs(clients, "ml", BUDGET)
