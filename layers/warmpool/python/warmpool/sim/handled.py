"""The real Lambda handler in a simulated run: ticks through the queue, HTTPS to the embedded cluster, moto for AWS."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import IO, Any, TextIO

from warmpool.adapters.aws.clients import AwsClients, Session
from warmpool.adapters.aws.ledger_history import LedgerHistory
from warmpool.adapters.history_file import write_history
from warmpool.adapters.kept_decision import Span
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.app.errors import WarmpoolError
from warmpool.app.ports import PassReport, Telemetry
from warmpool.core.spec import PoolSpec
from warmpool.sim.aws.cloud import EmbeddedCloud
from warmpool.sim.aws.embedded import EmbeddedAws
from warmpool.sim.cluster import EmbeddedCluster
from warmpool.sim.policies import OUR_TICK, ClusterClock, ReasonsKept, Tick
from warmpool.sim.stage import install_ours
from warmpool.telemetry import PowertoolsTelemetry
from warmpool.wiring import build


class HandlerMissing(WarmpoolError):
    """The Lambda functions are not installed."""


class HandlerFailed(WarmpoolError):
    """An invocation raised."""


@dataclass(slots=True)
class _Both:
    """Tells two Telemetries."""

    first: Telemetry
    second: Telemetry

    def publish(self, report: PassReport) -> None:
        """Tell both of a pass."""
        self.first.publish(report)
        self.second.publish(report)

    def warn(self, text: str, **fields: object) -> None:
        """Warn both."""
        self.first.warn(text, **fields)
        self.second.warn(text, **fields)


def reconcile_handler() -> Callable[..., Any]:
    """Import functions/reconcile, which belongs to the repository and not to this package. Raises HandlerMissing."""
    try:
        handler: Callable[..., Any] = import_module("functions.reconcile.handler").handler
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("functions"):
            raise
        text = "functions/reconcile is not installed: run this from a checkout of the repository, after `make install`"
        raise HandlerMissing(text) from error
    return handler


@dataclass(frozen=True, slots=True, kw_only=True)
class HandledPolicy:
    """Our Lambda handler, unchanged; its log and EMF metrics go to `log`, and at the end its ledger to `history`."""

    pool: PoolSpec
    document: str
    """The pool's runtime copy of the spec, as CDK writes it to the parameter store."""
    log: TextIO
    history: IO[bytes] | None = None
    every: timedelta = OUR_TICK
    name: str = "warmpool"
    about: str = (
        "the Lambda handler of spaces-warmpool: a tick a minute through the SQS queue, passes over HTTPS against the "
        "cluster's API, ledger and spec in DynamoDB and SSM (moto)"
    )

    @contextmanager
    def on(self, cluster: EmbeddedCluster) -> Iterator[Tick]:
        """Install it in an empty cluster. Raises HandlerMissing; a tick raises HandlerFailed, PassFailed."""
        handler = reconcile_handler()
        install_ours(cluster, self.pool, replicas=0)
        with EmbeddedCloud(cluster, namespaces=(self.pool.namespace,)) as cloud:
            cloud.aws.put_spec(self.pool.name, self.document)
            kept = ReasonsKept()
            clock = ClusterClock(cluster=cluster)
            told = _Both(PowertoolsTelemetry(stack=cloud.aws.names.stack, stream=self.log, clock=clock), kept)
            app = build(cloud.aws.settings(), clock=clock, telemetry=told)
            pump = cloud.pump(partial(handler, app=app))

            def tick() -> str:
                invocation = pump.tick(cluster.now)
                if invocation is not None and invocation.error is not None:
                    raise HandlerFailed(
                        f"the handler raised at {cluster.now}: {invocation.error!r}"
                    ) from invocation.error
                return kept.told()

            yield tick
            if self.history is not None:
                _write_ledger(cloud.aws, self.pool.name, self.history)


def _write_ledger(aws: EmbeddedAws, pool: str, out: IO[bytes]) -> None:
    clients = AwsClients(Session(), region=aws.names.region)
    write_history(LedgerHistory(clients, table=aws.names.table, budget=UnlimitedBudget()), (pool,), Span(), out)
