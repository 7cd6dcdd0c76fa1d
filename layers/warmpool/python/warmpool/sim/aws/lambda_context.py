"""The context that Lambda gives a handler."""

from collections.abc import Callable
from typing import Final

from aws_lambda_powertools.utilities.typing import LambdaContext

from warmpool.sim.aws.identity import ACCOUNT

_MEMORY_MEGABYTES: Final = 512


class EmbeddedLambdaContext(LambdaContext):
    """One invocation: its request id, and a deadline by a clock that only runs forward."""

    def __init__(
        self,
        function: str,
        *,
        request_id: str,
        region: str,
        timeout_seconds: float,
        monotonic: Callable[[], float],
    ) -> None:
        """Begin the invocation now, by `monotonic` (seconds)."""
        self._function_name = function
        self._function_version = "$LATEST"
        self._invoked_function_arn = f"arn:aws:lambda:{region}:{ACCOUNT}:function:{function}"
        self._memory_limit_in_mb = _MEMORY_MEGABYTES
        self._aws_request_id = request_id
        self._log_group_name = f"/aws/lambda/{function}"
        self._log_stream_name = f"embedded/[$LATEST]{request_id}"
        self._monotonic = monotonic
        self._deadline = monotonic() + timeout_seconds

    # The base class has it static, for want of an invocation; Lambda's own is a method.
    def get_remaining_time_in_millis(self) -> int:  # type: ignore[override]
        """Return the milliseconds before the invocation is ended; 0 once it is."""
        return max(0, int((self._deadline - self._monotonic()) * 1000))
