"""The reconcile function's whole world: queue, AWS, and a cluster behind HTTPS, all embedded."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from functions.reconcile.handler import handler
from warmpool.adapters.memory import FixedClock, RecordingTelemetry
from warmpool.sim.api.access import controller_rules
from warmpool.sim.api.door import Door
from warmpool.sim.api.server import ApiServer
from warmpool.sim.aws.embedded import AwsNames, EmbeddedAws
from warmpool.sim.aws.identity import AwsIdentity
from warmpool.sim.aws.pump import Invocation, QueuePump
from warmpool.sim.aws.session import quick_session
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, amounts
from warmpool.wiring import App, build

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NAMES = AwsNames()


def spec(pool: str = "spaces", **changes: Any) -> str:
    """Return a pool's runtime document: two nodes' worth of room."""
    keys: dict[str, Any] = {
        "namespace": "op",
        "deployment": f"ph-{pool}",
        "nodeSelector": {"pool": pool},
        "shape": {"cpu": "4", "memory": "16Gi"},
        "placeholder": {"cpu": "45", "memory": "178Gi"},
        "min": 2,
        "max": 8,
        **changes,
    }
    return json.dumps({"version": 1, "cluster": {"hyperpod": NAMES.hyperpod_cluster}, "pools": {pool: keys}})


@dataclass
class ReconcileWorld:
    """What a test holds in its hands."""

    clock: FixedClock
    cluster: EmbeddedCluster
    door: Door
    aws: EmbeddedAws
    telemetry: RecordingTelemetry
    pump: QueuePump
    app: App

    def tick(self) -> Invocation:
        """Let a minute pass, then let the schedule send its tick and the handler have it."""
        self.wait(MINUTE)
        invocation = self.pump.tick(self.clock.time)
        assert invocation is not None
        return invocation

    def wait(self, by: timedelta) -> None:
        """Let time pass."""
        self.clock.advance(by)
        self.cluster.advance(self.clock.time)

    def add_pool(self, pool: str = "spaces", document: str | None = None) -> None:
        """Deploy a pool's spec and its placeholder Deployment with none."""
        self.aws.put_spec(pool, spec(pool) if document is None else document)
        self.cluster.create_placeholders(
            "op",
            f"ph-{pool}",
            replicas=0,
            requests=amounts(cpu="45", memory="178Gi"),
            node_selector={"pool": pool},
            labels={"app": f"ph-{pool}"},
        )

    def replicas(self, pool: str = "spaces") -> int | None:
        """Return the pool's placeholders as the cluster has them."""
        return self.cluster.get_scale("op", f"ph-{pool}")


@contextmanager
def reconcile_world() -> Iterator[ReconcileWorld]:
    """Start it all; needs loopback sockets."""
    clock, identity, telemetry = FixedClock(START), AwsIdentity(), RecordingTelemetry()
    cluster = EmbeddedCluster(ClusterSettings(), START)
    check = identity.token_check(cluster=NAMES.eks_cluster, region=NAMES.region, now=clock.now)
    door = Door(cluster, check, controller_rules(["op"]))
    with ApiServer(door) as server, EmbeddedAws(NAMES, now=clock.now, endpoint=server, identity=identity) as aws:
        session = quick_session()
        app = build(aws.settings(), clock=clock, session=session, telemetry=telemetry)
        yield ReconcileWorld(
            clock=clock,
            cluster=cluster,
            door=door,
            aws=aws,
            telemetry=telemetry,
            pump=QueuePump(aws, partial(handler, app=app)),
            app=app,
        )
