"""Ordinary days: empty pools, cordons, lost nodes, windows, overrides."""

from datetime import timedelta

from tests.scenarios.story import FILLING, MINUTE, SMALL, START, Story, codes, spaces
from warmpool.core.decision import Action
from warmpool.core.reasons import Code
from warmpool.core.spec import Override, ScaleDown, Window
from warmpool.sim.cluster import ClusterSettings

HOUR = timedelta(hours=1)


def ready(story: Story) -> Story:
    """Let the pool become warm."""
    story.until(lambda decision: decision.ready_placeholders == decision.target)
    return story


def test_an_empty_pool_becomes_warm_and_stays() -> None:
    story = ready(Story())
    assert (story.scale, story.nodes) == (2, 2)
    writes = list(story.door.writes)
    story.tick(120)
    assert (story.scale, story.nodes, story.door.writes) == (2, 2, writes)


def test_a_pool_goes_to_zero_and_back() -> None:
    story = ready(Story())
    story.reset_spec(min=0, scale_down=ScaleDown(after=5 * MINUTE))
    story.tick(40)
    assert (story.scale, story.nodes) == (0, 0)
    story.reset_spec(min=2)
    ready(story)
    assert (story.scale, story.nodes) == (2, 2)


def test_launches_on_a_warm_pool_are_warm_and_the_room_is_ordered_again() -> None:
    story = ready(Story())
    story.launch("a", "b")
    story.tick(30)
    assert story.outcomes() == {"a": "warm-preempt", "b": "warm-coexist"}
    decision = story.tick()
    assert decision.groups.i == decision.idle_nodes_wanted
    assert story.nodes == 3


def test_what_a_scale_down_removes_is_what_was_marked() -> None:
    story = ready(Story(spec=spaces(min=4)))
    story.reset_spec(min=2, scale_down=ScaleDown(after=5 * MINUTE))
    marked = {mark.pod for mark in story.tick().marks if mark.deletion_cost is not None}
    before = set(story.cluster.world.pods_by_name)
    story.tick(20)
    gone = {name for (_, name) in before - set(story.cluster.world.pods_by_name)}
    assert len(marked) == 2
    assert gone == marked


def test_a_cordoned_nodes_placeholder_is_replaced_and_let_go() -> None:
    story = ready(Story())
    cordoned = next(iter(story.cluster.world.nodes))
    story.cluster.cordon(cordoned)
    story.tick()
    assert story.scale == 3
    story.until(lambda decision: decision.target == 2, within=30)
    story.tick(15)
    pods = [pod for pod in story.cluster.world.pods.values() if pod.labels.get("app") == "ph"]
    holding = {pod.node.name for pod in pods if pod.node}
    assert (story.scale, cordoned in holding) == (2, False)


def test_a_node_that_is_briefly_not_ready_changes_nothing() -> None:
    story = ready(Story(spec=spaces(min=3)))
    lost = next(iter(story.cluster.world.nodes))
    story.cluster.set_ready(lost, ready=False)
    story.tick(4)
    story.cluster.set_ready(lost, ready=True)
    story.tick(10)
    assert (story.scale, story.nodes) == (3, 3)


def test_the_room_is_warm_when_a_window_starts() -> None:
    at = timedelta(hours=9, minutes=30)
    office = Window(name="office", start=at, end=at + 2 * HOUR, min=4)
    story = Story(spec=spaces(windows=(office,), timezone="UTC", scale_down=ScaleDown(after=5 * MINUTE)))
    ready(story)
    while story.clock.time < START + timedelta(minutes=90):
        decision = story.tick()
    assert (decision.ready_placeholders, decision.limits and decision.limits.window) == (4, "office")
    story.tick(150)
    assert (story.scale, story.nodes) == (2, 2)


def test_an_override_lowers_at_once_and_ends_by_itself() -> None:
    story = ready(Story(spec=spaces(min=4)))
    story.override(Override(max=1, until=story.clock.time + 20 * MINUTE, reason="bill"))
    decision = story.tick()
    assert (story.scale, decision.capped) == (1, True)
    story.tick(18)
    assert story.scale == 1
    story.tick(3)
    assert story.scale == 4


def test_small_placeholders_let_launches_coexist() -> None:
    story = ready(Story(spec=spaces(placeholder=SMALL)))
    story.launch("a", "b")
    story.tick(2)
    assert set(story.outcomes().values()) == {"warm-coexist"}


def test_an_older_warm_placeholder_is_preempted_before_one_that_still_pulls() -> None:
    story = ready(Story(spec=spaces(min=1)))
    story.reset_spec(min=2)
    story.until(lambda decision: decision.groups.i == 2 and decision.pending_placeholders == 1)
    story.tick(4)
    story.launch("a")
    story.tick(5)
    assert story.outcomes() == {"a": "warm-preempt"}


def test_a_budget_that_blocks_removal_keeps_nodes_but_not_placeholders() -> None:
    blocked = ((START, START + 3 * HOUR),)
    story = ready(Story(spec=spaces(min=3), settings=ClusterSettings(blocked_windows=blocked)))
    story.reset_spec(min=1, scale_down=ScaleDown(after=5 * MINUTE))
    story.tick(60)
    assert (story.scale, story.nodes) == (1, 3)
    while story.clock.time < START + 4 * HOUR:
        story.tick()
    assert (story.scale, story.nodes) == (1, 1)


def test_no_capacity_is_told_and_asks_for_no_more() -> None:
    dry = ((START, START + 5 * HOUR),)
    story = Story(settings=ClusterSettings(insufficient_capacity=dry))
    decision = story.until(lambda each: Code.CAPACITY_STUCK in codes(each))
    assert story.scale == 2
    story.reset_spec(min=6)
    decision = story.tick(5)
    assert (story.scale, decision.action) == (2, Action.NONE)


def test_nodepool_limits_cap_the_pool_and_say_so() -> None:
    limits = {"nodes": 3 * 10**9}
    story = Story(spec=spaces(min=5), settings=ClusterSettings(limits=limits))
    ready(story)
    decision = story.tick()
    assert (story.scale, story.nodes, decision.capped) == (3, 3, True)


def test_placeholders_of_both_kinds_leave_room_for_daemonsets() -> None:
    daemon = {"agent": {"cpu": 500 * 10**6, "memory": 2**30 * 10**9}}
    story = ready(Story(spec=spaces(placeholder=FILLING), settings=ClusterSettings(daemonsets=daemon)))
    assert story.scale == 2
    assert story.ledger.pools["spaces"].state.overhead == {**daemon["agent"], "pods": 10**9}
