"""Overrides and the stop switch as operators write them to SSM, each under their own AWS identity."""

from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe, error_code, refused
from warmpool.app.errors import ConfigNotWritten, ConfigUnreadable, NotPermitted
from warmpool.app.ports import Budget
from warmpool.app.said import Written

if TYPE_CHECKING:
    from mypy_boto3_ssm.type_defs import ParameterMetadataTypeDef, ParameterStringFilterTypeDef

STOP: Final = "stop"
_PAGE: Final = 50
"""The most that DescribeParameters gives at once."""
_UNKNOWN_USER: Final = "N/A"


def override_of(pool: str) -> str:
    """Return the name of a pool's override below the stack's path."""
    return f"{pool}/override"


class OperatorParameters:
    """The documents under one path that belong to operators: `<pool>/override` and `stop`.

    The controller only reads them; whoever may write them is decided by IAM on `ssm:PutParameter` and
    `ssm:DeleteParameter` for these names.
    """

    def __init__(self, clients: AwsClients, *, prefix: str) -> None:
        self._clients = clients
        self._prefix = prefix

    def name(self, document: str) -> str:
        """Return a document's full name in SSM."""
        return f"{self._prefix}/{document}"

    def put(self, document: str, text: str, budget: Budget) -> None:
        """Write a document, whether or not it was there. Raises NotPermitted or ConfigNotWritten."""
        name = self.name(document)
        try:
            self._clients.client("ssm", budget).put_parameter(Name=name, Value=text, Type="String", Overwrite=True)
        except AWS_FAILURES as error:
            raise _not_written(error, action="ssm:PutParameter", resource=name) from error

    def delete(self, document: str, budget: Budget) -> bool:
        """Delete a document; False where there was none. Raises NotPermitted or ConfigNotWritten."""
        name = self.name(document)
        try:
            self._clients.client("ssm", budget).delete_parameter(Name=name)
        except AWS_FAILURES as error:
            if error_code(error) == "ParameterNotFound":
                return False
            raise _not_written(error, action="ssm:DeleteParameter", resource=name) from error
        return True

    def caller(self, budget: Budget) -> str:
        """Return the ARN of whoever runs this. Raises NotPermitted or ConfigUnreadable."""
        try:
            return self._clients.client("sts", budget).get_caller_identity()["Arn"]
        except AWS_FAILURES as error:
            raise _unreadable(error, action="sts:GetCallerIdentity", resource="the caller") from error

    def written(self, budget: Budget) -> Mapping[str, Written]:
        """Return when each document was written and by whom, by SSM's own books, which nobody can forge.

        Raises NotPermitted or ConfigUnreadable.
        """
        found: dict[str, Written] = {}
        for each in self._described(budget):
            user = each.get("LastModifiedUser", "")
            changed = each.get("LastModifiedDate")
            if changed is not None:
                document = each.get("Name", "").removeprefix(f"{self._prefix}/")
                found[document] = Written(
                    at=changed.astimezone(UTC).replace(microsecond=0), by="" if user == _UNKNOWN_USER else user
                )
        return found

    def _described(self, budget: Budget) -> "Iterator[ParameterMetadataTypeDef]":
        below: ParameterStringFilterTypeDef = {"Key": "Path", "Option": "Recursive", "Values": [self._prefix]}
        more: dict[str, Any] = {}
        while True:
            try:
                page = self._clients.client("ssm", budget).describe_parameters(
                    ParameterFilters=[below], MaxResults=_PAGE, **more
                )
            except AWS_FAILURES as error:
                raise _unreadable(error, action="ssm:DescribeParameters", resource=self._prefix) from error
            yield from page["Parameters"]
            if not page.get("NextToken"):
                return
            more = {"NextToken": page["NextToken"]}


def _not_written(error: Exception, *, action: str, resource: str) -> NotPermitted | ConfigNotWritten:
    text = f"nothing was changed: {describe(error, action=action, resource=resource)}"
    return NotPermitted(text) if refused(error) else ConfigNotWritten(text)


def _unreadable(error: Exception, *, action: str, resource: str) -> NotPermitted | ConfigUnreadable:
    text = describe(error, action=action, resource=resource)
    return NotPermitted(text) if refused(error) else ConfigUnreadable(text)
