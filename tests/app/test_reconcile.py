"""The pass: five sentences, and what each does when its part fails."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest

from tests.app.fakes import CLUSTER, FakeCluster, World
from tests.builders import NOW, deployment, node, pair, pool, snapshot
from warmpool.adapters.memory import FixedBudget, MemoryConfiguration, MemoryLedger
from warmpool.app.errors import (
    ClusterUnavailable,
    Conflict,
    DeploymentGone,
    LedgerUnavailable,
    NotPermitted,
)
from warmpool.app.ports import AutoScaling, Budget, Completion, LedgerEntry, Unreadable
from warmpool.app.steps import scale_change
from warmpool.core.decision import Action, Decision, PoolState
from warmpool.core.reasons import Code
from warmpool.core.spec import Mode, Override, ScaleDown, Spec, Stop, StopMode

MINUTE = timedelta(minutes=1)


def world(replicas: int = 0) -> World:
    return World(cluster=FakeCluster(seen=snapshot(replicas=replicas)))


def two_pools() -> World:
    here = world()
    here.reader.specs["other"] = pool(name="gpu", deployment="ph-gpu", node_selector={"pool": "gpu"})
    here.configuration.specs["gpu"] = "other"
    here.cluster.seen = snapshot(deployment(0), deployment(0, name="ph-gpu"))
    return here


def test_a_pass_raises_an_empty_pool_to_min_and_writes_it_down() -> None:
    here = world()
    report = here.run()
    assert here.cluster.targets() == {"spaces": 2}
    assert here.ledger.pools["spaces"].state.last_written == 2
    assert here.ledger.last_complete_began == NOW
    assert (report.complete, report.failures, report.conflicts) == (True, {}, 0)
    assert here.telemetry.reports == [report]


def test_marks_are_made_before_the_scale() -> None:
    here = World(cluster=FakeCluster(seen=snapshot(*(thing for name in "abc" for thing in pair(name)))))
    here.run()
    assert [mark.pod for mark in here.cluster.marks] == ["ph-a"]
    assert here.cluster.changes == []


def test_shadow_mode_asks_for_a_dry_run() -> None:
    here = world()
    here.reader.specs["good"] = pool(mode=Mode.SHADOW)
    here.run()
    ((_, change),) = here.cluster.changes
    assert change.dry_run


def test_a_nudge_older_than_the_last_complete_pass_needs_no_pass() -> None:
    here = world()
    here.ledger.last_complete_began = NOW
    assert here.reconcile().run(here.budget, NOW - MINUTE) is None
    assert here.cluster.scopes == []
    assert here.reconcile().run(here.budget, NOW) is not None


def test_a_nudge_is_served_while_no_pass_was_ever_complete() -> None:
    here = world()
    assert here.reconcile().run(here.budget, NOW) is not None


class TestConflict:
    def test_a_pool_is_observed_and_decided_again(self) -> None:
        here = world()
        here.cluster.conflicts = 2
        here.cluster.on_conflict = lambda cluster: setattr(cluster, "seen", snapshot(replicas=1))
        report = here.run()
        ((_, change),) = here.cluster.changes
        assert (change.current, change.target, report.conflicts) == (1, 2, 2)

    def test_after_three_times_the_pool_fails_and_says_so(self) -> None:
        here = world()
        here.cluster.conflicts = 99
        report = here.run()
        assert report.conflicts == 3
        assert "Conflict" in report.failures["spaces"]
        assert here.ledger.pools["spaces"].state.last_written is None

    def test_where_nothing_is_left_to_change_the_pass_is_done(self) -> None:
        here = world()
        here.cluster.conflicts = 1
        here.cluster.on_conflict = lambda cluster: setattr(cluster, "seen", snapshot(replicas=2))
        report = here.run()
        assert (report.failures, here.cluster.changes) == ({}, [])


class TestFailures:
    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (NotPermitted("patch deployments/scale is forbidden"), Code.NOT_PERMITTED),
            (Conflict("again"), Code.CONFLICT),
            (DeploymentGone("gone"), Code.DEPLOYMENT_MISSING),
            (ClusterUnavailable("TLS failed"), Code.CLUSTER_UNAVAILABLE),
            (ZeroDivisionError("a defect"), Code.FAILED),
        ],
    )
    def test_a_broken_pool_changes_nothing_for_the_others(self, error: Exception, code: Code) -> None:
        here = two_pools()
        here.cluster.fail_scale["gpu"] = error
        report = here.run()
        broken = next(each for each in report.decisions if each.pool == "gpu")
        assert here.cluster.targets() == {"spaces": 2}
        assert set(report.failures) == {"gpu"}
        assert (broken.action, broken.hold, broken.target) == (Action.HOLD, code, 0)
        assert broken.reasons[0].code is code
        assert here.ledger.pools["spaces"].state.last_written == 2
        assert here.ledger.pools["gpu"].state.last_written is None

    def test_a_mark_that_fails_stops_the_scale(self) -> None:
        here = World(cluster=FakeCluster(seen=snapshot(*(thing for name in "abc" for thing in pair(name)))))
        here.reader.specs["good"] = pool(min=1, max=1)
        here.cluster.fail_mark = NotPermitted("patch pods is forbidden")
        report = here.run()
        assert set(report.failures) == {"spaces"}
        assert here.cluster.changes == []

    @pytest.mark.parametrize(
        ("error", "code"),
        [(NotPermitted("forbidden"), Code.NOT_PERMITTED), (ClusterUnavailable("DNS"), Code.CLUSTER_UNAVAILABLE)],
    )
    def test_a_cluster_that_cannot_be_read_holds_all_pools(self, error: Exception, code: Code) -> None:
        here = two_pools()
        here.cluster.fail_observe = error
        report = here.run()
        assert {each.hold for each in report.decisions} == {code}
        assert (report.complete, here.cluster.changes) == (False, [])
        assert here.ledger.pools["spaces"].state.hold_since == NOW
        assert here.ledger.last_complete_began is None

    def test_a_partial_view_is_no_complete_pass(self) -> None:
        here = world()
        here.cluster.seen = snapshot(replicas=0, missing=("*: pods timed out",))
        assert not here.run().complete
        assert here.ledger.last_complete_began is None

    def test_no_time_left_starts_no_pool(self) -> None:
        here = world()
        here.budget = FixedBudget(0.5)
        report = here.run()
        assert "no time was left" in report.failures["spaces"]
        assert here.cluster.changes == []

    def test_a_decision_without_a_deployment_cannot_be_written(self) -> None:
        missing = Decision(pool="p", at=NOW, current=None, target=None, action=Action.HOLD, reasons=())
        with pytest.raises(DeploymentGone):
            scale_change(missing)


class TestLedger:
    def test_an_unreadable_ledger_raises_still_and_is_not_written_over(self) -> None:
        here = world()
        here.ledger.failure = "throttled"
        report = here.run()
        assert here.cluster.targets() == {"spaces": 2}
        assert (report.complete, here.ledger.pools) == (False, {})
        assert "throttled" in here.telemetry.warnings[0][0]

    def test_a_ledger_that_cannot_be_written_is_no_complete_pass(self) -> None:
        class ReadOnly(MemoryLedger):
            def write(self, entries: object, decisions: object, budget: Budget) -> None:
                raise LedgerUnavailable("full")

        here = world()
        here.ledger = ReadOnly()
        report = here.run()
        assert not report.complete
        assert here.ledger.last_complete_began is None

    def test_a_pass_that_another_one_overtook_counts_nothing(self) -> None:
        class Overtaken(MemoryLedger):
            def complete(self, completion: Completion, budget: Budget) -> bool:
                return False

        here = world()
        here.ledger = Overtaken()
        report = here.run()
        assert (report.complete, report.tallies) == (True, {})

    def test_a_pool_whose_entry_was_damaged_is_not_lowered(self) -> None:
        here = World(cluster=FakeCluster(seen=snapshot(*(thing for name in "abcd" for thing in pair(name)))))
        here.reader.specs["good"] = pool(min=1, scale_down=ScaleDown(after=timedelta(0)))
        here.ledger.lost = frozenset({"spaces"})
        assert Code.LEDGER_UNREADABLE in {reason.code for reason in here.decision().reasons}

    def test_daemonsets_are_read_again_every_hour(self) -> None:
        here = world()
        here.ledger.pools["spaces"] = LedgerEntry(state=PoolState(overhead_read_at=NOW - 59 * MINUTE, known_nodes=4))
        here.run()
        assert here.cluster.scopes[0].read_overhead_of == frozenset()
        assert here.cluster.scopes[0].known_nodes == {"spaces": 4}
        here.ledger.pools["spaces"] = LedgerEntry(state=PoolState(overhead_read_at=NOW - 60 * MINUTE))
        here.run()
        assert here.cluster.scopes[1].read_overhead_of == {"spaces"}


class TestConfiguration:
    def test_an_unreadable_store_keeps_the_last_good_spec(self) -> None:
        here = world()
        here.configuration.failure = "AccessDenied"
        here.ledger.pools["spaces"] = LedgerEntry(good_spec="good")
        report = here.run()
        (decision,) = report.decisions
        assert (decision.target, here.cluster.targets(), report.complete) == (2, {"spaces": 2}, False)
        assert Code.CONFIG_UNREADABLE in {reason.code for reason in decision.reasons}

    def test_an_invalid_spec_keeps_the_last_good_one_and_says_path_and_value(self) -> None:
        here = world()
        here.configuration.specs["spaces"] = "min two"
        here.ledger.pools["spaces"] = LedgerEntry(good_spec="good")
        decision = here.decision()
        (reason,) = (each for each in decision.reasons if each.code is Code.CONFIG_INVALID)
        assert "min: is 'min two', expected a whole number" in reason.text
        assert decision.target == 2
        assert here.ledger.pools["spaces"].good_spec == "good"

    def test_without_any_good_spec_the_pool_holds_and_the_others_go_on(self) -> None:
        here = two_pools()
        here.configuration.specs["gpu"] = "nonsense"
        report = here.run()
        broken = next(each for each in report.decisions if each.pool == "gpu")
        assert (broken.hold, broken.target) == (Code.CONFIG_INVALID, None)
        assert Code.NO_GOOD_SPEC in {reason.code for reason in broken.reasons}
        assert here.cluster.targets() == {"spaces": 2}

    def test_a_stack_without_pools_does_nothing(self) -> None:
        here = World(configuration=MemoryConfiguration())
        assert (here.run().decisions, here.cluster.scopes) == ((), [])

    def test_a_pool_whose_parameter_is_gone_is_no_pool(self) -> None:
        here = world()
        here.configuration.specs["spaces"] = None
        assert here.run().decisions == ()

    def test_a_last_good_spec_that_no_longer_decodes_is_told(self) -> None:
        here = world()
        here.configuration.specs["spaces"] = Unreadable(why="throttled")
        here.ledger.pools["spaces"] = LedgerEntry(good_spec="from an older version")
        assert Code.NO_GOOD_SPEC in {reason.code for reason in here.decision().reasons}

    def test_a_document_that_holds_another_pool_is_invalid(self) -> None:
        here = world()
        here.reader.specs["good"] = pool(name="somebody-else")
        (reason,) = (each for each in here.decision().reasons if each.code is Code.CONFIG_INVALID)
        assert "somebody-else" in reason.text

    def test_stack_money_is_shared_by_priority(self) -> None:
        here = two_pools()
        here.reader.stack = Spec(cluster=CLUSTER, pools={}, max_hourly_cost=Fraction(9))
        price = {"": Fraction(3)}
        here.reader.specs["good"] = pool(min=2, node_hourly_price=price)
        here.reader.specs["other"] = replace(here.reader.specs["other"], node_hourly_price=price, priority=5)
        here.run()
        assert here.cluster.targets() == {"gpu": 2, "spaces": 1}

    def test_a_pool_without_a_price_is_not_capped_by_the_stack(self) -> None:
        here = two_pools()
        here.reader.stack = Spec(cluster=CLUSTER, pools={}, max_hourly_cost=Fraction(0))
        here.reader.specs["good"] = pool(min=2, node_hourly_price={"": Fraction(0)})
        here.run()
        assert here.cluster.targets() == {"gpu": 2, "spaces": 2}


class TestOverride:
    def test_an_override_acts_and_is_remembered_as_good(self) -> None:
        here = world()
        here.configuration.overrides["spaces"] = "three"
        here.reader.overrides["three"] = Override(target=3, until=NOW + MINUTE)
        assert here.decision().target == 3
        kept = here.ledger.pools["spaces"]
        assert (kept.good_override, kept.override_seen_at) == ("three", NOW)

    def test_one_first_seen_after_its_until_is_rejected(self) -> None:
        here = world()
        here.configuration.overrides["spaces"] = "late"
        here.reader.overrides["late"] = Override(target=3, until=NOW)
        decision = here.decision()
        (reason,) = (each for each in decision.reasons if each.code is Code.CONFIG_INVALID)
        assert "was past when first seen" in reason.text
        assert decision.target == 2

    def test_one_that_was_in_force_and_has_passed_has_simply_ended(self) -> None:
        here = world()
        here.configuration.overrides["spaces"] = "ended"
        here.reader.overrides["ended"] = Override(target=3, until=NOW)
        here.ledger.pools["spaces"] = LedgerEntry(good_override="ended", override_seen_at=NOW - MINUTE)
        decision = here.decision()
        assert (decision.target, Code.CONFIG_INVALID in {reason.code for reason in decision.reasons}) == (2, False)
        assert here.ledger.pools["spaces"].override_seen_at == NOW - MINUTE

    @pytest.mark.parametrize("document", ["nonsense", Unreadable(why="throttled")])
    def test_a_rejected_or_unreadable_one_leaves_the_last_good_in_force(self, document: str | Unreadable) -> None:
        here = world()
        here.configuration.overrides["spaces"] = document
        here.reader.overrides["three"] = Override(target=3)
        here.ledger.pools["spaces"] = LedgerEntry(good_override="three")
        assert here.decision().target == 3
        assert here.ledger.pools["spaces"].good_override == "three"

    def test_a_deleted_one_ends_at_once(self) -> None:
        here = world()
        here.reader.overrides["three"] = Override(target=3)
        here.ledger.pools["spaces"] = LedgerEntry(good_override="three")
        assert here.decision().target == 2
        assert here.ledger.pools["spaces"].good_override is None


class TestStop:
    def test_freeze_writes_nothing(self) -> None:
        here = world()
        here.configuration.stop = "freeze"
        here.reader.stops["freeze"] = Stop(mode=StopMode.FREEZE)
        assert here.decision().hold is Code.FROZEN
        assert here.cluster.changes == []
        assert here.ledger.good_stop == "freeze"

    def test_a_switch_turned_while_the_cluster_cannot_be_seen_is_remembered(self) -> None:
        here = world()
        here.configuration.stop = "freeze"
        here.reader.stops["freeze"] = Stop(mode=StopMode.FREEZE)
        here.cluster.fail_observe = ClusterUnavailable("DNS")
        here.run()
        assert (here.ledger.good_stop, here.ledger.last_complete_began) == ("freeze", None)

    def test_an_invalid_stop_is_warned_about_and_the_last_good_one_stays(self) -> None:
        here = world()
        here.configuration.stop = "frieze"
        here.reader.stops["freeze"] = Stop(mode=StopMode.FREEZE)
        here.ledger.good_stop = "freeze"
        assert here.decision().hold is Code.FROZEN
        assert [fields for _, fields in here.telemetry.warnings] == [{"code": "ConfigInvalid"}]


def test_autoscaling_out_of_service_holds() -> None:
    here = world()
    here.provider.answer = AutoScaling(in_service=False, text="Failed")
    assert here.decision().hold is Code.AUTOSCALING_NOT_IN_SERVICE


def test_a_defect_while_deciding_is_that_pools_alone() -> None:
    class Broken(FakeCluster):
        def mark(self, marks: object, budget: Budget, *, dry_run: bool = False) -> None:
            raise RuntimeError("a defect")

    here = World(cluster=Broken(seen=snapshot(*(thing for name in "abc" for thing in pair(name)))))
    assert here.run().failures == {"spaces": "RuntimeError: a defect"}


def test_a_node_list_is_seen_by_every_pool_of_the_pass() -> None:
    here = two_pools()
    here.cluster.seen = snapshot(node("a"), deployment(0), deployment(0, name="ph-gpu"))
    here.run()
    assert len(here.cluster.scopes) == 1
    assert [each.name for each in here.cluster.scopes[0].pools] == ["spaces", "gpu"]
