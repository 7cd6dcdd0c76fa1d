"""Stories that the embedded model and the real cluster both live through, and what is compared afterwards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from tests.cluster import settings
from tests.cluster.parity.times import Bounds, Times
from tests.cluster.views import PodView
from warmpool.adapters.memory import MemoryLedger
from warmpool.core.decision import Action, Decision
from warmpool.core.reasons import Code

STORIES: Final = Path(__file__).parent / "stories"
QUIET_PASSES: Final = 6
"""So many passes without any change are an end: more than `scaleDown.after` and a mark take."""

UNDER_WAY: Final = frozenset({Code.SURPLUS_WAITS, Code.MARKED_FIRST, Code.NOT_NEXT_TO_GO})
"""Reasons of a pass that will go on later."""

LONGEST_STEP: Final = 150
"""Passes, a second each, before a step counts as never ending."""


class Launch(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Workspaces that start, all `together` or each after the one before is Ready; no pass runs meanwhile."""

    names: list[str]
    cpu: str = "4"
    memory: str = "16Gi"
    together: bool = False


class Step(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One thing that happens, then passes until nothing changes any more (after a launch only if `together`)."""

    launch: Launch | None = None
    close: list[str] = []
    change: dict[str, Any] = {}
    override: dict[str, Any] | None = None
    cordon_node_of: str | None = None
    """The node of this Workspace, or `idle`: the oldest without one."""
    scale_by_hand: int | None = None


class Story(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A pool (keys of the spec) and what happens to it."""

    why: str
    pool: dict[str, Any]
    steps: list[Step]
    registration_seconds: int = 2
    initial_replicas: int | None = None
    bounds: Bounds = Bounds()
    differs: str = ""
    """Why the two worlds do not agree yet; once they do, the test says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a world looks like to an administrator."""

    replicas: int
    nodes: frozenset[str]
    """Names of nodes that are not being deleted."""
    placeholders: Sequence[PodView]
    workspaces: Mapping[str, PodView]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one step came to: the same in both worlds, or the model is wrong."""

    step: int
    replicas: Sequence[int]
    """Every value in turn, from before the step until its end."""
    nodes: int
    ready_placeholders: int
    launches: Mapping[str, str]
    nodes_of_launches: Sequence[int]
    """How many Workspaces share a node, the fullest first."""
    hold: str | None
    times: Times = field(compare=False)
    """Never equal to the second: held against the story's bounds instead."""


class World(Protocol):
    """A cluster with the pass running on it, real or embedded."""

    def seconds(self) -> float:
        """Return how much time has gone by since whenever, in this world."""
        ...

    def a_pass(self) -> Decision:
        """Run a pass, then let a second go by."""
        ...

    def a_moment(self) -> None:
        """Let a second go by without a pass."""
        ...

    def facts(self) -> Facts:
        """Look around."""
        ...

    def launch(self, name: str, how: Launch) -> None:
        """Create a Workspace."""
        ...

    def close(self, names: Sequence[str]) -> None:
        """Delete Workspaces."""
        ...

    def change(self, **spec: Any) -> None:
        """Change keys of the spec."""
        ...

    def override(self, document: Mapping[str, Any]) -> None:
        """Set the override."""
        ...

    def cordon(self, node: str) -> None:
        """Cordon a node."""
        ...

    def scale_by_hand(self, replicas: int) -> None:
        """Do what `kubectl scale` does."""
        ...

    def counted(self) -> Mapping[str, str]:
        """Return what the passes counted each launch as, by its pod's uid."""
        ...


def counted_in(ledger: MemoryLedger) -> dict[str, str]:
    """Return what a ledger's books say of each launch, by its pod's uid."""
    tallies = [tally for books in ledger.books.values() for tally in books]
    return {each.uid: each.found.outcome.value for tally in tallies for each in tally.launches}


def stories() -> dict[str, Story]:
    """Read all stories, by the names of their files."""
    return {path.stem: msgspec.convert(settings.read_all(path)[0], Story) for path in sorted(STORIES.glob("*.yaml"))}


class Telling:
    """Lives through a story in one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._launches: dict[str, str] = {}
        self._pods: dict[str, str] = {}
        """By name, the uid of a launch's pod."""
        self._warm: set[str | None] = set()
        self._began = world.seconds()

    def tell(self, story: Story) -> list[Outcome]:
        """Return what each step came to; the first outcome is the pool's own beginning."""
        outcomes = [self._settle(0, [self._world.facts().replicas])]
        for number, step in enumerate(story.steps, start=1):
            replicas = [self._world.facts().replicas]
            self._began = self._world.seconds()
            self._do(step)
            outcome = self._settle(number, replicas, passes=step.launch is None or step.launch.together)
            outcomes.append(outcome if step.launch is None else self._timed(outcome, step.launch))
        self._hold_against_the_books()
        return outcomes

    def _hold_against_the_books(self) -> None:
        """Fail where the passes counted a launch as something that it was not, or saw none of them."""
        counted = self._world.counted()
        told = {name: counted[uid] for name, uid in self._pods.items() if uid in counted}
        wrong = {name: (told[name], self._launches[name]) for name in told if told[name] != self._launches[name]}
        assert wrong == {}, f"name: (counted by the passes, what it was): {wrong}"
        assert told or not self._pods, "no launch was counted by the passes"

    def _do(self, step: Step) -> None:
        if step.launch is not None:
            self._launch(step.launch)
        if step.close:
            self._world.close(step.close)
        if step.change:
            self._world.change(**step.change)
        if step.override is not None:
            self._world.override(step.override)
        if step.cordon_node_of is not None:
            self._world.cordon(self._node_of(step.cordon_node_of))
        if step.scale_by_hand is not None:
            self._world.scale_by_hand(step.scale_by_hand)

    def _launch(self, launch: Launch) -> None:
        if launch.together:
            for name in launch.names:
                self._world.launch(name, launch)
            # Who orders first, Karpenter for the launches or the pass for its placeholders, would be chance.
            self._wait("all are Ready", lambda: all(map(self._is_ready, launch.names)), self._world.a_moment)
            return
        for name in launch.names:
            before = {each.node: each.uid for each in self._world.facts().placeholders if each.ready}
            self._warm |= before.keys()
            self._world.launch(name, launch)
            self._wait(f"{name} is Ready", lambda wanted=name: self._is_ready(wanted), self._world.a_moment)  # type: ignore[misc]
            self._launches[name] = self._found(name, before)
            self._pods[name] = self._world.facts().workspaces[name].uid

    def _found(self, name: str, before: Mapping[str | None, str]) -> str:
        """Say what a launch found, given the Ready placeholders before it by node."""
        facts = self._world.facts()
        node = facts.workspaces[name].node
        if node not in before:
            return "warm-coexist" if node in self._warm else "cold"
        return "warm-coexist" if before[node] in {each.uid for each in facts.placeholders} else "warm-preempt"

    def _timed(self, outcome: Outcome, launch: Launch) -> Outcome:
        waits = [self._world.facts().workspaces[name].waited_seconds for name in launch.names]
        # Of launches that start together, chance says which one waits longest.
        in_turn = sorted(waits) if launch.together else waits
        return replace(outcome, times=replace(outcome.times, launches=dict(zip(launch.names, in_turn, strict=True))))

    def _is_ready(self, name: str) -> bool:
        pod = self._world.facts().workspaces.get(name)
        return pod is not None and pod.ready

    def _node_of(self, name: str) -> str:
        facts = self._world.facts()
        if name != "idle":
            return facts.workspaces[name].node or ""
        busy = {each.node for each in facts.workspaces.values()}
        return min(each.node for each in facts.placeholders if each.node and each.node not in busy)

    def _wait(self, what: str, holds: Callable[[], bool], go_on: Callable[[], object]) -> None:
        for _ in range(LONGEST_STEP):
            if holds():
                return
            go_on()
        raise AssertionError(f"never: {what}; {self._world.facts()}")

    def _settle(self, step: int, replicas: list[int], *, passes: bool = True) -> Outcome:
        decision, quiet, rested = None, 0, self._world.seconds()
        for _ in range(LONGEST_STEP if passes else 0):
            decision = self._world.a_pass()
            facts = self._world.facts()
            if facts.replicas != replicas[-1]:
                replicas.append(facts.replicas)
            quiet = quiet + 1 if _still(decision, facts) else 0
            if quiet <= 1:
                rested = self._world.seconds()
            if quiet == QUIET_PASSES:
                break
        else:
            assert not passes, f"step {step} never ends; {decision}; {self._world.facts()}"
        return self._outcome(step, replicas, decision, rested)

    def _outcome(self, step: int, replicas: list[int], decision: Decision | None, rested: float) -> Outcome:
        facts = self._world.facts()
        on_node = [each.node for each in facts.workspaces.values() if each.node]
        return Outcome(
            step=step,
            replicas=tuple(replicas),
            nodes=len(facts.nodes),
            ready_placeholders=sum(each.ready for each in facts.placeholders),
            launches=dict(self._launches),
            nodes_of_launches=tuple(sorted((on_node.count(node) for node in set(on_node)), reverse=True)),
            hold=decision.hold.value if decision and decision.hold else None,
            times=Times(launches={}, target=rested - self._began),
        )


def _still(decision: Decision, facts: Facts) -> bool:
    """Tell whether nothing is under way: everything runs, and no node is empty."""
    pods = [*facts.placeholders, *facts.workspaces.values()]
    used = {each.node for each in pods}
    return (
        decision.action in {Action.NONE, Action.HOLD}
        and not decision.marks
        and not {each.code for each in decision.reasons} & UNDER_WAY
        and len(facts.placeholders) == facts.replicas
        and all(each.ready for each in pods)
        and facts.nodes == used
    )
