"""The composition root of the audit log's function, apart from the pass: it imports no Kubernetes and starts fast."""

from dataclasses import dataclass
from functools import cache

from warmpool.adapters.aws.audit_log import audit_batch
from warmpool.adapters.aws.clients import AwsClients, Session
from warmpool.adapters.aws.clock import LambdaBudget, RemainingTime
from warmpool.adapters.aws.nudge_queue import SqsNudges
from warmpool.app.ingest import IngestAudit, Ours
from warmpool.app.ports import Telemetry
from warmpool.settings import IngestSettings
from warmpool.telemetry import PowertoolsTelemetry

__all__ = ["IngestApp", "RemainingTime", "build", "ingest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestApp:
    """The use case of one stack's ingest function."""

    settings: IngestSettings
    use_case: IngestAudit

    def take(self, event: object, context: RemainingTime) -> int:
        """Take one delivery of CloudWatch Logs and return how many records matter. Raises NudgeNotSent."""
        return self.use_case.take(audit_batch(event), LambdaBudget(context, margin_seconds=1))


@cache
def ingest() -> IngestApp:
    """Return this process' app, built from its environment when it is first needed.

    Raises ConfigInvalid where a variable is missing or wrong.
    """
    return build(IngestSettings.from_env())


def build(settings: IngestSettings, *, session: Session | None = None, telemetry: Telemetry | None = None) -> IngestApp:
    """Connect use case and adapters; no client is made and nothing is sent before the first record that matters."""
    queue = SqsNudges(AwsClients(session or Session(), region=settings.region), queue_url=settings.queue_url)
    ours = Ours(role=settings.controller_role, placeholders=settings.placeholders)
    telemetry = telemetry or PowertoolsTelemetry(stack=settings.stack)
    return IngestApp(settings=settings, use_case=IngestAudit(queue, telemetry, ours))
