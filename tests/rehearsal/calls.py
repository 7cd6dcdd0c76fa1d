"""An AWS call as IAM sees it: an action on resources."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.rehearsal.progress import Failed

Parameters = Mapping[str, Any]
HYPERPOD_ID: Final = "a1b2c3d4e5f6"
"""A HyperPod cluster's ARN ends in an id that AWS makes, not in its name: a policy that names the name is wrong."""


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One action on one resource."""

    action: str
    resource: str


def calls_of(written: Mapping[str, Any], *, region: str, account: str) -> Iterator[Call]:
    """Yield a written down call (service, operation, parameters), once for each resource.

    Raises Failed for a service whose resources this module cannot tell.
    """
    service, operation = written["service"], written["operation"]
    if operation == "TransactWriteItems":
        for operation, item in (pair for each in written["parameters"]["TransactItems"] for pair in each.items()):
            action = {"ConditionCheck": "ConditionCheckItem"}.get(operation, f"{operation}Item")
            yield from calls_of({**written, "operation": action, "parameters": item}, region=region, account=account)
        return
    named = _RESOURCES.get(service)
    if named is None:
        raise Failed(f"a function called {service}:{operation}; tell in {__name__} which resource that is on")
    for resource in named(written["parameters"]):
        yield Call(f"{service}:{operation}", f"arn:aws:{service}:{region}:{account}:{resource}")


def _tables(given: Parameters) -> list[str]:
    return [f"table/{name}" for name in given.get("RequestItems", None) or [given["TableName"]]]


def _queue(given: Parameters) -> list[str]:
    return [str(given["QueueUrl"]).rpartition("/")[2]]


def _parameters(given: Parameters) -> list[str]:
    """Return the path itself and something below it: a read by path is checked against both."""
    path = str(given["Path"]).strip("/")
    return [f"parameter/{path}", f"parameter/{path}/any/thing"]


_RESOURCES: Final[Mapping[str, Callable[[Parameters], list[str]]]] = {
    "dynamodb": _tables,
    "sqs": _queue,
    "ssm": _parameters,
    "eks": lambda given: [f"cluster/{given['name']}"],
    "sagemaker": lambda _: [f"cluster/{HYPERPOD_ID}"],
}
