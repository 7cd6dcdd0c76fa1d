"""The stack of one cluster: what is connected to what, and who may do what."""

from pathlib import Path

from aws_cdk import Annotations, ArnFormat, CfnOutput, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda_event_sources as event_sources
from constructs import Construct

from infra.config import Deployment
from infra.constructs.alarms import Alarms, Watched
from infra.constructs.audit_subscription import AuditSource, AuditSubscription
from infra.constructs.cluster_access import ClusterAccess
from infra.constructs.dashboard import Dashboard, Shown
from infra.constructs.events import EventRules
from infra.constructs.function import ControllerFunction, FunctionShape
from infra.constructs.layers import Layers
from infra.constructs.ledger import LedgerTable
from infra.constructs.network import FunctionNetwork
from infra.constructs.parameters import SpecParameters
from infra.constructs.queue import FUNCTION_TIMEOUT, ReconcileQueue
from infra.constructs.schedule import Tick
from infra.constructs.window_edges import WindowEdges
from warmpool.settings import IngestSettings, Settings
from warmpool.views.model import Resource


class WarmpoolStack(Stack):
    """One cluster with all its pools: the blast radius of a mistake."""

    def __init__(self, scope: Construct, construct_id: str, *, deployment: Deployment, root: Path) -> None:
        super().__init__(
            scope,
            construct_id,
            stack_name=deployment.stack_name,
            description=f"Warm pools of EKS cluster {deployment.eks_cluster} (spaces-warmpool)",
        )
        self._deployment = deployment
        self.layers = Layers(self, "Layers", root=root)
        self.ledger = LedgerTable(self, "Ledger")
        self.work = ReconcileQueue(self, "Reconcile", stack_name=deployment.stack_name)
        self.tick = Tick(self, "Tick", queue=self.work.queue)
        self.settings = self._settings()
        self.parameters = SpecParameters(
            self, "Specs", prefix=self.settings.parameter_prefix, documents=deployment.runtime_documents
        )
        self.events = self._events()
        self.edges = WindowEdges(self, "WindowEdges", pools=deployment.spec.pools.values(), tick=self.tick)
        self.reconciler = self._reconciler(root)
        self.access = ClusterAccess(
            self, "ClusterAccess", eks_cluster=deployment.eks_cluster, role=self.reconciler.role
        )
        self.audit = self._audit(root) if deployment.audit_events else None
        self.alarms = self._alarms()
        self.dashboard = self._dashboard()
        self._outputs()
        self._warnings()

    @property
    def functions(self) -> list[ControllerFunction]:
        """Every function of the stack."""
        return [self.reconciler, *([self.audit.ingest] if self.audit else [])]

    def _settings(self) -> Settings:
        return Settings(
            stack=self._deployment.stack_name,
            region=self.region,
            table=self.ledger.table.table_name,
            dead_letter_queue_url=self.work.dead_letters.queue_url,
            hyperpod_cluster=self._deployment.spec.cluster.hyperpod,
            eks_cluster=self._deployment.eks_cluster,
        )

    def _events(self) -> EventRules:
        rules = EventRules(
            self,
            "Events",
            queue=self.work.queue,
            undelivered=self.tick.dead_letters,
            prefix=self.settings.parameter_prefix,
        )
        if self.settings.hyperpod_cluster is not None:
            rules.watch_hyperpod(self.settings.hyperpod_cluster)
        rules.admit()
        return rules

    def _audit(self, root: Path) -> AuditSubscription:
        pools = self._deployment.spec.pools.values()
        settings = IngestSettings(
            stack=self._deployment.stack_name,
            region=self.region,
            queue_url=self.work.queue.queue_url,
            controller_role=self.reconciler.role.role_name,
            placeholders=frozenset((pool.namespace, pool.deployment) for pool in pools),
        )
        return AuditSubscription(
            self,
            "Audit",
            AuditSource(
                eks_cluster=self._deployment.eks_cluster,
                queue=self.work.queue,
                settings=settings,
                layers=self.layers,
                root=root,
            ),
        )

    def _reconciler(self, root: Path) -> ControllerFunction:
        network = self._deployment.network
        reconciler = ControllerFunction(
            self,
            "Reconciler",
            FunctionShape(
                folder=root / "functions/reconcile",
                description="One pass over all pools: observe, decide, apply, record",
                timeout=FUNCTION_TIMEOUT,
                layers=self.layers.versions,
                environment=self.settings.environment(),
                network=FunctionNetwork(self, "Network", network=network) if network else None,
            ),
        )
        reconciler.function.add_event_source(event_sources.SqsEventSource(self.work.queue, batch_size=10))
        self._grant(reconciler)
        return reconciler

    def _grant(self, reconciler: ControllerFunction) -> None:
        """Exactly what the adapters call; the queue's own statement comes with the event source."""
        parameters = self._arn("ssm", "parameter", self.settings.parameter_prefix.removeprefix("/"))
        reconciler.allow("DeadLetters", ["sqs:SendMessage"], [self.work.dead_letters.queue_arn])
        reconciler.allow(
            "Ledger",
            ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
            [self.ledger.table.table_arn],
        )
        # SSM checks a read by path against the path itself, and what lies below it.
        reconciler.allow("Parameters", ["ssm:GetParametersByPath"], [parameters, f"{parameters}/*"])
        reconciler.allow(
            "KubernetesEndpoint", ["eks:DescribeCluster"], [self._arn("eks", "cluster", self._deployment.eks_cluster)]
        )
        if self._deployment.spec.cluster.hyperpod:
            reconciler.allow("HyperPodCluster", ["sagemaker:DescribeCluster"], [self._arn("sagemaker", "cluster", "*")])

    def _alarms(self) -> Alarms:
        return Alarms(
            self,
            "Alarms",
            Watched(
                stack_name=self._deployment.stack_name,
                pools=list(self._deployment.spec.pools.values()),
                function=self.reconciler.function,
                timeout=FUNCTION_TIMEOUT,
                queue=self.work.queue,
                dead_letters=self.work.dead_letters,
                undelivered_ticks=self.tick.dead_letters,
                runbook=self._deployment.runbook,
                email=self._deployment.alarm_email,
                audit_function=self.audit.ingest.function if self.audit else None,
            ),
        )

    def _dashboard(self) -> Dashboard:
        pools = self._deployment.spec.pools
        alarms = [each for each in self.alarms.node.find_all() if isinstance(each, cloudwatch.AlarmBase)]
        return Dashboard(
            self,
            "View",
            Shown(
                stack_name=self._deployment.stack_name,
                pools=list(pools),
                priced=[name for name, pool in pools.items() if pool.node_hourly_price],
                resources={
                    Resource.FUNCTION: self.reconciler.function.function_name,
                    Resource.QUEUE: self.work.queue.queue_name,
                    Resource.DEAD_LETTERS: self.work.dead_letters.queue_name,
                    Resource.UNDELIVERED: self.tick.dead_letters.queue_name,
                },
                log_group=self.reconciler.log_group.log_group_name,
                runbook=self._deployment.runbook,
                # Composite alarms first: they are what a manager asks about.
                alarms=sorted(alarms, key=lambda each: not isinstance(each, cloudwatch.CompositeAlarm)),
            ),
        )

    def _arn(self, service: str, resource: str, name: str) -> str:
        return self.format_arn(
            service=service, resource=resource, resource_name=name, arn_format=ArnFormat.SLASH_RESOURCE_NAME
        )

    def _warnings(self) -> None:
        for lint in self._deployment.lints:
            Annotations.of(self).add_warning_v2(f"warmpool:{lint.code}", f"{lint.path}: {lint.text}")
        if self.edges.left_out:
            Annotations.of(self).add_warning_v2(
                "warmpool:WindowEdgesLeftOut",
                f"{len(self.edges.left_out)} edges of windows have no schedule of their own, since a template holds"
                " only so many: the tick sees them within a minute",
            )

    def _outputs(self) -> None:
        """Name what the runbook's commands ask for."""
        for name, value in {
            "LogGroup": self.reconciler.log_group.log_group_name,
            "Function": self.reconciler.function.function_name,
            "RoleArn": self.reconciler.role.role_arn,
            "LedgerTable": self.ledger.table.table_name,
            "QueueUrl": self.work.queue.queue_url,
            "DeadLetterQueueUrl": self.work.dead_letters.queue_url,
            "UndeliveredTicksQueueUrl": self.tick.dead_letters.queue_url,
            "AlarmTopicArn": self.alarms.topic.topic_arn,
            "ChatTopicArn": self.alarms.events.topic.topic_arn,
            "ParameterPrefix": self.settings.parameter_prefix,
            **({"AuditLogGroup": self.audit.ingest.log_group.log_group_name} if self.audit else {}),
        }.items():
            CfnOutput(self, f"{name}Output", value=value).override_logical_id(name)
