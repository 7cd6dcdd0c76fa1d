"""AWS' errors in words: what was tried, what was answered, what to do next."""

from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

AWS_FAILURES: Final = (ClientError, BotoCoreError, TimeoutError)
"""Everything that a call through AwsClients raises when AWS refuses, fails or is too slow."""

_REFUSED: Final = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})


def error_code(error: Exception) -> str:
    """Return AWS' error code, or the exception's name where AWS did not answer."""
    if isinstance(error, ClientError):
        return error.response.get("Error", {}).get("Code", "Unknown")
    return type(error).__name__


def refused(error: Exception) -> bool:
    """Tell whether AWS refused for want of a right."""
    return error_code(error) in _REFUSED


def describe(error: Exception, *, action: str, resource: str) -> str:
    """Say which action on which resource failed and why; `action` is an IAM action such as `ssm:GetParameter`."""
    text = f"{action} on {resource} failed: {error_code(error)}: {error}"
    if refused(error):
        return f"{text}; allow {action} on it in the caller's role"
    return text
