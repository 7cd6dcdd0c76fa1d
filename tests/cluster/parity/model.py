"""The embedded model as a world of stories, with the delays of the real one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.cluster.lab import IMAGE, PASS_SECONDS, pool_document
from tests.cluster.parity.story import Facts, Launch, Story, counted_in
from tests.cluster.views import node_view, pod_view
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.kubernetes.placeholder import requests
from warmpool.adapters.memory import (
    FixedBudget,
    FixedClock,
    FixedProvider,
    MemoryConfiguration,
    MemoryLedger,
    RecordingTelemetry,
)
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.core.decision import Decision
from warmpool.core.model import WARM_LABEL
from warmpool.core.spec import ClusterRef, PoolSpec
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, PortDoor, amounts

START: Final = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
SECOND: Final = timedelta(seconds=1)
POOL: Final = "spaces"
NAMESPACE: Final = "op"
SELECTED: Final = {"app": "ph"}
_WORKSPACE: Final = "workspace.jupyter.org/workspace-name"

SETTINGS: Final = ClusterSettings(
    node_labels={"pool": POOL},
    allocatable=amounts(cpu="47900m", memory="196598Mi", pods="110"),
    consolidate_after=timedelta(seconds=3),
    max_disrupted="100%",
    launch_time=timedelta(0),
    initialisation_delay=timedelta(0),
    image_pull_time=timedelta(seconds=3),
    launch_image=IMAGE,
    pod_start_time=timedelta(seconds=0.5),
    placeholder_start_time=timedelta(seconds=0.5),
    preempted_start_extra=timedelta(0),
    batch_max=timedelta(seconds=5),
)
"""kwok's instances start at once and its nodes are Ready at once; a pod with its images waits for two loops of ours."""


class ModelWorld:
    """The embedded cluster in virtual time, with a pass a second."""

    def __init__(self, story: Story) -> None:
        """Create the Deployment as `warmpool manifests` does: it begins with one placeholder."""
        self._spec = dict(story.pool)
        self._clock = FixedClock(START)
        delay = timedelta(seconds=story.registration_seconds)
        self._cluster = EmbeddedCluster(replace(SETTINGS, registration_delay=delay), START)
        self._configuration = MemoryConfiguration()
        self.change()
        self._cluster.create_placeholders(
            NAMESPACE,
            "ph",
            replicas=1,
            requests=requests(self._pool()),
            images=(IMAGE,),
            node_selector={"pool": POOL},
            labels={**SELECTED, WARM_LABEL: "false"},
            max_surge=0,
            max_unavailable=1,
        )
        self._cluster.add_disruption_budget(NAMESPACE, "ph", {**SELECTED, WARM_LABEL: "false"})
        self._ledger = MemoryLedger()
        ports = Ports(
            cluster=PortDoor(self._cluster),
            configuration=self._configuration,
            ledger=self._ledger,
            provider=FixedProvider(),
            reader=Reader(),
            telemetry=RecordingTelemetry(),
            clock=self._clock,
        )
        self._reconcile = Reconcile(ports, ClusterRef(eks="ml-research"))

    def seconds(self) -> float:
        """Return how much virtual time has gone by."""
        return (self._clock.now() - START).total_seconds()

    def a_pass(self) -> Decision:
        """Run a pass, then let a second go by."""
        report = self._reconcile.run(FixedBudget(PASS_SECONDS))
        assert report is not None
        (decision,) = report.decisions
        self.a_moment()
        return decision

    def a_moment(self) -> None:
        """Let a second go by without a pass."""
        self._cluster.advance(self._clock.advance(SECOND))

    def facts(self) -> Facts:
        """Look around."""
        pods = [each for each in self._cluster.objects("pods") if "deletionTimestamp" not in each["metadata"]]
        nodes = [each for each in self._cluster.objects("nodes") if "deletionTimestamp" not in each["metadata"]]
        launched = [each for each in pods if _WORKSPACE in each["metadata"]["labels"]]
        return Facts(
            replicas=self._cluster.get_scale(NAMESPACE, "ph") or 0,
            nodes=frozenset(node_view(each).name for each in nodes),
            placeholders=[pod_view(each) for each in pods if each["metadata"]["namespace"] == NAMESPACE],
            workspaces={each["metadata"]["labels"][_WORKSPACE]: pod_view(each) for each in launched},
        )

    def launch(self, name: str, how: Launch) -> None:
        """Create a Workspace."""
        self._cluster.launch(name, requests=amounts(cpu=how.cpu, memory=how.memory, pods="1"), image=IMAGE)

    def close(self, names: Sequence[str]) -> None:
        """Delete Workspaces."""
        for name in names:
            self._cluster.end(name)

    def change(self, **spec: Any) -> None:
        """Change keys of the spec."""
        self._spec |= spec
        self._configuration.specs[POOL] = pool_document(POOL, NAMESPACE, self._spec)

    def override(self, document: Mapping[str, Any]) -> None:
        """Set the override."""
        self._configuration.overrides[POOL] = json.dumps(document) if document else None

    def cordon(self, node: str) -> None:
        """Cordon a node."""
        self._cluster.cordon(node)

    def scale_by_hand(self, replicas: int) -> None:
        """Do what `kubectl scale` does."""
        self._cluster.patch_scale(NAMESPACE, "ph", replicas, "kubectl", self._clock.now())

    def counted(self) -> Mapping[str, str]:
        """Return what the passes counted."""
        return counted_in(self._ledger)

    def _pool(self) -> PoolSpec:
        return Reader().spec(str(self._configuration.specs[POOL]), POOL).pools[POOL]
