"""One invocation in a fresh process, as Lambda's runtime makes it: `invoke.py REQUEST.json ANSWER.json`.

The handler comes from the deployed code, by the name that the function has. Every AWS call is written down before it
is sent. It is run as a file, so that nothing of the repository is on the path.
"""

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from botocore import handlers

CALLS: list[dict[str, Any]] = []


def write_down(params: Any, model: Any, **_: Any) -> None:
    """Keep service, operation and parameters of a call."""
    text = json.loads(json.dumps(params, default=str))
    CALLS.append({"service": model.service_model.service_name, "operation": model.name, "parameters": text})


class Context:
    """What Lambda gives a handler beside the event."""

    def __init__(self, given: dict[str, Any]) -> None:
        """Begin the invocation now."""
        self.function_name = given["function"]
        self.invoked_function_arn = given["arn"]
        self.memory_limit_in_mb = given["memory"]
        self.aws_request_id = given["request_id"]
        self._deadline = time.monotonic() + given["timeout_seconds"]

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds before the invocation would be ended."""
        return max(0, int((self._deadline - time.monotonic()) * 1000))


def main() -> None:
    """Invoke once, and write the answer, the calls and where the code came from."""
    request = json.loads(Path(sys.argv[1]).read_text())
    # Every session takes these along: no client can be made without.
    handlers.BUILTIN_HANDLERS.append(("before-parameter-build", write_down))
    module, _, name = request["handler"].rpartition(".")
    code = importlib.import_module(module)
    result = getattr(code, name)(request["event"], Context(request["context"]))
    places = {each: sys.modules[each].__file__ for each in (module, "warmpool.settings")}
    Path(sys.argv[2]).write_text(json.dumps({"result": result, "calls": CALLS, "places": places}))


if __name__ == "__main__":
    main()
