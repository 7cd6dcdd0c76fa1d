"""What the rehearsal stands on: moto's server and the embedded EKS cluster with its HTTPS API, both on loopback."""

import logging
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import botocore.session
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.server import ThreadedMotoServer

from tests.rehearsal import absent
from tests.rehearsal.gaps import filled_gaps
from tests.rehearsal.models import AccessEntryResource
from tests.rehearsal.resources import Place
from warmpool.adapters.kubernetes.manifests import manifests
from warmpool.core.model import NODEPOOL_LABEL
from warmpool.core.spec import PoolSpec, Spec
from warmpool.sim.api.access import User, rules_from_manifests
from warmpool.sim.api.door import Door
from warmpool.sim.api.server import ApiServer
from warmpool.sim.api.token_check import Credential, EksTokenCheck
from warmpool.sim.aws.gaps.eks_endpoint import eks_endpoint
from warmpool.sim.aws.gaps.fifo_deduplication import fifo_deduplication
from warmpool.sim.aws.gaps.hyperpod_description import hyperpod_description
from warmpool.sim.aws.gaps.replacing import replaced
from warmpool.sim.aws.identity import ACCOUNT, AwsIdentity
from warmpool.sim.aws.resources import create_eks_cluster, create_hyperpod_cluster
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster
from warmpool.sim.cluster.settings import NodePoolSettings
from warmpool.sim.stage import install_ours

REGION: Final = "eu-central-1"
HYPERPOD_CLUSTER: Final = "ml-research"
EKS_CLUSTER: Final = "ml-research-eks"
AUDIT_LOG: Final = f"/aws/eks/{EKS_CLUSTER}/cluster"
OWNER: Final = AwsIdentity(access_key="ASIAREHEARSALOWNER01")
"""Who bootstraps, deploys and looks; not the functions."""
_CREDENTIAL: Final = re.compile(r"Credential=(?P<key>\w+)/\d+/[\w-]+/(?P<service>[\w-]+)/aws4_request")


@dataclass
class DeployedAccess:
    """The cluster's authenticator: it knows the functions' sessions, and the access entries that were deployed."""

    sessions: dict[str, Credential] = field(default_factory=dict)
    """By access key, as STS knows them."""

    def authenticate(self, token: str) -> User:
        """Return the user. Raises TokenRefused."""
        check = EksTokenCheck(
            cluster=EKS_CLUSTER,
            region=REGION,
            now=lambda: datetime.now(UTC),
            credentials=self.sessions,
            entries=list(AccessEntryResource.PRESENT.values()),
        )
        return check.authenticate(token)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """AWS at `url`, and the cluster behind `door`."""

    url: str
    cluster: EmbeddedCluster
    door: Door
    access: DeployedAccess
    skipped: Counter[str]
    """Types of resources that moto's CloudFormation did not make."""
    requests: Counter[tuple[str, str]]
    """How many requests came to moto, by access key and service."""
    broken: list[str]
    """What moto failed at: a client would only try again."""

    def client(self, service: str, region: str = REGION) -> Any:
        """Return a client with the owner's keys."""
        session: Any = botocore.session.Session()
        return session.create_client(
            service,
            region_name=region,
            endpoint_url=self.url,
            aws_access_key_id=OWNER.access_key,
            aws_secret_access_key=OWNER.secret_key,
        )

    def environment(self, identity: AwsIdentity = OWNER) -> dict[str, str]:
        """Return the variables by which a process finds this AWS, and who it is there."""
        place = {"AWS_ENDPOINT_URL": self.url, "AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION}
        return {**identity.environment(), **place}

    def stop_motos_own_polling(self) -> None:
        """Take moto's hands off the queues: at each message it would run the function, in Docker."""
        for queue in Place(ACCOUNT, REGION).backend("sqs").queues.values():
            queue.lambda_event_source_mappings.clear()

    def let_time_pass(self) -> None:
        """Bring the cluster to the present."""
        with self.door.lock:
            self.cluster.advance(max(datetime.now(UTC), self.cluster.now))

    def scales(self, pools: Mapping[str, PoolSpec]) -> dict[str, int | None]:
        """Return how many placeholders each pool's Deployment asks for."""
        with self.door.lock:
            return {name: self.cluster.get_scale(pool.namespace, pool.deployment) for name, pool in pools.items()}


@contextmanager
def ground(spec: Spec) -> Iterator[Ground]:
    """Start both, with what a stack finds: clusters, audit log and, at 0, the placeholders of the pools' manifests."""
    absent.fill_in()
    pools = list(spec.pools.values())
    cluster = _cluster(pools)
    access = DeployedAccess()
    door = Door(cluster, access, rules_from_manifests(manifests(pools)))
    with ExitStack() as stack:
        api = stack.enter_context(ApiServer(door))
        stack.enter_context(filled_gaps())
        stack.enter_context(fifo_deduplication())
        stack.enter_context(eks_endpoint({EKS_CLUSTER: api}))
        stack.enter_context(hyperpod_description())
        skipped = stack.enter_context(_skipped_types())
        requests, broken = stack.enter_context(_watched_requests())
        port = stack.enter_context(_moto())
        # With 127.0.0.1 moto does not find the bucket in a template's address.
        made = Ground(
            url=f"http://localhost:{port}",
            cluster=cluster,
            door=door,
            access=access,
            skipped=skipped,
            requests=requests,
            broken=broken,
        )
        eks_arn = create_eks_cluster(made.client("eks"), EKS_CLUSTER)
        create_hyperpod_cluster(made.client("sagemaker"), HYPERPOD_CLUSTER, eks_arn=eks_arn)
        made.client("logs").create_log_group(logGroupName=AUDIT_LOG)
        yield made


def _cluster(pools: Sequence[PoolSpec]) -> EmbeddedCluster:
    first, *others = pools
    more = tuple(NodePoolSettings(nodepool=_nodepool(each), node_labels=each.node_selector) for each in others)
    settings = ClusterSettings(nodepool=_nodepool(first), node_labels=first.node_selector, more_nodepools=more)
    cluster = EmbeddedCluster(settings, datetime.now(UTC))
    for pool in pools:
        install_ours(cluster, pool, replicas=0)
    return cluster


def _nodepool(pool: PoolSpec) -> str:
    return pool.node_selector[NODEPOOL_LABEL]


@contextmanager
def _moto() -> Iterator[int]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield server.get_host_and_port()[1]
    finally:
        server.stop()


@contextmanager
def _skipped_types() -> Iterator[Counter[str]]:
    """Read from moto's log which resources it leaves out, and keep that from the terminal."""
    found: Counter[str] = Counter()

    class Reader(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            if not str(record.msg).startswith("No Moto CloudFormation support for"):
                return True
            found.update(map(str, record.args if isinstance(record.args, tuple) else ()))
            return False

    log, reader = logging.getLogger("moto"), Reader()
    log.addFilter(reader)
    # Said of every resource a second time, in a thread of the server's.
    warnings.filterwarnings("ignore", message="Tried to parse .* not supported by moto", category=UserWarning)
    try:
        yield found
    finally:
        log.removeFilter(reader)


@contextmanager
def _watched_requests() -> Iterator[tuple[Counter[tuple[str, str]], list[str]]]:
    counted: Counter[tuple[str, str]] = Counter()
    broken: list[str] = []

    def serve(application: DomainDispatcherApplication, environ: dict[str, Any], start_response: Any) -> Any:
        match = _CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
        if match is not None:
            counted[match["key"], match["service"]] += 1
        try:
            return original(application, environ, start_response)
        except Exception as error:
            broken.append(f"{match and match['service']}: {type(error).__name__}: {error}")
            raise

    with replaced(DomainDispatcherApplication, "__call__", serve) as original:
        yield counted, broken
