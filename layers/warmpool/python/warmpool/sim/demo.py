"""`warmpool demo`: the real handler through a real day of launches, beside two ways in which pools are sized today."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from importlib import resources
from typing import IO, Final, TextIO

from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.app.errors import ConfigInvalid
from warmpool.core.spec import PoolSpec
from warmpool.sim.days import committed_week, midnight
from warmpool.sim.handled import HandledPolicy
from warmpool.sim.outcome import Run
from warmpool.sim.policies import FixedPool, GuideAutoscaler
from warmpool.sim.report import Story
from warmpool.sim.scenes import Scene
from warmpool.sim.simulate import Day, simulate

SPEC_FILE: Final = "demo.yaml"
_POOL: Final = "spaces-cpu"

Progress = Callable[[str, float], None]
"""Called with the name of the run under way and the share of it that is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """The runs, ours first, and the words around them."""

    story: Story
    runs: Sequence[Run]


def demo_scene(day: date | None, seed: int) -> Scene:
    """Choose a day of the committed week, by default its busiest. Raises ConfigInvalid for another day."""
    week = committed_week()
    chosen = day or week.busiest_day()
    if not week.first_day <= chosen <= week.last_day:
        expected = f"expected a day from {week.first_day} to {week.last_day}, the week that ships with the demo"
        raise ConfigInvalid("--day", f"got {chosen}; {expected}")
    return Scene(trace=week, start=midnight(chosen), end=midnight(chosen) + timedelta(days=1), seed=seed)


def run_demo(scene: Scene, log: TextIO, progress: Progress, history: IO[bytes] | None = None) -> DemoResult:
    """Run the scene under our handler, the guide's autoscaler and a fixed pool. Raises HandlerMissing, HandlerFailed.

    What the handler logs goes to `log`, and what its ledger keeps of decisions and launches to `history`.
    """
    day, ours = run_ours(scene, log, progress, history)
    autoscaler = GuideAutoscaler(pool=day.pool)
    theirs = simulate(day, autoscaler, partial(progress, autoscaler.name))
    runs = (ours, theirs, smallest_fixed_pool(day, ours, progress))
    return DemoResult(story=_story(scene, day, runs), runs=runs)


def run_ours(scene: Scene, log: TextIO, progress: Progress, history: IO[bytes] | None = None) -> tuple[Day, Run]:
    """Run the scene under our handler alone. Raises HandlerMissing, HandlerFailed."""
    loaded = load_spec_file(resources.files("warmpool.sim").joinpath("data", SPEC_FILE).read_text("utf-8"))
    pool = loaded.spec.pools[_POOL]
    day = scene.day(pool)
    handled = HandledPolicy(pool=pool, document=loaded.runtime_documents[_POOL], log=log, history=history)
    return day, simulate(day, handled, partial(progress, handled.name))


def smallest_fixed_pool(day: Day, ours: Run, progress: Progress) -> Run:
    """Find the smallest fixed pool whose hit rate is at least ours, up to max: hindsight, which favours it."""
    wanted = ours.hit_rate or 0.0
    best: Run | None = None
    for placeholders in range(1, day.pool.max + 1):
        policy = FixedPool(pool=day.pool, placeholders=placeholders)
        run = simulate(day, policy, partial(progress, policy.name))
        if (run.hit_rate or 0.0) >= wanted:
            return run
        if best is None or (run.hit_rate or 0.0) > (best.hit_rate or 0.0):
            best = run
    if best is None:
        raise ConfigInvalid("pools", f"got max {day.pool.max}; a fixed pool needs at least 1")
    return best


def _story(scene: Scene, day: Day, runs: Sequence[Run]) -> Story:
    return Story(
        title=f"{len(runs[0].launches)} launches on {scene.start:%A, %d %B %Y}",
        assumptions={**scene.assumptions(day), **_rules(day.pool, runs)},
    )


def _rules(pool: PoolSpec, runs: Sequence[Run]) -> dict[str, str]:
    ours, autoscaler, fixed = runs
    return {
        ours.policy: f"{ours.about}. min {pool.min}, max {pool.max} (demo.yaml says why).",
        autoscaler.policy: f"{autoscaler.about}.",
        fixed.policy: f"{fixed.about}. The size is the smallest whose hit rate on this very day is at least "
        f"{ours.policy}'s, or else the one with the best hit rate: known only afterwards, which favours it.",
    }
