"""A running stack as an operator sees it: documents, ledger and cluster, each told even where another is missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from tests.app.fakes import CLUSTER, FakeCluster, FakeReader
from tests.builders import NOW, pair, pool, snapshot
from warmpool.adapters.memory import FixedClock, FixedProvider, MemoryConfiguration, UnlimitedBudget
from warmpool.app.errors import ClusterUnavailable, ConfigUnreadable, LedgerUnavailable, NotPermitted
from warmpool.app.live_status import LivePorts, LiveStatus, PoolLive, StackLive
from warmpool.app.ports import Budget, LedgerEntry, LedgerState, Unreadable
from warmpool.app.said import Written
from warmpool.app.status import Problem
from warmpool.core.decision import Action, Decision, PoolState
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override, Spec, Stop, StopMode
from warmpool.core.watch import LeadSample, PoolWatch, Waiting, Watch

MINUTE = timedelta(minutes=1)
ALICE = "arn:aws:sts::123456789012:assumed-role/Operator/alice"


@dataclass(slots=True)
class Here:
    """One good pool with two warm nodes and a pass a minute ago, to begin with."""

    configuration: MemoryConfiguration = field(default_factory=lambda: MemoryConfiguration(specs={"spaces": "good"}))
    reader: FakeReader = field(default_factory=lambda: FakeReader(specs={"good": pool()}))
    cluster: FakeCluster = field(default_factory=lambda: FakeCluster(seen=snapshot(*pair("n1"), *pair("n2"))))
    provider: FixedProvider = field(default_factory=FixedProvider)
    ledger: LedgerState | None = field(
        default_factory=lambda: LedgerState(
            pools={"spaces": LedgerEntry(good_spec="good")}, last_complete_began=NOW - MINUTE
        )
    )
    decisions: dict[str, Decision] = field(default_factory=dict)
    history_fails: bool = False
    writers: Mapping[str, Written] | Exception = field(default_factory=dict)
    unreachable: Exception | None = None

    def read(self, budget: Budget) -> LedgerState:
        if self.ledger is None:
            raise LedgerUnavailable("no table")
        return self.ledger

    def latest(self, pool: str, budget: Budget) -> Decision | None:
        if self.history_fails:
            raise LedgerUnavailable("no query")
        return self.decisions.get(pool)

    def written(self, budget: Budget) -> Mapping[str, Written]:
        if isinstance(self.writers, Exception):
            raise self.writers
        return self.writers

    def cluster_of(self, spec: Spec) -> tuple[FakeCluster, FixedProvider]:
        assert spec.cluster == CLUSTER
        if self.unreachable is not None:
            raise self.unreachable
        return self.cluster, self.provider

    def look(self) -> StackLive:
        ports = LivePorts(
            configuration=self.configuration,
            records=self,
            writers=self,
            cluster_of=self.cluster_of,
            reader=self.reader,
            clock=FixedClock(NOW),
        )
        return LiveStatus(ports).look(UnlimitedBudget())

    def pool(self) -> PoolLive:
        (found,) = self.look().pools
        return found

    def knows(self, **changes: object) -> None:
        """Change what the ledger keeps of the pool."""
        assert self.ledger is not None
        entry = replace(self.ledger.pools["spaces"], **changes)  # type: ignore[arg-type]  # a test's own keywords
        self.ledger = replace(self.ledger, pools={"spaces": entry})

    def overrides(self, override: Override, text: str = "over") -> None:
        self.configuration.overrides["spaces"] = text
        self.reader.overrides[text] = override


def problem(live: PoolLive, code: str) -> Problem:
    (found,) = (each for each in live.status.problems if each.code == code)
    return found


def problems(live: PoolLive) -> list[str]:
    return [each.code for each in live.status.problems]


def test_a_pool_at_rest_is_kept_and_has_no_problem() -> None:
    stack = Here().look()
    (live,) = stack.pools
    assert (live.status.kept, live.status.problems, live.override, live.last) == (True, (), None, None)
    assert (stack.at, stack.stop, stack.last_complete) == (NOW, None, NOW - MINUTE)
    assert live.limits is not None
    assert (live.limits.min, live.limits.max) == (2, 8)


class TestOverride:
    def test_it_is_told_with_who_why_and_since_when_a_pass_has_taken_it_over(self) -> None:
        here = Here(writers={"spaces/override": Written(at=NOW - 3 * MINUTE, by=ALICE)})
        here.overrides(Override(pause=True, max=4, reason="exam", by=ALICE))
        here.knows(good_override="over", override_seen_at=NOW - 2 * MINUTE)
        live = here.pool()
        assert live.override == Override(pause=True, max=4, reason="exam", by=ALICE)
        assert (live.taken_over, live.written) == (NOW - 2 * MINUTE, Written(at=NOW - 3 * MINUTE, by=ALICE))
        paused = problem(live, "PausedByOverride")
        assert paused.since == NOW - 2 * MINUTE
        assert paused.text.endswith(f"exam (by {ALICE})")
        assert live.limits is not None
        assert live.limits.max == 4

    def test_one_that_no_pass_has_seen_yet_is_told_since_it_was_written(self) -> None:
        here = Here(writers={"spaces/override": Written(at=NOW, by=ALICE)})
        here.overrides(Override(pause=True))
        live = here.pool()
        assert live.taken_over is None
        assert problem(live, "PausedByOverride").since == NOW

    def test_one_that_has_ended_is_none(self) -> None:
        here = Here(writers={"spaces/override": Written(at=NOW - 9 * MINUTE)})
        here.overrides(Override(max=1, until=NOW - MINUTE))
        here.knows(good_override="over", override_seen_at=NOW - 8 * MINUTE)
        live = here.pool()
        assert (live.override, live.taken_over, live.written, problems(live)) == (None, None, None, [])

    def test_a_rejected_one_leaves_the_last_good_in_force_and_says_why_and_since_when(self) -> None:
        here = Here(writers={"spaces/override": Written(at=NOW - MINUTE, by=ALICE)})
        here.configuration.overrides["spaces"] = "nonsense"
        here.reader.overrides["over"] = Override(max=4)
        here.knows(good_override="over", override_seen_at=NOW - 8 * MINUTE)
        live = here.pool()
        assert live.override == Override(max=4)
        assert live.taken_over == NOW - 8 * MINUTE
        wrong = problem(live, "ConfigInvalid")
        assert "spaces/override: until: is 'nonsense'" in wrong.text
        assert wrong.text.endswith("the last good one stays in force")
        assert wrong.since == NOW - MINUTE
        # Alice wrote what is rejected; who wrote what is in force, the store does not know any more.
        assert live.written is None


class TestStop:
    @pytest.mark.parametrize(
        ("mode", "code"), [(StopMode.FREEZE, "Frozen"), (StopMode.DRAIN, "Draining")], ids=["freeze", "drain"]
    )
    def test_it_is_a_problem_of_every_pool(self, mode: StopMode, code: str) -> None:
        here = Here(writers={"stop": Written(at=NOW - MINUTE)})
        here.configuration.stop = "halt"
        here.reader.stops["halt"] = Stop(mode=mode, reason="incident", by=ALICE)
        stack = here.look()
        assert stack.stop == Stop(mode=mode, reason="incident", by=ALICE)
        assert problem(stack.pools[0], code).since == NOW - MINUTE
        assert "warmpool stop --clear" in problem(stack.pools[0], code).fix

    def test_a_rejected_one_is_told(self) -> None:
        here = Here(writers={"stop": Written(at=NOW - MINUTE)})
        here.configuration.stop = "frieze"
        wrong = problem(here.pool(), "ConfigInvalid")
        assert "stop: mode: is 'frieze'" in wrong.text
        assert wrong.text.endswith("there is no last good one")
        assert wrong.since == NOW - MINUTE


class TestLedger:
    def test_without_it_the_rest_is_told(self) -> None:
        here = Here(ledger=None)
        live = here.pool()
        assert live.status.kept is True
        assert "no table" in problem(live, "LedgerUnreadable").text

    def test_without_it_an_override_that_has_ended_is_no_error(self) -> None:
        here = Here(ledger=None)
        here.overrides(Override(max=1, until=NOW - MINUTE))
        assert problems(here.pool()) == ["LedgerUnreadable"]

    def test_passes_that_do_not_come_are_told(self) -> None:
        here = Here(ledger=LedgerState(last_complete_began=NOW - 17 * MINUTE))
        assert "17 min ago" in problem(here.pool(), "PassesLate").text

    def test_a_stack_that_never_saw_its_cluster_is_told(self) -> None:
        here = Here(ledger=LedgerState())
        assert "no pass has ever seen" in problem(here.pool(), "PassesLate").text

    def test_a_history_that_cannot_be_read_is_none(self) -> None:
        assert Here(history_fails=True).pool().last is None


class TestStore:
    def test_where_it_cannot_be_read_the_last_good_documents_count_as_in_a_pass(self) -> None:
        here = Here()
        here.configuration.failure = "AccessDenied"
        live = here.pool()
        assert live.status.kept is True
        assert [each.text for each in live.status.problems if "spaces/spec cannot be read" in each.text]

    def test_where_nothing_is_known_at_all_it_is_an_error(self) -> None:
        here = Here(ledger=None)
        here.configuration.failure = "AccessDenied"
        with pytest.raises(ConfigUnreadable, match="AccessDenied"):
            here.look()

    def test_who_wrote_what_may_be_unknown(self) -> None:
        here = Here(writers=NotPermitted("ssm:DescribeParameters"))
        here.overrides(Override(pause=True))
        assert problem(here.pool(), "PausedByOverride").since is None

    def test_a_pool_without_any_good_spec_is_unknown(self) -> None:
        here = Here(ledger=LedgerState(last_complete_began=NOW), writers={"spaces/spec": Written(at=NOW)})
        here.configuration.specs["spaces"] = "nonsense"
        live = here.pool()
        assert (live.status.kept, live.limits) == (None, None)
        assert problems(live) == ["ConfigInvalid", "NoGoodSpec"]
        assert problem(live, "ConfigInvalid").since == NOW


class TestCluster:
    @pytest.mark.parametrize(
        ("error", "code"),
        [(ClusterUnavailable("no route"), "ClusterUnavailable"), (NotPermitted("no access entry"), "NotPermitted")],
        ids=["unreachable", "refused"],
    )
    def test_where_it_cannot_be_seen_the_documents_are_told_and_kept_is_unknown(
        self, error: Exception, code: str
    ) -> None:
        here = Here(cluster=FakeCluster(fail_observe=error))
        here.overrides(Override(pause=True, max=3, reason="exam"))
        live = here.pool()
        assert (live.status.kept, live.status.decision) == (None, None)
        assert problems(live) == [code, "PausedByOverride"]
        assert "the cluster cannot be read from here" in problem(live, code).text
        assert live.limits is not None
        assert live.limits.max == 3

    def test_then_what_the_controller_last_decided_is_told_but_for_what_the_documents_say(self) -> None:
        stuck = Reason(Code.CAPACITY_STUCK, "1 placeholder has waited")
        held = Reason(Code.FOREIGN_WRITER, "hpa sets the replicas")
        old = Reason(Code.CONFIG_INVALID, "of yesterday")
        last = Decision(
            pool="spaces", at=NOW - MINUTE, current=1, target=1, action=Action.HOLD, reasons=(held, stuck, old)
        )
        here = Here(unreachable=ClusterUnavailable("no route"), decisions={"spaces": last})
        here.knows(state=PoolState(hold_since=NOW - 7 * MINUTE, hold_code=Code.FOREIGN_WRITER))
        live = here.pool()
        assert live.last == last
        assert problems(live) == ["ClusterUnavailable", "ForeignWriter", "CapacityStuck"]
        assert problem(live, "ForeignWriter").since == NOW - 7 * MINUTE
        assert problem(live, "CapacityStuck").since is None

    def test_a_pool_that_the_ledger_does_not_hold_is_held_since_nobody_knows_when(self) -> None:
        last = Decision(
            pool="spaces",
            at=NOW,
            current=1,
            target=1,
            action=Action.HOLD,
            reasons=(Reason(Code.ROLLOUT, "rolling out"),),
        )
        here = Here(
            unreachable=ClusterUnavailable("no route"),
            decisions={"spaces": last},
            ledger=LedgerState(last_complete_began=NOW),
        )
        assert problem(here.pool(), "Rollout").since is None

    def test_the_ledgers_state_counts_for_the_answer(self) -> None:
        here = Here()
        here.configuration.specs["spaces"] = Unreadable(why="throttled")
        live = here.pool()
        assert live.status.kept is True
        assert problems(live) == ["ConfigUnreadable"]


def test_a_document_is_unreadable_since_a_pass_met_it_and_not_since_it_was_written() -> None:
    here = Here(writers={"spaces/override": Written(at=NOW - 60 * MINUTE, by=ALICE)})
    here.configuration.overrides["spaces"] = Unreadable(why="throttled")
    assert problem(here.pool(), "ConfigUnreadable").since is None
    here.knows(config_wrong_since=NOW - 3 * MINUTE)
    assert problem(here.pool(), "ConfigUnreadable").since == NOW - 3 * MINUTE


class TestWatch:
    def test_the_measured_lead_time_and_the_launches_that_wait_are_told(self) -> None:
        sample = LeadSample(node=2 * MINUTE, join=MINUTE, pull=3 * MINUTE)
        waiting = {"a": Waiting(pool="spaces"), "b": Waiting(pool="gpu")}
        watch = Watch(began=NOW, pools={"spaces": PoolWatch(lead=(sample,))}, waiting=waiting)
        here = Here()
        assert here.ledger is not None
        here.ledger = replace(here.ledger, watch=watch)
        live = here.pool()
        assert live.launches_waiting == 1
        assert live.lead is not None
        assert (live.lead.orders, live.lead.reckoned, live.lead.pull) == (1, 6 * MINUTE, 3 * MINUTE)

    def test_where_no_pass_has_remembered_anything_they_are_not_known(self) -> None:
        live = Here().pool()
        assert (live.lead, live.launches_waiting) == (None, None)

    def test_of_a_pool_without_a_readable_spec_too(self) -> None:
        here = Here()
        here.configuration.specs["spaces"] = "bad"
        here.reader.specs.clear()
        here.ledger = LedgerState(
            pools={"spaces": LedgerEntry()},
            last_complete_began=NOW,
            watch=Watch(
                began=NOW, pools={"spaces": PoolWatch(lead=(LeadSample(node=MINUTE, join=MINUTE, pull=MINUTE),))}
            ),
        )
        live = here.pool()
        assert live.lead is not None
        assert live.lead.reckoned == 3 * MINUTE
