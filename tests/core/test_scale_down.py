"""What goes, when, and in which order. Design section 6 item 4."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.builders import (
    LONG_AGO,
    NOW,
    claim,
    codes,
    full,
    inputs,
    lasting,
    marked,
    node,
    pair,
    placeholder,
    pool,
)
from warmpool.core.decide import decide, preview
from warmpool.core.decision import Action, PoolState
from warmpool.core.model import PodPhase
from warmpool.core.placement import VICTIM_COST
from warmpool.core.reasons import Code
from warmpool.core.spec import Mode, Override, ScaleDown, Stop, StopMode

MINUTE = timedelta(minutes=1)


class TestScaleDown:
    def surplus(self, *, count: int = 4, mark: int = 0) -> list[Any]:
        things: list[Any] = []
        for number in range(count):
            name = f"n{number}"
            pod = placeholder(f"ph-{name}", on=name)
            things += [node(name, created=LONG_AGO + number * MINUTE), marked(pod) if number < mark else pod]
        return things

    def test_the_pass_that_first_sees_a_surplus_marks_and_waits(self) -> None:
        decision = decide(inputs(*self.surplus()))
        assert (decision.target, decision.action) == (4, Action.NONE)
        assert {mark.pod for mark in decision.marks} == {"ph-n0", "ph-n1"}
        assert {mark.deletion_cost for mark in decision.marks} == {VICTIM_COST}
        assert Code.SURPLUS_WAITS in codes(decision)

    def test_a_lasting_marked_surplus_leaves_one_step_at_a_time(self) -> None:
        decision = decide(inputs(*self.surplus(mark=2), state=lasting(2)))
        assert (decision.target, decision.action) == (3, Action.DOWN)
        assert decision.state.last_step_at == NOW
        assert Code.SURPLUS in codes(decision)

    def test_a_step_takes_as_many_as_the_spec_says(self) -> None:
        spec = pool(scale_down=ScaleDown(step=5))
        assert decide(inputs(*self.surplus(mark=2), spec=spec, state=lasting(2))).target == 2

    def test_only_the_smallest_surplus_of_the_whole_time_goes(self) -> None:
        since = NOW - 11 * MINUTE
        state = PoolState(surplus_seen=((NOW - 5 * MINUTE, 1),), surplus_since=since)
        spec = pool(scale_down=ScaleDown(step=5))
        assert decide(inputs(*self.surplus(mark=2), spec=spec, state=state)).target == 3

    def test_steps_are_a_minute_apart_however_often_passes_come(self) -> None:
        state = replace(lasting(2), last_step_at=NOW - timedelta(seconds=30))
        decision = decide(inputs(*self.surplus(mark=2), state=state))
        assert decision.target == 4
        assert Code.SURPLUS_WAITS in codes(decision)

    def test_an_unmarked_surplus_is_marked_first_however_long_it_lasts(self) -> None:
        decision = decide(inputs(*self.surplus(), state=lasting(2)))
        assert decision.target == 4
        assert Code.MARKED_FIRST in codes(decision)

    def test_shadow_mode_takes_the_marks_as_made(self) -> None:
        decision = decide(inputs(*self.surplus(), spec=pool(mode=Mode.SHADOW), state=lasting(2)))
        assert (decision.target, decision.dry_run) == (3, True)
        assert decision.state.last_written is None

    def test_a_need_clears_the_marks_and_forgets_the_surplus(self) -> None:
        decision = decide(inputs(*self.surplus(mark=2), spec=pool(min=6), state=lasting(2)))
        assert decision.target == 6
        assert {(mark.pod, mark.deletion_cost) for mark in decision.marks} == {("ph-n0", None), ("ph-n1", None)}
        assert decision.state.surplus_since is None

    def test_a_surplus_that_vanishes_starts_again(self) -> None:
        decision = decide(inputs(*self.surplus(count=2), state=lasting(2)))
        assert (decision.state.surplus_since, decision.state.surplus_seen) == (None, ())

    def test_pending_goes_first_then_expiring_then_oldest(self) -> None:
        things = self.surplus(count=5)
        soon = claim(node="n4", expires=NOW + timedelta(hours=2))
        pulling = placeholder("pulling", on="n5", ready=False, phase=PodPhase.PENDING, started=NOW, created=NOW)
        pending = placeholder("pending", created=NOW)
        decision = decide(inputs(*things, soon, node("n5"), pulling, pending, spec=pool(min=3)))
        assert [mark.pod for mark in sorted(decision.marks, key=lambda mark: mark.pod)] == [
            "pending", "ph-n0", "ph-n4", "pulling",
        ]  # fmt: skip

    def test_nothing_goes_while_the_replicaset_would_take_another(self) -> None:
        busy = [node("b"), *full("b"), placeholder("ph-b", on="b", ready=False, phase=PodPhase.PENDING, started=NOW)]
        decision = decide(inputs(*self.surplus(mark=2), *busy, state=lasting(2)))
        assert decision.target == 5
        assert Code.NOT_NEXT_TO_GO in codes(decision)

    def test_uncreated_replicas_go_before_any_pod(self) -> None:
        decision = decide(inputs(*self.surplus(count=2), replicas=4, state=lasting(2)))
        assert (decision.target, decision.marks) == (3, ())

    def test_placeholders_on_unusable_nodes_go_once_their_replacements_run(self) -> None:
        cordoned = [node("x", unschedulable=True), marked(placeholder("ph-x", on="x"))]
        decision = decide(inputs(*cordoned, *pair("a"), *pair("b")))
        assert (decision.target, decision.action) == (2, Action.DOWN)
        assert Code.UNUSABLE_RELEASED in codes(decision)

    def test_placeholders_on_unusable_nodes_stay_while_a_replacement_is_pending(self) -> None:
        cordoned = [node("x", unschedulable=True), marked(placeholder("ph-x", on="x"))]
        decision = decide(inputs(*cordoned, *pair("a"), placeholder("new", created=NOW)))
        assert decision.target == 3
        assert [mark.deletion_cost for mark in decision.marks] == [None]

    def test_more_than_max_goes_at_once_marked_in_the_same_pass(self) -> None:
        decision = decide(inputs(*self.surplus(count=6), spec=pool(min=1, max=3)))
        assert decision.target == 3
        assert len(decision.marks) == 3
        assert Code.EXCESS in codes(decision)

    def test_an_excess_takes_along_what_the_replicaset_removes_first(self) -> None:
        busy = [node("b"), *full("b"), placeholder("ph-b", on="b", ready=False, phase=PodPhase.PENDING, started=NOW)]
        decision = decide(inputs(*self.surplus(count=4), *busy, spec=pool(min=1, max=3)))
        assert decision.target == 5 - 1 - 1

    def test_an_excess_larger_than_the_idle_takes_the_unusable_too(self) -> None:
        cordoned = [node("x", unschedulable=True), placeholder("ph-x", on="x")]
        assert decide(inputs(*cordoned, *pair("a"), spec=pool(min=0, max=0))).target == 0

    def test_an_excess_that_is_not_created_yet_needs_no_victims(self) -> None:
        decision = decide(inputs(replicas=5, spec=pool(min=0, max=3)))
        assert (decision.target, decision.marks) == (3, ())

    def test_what_an_override_lowers_goes_at_once(self) -> None:
        decision = decide(inputs(*self.surplus(), spec=pool(min=4), override=Override(min=1, reason="quiet")))
        assert decision.target == 1
        assert Code.LOWERED_BY_OVERRIDE in codes(decision)

    def test_an_override_that_lowers_nothing_does_not_hurry(self) -> None:
        decision = decide(inputs(*self.surplus(), override=Override(min=3)))
        assert decision.target == 4

    def test_drain_lets_all_idle_nodes_go_at_once(self) -> None:
        stop = Stop(mode=StopMode.DRAIN, reason="incident")
        decision = decide(inputs(*self.surplus(), stop=stop))
        assert decision.target == 0
        assert Code.DRAINING in codes(decision)

    def test_an_unreadable_ledger_lowers_nothing_and_still_raises(self) -> None:
        lowered = decide(inputs(*self.surplus(mark=2), state=lasting(2), ledger_readable=False))
        assert lowered.target == 4
        assert Code.LEDGER_UNREADABLE in codes(lowered)
        assert decide(inputs(replicas=0, ledger_readable=False)).target == 2

    def test_plan_shows_where_it_ends(self) -> None:
        decision = preview(inputs(*self.surplus()))
        assert (decision.target, decision.action) == (2, Action.DOWN)
        assert Code.BEFORE_STABILISATION in codes(decision)
        cordoned = [node("x", unschedulable=True), placeholder("ph-x", on="x")]
        assert preview(inputs(*cordoned, *pair("a"), *pair("b"))).target == 2
        assert (
            preview(
                inputs(
                    *cordoned,
                    *pair("a"),
                    placeholder("new"),
                    spec=pool(min=2, lead_time_limit=10 * NOW.resolution * 10**12),
                )
            ).target
            == 3
        )
