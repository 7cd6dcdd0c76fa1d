"""What a deployed stack says of itself: the outputs that the runbook's commands use, too."""

from collections.abc import Mapping
from typing import Any, Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe, refused
from warmpool.app.errors import ConfigUnreadable, NotPermitted
from warmpool.app.ports import Budget

LEDGER_TABLE: Final = "LedgerTable"


def outputs(clients: AwsClients, stack: str, budget: Budget) -> Mapping[str, str]:
    """Return a stack's outputs by key. Raises NotPermitted or ConfigUnreadable, also where there is no such stack."""
    try:
        answer: Mapping[str, Any] = clients.client("cloudformation", budget).describe_stacks(StackName=stack)
    except AWS_FAILURES as error:
        text = describe(error, action="cloudformation:DescribeStacks", resource=stack)
        raise (NotPermitted(text) if refused(error) else ConfigUnreadable(text)) from error
    return {each["OutputKey"]: each["OutputValue"] for found in answer["Stacks"] for each in found.get("Outputs", ())}
