"""The committed week of launches under our passes, with the metrics that they write: what a normal week looks like."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from warmpool.adapters.config.reader import Reader
from warmpool.adapters.memory import FixedProvider, MemoryConfiguration, MemoryLedger, UnlimitedBudget
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.spec import ClusterRef, PoolSpec
from warmpool.sim.cluster import EmbeddedCluster, PortDoor
from warmpool.sim.days import committed_week, midnight
from warmpool.sim.policies import OUR_TICK, ClusterClock, Tick
from warmpool.sim.scenes import Scene
from warmpool.sim.simulate import simulate
from warmpool.sim.stage import install_ours
from warmpool.telemetry import PowertoolsTelemetry


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Our passes, straight at the model, with their metrics in `log`."""

    pool: PoolSpec
    document: str
    stack: str
    log: io.StringIO
    every: timedelta = OUR_TICK
    name: str = "warmpool"
    about: str = "a pass of spaces-warmpool every minute"

    @contextmanager
    def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
        install_ours(cluster, self.pool, replicas=0)
        clock = ClusterClock(cluster=cluster)
        ports = Ports(
            cluster=PortDoor(cluster),
            configuration=MemoryConfiguration(specs={self.pool.name: self.document}),
            ledger=MemoryLedger(),
            provider=FixedProvider(),
            reader=Reader(),
            telemetry=PowertoolsTelemetry(stack=self.stack, stream=self.log, clock=clock),
            clock=clock,
        )
        reconcile = Reconcile(ports, ClusterRef(eks="embedded"))

        def tick() -> str:
            reconcile.run(UnlimitedBudget())
            return ""

        yield tick


def week_of(pool: PoolSpec, document: str, stack: str, *, days: int) -> tuple[Scene, list[str]]:
    """Run the committed week's first days, and return the scene and the log of the passes."""
    trace = committed_week()
    first = midnight(trace.first_day)
    scene = Scene(trace=trace, start=first, end=first + timedelta(days=days), seed=1)
    log = io.StringIO()
    simulate(scene.day(pool), Measured(pool=pool, document=document, stack=stack, log=log))
    return scene, log.getvalue().splitlines()
