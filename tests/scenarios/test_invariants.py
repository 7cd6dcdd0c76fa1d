"""What holds whatever happens: random launches, ends, cordons, lost nodes, failures and window edges."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from tests.scenarios.story import FILLING, MINUTE, SMALL, START, Story, spaces
from warmpool.core.decision import Decision
from warmpool.core.placement import VICTIM_COST
from warmpool.core.spec import ScaleDown, Window

Doing = dict[str, Callable[[], None]]

WINDOW: Final = Window(name="rush", start=timedelta(hours=9), end=timedelta(hours=10, minutes=30), min=4, max=6)

ACTIONS = st.tuples(
    st.sampled_from(["launch", "end", "cordon", "uncordon", "lose", "find", "partial", "heal", "conflict", "wait"]),
    st.integers(min_value=0, max_value=20),
)


def act(story: Story, what: str, number: int) -> None:
    """Do one thing to the cluster; what has no object is nothing."""
    nodes = sorted(story.cluster.world.nodes)
    running = sorted(name for (_, name) in story.cluster.world.workspaces)
    names = nodes if what in {"cordon", "uncordon", "lose", "find"} else running
    chosen = names[number % len(names)] if names else None
    doing: Doing = {
        "launch": lambda: story.launch(*(f"w{story.clock.time:%H%M}-{each}" for each in range(number))),
        "partial": lambda: story.door.failures.unreadable.add("pods"),
        "heal": story.door.failures.unreadable.clear,
        "conflict": lambda: setattr(story.door.failures, "conflicts", 1 + number % 4),
    }
    if chosen is not None:
        doing |= {
            "end": lambda: story.end(chosen),
            "cordon": lambda: story.cluster.cordon(chosen),
            "uncordon": lambda: story.cluster.uncordon(chosen),
            "lose": lambda: story.cluster.set_ready(chosen, ready=False),
            "find": lambda: story.cluster.set_ready(chosen, ready=True),
        }
    doing.get(what, lambda: None)()


def asks_within_max(decision: Decision) -> None:
    """Idle nodes asked for are never above max: E + x within it, and a raise asks for no more than that."""
    assert decision.limits is not None
    groups, most = decision.groups, decision.limits.max
    assert decision.idle_nodes_wanted == 0 or decision.idle_nodes_wanted + groups.x <= most
    if decision.target is not None and decision.current is not None and decision.target > decision.current:
        assert decision.target <= groups.h + groups.r + most


def placeholders(story: Story) -> dict[str, tuple[bool, int | None]]:
    """Return each placeholder's readiness and deletion cost, by name."""
    seen = story.door.cluster.world.pods_by_name
    return {
        pod.name: (pod.ready, pod.deletion_cost) for (space, _), pod in seen.items() if space == "op" and pod.active
    }


def heal(story: Story) -> None:
    """End every failure and let the world stand still: nodes that are cordoned or lost go away."""
    story.door.failures.unreadable.clear()
    story.door.failures.conflicts = 0
    for name, node in list(story.cluster.world.nodes.items()):
        if node.unschedulable or not node.is_ready:
            story.cluster.remove_node(name)


@settings(max_examples=25)
@given(actions=st.lists(ACTIONS, min_size=5, max_size=40), filling=st.booleans())
@example(
    actions=[("launch", 20), ("wait", 0), ("launch", 20), ("partial", 0), ("end", 3), ("heal", 0)] * 4, filling=False
)
def test_whatever_happens_max_holds_and_the_pool_settles(actions: list[tuple[str, int]], *, filling: bool) -> None:
    spec = spaces(
        placeholder=FILLING if filling else SMALL,
        windows=(WINDOW,),
        timezone="UTC",
        scale_down=ScaleDown(after=5 * MINUTE, step=2),
    )
    story = Story(spec=spec)
    story.tick(10)
    for what, number in actions:
        act(story, what, number)
        asks_within_max(story.tick(1 + number % 5))
    heal(story)
    while story.clock.time < START + timedelta(hours=6):
        asks_within_max(story.tick())
    writes = list(story.door.writes)
    decision = story.tick(60)
    assert story.door.writes == writes, "the pool still changes although the world stands still"
    assert decision.groups.i == decision.idle_nodes_wanted
    assert decision.groups.x == 0


@settings(max_examples=15)
@given(launches=st.lists(st.integers(min_value=0, max_value=15), min_size=3, max_size=12), filling=st.booleans())
def test_what_a_scale_down_removes_was_marked_or_not_yet_ready(launches: list[int], *, filling: bool) -> None:
    spec = spaces(min=3, placeholder=FILLING if filling else SMALL, scale_down=ScaleDown(after=5 * MINUTE, step=2))
    story = Story(spec=spec)
    story.tick(15)
    removed = 0
    for number, wave in enumerate(launches):
        names = [f"w{number}-{each}" for each in range(wave)]
        story.launch(*names)
        for _ in range(8):
            story.clock.advance(MINUTE)
            story.cluster.advance(story.clock.time)
            there: dict[str, tuple[bool, int | None]] = {}
            story.door.failures.before_scale = lambda seen=there: seen.update(placeholders(story))
            since = len(story.cluster.history)
            story.once()
            gone = [each.name for each in story.cluster.history[since:] if each.what == "pod-scaled-down"]
            assert all(there[name][1] == VICTIM_COST or not there[name][0] for name in gone)
            removed += len(gone)
        story.end(*names)
    event(f"{removed} placeholders removed")


@settings(max_examples=10)
@given(minimum=st.integers(min_value=1, max_value=5), launches=st.integers(min_value=0, max_value=30))
def test_zero_to_n_to_zero_always_works(minimum: int, launches: int) -> None:
    story = Story(spec=spaces(min=minimum, scale_down=ScaleDown(after=5 * MINUTE)))
    story.tick(30)
    names = [f"w{number}" for number in range(launches)]
    story.launch(*names)
    story.tick(20)
    story.end(*names)
    story.reset_spec(min=0, scale_down=ScaleDown(after=5 * MINUTE))
    story.tick(150)
    assert (story.scale, story.nodes) == (0, 0)
