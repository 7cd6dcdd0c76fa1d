"""Launches are classified once, by what passes saw of their node before and after."""

from typing import Any

from tests.builders import LONG_AGO, NOW, amounts, claim, node, nodepool, placeholder, pool
from tests.builders import workspace as placed_workspace
from tests.core.following import BEFORE, FILLING, MINUTE, SECOND, WARM, answer, found, late, launch, passed, watch
from warmpool.core.launches import follow
from warmpool.core.model import ClaimCondition, Condition, PodPhase, Taint
from warmpool.core.spec import PoolSpec
from warmpool.core.watch import Cause, Found, Outcome, PoolWatch, Waiting, WarmNode, Watch


class TestWarm:
    def test_a_launch_beside_its_nodes_placeholder_coexists(self) -> None:
        both = (node(), placeholder(on="n1"), launch())
        assert found(watch(n1=WARM), *both) == (Outcome.WARM_COEXIST, None)

    def test_a_launch_whose_nodes_placeholder_is_gone_and_replaced_has_preempted_it(self) -> None:
        assert found(watch(n1=WARM), node(), launch(), answer()) == (Outcome.WARM_PREEMPT, None)

    def test_a_placeholder_that_was_scaled_away_is_not_replaced_so_nobody_preempted_it(self) -> None:
        assert found(watch(n1=WARM), node(), launch()) == (Outcome.WARM_COEXIST, None)

    def test_where_the_last_look_or_this_one_is_long_away_nobody_knows_who_preempted(self) -> None:
        before = Watch(began=NOW - 10 * MINUTE, pools={"spaces": PoolWatch(nodes={"n1": WARM}, idle_nodes=0)})
        assert found(before, node(), launch(), answer()) == (Outcome.UNKNOWN, None)

        asked = NOW - 9 * MINUTE
        both = (node(), launch(asked=asked), answer(to=asked))
        assert found(before, *both) == (Outcome.UNKNOWN, None)

    def test_of_two_that_came_together_the_first_preempts_and_the_second_coexists(self) -> None:
        second = launch("ws-2", asked=NOW - 20 * SECOND)
        _, tally = passed(watch(n1=WARM), node(), launch(), second, answer())
        assert [(each.uid, each.found.outcome) for each in tally.launches] == [
            ("uid-ws-1", Outcome.WARM_PREEMPT),
            ("uid-ws-2", Outcome.WARM_COEXIST),
        ]

    def test_of_one_second_the_launch_that_took_longer_to_its_place_made_the_room(self) -> None:
        first = launch("ws-2", started=NOW - 29 * SECOND)
        _, tally = passed(watch(n1=WARM), node(), launch("ws-1"), first, answer())
        assert {each.uid: each.found.outcome for each in tally.launches} == {
            "uid-ws-2": Outcome.WARM_PREEMPT,
            "uid-ws-1": Outcome.WARM_COEXIST,
        }

    def test_beside_a_small_placeholder_as_many_coexist_as_fit(self) -> None:
        both = [launch(f"ws-{number}", asked=NOW - (40 - number) * SECOND) for number in (1, 2)]
        small = WarmNode(since=LONG_AGO, placeholder="uid-ph-1", room_beside=amounts(cpu="7", memory="28Gi", pods="9"))
        _, tally = passed(watch(n1=small), node(), *both, answer(NOW - 38 * SECOND))
        assert [each.found.outcome for each in tally.launches] == [Outcome.WARM_COEXIST, Outcome.WARM_PREEMPT]

    def test_a_large_launch_for_which_that_does_not_do_preempts_before_the_small_ones_are_too_many(self) -> None:
        small = WarmNode(
            since=LONG_AGO, placeholder="uid-ph-1", room_beside=amounts(cpu="45", memory="180Gi", pods="9")
        )
        asked = NOW - 30 * SECOND
        first = launch("ws-1", asked=asked, requests=amounts(cpu="2", memory="8Gi", pods="1"))
        large = launch("ws-2", asked=asked + SECOND, requests=amounts(cpu="44", memory="16Gi", pods="1"))
        after = launch("ws-3", asked=asked + 2 * SECOND)
        _, tally = passed(watch(n1=small), node(), first, large, after, answer(asked + SECOND))
        assert [each.found.outcome for each in tally.launches] == [
            Outcome.WARM_COEXIST,
            Outcome.WARM_PREEMPT,
            Outcome.WARM_COEXIST,
        ]

    def test_a_node_that_became_warm_between_two_passes_is_warm_for_who_came_after(self) -> None:
        recent = placeholder(on="n1", ready_changed=NOW - 40 * SECOND)
        assert found(watch(), node(), recent, launch()) == (Outcome.WARM_COEXIST, None)

    def test_a_workspace_that_is_ready_proves_its_node_warm(self) -> None:
        older = launch("ws-0", asked=NOW - 10 * MINUTE)
        before = Watch(began=BEFORE, pools={"spaces": PoolWatch()}, recent=frozenset({"uid-ws-0"}))
        assert found(before, node(), older, launch()) == (Outcome.WARM_COEXIST, None)

    def test_the_wait_runs_from_the_pods_creation_to_its_readiness(self) -> None:
        (one,) = passed(watch(n1=WARM), node(), launch())[1].launches
        assert one.waited == 13 * SECOND

    def test_a_place_that_came_free_within_seconds_was_not_waited_for(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", stranded=True)}
        soon = launch(started=NOW - 20 * SECOND, ready_changed=NOW - 5 * SECOND)
        assert found(watch(waits, n1=WARM), node(), soon) == (Outcome.WARM_COEXIST, None)


class TestNodesThatWereLostForAMoment:
    """A node that is not Ready takes its pods' readiness with it, and gives it back with another time."""

    AGAIN = node(ready_changed=NOW - 10 * SECOND)

    def test_a_launch_that_is_ready_anew_is_not_counted_as_warm_or_cold(self) -> None:
        after, tally = passed(watch(), self.AGAIN, launch(ready_changed=NOW - 8 * SECOND))
        assert (tally.launches, tally.abandoned) == ((), 1)
        assert not after.waiting
        assert after.recent == {"uid-ws-1"}

    def test_one_that_was_not_ready_before_is_judged_by_its_wait(self) -> None:
        after, tally = passed(watch(), self.AGAIN, launch(ready=False, ready_changed=None))
        assert (tally.launches, tally.abandoned) == ((), 0)
        assert after.waiting["uid-ws-1"] == Waiting(pool="spaces", placed=True)

    def test_one_that_has_not_started_yet_met_a_node_that_joined_after_it_had_asked(self) -> None:
        after, _ = passed(watch(), self.AGAIN, launch(ready=False, ready_changed=None, started=None))
        assert after.waiting["uid-ws-1"].found == Found(outcome=Outcome.COLD, cause=Cause.NONE_FREE)


class TestCold:
    def test_a_node_that_came_after_the_launch_was_not_there_for_it(self) -> None:
        new = node(created=NOW - 20 * SECOND, ready_changed=NOW - 10 * SECOND)
        assert found(watch(), new, launch()) == (Outcome.COLD, Cause.NONE_FREE)

    def test_a_launch_that_a_pass_saw_without_a_place_found_none_free(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", stranded=True)}
        assert found(watch(waits, n1=WARM), node(), late()) == (Outcome.COLD, Cause.NONE_FREE)

    def test_a_launch_that_got_its_place_late_found_none_free_too(self) -> None:
        assert found(watch(n1=WARM), node(), late(asked=NOW - 95 * SECOND)) == (Outcome.COLD, Cause.NONE_FREE)

    def test_a_launch_on_a_node_whose_placeholder_was_ready_only_later_met_it_still_pulling(self) -> None:
        pulling = placeholder(on="n1", started=NOW - 3 * MINUTE, ready_changed=NOW - 10 * SECOND)
        assert found(watch(), node(), pulling, launch()) == (Outcome.COLD, Cause.STILL_PULLING)

    def test_a_launch_that_asked_before_a_pass_found_its_node_cold_met_it_still_pulling(self) -> None:
        asked = BEFORE - 2 * MINUTE
        slow = launch(asked=asked, started=asked, ready_changed=NOW - 5 * SECOND)
        assert found(watch(), node(), slow) == (Outcome.COLD, Cause.STILL_PULLING)

    def test_minutes_on_a_node_that_nobody_saw_are_a_pull(self) -> None:
        asked = NOW - 3 * MINUTE
        before = Watch(began=asked - MINUTE, pools={"spaces": PoolWatch()})
        slow = launch(asked=asked, ready_changed=NOW - 5 * SECOND)
        assert found(before, node(), slow) == (Outcome.COLD, Cause.STILL_PULLING)

    def test_an_image_that_the_pool_does_not_keep_is_the_cause_where_it_took_minutes(self) -> None:
        spec = pool(placeholder=FILLING, images=("jupyter:1",))
        own = launch(asked=NOW - 3 * MINUTE, ready_changed=NOW - 5 * SECOND, images=("mine:7",))
        assert found(watch(n1=WARM), node(), own, spec=spec) == (Outcome.COLD, Cause.IMAGE)

    def test_a_gate_is_the_cause_of_a_launch_that_was_gated(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", gated=True)}
        asked = NOW - 10 * MINUTE
        gated = launch(asked=asked, started=NOW - 90 * SECOND, ready_changed=NOW - 5 * SECOND)
        new = node(created=NOW - MINUTE, ready_changed=NOW - 50 * SECOND)
        assert found(watch(waits), new, gated) == (Outcome.COLD, Cause.GATED)

    def test_a_gated_launch_asks_when_it_is_let_through(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", gated=True)}
        gated = launch(asked=NOW - 10 * MINUTE, started=NOW - 30 * SECOND, ready_changed=NOW - 15 * SECOND)
        assert found(watch(waits, n1=WARM), node(), gated) == (Outcome.WARM_COEXIST, None)

    def test_want_of_instances_is_the_cause_of_a_launch_that_waited_through_it(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", stranded=True, stock_out=True)}
        assert found(watch(waits), node(), late()) == (Outcome.COLD, Cause.STOCK_OUT)

    def test_a_launch_that_warm_room_was_too_small_for_is_too_big(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", stranded=True, too_big=True)}
        assert found(watch(waits), node(), late()) == (Outcome.COLD, Cause.TOO_BIG)

    def test_a_launch_that_passed_room_in_another_zone_by_was_in_the_wrong_zone(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", stranded=True, room_zones=("us-west-2a",))}
        there = node(labels={**node().labels, "topology.kubernetes.io/zone": "us-west-2b"})
        assert found(watch(waits), there, late()) == (Outcome.COLD, Cause.WRONG_ZONE)


class TestUnknown:
    def test_seconds_on_a_node_that_nobody_saw_say_nothing(self) -> None:
        assert found(watch(), node(), launch()) == (Outcome.UNKNOWN, None)

    def test_a_place_found_after_half_a_minute_may_have_been_waited_for_or_not(self) -> None:
        assert found(watch(n1=WARM), node(), late(asked=NOW - 50 * SECOND)) == (Outcome.UNKNOWN, None)

    def test_long_after_the_last_pass_nobody_knows_whose_place_was_taken(self) -> None:
        before = Watch(began=NOW - 40 * MINUTE, pools={"spaces": PoolWatch(nodes={"n1": WARM})})
        assert found(before, node(), launch()) == (Outcome.UNKNOWN, None)

    def test_a_node_of_the_same_name_that_came_since_is_another(self) -> None:
        again = node(created=NOW - 50 * SECOND, ready_changed=NOW - 45 * SECOND)
        assert found(watch(n1=WARM), again, launch()) == (Outcome.UNKNOWN, None)


class TestOnce:
    def test_the_first_pass_counts_nothing_that_is_ready_by_then(self) -> None:
        after, tally = passed(Watch(), node(), placeholder(on="n1"), launch())
        assert tally.launches == ()
        assert passed(after, node(), placeholder(on="n1"), launch(), at=NOW + MINUTE)[1].launches == ()

    def test_a_launch_that_is_classified_is_not_counted_again(self) -> None:
        after, _ = passed(watch(n1=WARM), node(), placeholder(on="n1"), launch())
        for minutes in range(1, 12):
            at = NOW + minutes * MINUTE
            after, tally = passed(after, node(), placeholder(on="n1"), launch(), at=at)
            assert tally.launches == ()
        assert after.recent == frozenset()

    def test_a_launch_that_was_there_long_before_anybody_looked_never_counts(self) -> None:
        _, tally = passed(watch(n1=WARM), node(), launch(asked=LONG_AGO))
        assert tally.launches == ()

    def test_a_launch_waits_through_passes_and_keeps_what_it_found(self) -> None:
        starting = launch(ready=False, ready_changed=None, phase=PodPhase.PENDING)
        after, tally = passed(watch(n1=WARM), node(), starting, answer())
        assert tally.launches == ()
        _, tally = passed(after, node(), launch(), placeholder(on="n1"), at=NOW + MINUTE)
        assert [each.found.outcome for each in tally.launches] == [Outcome.WARM_PREEMPT]

    def test_a_launch_that_ends_before_it_is_ready_is_counted_beside(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces"), "uid-x": Waiting(pool="another")}
        after, tally = passed(watch(waits), node())
        assert (tally.abandoned, after.waiting) == (1, {})

    def test_a_launch_that_has_failed_is_over(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces")}
        assert passed(watch(waits), node(), launch(phase=PodPhase.FAILED))[1].abandoned == 1

    def test_other_pods_are_no_launches(self) -> None:
        other = launch(labels={"app": "web"})
        elsewhere = launch("ws-2", on="foreign")
        _, tally = passed(watch(n1=WARM), node(), other, elsewhere)
        assert tally.launches == ()

    def test_without_pools_only_the_time_moves_on(self) -> None:
        before = watch(n1=WARM)
        after, tallies = follow(before, {}, NOW)
        assert (after.began, after.pools, tallies) == (NOW, before.pools, {})


class TestWaiting:
    def waiting(self, *things: object, spec: PoolSpec | None = None, **overrides: Any) -> Waiting | None:
        pending = launch(on=None, phase=PodPhase.PENDING, **{"refused": True, **overrides})
        after, _ = passed(watch(), node(), *things, pending, spec=spec)
        return after.waiting.get("uid-ws-1")

    def test_a_pod_behind_a_gate_is_gated(self) -> None:
        assert self.waiting(gated=True) == Waiting(pool="spaces", gated=True)

    def test_a_pod_with_a_promised_node_is_not_stranded(self) -> None:
        assert self.waiting(nominated_node="n1") == Waiting(pool="spaces")

    def test_one_that_the_scheduler_has_not_refused_is_not_stranded(self) -> None:
        assert self.waiting(refused=False) == Waiting(pool="spaces")

    def test_without_warm_room_it_is_stranded(self) -> None:
        assert self.waiting() == Waiting(pool="spaces", stranded=True)

    def test_warm_room_that_it_did_not_use_is_noted_by_zone(self) -> None:
        here = node("n2", labels={**node().labels, "topology.kubernetes.io/zone": "us-west-2a"})
        seen = self.waiting(here, placeholder(on="n2"))
        assert seen == Waiting(pool="spaces", stranded=True, room_zones=("us-west-2a",))

    def test_warm_room_that_is_too_small_for_it_is_noted(self) -> None:
        # It would fit on an empty node, so the pool admits it; eight launches leave room for three of its shape.
        busy = [placed_workspace(f"old-{number}", "n2") for number in range(8)]
        big = amounts(cpu="30", memory="100Gi", pods="1")
        seen = self.waiting(node("n2"), placeholder(on="n2"), *busy, requests=big)
        assert seen == Waiting(pool="spaces", stranded=True, too_big=True)

    def test_a_pod_of_unreadable_size_is_not_called_too_big(self) -> None:
        seen = self.waiting(node("n2"), placeholder(on="n2"), requests=None)
        assert seen == Waiting(pool="spaces", stranded=True)

    def test_a_claim_that_aws_has_no_instance_for_is_a_stock_out(self) -> None:
        refused = ClaimCondition(status=Condition.FALSE, reason="InsufficientCapacityError")
        seen = self.waiting(claim(node=None, conditions={"Launched": refused}), nodepool())
        assert seen == Waiting(pool="spaces", stranded=True, stock_out=True)

    def test_once_stranded_it_stays_so_and_may_yet_see_a_stock_out(self) -> None:
        waits = {"uid-ws-1": Waiting(pool="spaces", stranded=True, room_zones=("z",))}
        refused = ClaimCondition(status=Condition.FALSE, reason="InsufficientCapacityError")
        pending = launch(on=None, phase=PodPhase.PENDING, refused=True)
        things = (node(), claim(node=None, conditions={"Launched": refused}), nodepool(), pending)
        after, _ = passed(watch(waits), *things)
        assert after.waiting["uid-ws-1"] == Waiting(pool="spaces", stranded=True, stock_out=True, room_zones=("z",))

    def test_a_pod_for_other_nodes_is_not_this_pools(self) -> None:
        assert self.waiting(node_selector={"pool": "gpu"}) is None

    def test_a_pod_that_no_node_of_the_pool_could_hold_is_not_this_pools(self) -> None:
        assert self.waiting(requests=amounts(cpu="90", memory="1Gi")) is None

    def test_a_pod_that_does_not_tolerate_the_pools_taint_is_not_this_pools(self) -> None:
        pending = launch(on=None, phase=PodPhase.PENDING, refused=True)
        tainted = node(taints=(Taint(key="team", value="a", effect="NoSchedule"),))
        after, _ = passed(watch(), tainted, pending)
        assert after.waiting == {}

    def test_a_pool_without_nodes_admits_by_its_selector(self) -> None:
        pending = launch(on=None, phase=PodPhase.PENDING, refused=True)
        after, _ = passed(watch(), pending)
        assert after.waiting == {"uid-ws-1": Waiting(pool="spaces", stranded=True)}
