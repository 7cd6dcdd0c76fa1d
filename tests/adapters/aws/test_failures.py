"""AWS' errors in words."""

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError

from warmpool.adapters.aws.failures import AWS_FAILURES, describe, error_code


def client_error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "GetItem")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (client_error("ThrottlingException"), "ThrottlingException"),
        (ClientError({}, "GetItem"), "Unknown"),
        (EndpointConnectionError(endpoint_url="https://x"), "EndpointConnectionError"),
        (NoCredentialsError(), "NoCredentialsError"),
        (TimeoutError("late"), "TimeoutError"),
    ],
)
def test_every_failure_of_aws_has_a_code(error: Exception, code: str) -> None:
    assert isinstance(error, AWS_FAILURES)
    assert error_code(error) == code


def test_a_failure_says_what_was_tried() -> None:
    text = describe(client_error("ThrottlingException"), action="dynamodb:GetItem", resource="table")

    assert text.startswith("dynamodb:GetItem on table failed: ThrottlingException: ")
    assert "role" not in text


@pytest.mark.parametrize("code", ["AccessDenied", "AccessDeniedException"])
def test_a_refusal_says_what_to_do(code: str) -> None:
    text = describe(client_error(code), action="dynamodb:GetItem", resource="table")

    assert text.endswith("; allow dynamodb:GetItem on it in the caller's role")
