"""Connects a live status to AWS and to the cluster, with the operator's own identity."""

from functools import partial

from warmpool.adapters.aws.cluster_lookup import ClusterApis, ClusterLookup, HyperPodProvider
from warmpool.adapters.aws.eks_token import BotoKeys, TokenProvider
from warmpool.adapters.aws.ledger_records import LedgerRecords
from warmpool.adapters.aws.stack_outputs import LEDGER_TABLE, outputs
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.app.errors import ConfigUnreadable, LedgerUnavailable, NotPermitted
from warmpool.app.live_status import LivePorts, LiveStatus, Records, StackLive
from warmpool.app.ports import Budget, Cluster, LedgerState, Provider
from warmpool.cli.live import LiveStack, OnStderr
from warmpool.core.decision import Decision
from warmpool.core.spec import Spec


def look(there: LiveStack, table: str | None) -> StackLive:
    """Look at a running stack. Raises CliError, ConfigUnreadable or NotPermitted where no pool is known at all."""
    ports = LivePorts(
        configuration=there.configuration,
        records=_records(there, table),
        writers=there.parameters,
        cluster_of=partial(_cluster_of, there),
        reader=Reader(),
        clock=there.clock,
    )
    seen = LiveStatus(ports).look(there.budget)
    if not seen.pools:
        raise there.unknown()
    return seen


def _records(there: LiveStack, table: str | None) -> Records:
    try:
        name = table or outputs(there.clients, there.name, there.budget).get(LEDGER_TABLE)
    except (ConfigUnreadable, NotPermitted) as error:
        return _NoRecords(f"its table is unknown, give --table: {error}")
    if name is None:
        return _NoRecords(f"its table is unknown, give --table: stack {there.name} has no output {LEDGER_TABLE}")
    return LedgerRecords(there.clients, table=name, telemetry=OnStderr())


class _NoRecords:
    """The ledger of a stack whose table nobody knows."""

    def __init__(self, why: str) -> None:
        self._why = why

    def read(self, budget: Budget) -> LedgerState:
        """Raise LedgerUnavailable."""
        del budget
        raise LedgerUnavailable(self._why)

    def latest(self, pool: str, budget: Budget) -> Decision | None:
        """Raise LedgerUnavailable."""
        del pool, budget
        raise LedgerUnavailable(self._why)


def _cluster_of(there: LiveStack, spec: Spec) -> tuple[Cluster, Provider]:
    apis = ClusterApis(
        eks=lambda budget: there.clients.client("eks", budget),
        sagemaker=lambda budget: there.clients.client("sagemaker", budget),
    )
    lookup = ClusterLookup(cluster=spec.cluster, apis=apis, clock=there.clock)
    token = TokenProvider(
        cluster_name=lookup.eks_name, region=there.region, keys=BotoKeys(there.session), clock=there.clock
    )
    return KubernetesCluster(KubernetesClient(lookup, token)), HyperPodProvider(apis=apis, clock=there.clock)
