"""The EKS audit log, opt-in: a subscription whose pattern drops nearly everything, and the function behind it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_logs as logs
from aws_cdk import aws_logs_destinations as destinations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.audit_filter import filter_pattern
from infra.constructs.function import ControllerFunction, FunctionShape
from infra.constructs.layers import Layers
from warmpool.settings import IngestSettings

_TIMEOUT: Final = Duration.seconds(15)
_RETRIES: Final = 1
_MAX_AGE: Final = Duration.seconds(60)
"""Records that could not be taken for a minute have been overtaken by a tick; Lambda's own default is six hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSource:
    """Where the audit log comes from and goes to."""

    eks_cluster: str
    queue: sqs.IQueue
    settings: IngestSettings
    layers: Layers
    root: Path


class AuditSubscription(Construct):
    """One of the two subscription filters that a log group may have; group and logging are the cluster owner's."""

    def __init__(self, scope: Construct, construct_id: str, source: AuditSource) -> None:
        super().__init__(scope, construct_id)
        self.ingest = ControllerFunction(
            self,
            "Ingest",
            FunctionShape(
                folder=source.root / "functions/ingest_audit",
                description="One nudge for a batch of audit records that could change a pool's room",
                timeout=_TIMEOUT,
                layers=source.layers.versions,
                environment=source.settings.environment(),
            ),
        )
        self.ingest.allow("Nudges", ["sqs:SendMessage"], [source.queue.queue_arn])
        self.ingest.function.configure_async_invoke(retry_attempts=_RETRIES, max_event_age=_MAX_AGE)
        namespaces = {namespace for namespace, _ in source.settings.placeholders}
        logs.SubscriptionFilter(
            self,
            "Filter",
            log_group=logs.LogGroup.from_log_group_name(self, "AuditLog", f"/aws/eks/{source.eks_cluster}/cluster"),
            destination=destinations.LambdaDestination(self.ingest.function),
            filter_pattern=logs.FilterPattern.literal(filter_pattern(namespaces)),
            filter_name=f"{source.settings.stack}-audit",
        )
