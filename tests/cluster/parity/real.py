"""The real cluster as a world of stories."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.lab import Lab
from tests.cluster.parity.story import Facts, Launch, counted_in
from warmpool.core.decision import Decision

SECOND = 1.0


@dataclass(frozen=True, slots=True)
class RealWorld:
    """A lab, with a pass a second."""

    lab: Lab

    def seconds(self) -> float:
        """Return how much time has gone by since whenever."""
        return time.monotonic()

    def a_pass(self) -> Decision:
        """Run a pass, then let a second go by."""
        decision = self.lab.tick()
        time.sleep(SECOND)
        return decision

    def a_moment(self) -> None:
        """Let a second go by without a pass."""
        time.sleep(SECOND)

    def facts(self) -> Facts:
        """Look around."""
        return Facts(
            replicas=self.lab.replicas(),
            nodes=frozenset(each.name for each in self.lab.nodes()),
            placeholders=self.lab.placeholders(),
            workspaces=self.lab.workspace_pods(),
        )

    def launch(self, name: str, how: Launch) -> None:
        """Create a Workspace."""
        self.lab.launch(name, cpu=how.cpu, memory=how.memory)

    def close(self, names: Sequence[str]) -> None:
        """Delete Workspaces and wait for their pods to go, as virtual time has it at once."""
        self.lab.close(*names)
        self.lab.wait(f"{', '.join(names)} have gone", lambda: self.lab.workspace_pods().keys().isdisjoint(names))

    def change(self, **spec: Any) -> None:
        """Change keys of the spec."""
        self.lab.change(**spec)

    def override(self, document: Mapping[str, Any]) -> None:
        """Set the override."""
        self.lab.override(document or None)

    def cordon(self, node: str) -> None:
        """Cordon a node."""
        target = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
        self.lab.plane.api.merge(target, {"spec": {"unschedulable": True}})

    def scale_by_hand(self, replicas: int) -> None:
        """Do what `kubectl scale` does."""
        self.lab.scale_by_hand(replicas)

    def counted(self) -> Mapping[str, str]:
        """Return what the passes counted."""
        return counted_in(self.lab.ledger)
