"""Builders for following launches and orders through one pass."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from tests.builders import LONG_AGO, NOW, amounts, placeholder, pool, snapshot
from tests.builders import workspace as placed_workspace
from warmpool.core.assess import Inputs, assess
from warmpool.core.launches import follow
from warmpool.core.model import Pod
from warmpool.core.spec import PoolSpec
from warmpool.core.watch import Cause, Outcome, PoolWatch, Tally, Waiting, WarmNode, Watch

MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
FILLING = amounts(cpu="45", memory="178Gi", pods="1")
BEFORE = NOW - MINUTE
"""When the last complete pass began."""
WARM = WarmNode(since=LONG_AGO, placeholder="uid-ph-1")


def launch(name: str = "ws-1", on: str | None = "n1", **overrides: Any) -> Pod:
    """Build a launch that asked half a minute ago and was Ready 13 s later, where it has a node."""
    asked = overrides.pop("asked", NOW - 30 * SECOND)
    values: dict[str, Any] = {"created": asked}
    if on is not None:
        values |= {"started": asked, "ready_changed": asked + 13 * SECOND}
    return placed_workspace(name, on, **{**values, **overrides})


def late(asked: datetime = NOW - 55 * SECOND) -> Pod:
    """Build a launch that has had its node for 30 s only."""
    return launch(asked=asked, started=NOW - 30 * SECOND, ready_changed=NOW - 10 * SECOND)


def answer(to: datetime = NOW - 30 * SECOND, **overrides: Any) -> Pod:
    """Build the Pending placeholder that a ReplicaSet makes when one was preempted then."""
    return placeholder("ph-9", created=to + SECOND, **overrides)


def watch(waiting: Mapping[str, Waiting] | None = None, **nodes: WarmNode) -> Watch:
    """Build what the last complete pass left: these nodes were warm."""
    return Watch(began=BEFORE, pools={"spaces": PoolWatch(nodes=nodes, idle_nodes=0)}, waiting=waiting or {})


def passed(before: Watch, *things: object, spec: PoolSpec | None = None, at: datetime = NOW) -> tuple[Watch, Tally]:
    """Follow one pass over these things."""
    inputs = Inputs(spec=spec or pool(placeholder=FILLING), snapshot=snapshot(*things), now=at)
    after, tallies = follow(before, {"spaces": (inputs, assess(inputs))}, at)
    return after, tallies["spaces"]


def found(before: Watch, *things: object, **more: Any) -> tuple[Outcome, Cause | None]:
    """Return what the one launch of a pass found."""
    (one,) = passed(before, *things, **more)[1].launches
    return one.found.outcome, one.found.cause
