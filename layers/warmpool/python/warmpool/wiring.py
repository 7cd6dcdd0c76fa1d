"""The composition root: settings become use cases with real adapters, once per cold start."""

from dataclasses import dataclass
from functools import cache

from warmpool.adapters.aws.clients import AwsClients, Session
from warmpool.adapters.aws.clock import LambdaBudget, RemainingTime, SystemClock, SystemPause
from warmpool.adapters.aws.cluster_lookup import ClusterApis, ClusterLookup, GivenCluster, HyperPodProvider
from warmpool.adapters.aws.configuration import SsmConfiguration
from warmpool.adapters.aws.dead_letters import SqsDeadLetters
from warmpool.adapters.aws.eks_token import BotoKeys, TokenProvider
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.aws.sqs_messages import messages
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.app.nudges import ServeNudges
from warmpool.app.pace import EventPace
from warmpool.app.ports import Clock, PassReport, Pause, Telemetry
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.settings import Settings
from warmpool.telemetry import PowertoolsTelemetry

__all__ = ["App", "RemainingTime", "application", "build"]


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The use cases of one stack, as its functions call them."""

    settings: Settings
    nudges: ServeNudges

    def serve(self, event: object, context: RemainingTime) -> PassReport | None:
        """Serve one batch of the queue within the invocation's time; None where no pass was needed.

        Never raises: see ServeNudges.
        """
        budget = LambdaBudget(context, margin_seconds=self.settings.margin_seconds)
        return self.nudges.serve(messages(event), budget)


@cache
def application() -> App:
    """Return this process' app, built from its environment when it is first needed.

    Raises ConfigInvalid where a variable is missing or wrong.
    """
    return build(Settings.from_env())


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    session: Session | None = None,
    telemetry: Telemetry | None = None,
    pause: Pause | None = None,
) -> App:
    """Connect use cases and adapters; no client is made and nothing is sent before the first message.

    The embedded run gives its own clock, telemetry and, where it sends storms, its own way to wait; credentials come
    from `session`, which looks for them when the first request is signed.
    """
    clock = clock or SystemClock()
    session = session or Session()
    telemetry = telemetry or PowertoolsTelemetry(stack=settings.stack, clock=clock)
    clients = AwsClients(session, region=settings.region)
    apis = ClusterApis(
        eks=lambda budget: clients.client("eks", budget),
        sagemaker=lambda budget: clients.client("sagemaker", budget),
    )
    ports = Ports(
        cluster=_cluster(settings, apis, clock=clock, session=session),
        configuration=SsmConfiguration(clients, prefix=settings.parameter_prefix, telemetry=telemetry),
        ledger=DynamoDbLedger(clients, table=settings.table, telemetry=telemetry),
        provider=HyperPodProvider(apis=apis, clock=clock),
        reader=Reader(),
        telemetry=telemetry,
        clock=clock,
    )
    dead_letters = SqsDeadLetters(clients, queue_url=settings.dead_letter_queue_url, telemetry=telemetry)
    pace = EventPace(clock, pause or SystemPause())
    return App(settings=settings, nudges=ServeNudges(Reconcile(ports, settings.cluster), dead_letters, telemetry, pace))


def _cluster(settings: Settings, apis: ClusterApis, *, clock: Clock, session: Session) -> KubernetesCluster:
    lookup = ClusterLookup(
        cluster=settings.cluster,
        apis=apis,
        clock=clock,
        given=GivenCluster(
            eks_name=settings.eks_cluster,
            url=settings.endpoint,
            certificate_authority=settings.certificate_authority,
        ),
    )
    token = TokenProvider(cluster_name=lookup.eks_name, region=settings.region, keys=BotoKeys(session), clock=clock)
    return KubernetesCluster(KubernetesClient(lookup, token))
