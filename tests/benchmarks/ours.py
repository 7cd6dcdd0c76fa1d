"""Our handler in a fresh process: import and first pass, then one more pass; prints CPU seconds and peak memory."""

import json
import resource
import sys
import time


def cpu_seconds() -> float:
    """Return the CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Context:
    """An invocation with two minutes to go."""

    function_name = "reconcile"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:reconcile"
    aws_request_id = "bench"

    def get_remaining_time_in_millis(self) -> int:
        """Return two minutes."""
        return 120_000


def main() -> None:
    """Run two passes and print what they took."""
    begun = cpu_seconds()
    from functions.reconcile.handler import handler  # noqa: PLC0415 - the import is what is measured

    record = {"body": '{"kind":"tick"}', "attributes": {"SentTimestamp": str(int(time.time() * 1000) + 3_600_000)}}
    event = {"Records": [record]}
    handler(event, Context())
    first = cpu_seconds()
    handler(event, Context())
    answer = {
        "start_and_first_pass": first - begun,
        "pass": cpu_seconds() - first,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    sys.stderr.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
