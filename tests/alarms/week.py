"""The committed week of launches under our passes, with the metrics that they write: what a normal week looks like."""

import io
from datetime import timedelta

from warmpool.core.spec import PoolSpec
from warmpool.sim.days import committed_week, midnight
from warmpool.sim.policies import OurPolicy
from warmpool.sim.scenes import Scene
from warmpool.sim.simulate import simulate
from warmpool.telemetry import PowertoolsTelemetry


def week_of(pool: PoolSpec, document: str, stack: str, *, days: int) -> tuple[Scene, list[str]]:
    """Run the committed week's first days, and return the scene and the log of the passes."""
    trace = committed_week()
    first = midnight(trace.first_day)
    scene = Scene(trace=trace, start=first, end=first + timedelta(days=days), seed=1)
    log = io.StringIO()
    metrics = PowertoolsTelemetry(stack=stack, stream=log)
    simulate(scene.day(pool), OurPolicy(pool=pool, document=document, also=metrics))
    return scene, log.getvalue().splitlines()
