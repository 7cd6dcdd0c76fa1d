"""`warmpool demo`: its inputs, and a shortened day in full.

The whole day takes a minute and is what `make demo` runs.
"""

import io
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from warmpool.adapters.history_file import read_history
from warmpool.app.errors import ConfigInvalid
from warmpool.core.decide import decide
from warmpool.core.decision import Action
from warmpool.sim.demo import demo_scene, run_demo
from warmpool.sim.sessions import DEFAULT_SEED

from .conftest import Warmpool


def test_the_day_is_the_busiest_of_the_week_unless_another_is_named() -> None:
    assert demo_scene(None, DEFAULT_SEED).start.date() == date(2019, 1, 16)
    scene = demo_scene(date(2019, 1, 19), DEFAULT_SEED)
    assert (scene.start.date(), scene.end - scene.start) == (date(2019, 1, 19), timedelta(days=1))


@pytest.mark.parametrize("day", ["2019-01-21", "2018-12-24", "someday", ""])
def test_a_day_outside_the_week_is_an_error(warmpool: Warmpool, tmp_path: Path, day: str) -> None:
    error = warmpool("demo", "--day", day, "--html", tmp_path / "report.html", "--output", "json").error
    assert error["path"] == "--day"
    assert "2019-01-1" in error["message"]


def test_a_day_outside_the_week_is_refused_before_anything_runs() -> None:
    with pytest.raises(ConfigInvalid, match="2019-01-14 to 2019-01-20"):
        demo_scene(date(2020, 1, 1), DEFAULT_SEED)


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_part_of_the_demo_runs_the_handler_and_both_others() -> None:
    scene = demo_scene(None, DEFAULT_SEED)
    morning, minute = scene.start + timedelta(hours=9), timedelta(minutes=1)
    short = replace(scene, start=morning, end=morning + 20 * minute, warm_up=10 * minute)
    log, kept, shown = io.StringIO(), io.BytesIO(), dict[str, float]()
    result = run_demo(short, log, shown.__setitem__, kept)
    ours, autoscaler, fixed = result.runs
    assert (ours.policy, autoscaler.policy) == ("warmpool", "CPA (guide)")
    assert fixed.policy.startswith("fixed pool of ")
    assert len(ours.launches) == len(autoscaler.launches) == len(fixed.launches) > 0
    assert (fixed.hit_rate or 0) >= (ours.hit_rate or 0)
    assert '"message":"pass"' in log.getvalue()
    history = read_history(kept.getvalue(), "history.jsonl")
    decisions = [each.decided() for each in history.by_pool["spaces-cpu"]]
    assert all(each.inputs and decide(each.inputs) == each.decision for each in decisions)
    assert decisions[0].decision.action is Action.UP
    assert sum(each.launches for each in history.counts["spaces-cpu"]) > 0
    assert set(shown.values()) == {1.0}
    assert "seed 20190116" in result.story.assumptions["Sessions"]
    assert "favours it" in result.story.assumptions[fixed.policy]
