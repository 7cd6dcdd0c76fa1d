"""A file of a morning's decisions and launches, for the commands that read what is kept."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.builders import NOW, full, inputs, pair
from warmpool.adapters.history_file import FileHistory, write_history
from warmpool.adapters.kept_decision import KeptDecision, Span
from warmpool.app.ports import Decided
from warmpool.app.steps import blind, undone
from warmpool.core.assess import Inputs
from warmpool.core.decide import decide
from warmpool.core.decision import PoolState
from warmpool.core.launch_counts import LaunchCounts
from warmpool.core.reasons import Code, Reason
from warmpool.core.watch import Cause, Outcome

MINUTE = timedelta(minutes=1)
AWAY = (Reason(Code.CLUSTER_UNAVAILABLE, "the cluster could not be read: no answer"),)
CONFLICT = (Reason(Code.CONFLICT, "Conflict: somebody else wrote first"),)


def at(minutes: int) -> datetime:
    """Return the instant so many minutes after nine."""
    return NOW + minutes * MINUTE


def steady() -> Inputs:
    return inputs(*pair("n1"), *pair("n2"), now=at(0))


def short() -> Inputs:
    return inputs(*pair("n1"), *full("n1"), *pair("n2"), now=at(30))


def morning() -> list[Decided]:
    """Decide four times: steady, short, one that met a conflict, and one that saw nothing."""
    decided = [Decided(decision=decide(seen), inputs=seen) for seen in (steady(), short())]
    late = replace(short(), now=at(31))
    failed = undone(decide(late), blind("spaces", at(31), late.state, CONFLICT))
    unseen = blind("spaces", at(90), PoolState(), AWAY)
    return [*decided, Decided(decision=failed, inputs=late, failed=CONFLICT), Decided(decision=unseen)]


LAUNCHES = (
    LaunchCounts(start=at(0), outcomes={Outcome.WARM_COEXIST: 7}, warm_waits=7 * timedelta(seconds=20)),
    LaunchCounts(
        start=at(25),
        outcomes={Outcome.WARM_PREEMPT: 1, Outcome.COLD: 3, Outcome.UNKNOWN: 1},
        causes={Cause.NONE_FREE: 2, Cause.STILL_PULLING: 1},
        abandoned=1,
        warm_waits=timedelta(seconds=36),
        cold_waits=timedelta(seconds=900),
    ),
    LaunchCounts(start=at(55), outcomes={Outcome.COLD: 100}, causes={Cause.IMAGE: 100}),
)


def write(path: Path, decided: Sequence[Decided], *, more: Sequence[KeptDecision] = ()) -> Path:
    """Write a history file of these decisions and the morning's launches."""
    kept = [*(KeptDecision.of(each) for each in decided), *more]
    by_pool: dict[str, list[KeptDecision]] = {}
    for each in kept:
        by_pool.setdefault(each.decision.pool, []).append(each)
    history = FileHistory(by_pool=by_pool, counts={"spaces": LAUNCHES})
    with path.open("wb") as out:
        write_history(history, history.pools(), Span(), out)
    return path


@pytest.fixture
def history_file(tmp_path: Path) -> Path:
    """Write the morning's history."""
    return write(tmp_path / "history.jsonl", morning())
