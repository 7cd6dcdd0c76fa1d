"""`python -m tests.benchmarks`: our pass against the typed client's reads, as ratios measured in one run."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks import reaction

CLUSTER = 5000
SMALL = 20
ROUNDS = 5
Measured = Mapping[str, float]


@contextmanager
def world(pool_nodes: int, other_nodes: int = 0) -> Iterator[dict[str, str]]:
    """Start the other side and give the environment in which a client finds it."""
    command = [sys.executable, "-m", "tests.benchmarks.world", str(pool_nodes), str(other_nodes)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stderr=log, **pipes) as process,  # noqa: S603 - our own module
    ):
        if process.stdout is None or process.stdin is None:
            raise RuntimeError("the other side has no pipes")
        line = process.stdout.readline()
        if not line:
            log.seek(0)
            raise RuntimeError(f"the other side did not start: {log.read()[-2000:]}")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "WARMPOOL_"))}
        try:
            yield {**kept, "POWERTOOLS_TRACE_DISABLED": "1", "AWS_EC2_METADATA_DISABLED": "true", **json.loads(line)}
        finally:
            process.stdin.close()
            process.wait(30)


def measured(module: str, environment: Mapping[str, str]) -> Measured:
    """Run one client in a fresh process and return what it printed last on standard error."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{module} failed: {done.stderr[-2000:]}{done.stdout[-2000:]}")
    answer: Measured = json.loads(done.stderr.strip().splitlines()[-1])
    return answer


def median(rows: list[Measured], name: str) -> float:
    """Return the median of one figure over several runs."""
    return statistics.median(each[name] for each in rows)


def main() -> None:
    """Measure and print. A missed goal is shown, not an error: ratios on a busy machine vary."""
    console = Console()
    with console.status(f"whole pool of {CLUSTER} nodes and {4 * CLUSTER} pods ...") as status, world(CLUSTER) as there:
        ours = [measured("ours", there) for _ in range(ROUNDS)]
        status.update("the same reads with the typed client ...")
        typed = measured("typed", there)
    with console.status("a pool of 100 nodes in clusters of 500 and 5,000 nodes ..."):
        with world(100, 400) as there:
            in_small = measured("ours", there)
        with world(100, CLUSTER - 100) as there:
            in_large = measured("ours", there)
    with console.status("cold starts ..."), world(SMALL) as there:
        pairs = [(measured("ours", there), measured("typed", there)) for _ in range(ROUNDS)]
    cpu = typed["pass"] / median(ours, "pass")
    peak = max(each["peak_megabytes"] for each in ours)
    growth = in_large["peak_megabytes"] / in_small["peak_megabytes"]
    start = statistics.median(a["start_and_first_pass"] / b["start_and_first_pass"] for a, b in pairs)
    rows = [
        (
            "CPU of a pass, 5,000 nodes and 20,000 pods in the pool",
            f"1/{cpu:.0f} of the typed client",
            "1/30",
            cpu >= 30,
        ),
        ("peak memory of that pass", f"{peak:.0f} MB (typed {typed['peak_megabytes']:.0f} MB)", "< 150 MB", peak < 150),
        ("peak memory, pool of 100 nodes, cluster 500 -> 5,000 nodes", f"x {growth:.2f}", "x 1", growth < 1.05),
        ("import and first pass, 20 nodes, against boto3 + typed client", f"x {start:.2f}", "x 0.6", start <= 0.6),
    ]
    with console.status("200 reactions to each kind of event ..."):
        rows += reaction.rows()
    table = Table("what", "measured", "goal", "")
    for what, value, goal, met in rows:
        table.add_row(what, value, goal, "met" if met else "MISSED")
    console.print(table)
    console.print(
        f"CPU s: pass {median(ours, 'pass'):.2f} against {typed['pass']:.2f}; "
        f"start {median([a for a, _ in pairs], 'start_and_first_pass'):.2f} against "
        f"{median([b for _, b in pairs], 'start_and_first_pass'):.2f}"
    )


if __name__ == "__main__":
    main()
