"""Kubernetes Status answers with the API server's own wording."""

from typing import Any, NoReturn

PATCH_REFUSED = "the server rejected our request due to an error in our request"
EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "
    "without the continue parameter."
)

REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


class ApiError(Exception):
    """An answer that is not a success; `retry_after_seconds` becomes the Retry-After header."""

    def __init__(
        self,
        code: int,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details or {}
        self.retry_after_seconds = retry_after_seconds

    def body(self) -> dict[str, Any]:
        """Return the Status object."""
        details = self.details
        if self.retry_after_seconds is not None:
            details = {**details, "retryAfterSeconds": self.retry_after_seconds}
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": REASONS.get(self.code, "Unknown"),
        }
        if details:
            status["details"] = details
        return {**status, "code": self.code}


class PathNotServed(ApiError):
    """No such path: a missing CRD, an unknown group. The real server answers in plain text, not with a Status."""

    def __init__(self) -> None:
        super().__init__(404, "404 page not found")


def bad_request(message: str) -> NoReturn:
    """Refuse a request that cannot be understood."""
    raise ApiError(400, message)


def object_details(name: str, group: str, plural: str) -> dict[str, str]:
    """Return the details that name one object; what is empty (no name, the core group) is left out, as the API does."""
    return {key: value for key, value in (("name", name), ("group", group), ("kind", plural)) if value}
