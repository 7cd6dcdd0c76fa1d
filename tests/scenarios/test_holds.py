"""Everything that must not be acted on: each holds, says why and raises nothing; a fallen ceiling is still enforced."""

from collections.abc import Callable

import pytest

from tests.scenarios.story import MINUTE, Story, codes, spaces
from warmpool.app.ports import AutoScaling, LedgerEntry, Unreadable
from warmpool.core.decision import Action
from warmpool.core.reasons import Code
from warmpool.core.spec import Override


def partial_list(story: Story) -> None:
    story.door.failures.unreadable.add("pods")


def forbidden(story: Story) -> None:
    story.door.failures.refused.add("observe")


def unavailable(story: Story) -> None:
    story.door.failures.unavailable.add("observe")


def foreign_hpa(story: Story) -> None:
    story.cluster.add_foreign_scaler("HorizontalPodAutoscaler", "op", "hpa", "ph")


def live_cpa(story: Story) -> None:
    story.cluster.add_foreign_scaler("CPA", "op", "cpa", "ph")


def missing(story: Story) -> None:
    story.cluster.delete_deployment("op", "ph")


def paused(story: Story) -> None:
    story.cluster.pause_deployment("op", "ph")


def not_in_service(story: Story) -> None:
    story.provider.answer = AutoScaling(in_service=False, text="Failed")


def rollout(story: Story) -> None:
    story.cluster.set_image("op", "ph", "new-image")


def no_good_spec(story: Story) -> None:
    story.configuration.specs["spaces"] = "nonsense"
    story.ledger.pools["spaces"] = LedgerEntry()


HOLDS = [
    (partial_list, Code.PARTIAL_VIEW),
    (forbidden, Code.NOT_PERMITTED),
    (unavailable, Code.CLUSTER_UNAVAILABLE),
    (foreign_hpa, Code.FOREIGN_WRITER),
    (live_cpa, Code.FOREIGN_WRITER),
    (missing, Code.DEPLOYMENT_MISSING),
    (paused, Code.DEPLOYMENT_PAUSED),
    (not_in_service, Code.AUTOSCALING_NOT_IN_SERVICE),
    (no_good_spec, Code.CONFIG_INVALID),
]


def warm() -> Story:
    story = Story()
    story.until(lambda decision: decision.ready_placeholders == 2)
    return story


@pytest.mark.parametrize(("goes_wrong", "code"), HOLDS, ids=lambda each: getattr(each, "__name__", str(each)))
def test_the_pass_holds_says_why_and_raises_nothing(goes_wrong: Callable[[Story], None], code: Code) -> None:
    story = warm()
    writes = list(story.door.writes)
    story.override(Override(min=5))
    goes_wrong(story)
    decision = story.tick(3)
    assert (decision.action, decision.hold) == (Action.HOLD, code)
    assert code in codes(decision)
    assert story.door.writes == writes


@pytest.mark.parametrize("goes_wrong", [partial_list, paused, not_in_service, rollout], ids=lambda each: each.__name__)
def test_a_ceiling_that_has_fallen_meanwhile_is_still_enforced(goes_wrong: Callable[[Story], None]) -> None:
    story = Story(spec=spaces(min=4))
    story.until(lambda decision: decision.ready_placeholders == 4)
    goes_wrong(story)
    story.override(Override(max=1))
    decision = story.tick()
    assert story.scale == 1
    assert Code.CEILING_FELL in codes(decision)


def test_a_foreign_owner_is_left_alone_also_above_the_ceiling() -> None:
    story = Story(spec=spaces(min=4))
    story.until(lambda decision: decision.ready_placeholders == 4)
    foreign_hpa(story)
    story.override(Override(max=1))
    story.tick(5)
    assert story.scale == 4


def test_after_a_hold_the_pool_goes_on_where_it_was() -> None:
    story = warm()
    partial_list(story)
    story.tick(40)
    story.door.failures.unreadable.clear()
    story.reset_spec(min=3)
    decision = story.tick()
    assert (story.scale, decision.hold) == (3, None)


def test_a_long_hold_says_so() -> None:
    story = warm()
    partial_list(story)
    assert Code.HELD_LONG in codes(story.tick(32))


def test_a_persons_scale_is_honoured_for_half_an_hour() -> None:
    story = warm()
    story.tick()
    story.cluster.patch_scale("op", "ph", 5, "kubectl", story.clock.time + MINUTE / 2)
    decision = story.tick(2)
    assert (story.scale, decision.hold) == (5, Code.MANUAL_SCALE)
    story.tick(60)
    assert story.scale == 2


def test_an_unreadable_store_keeps_the_last_good_spec() -> None:
    story = warm()
    story.configuration.specs["spaces"] = Unreadable(why="AccessDenied")
    decision = story.tick()
    assert (decision.hold, story.scale) == (None, 2)
    assert Code.CONFIG_UNREADABLE in codes(decision)


def test_an_unreadable_ledger_lowers_nothing_and_raises_still() -> None:
    story = warm()
    story.ledger.failure = "throttled"
    story.reset_spec(min=1)
    story.tick(30)
    assert story.scale == 2
    story.reset_spec(min=3)
    story.tick()
    assert story.scale == 3


def test_a_conflict_in_the_middle_of_a_write_is_decided_again() -> None:
    story = warm()
    story.reset_spec(min=4)
    story.door.failures.before_scale = lambda: story.cluster.patch_scale("op", "ph", 3, "other", story.clock.time)
    story.tick()
    assert story.scale in {3, 4}
    story.tick(2)
    assert story.scale in {3, 4}
