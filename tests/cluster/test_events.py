"""From a real audit record to a real patch, without a tick: filter, ingest function, nudge, pass."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from functions.ingest_audit.handler import handler
from infra.audit_filter import filter_pattern
from tests.app.ingest_builders import Ingesting, MemoryNudges
from tests.cluster.access import client_of
from tests.cluster.conftest import NewLab
from tests.cluster.lab import PATIENCE_SECONDS, Lab
from tests.cluster.settings import CONTROLLER
from tests.events.audit_log import subscribed
from tests.events.cloudwatch_filter import compile_pattern
from warmpool.adapters.aws.clock import SystemClock, SystemPause
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.adapters.memory import FixedBudget, FixedProvider, MemoryDeadLetters
from warmpool.app.ingest import IngestAudit, Ours
from warmpool.app.nudges import Message, ServeNudges
from warmpool.app.pace import EventPace
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.spec import ClusterRef
from warmpool.ingest_wiring import IngestApp
from warmpool.settings import IngestSettings

POLL_SECONDS = 0.25


class Context:
    """A few seconds, as Lambda gives them."""

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


class Reacting:
    """Follows the API server's audit log from now on, and lets nothing but its records bring a pass about."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._log = lab.plane.audit_log
        self._read = self._log.stat().st_size
        self._rest = b""
        self._condition = compile_pattern(filter_pattern([lab.namespace]))
        self.nudges = MemoryNudges()
        placeholders = frozenset({(lab.namespace, "ph")})
        self._app = IngestApp(
            settings=IngestSettings(
                stack="lab", region="x", queue_url="x", controller_role=CONTROLLER.role, placeholders=placeholders
            ),
            use_case=IngestAudit(
                self.nudges, Ingesting().telemetry, Ours(role=CONTROLLER.role, placeholders=placeholders)
            ),
        )
        ports = Ports(
            cluster=KubernetesCluster(client_of(lab.plane)),
            configuration=lab.configuration,
            ledger=lab.ledger,
            provider=FixedProvider(),
            reader=Reader(),
            telemetry=lab.telemetry,
            clock=SystemClock(),
        )
        self.letters = MemoryDeadLetters()
        pace = EventPace(ports.clock, SystemPause())
        self._serve = ServeNudges(Reconcile(ports, ClusterRef(eks="ml-research")), self.letters, lab.telemetry, pace)

    def until(self, holds: Callable[[], bool]) -> None:
        """Follow the log until something holds; fails with what is there instead."""
        ends = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert time.monotonic() < ends, f"{self.nudges.bodies}\n{self._lab.describe(None)}"
            self._step()
            time.sleep(POLL_SECONDS)

    def _step(self) -> None:
        told = len(self.nudges.bodies)
        for delivery in subscribed(self._records(), self._condition):
            handler(delivery, Context(), self._app)
        messages = [Message(body=each, sent=SystemClock().now()) for each in self.nudges.bodies[told:]]
        if messages:
            self._serve.serve(messages, FixedBudget(20.0))

    def _records(self) -> Iterator[dict[str, Any]]:
        with self._log.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        self._read += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        yield from map(json.loads, lines)


def test_a_real_workspaces_record_leads_to_a_real_patch(lab: Lab) -> None:
    lab.warm(2)
    reacting = Reacting(lab)
    # Fills a node beside its small placeholder, so that one warm node is gone.
    lab.launch("space-1", cpu="44", memory="170Gi")

    reacting.until(lambda: lab.replicas() == 3)
    assert "create workspaces" in json.loads(reacting.nudges.bodies[0])["changes"]
    assert reacting.letters.sent == []


def test_a_real_preemptions_record_leads_to_a_real_patch(new_lab: NewLab) -> None:
    whole = {"cpu": "44", "memory": "170Gi"}
    counts = {"linear": {"nodesPerReplica": 0.5}}
    lab = new_lab(spec={"placeholder": whole, "min": 1, "proportional": counts})
    lab.warm(1)
    reacting = Reacting(lab)
    lab.launch("space-1", cpu="46", memory="180Gi")

    def changes() -> list[str]:
        return [json.loads(each)["changes"] for each in reacting.nudges.bodies]

    # The record of the launch's own pod may come first, and bring the patch about.
    reacting.until(lambda: lab.replicas() == 2 and any("delete pods" in each for each in changes()))
    assert any("delete pods" in each for each in changes())
