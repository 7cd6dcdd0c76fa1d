"""Specs, overrides and the stop switch from SSM Parameter Store."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe
from warmpool.app.errors import ConfigUnreadable
from warmpool.app.ports import Budget, Document, Documents, Telemetry, Unreadable

if TYPE_CHECKING:
    from mypy_boto3_ssm.type_defs import GetParametersByPathResultTypeDef, ParameterTypeDef

_PAGE: Final = 10
"""The most that GetParametersByPath gives at once."""
_NAMED: Final = 5
"""How many unknown parameters a warning names; how many there are is up to whoever may write parameters."""


class SsmConfiguration:
    """The documents under one path: `<pool>/spec`, `<pool>/override` and `stop`.

    One list call reads them all, so that a pass costs the same with one pool or with ten, and a parameter
    that is not there is told apart from one that cannot be read. Nothing is cached: an override acts in the
    next pass.
    """

    def __init__(self, clients: AwsClients, *, prefix: str, telemetry: Telemetry) -> None:
        self._clients = clients
        self._prefix = prefix
        self._telemetry = telemetry
        self._reported: frozenset[str] = frozenset()

    def read(self, budget: Budget) -> Documents:
        """Read all documents of the stack.

        Raises ConfigUnreadable where any page fails: in a list that breaks off, "not there" means nothing.
        """
        specs: dict[str, Document] = {}
        overrides: dict[str, Document] = {}
        stop: Document = None
        unknown: set[str] = set()
        for parameter in self._parameters(budget):
            match parameter["Name"].removeprefix(f"{self._prefix}/").split("/"):
                case [pool, "spec"]:
                    specs[pool] = _document(parameter)
                case [pool, "override"]:
                    overrides[pool] = _document(parameter)
                case ["stop"]:
                    stop = _document(parameter)
                case _:
                    unknown.add(parameter["Name"])
        unknown |= {f"{self._prefix}/{pool}/override" for pool in overrides.keys() - specs.keys()}
        self._report(frozenset(unknown))
        return Documents(specs=specs, overrides=overrides, stop=stop)

    def _parameters(self, budget: Budget) -> Iterator["ParameterTypeDef"]:
        page = self._page(budget)
        yield from page["Parameters"]
        while token := page.get("NextToken"):
            page = self._page(budget, token)
            yield from page["Parameters"]

    def _page(self, budget: Budget, token: str = "") -> "GetParametersByPathResultTypeDef":
        try:
            client = self._clients.client("ssm", budget)
            if token:
                return client.get_parameters_by_path(
                    Path=self._prefix, Recursive=True, MaxResults=_PAGE, NextToken=token
                )
            return client.get_parameters_by_path(Path=self._prefix, Recursive=True, MaxResults=_PAGE)
        except AWS_FAILURES as error:
            raise ConfigUnreadable(describe(error, action="ssm:GetParametersByPath", resource=self._prefix)) from error

    def _report(self, unknown: frozenset[str]) -> None:
        """Warn of parameters that nobody reads, once for each set of them: a pass a minute would flood the log."""
        if unknown and unknown != self._reported:
            named = ", ".join(sorted(unknown)[:_NAMED])
            self._telemetry.warn(
                f"{len(unknown)} parameters are ignored: expected <pool>/spec, <pool>/override of a pool with a spec, "
                f"or stop under {self._prefix}; check their spelling or delete them",
                parameters=named,
            )
        self._reported = unknown


def _document(parameter: "ParameterTypeDef") -> Document:
    if parameter.get("Type") == "SecureString":
        return Unreadable(
            why=f"{parameter['Name']} is a SecureString, which the controller may not decrypt; put it as a String"
        )
    return parameter["Value"]
