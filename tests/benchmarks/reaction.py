"""How long from an event to the patch that it leads to: our share of the way, on the embedded cluster.

From the moment when AWS would have the event (an audit record, a written parameter) through filter, ingest function,
rule, queue, handler and HTTPS to the patch of `deployments/scale`. What AWS itself takes to deliver comes on top.
Run as `python -m tests.benchmarks.reaction`, or with the others as `python -m tests.benchmarks`.
"""

import json
import math
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from time import perf_counter

from tests.scenarios.eventful import MINUTE, SMALL, SPEC, Eventful, eventful, warmed
from warmpool.sim.cluster import amounts

SAMPLES = 200
ROUND = 20
"""Reactions that one cluster shows before it is thrown away: it grows with each."""
GOAL_SECONDS = 2.0

FILLING = amounts(cpu="44", memory="172Gi")
WHOLE_NODE = amounts(cpu="46", memory="180Gi")
ROOMY = SPEC.replace("max: 20", "max: 80")
BUSY_COUNTS = ROOMY.replace('{cpu: "2", memory: 8Gi}', '{cpu: "44", memory: 172Gi}').replace(
    "min: 2", "min: 1\n    proportional: {linear: {nodesPerReplica: 0.5}}"
)
"""Two empty nodes' worth of room for each busy node, in placeholders that fill theirs."""

Row = tuple[str, str, str, bool]
Reactions = Callable[[], Generator[float, None, None]]


def preempted_placeholders() -> Generator[float, None, None]:
    """Let a launch take a warm node, again and again, each time when the pool is warm; yield seconds."""
    with eventful(BUSY_COUNTS, requests=FILLING) as running:
        warmed(running)
        for number in range(ROUND):
            running.cluster.launch(f"space-{number}", requests=WHOLE_NODE)
            running.advance(MINUTE / 60)
            [record, *_] = [each for each in running.audit() if each["verb"] == "delete"]
            yield _timed(running, partial(running.deliver_audit, [record]))
            _warm_again(running)


def new_workspaces() -> Generator[float, None, None]:
    """Let a launch fill a node beside its placeholder, again and again, each time when the pool is warm."""
    with eventful(ROOMY, requests=SMALL) as running:
        warmed(running)
        for number in range(ROUND):
            running.cluster.launch(f"space-{number}", requests=FILLING)
            records = [running.workspace_record(f"space-{number}"), *running.audit()]
            yield _timed(running, partial(running.deliver_audit, records))
            _warm_again(running)


def edited_overrides() -> Generator[float, None, None]:
    """Let an operator ask for one node more, again and again."""
    with eventful(ROOMY, requests=SMALL) as running:
        warmed(running)
        for number in range(ROUND):
            document = json.dumps({"min": 3 + number, "until": "forever", "reason": "bench"})
            yield _timed(running, partial(_edit, running, document))
            running.advance(MINUTE / 60)


def _edit(running: Eventful, document: str) -> None:
    running.publish(running.put_override(document))


def _timed(running: Eventful, happens: Callable[[], object]) -> float:
    """Return the seconds from an event to the end of the pass that it led to. Raises where it led to no patch."""
    patches = running.patches
    begun = perf_counter()
    happens()
    running.serve()
    took = perf_counter() - begun
    if running.patches != patches + 1:
        raise RuntimeError(
            f"{running.patches - patches} patches followed the event, not one: {running.telemetry.reports[-1]}"
        )
    return took


def _warm_again(running: Eventful) -> None:
    running.advance(8 * MINUTE)
    running.tick()
    running.audit()


def percentile(seconds: list[float], share: float) -> float:
    """Return the smallest sample that so many do not exceed."""
    return sorted(seconds)[math.ceil(share * len(seconds)) - 1]


def rows() -> list[Row]:
    """Measure each kind of reaction and return what, measured, goal and whether it is met, for the table."""
    kinds: dict[str, Reactions] = {
        "a preempted placeholder": preempted_placeholders,
        "a new Workspace": new_workspaces,
        "an edited override": edited_overrides,
    }
    found: list[Row] = []
    for name, reactions in kinds.items():
        with closing(reactions()) as first:
            next(first)  # what a cold start costs is measured elsewhere
        seconds = [each for _ in range(SAMPLES // ROUND) for each in reactions()]
        slow = percentile(seconds, 0.99)
        what = f"from {name} to the patch, p99 of {len(seconds)}"
        found.append((what, f"{slow:.2f} s", f"< {GOAL_SECONDS:.0f} s", slow < GOAL_SECONDS))
    return found


if __name__ == "__main__":
    for row in rows():
        print(*row, sep="  ")  # noqa: T201 - a command
