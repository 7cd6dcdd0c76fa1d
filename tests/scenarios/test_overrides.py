"""Overrides and the stop switch as stories: what operators write acts, and what is wrong never does."""

import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from tests.scenarios.story import MINUTE, START, Story, codes, spaces
from warmpool.adapters.config.reader import Reader
from warmpool.adapters.memory import MemoryLedger, UnlimitedBudget
from warmpool.app.live_status import LivePorts, LiveStatus, PoolLive
from warmpool.app.ports import Budget, Document, LedgerState, PassReport, Unreadable
from warmpool.app.reconcile import Ports, Reconcile
from warmpool.app.said import Written
from warmpool.core.decision import Action, Decision
from warmpool.core.reasons import Code
from warmpool.core.spec import ClusterRef, PoolSpec

LATER = (START + timedelta(hours=6)).isoformat()
ALICE = "arn:aws:sts::123456789012:assumed-role/Operator/alice"


@dataclass(slots=True)
class Documents(Story):
    """A story whose documents are the real texts, read by the real reader."""

    strict: Reader = field(default_factory=Reader)

    def __post_init__(self) -> None:
        Story.__post_init__(self)
        self.deploy(self.spec)

    def deploy(self, spec: PoolSpec) -> None:
        """Write the pool's spec as JSON; what a story does not vary is that of `spaces()`."""
        self.spec = spec
        pool = {
            "namespace": "op",
            "deployment": "ph",
            "nodeSelector": {"pool": "spaces"},
            "shape": {"cpu": "4", "memory": "16Gi"},
            "placeholder": {"cpu": "45", "memory": "178Gi"},
            "leadTime": "10m",
            "min": spec.min,
            "max": spec.max,
        }
        document = {"cluster": {"hyperpod": "research"}, "pools": {"spaces": pool}}
        self.configuration.specs["spaces"] = json.dumps(document)

    def once(self) -> PassReport:
        """Run one pass with the real reader."""
        ports = Ports(
            cluster=self.door,
            configuration=self.configuration,
            ledger=self.ledger,
            provider=self.provider,
            reader=self.strict,
            telemetry=self.telemetry,
            clock=self.clock,
        )
        report = Reconcile(ports, ClusterRef(hyperpod="research")).run(UnlimitedBudget())
        assert report is not None
        return report

    def status(self) -> PoolLive:
        """Look at the pool as `warmpool status` does."""
        ports = LivePorts(
            configuration=self.configuration,
            records=_Records(self.ledger),
            writers=_NoBooks(),
            cluster_of=lambda spec: (self.door, self.provider),
            reader=self.strict,
            clock=self.clock,
        )
        (pool,) = LiveStatus(ports).look(UnlimitedBudget()).pools
        return pool

    def write(self, document: Document | dict[str, Any]) -> None:
        """Put an override into the store, as a text or as the keys that it has."""
        text = json.dumps({"until": LATER, **document}) if isinstance(document, dict) else document
        self.configuration.overrides["spaces"] = text

    def turn(self, mode: str, **keys: str) -> None:
        """Turn the stop switch."""
        self.configuration.stop = json.dumps({"mode": mode, **keys})


@dataclass(frozen=True, slots=True)
class _Records:
    ledger: MemoryLedger

    def read(self, budget: Budget) -> LedgerState:
        return self.ledger.read(budget)

    def latest(self, pool: str, budget: Budget) -> Decision | None:
        kept = self.ledger.history.get(pool, {})
        return kept[max(kept)].decision if kept else None


class _NoBooks:
    def written(self, budget: Budget) -> dict[str, Written]:
        return {}


def warm(minimum: int = 2) -> Documents:
    """Wait until the pool is warm and at rest."""
    story = Documents(spec=spaces(min=minimum))
    story.until(lambda decision: decision.ready_placeholders == minimum)
    return story


def told(decision: Decision, code: Code) -> str:
    (text,) = (each.text for each in decision.reasons if each.code is code)
    return text


BAD: dict[str, tuple[Document, str]] = {
    "min over its own max": (json.dumps({"min": 5, "max": 3, "until": LATER}), "min: got number 5; expected at most"),
    "min over the pool's max": (json.dumps({"min": 9, "until": LATER}), "min: got number 9; expected at most"),
    "past when first seen": (json.dumps({"min": 5, "until": START.isoformat()}), "until: got 2026-12-01T08:00+00:00"),
    "unknown key": (json.dumps({"min": 5, "until": LATER, "maximum": 8}), "maximum: unknown key"),
    "number as text": (json.dumps({"min": "5", "until": LATER}), 'min: got text "5"'),
    "true for a number": (json.dumps({"min": True, "until": LATER}), "min: got true"),
    "a megabyte of text": (json.dumps({"min": 5, "until": LATER, "reason": "x" * 2**20}), "bytes; expected at most"),
    "invalid JSON": ('{"min": 5, "until": ', "this is not JSON"),
    "no until": (json.dumps({"min": 5}), "until: missing"),
    "an empty text": ("", "this is not JSON"),
    "a list": ("[5]", "got a list of 1"),
}


class TestBadOverrides:
    @pytest.mark.parametrize("bad", BAD, ids=str)
    def test_it_leaves_the_pool_where_it_was_raises_config_invalid_and_says_why(self, bad: str) -> None:
        story = warm()
        writes = list(story.door.writes)
        document, why = BAD[bad]
        story.write(document)
        decision = story.tick(20)
        assert (story.scale, decision.action, story.door.writes) == (2, Action.NONE, writes)
        assert told(decision, Code.CONFIG_INVALID).startswith("spaces/override: ")
        assert why in told(decision, Code.CONFIG_INVALID)
        assert len(told(decision, Code.CONFIG_INVALID)) < 500
        assert told(decision, Code.CONFIG_INVALID).endswith("there is no last good one")

    @pytest.mark.parametrize("bad", BAD, ids=str)
    def test_the_last_good_one_stays_in_force_until_its_own_until(self, bad: str) -> None:
        story = warm()
        story.write({"min": 4, "until": (story.clock.time + 40 * MINUTE).isoformat()})
        story.until(lambda decision: decision.ready_placeholders == 4)
        document, _ = BAD[bad]
        story.write(document)
        decision = story.tick(5)
        assert story.scale == 4
        assert told(decision, Code.CONFIG_INVALID).endswith("the last good one stays in force")
        story.tick(60)
        assert story.scale == 2

    @pytest.mark.parametrize("bad", BAD, ids=str)
    def test_status_shows_the_reason_and_what_to_do(self, bad: str) -> None:
        story = warm()
        document, why = BAD[bad]
        story.write(document)
        story.tick()
        live = story.status()
        (problem,) = live.status.problems
        assert (live.status.kept, problem.code) == (True, "ConfigInvalid")
        assert problem.text.startswith("spaces/override: ")
        assert why in problem.text
        assert "warmpool override check" in problem.fix

    def test_status_shows_the_last_good_one_beside_it_and_since_when(self) -> None:
        story = warm()
        story.write({"min": 3, "reason": "exam", "by": ALICE})
        story.tick(2)
        story.write(BAD["unknown key"][0])
        story.tick(30)
        live = story.status()
        assert live.override is not None
        assert (live.override.min, live.override.reason, live.override.by) == (3, "exam", ALICE)
        assert live.taken_over == story.clock.time - 31 * MINUTE
        assert [each.code for each in live.status.problems] == ["ConfigInvalid"]

    def test_a_good_one_after_a_bad_one_acts_at_once(self) -> None:
        story = warm()
        story.write(BAD["true for a number"][0])
        story.tick(3)
        story.write({"min": 3})
        assert Code.CONFIG_INVALID not in codes(story.tick())
        assert story.scale == 3


class TestStoreFails:
    @pytest.mark.parametrize("why", ["AccessDeniedException", "ThrottlingException"])
    def test_the_whole_store_keeps_the_last_good_one(self, why: str) -> None:
        story = warm()
        story.write({"min": 4})
        story.until(lambda decision: decision.ready_placeholders == 4)
        story.configuration.failure = why
        decision = story.tick(30)
        assert (story.scale, decision.limits is not None and decision.limits.min) == (4, 4)
        assert Code.CONFIG_UNREADABLE in codes(decision)

    def test_one_document_keeps_the_last_good_one(self) -> None:
        story = warm()
        story.write({"min": 4})
        story.until(lambda decision: decision.ready_placeholders == 4)
        story.write(Unreadable(why="ThrottlingException"))
        decision = story.tick(30)
        assert story.scale == 4
        assert told(decision, Code.CONFIG_UNREADABLE).endswith("the last good one stays in force")

    def test_a_pause_stays_a_pause(self) -> None:
        story = warm()
        story.write({"pause": True})
        story.tick()
        story.configuration.failure = "AccessDeniedException"
        story.deploy(replace(story.spec, min=5))
        assert story.tick(10).hold is Code.PAUSED_BY_OVERRIDE
        assert story.scale == 2

    def test_what_ends_meanwhile_ends(self) -> None:
        story = warm()
        story.write({"min": 4, "until": (story.clock.time + 40 * MINUTE).isoformat()})
        story.until(lambda decision: decision.ready_placeholders == 4)
        story.configuration.failure = "ThrottlingException"
        story.tick(60)
        assert story.scale == 2


class TestGoodOverrides:
    def test_it_raises_at_once_and_says_who_and_why(self) -> None:
        story = warm()
        story.write({"min": 4, "reason": "exam", "by": ALICE})
        decision = story.tick()
        assert story.scale == 4
        assert told(decision, Code.OVERRIDE).endswith(f": exam (by {ALICE})")

    def test_who_and_why_are_in_the_history_also_where_nothing_else_has_changed(self) -> None:
        story = warm()
        story.write({"max": 8, "reason": "exam", "by": ALICE})
        story.tick(3)
        story.write({"max": 8, "reason": "workshop", "by": "bob"})
        story.tick(3)
        decisions = [each.decision for each in story.ledger.history["spaces"].values()]
        kept = [told(each, Code.OVERRIDE) for each in decisions if _overridden(each)]
        assert [text.partition(": ")[2] for text in kept] == [f"exam (by {ALICE})", "workshop (by bob)"]

    def test_what_it_lowers_goes_at_once(self) -> None:
        story = warm(4)
        story.write({"min": 1})
        story.tick()
        assert story.scale == 1

    def test_deleting_it_ends_it_at_once(self) -> None:
        story = warm(4)
        story.write({"max": 1})
        story.tick(3)
        assert story.scale == 1
        story.write(None)
        decision = story.tick()
        assert (story.scale, Code.OVERRIDE in codes(decision)) == (4, False)

    def test_until_is_enforced_here_and_an_ended_one_is_no_error(self) -> None:
        story = warm(4)
        story.write({"max": 1, "until": (story.clock.time + 10 * MINUTE).isoformat()})
        story.tick(9)
        assert story.scale == 1
        decision = story.tick()
        assert story.scale == 4
        assert not codes(decision) & {Code.OVERRIDE, Code.CONFIG_INVALID}
        assert Code.CONFIG_INVALID not in codes(story.tick(30))

    def test_an_ended_one_that_is_deleted_and_written_again_is_an_error(self) -> None:
        story = warm()
        ended = {"min": 3, "until": (story.clock.time + 2 * MINUTE).isoformat()}
        story.write(ended)
        story.tick(5)
        story.write(None)
        story.tick()
        story.write(ended)
        assert Code.CONFIG_INVALID in codes(story.tick())

    def test_pause_leaves_the_pool_as_it_is_whatever_happens(self) -> None:
        story = warm()
        story.write({"pause": True, "max": 1, "reason": "repair", "by": ALICE})
        story.launch("a", "b", "c")
        decision = story.tick(30)
        assert (story.scale, decision.hold) == (2, Code.PAUSED_BY_OVERRIDE)
        assert told(decision, Code.PAUSED_BY_OVERRIDE).endswith(f": repair (by {ALICE})")
        story.write(None)
        assert story.tick().hold is None

    def test_a_pin_replaces_every_need(self) -> None:
        story = warm()
        story.write({"target": 5})
        decision = story.until(lambda each: each.ready_placeholders == 5)
        assert [each.policy for each in decision.contributions] == ["pin"]
        story.write({"target": 0})
        story.tick()
        assert story.scale == 0

    def test_a_max_above_the_pools_is_allowed_and_a_min_with_it(self) -> None:
        story = warm()
        story.write({"min": 10, "max": 12})
        story.tick()
        assert story.scale == 10

    def test_an_emergency_max_wins_over_the_min_and_is_told_as_capped(self) -> None:
        story = warm(4)
        story.write({"max": 2})
        decision = story.tick()
        assert (story.scale, decision.capped) == (2, True)
        assert Code.CAPPED_BY_MAX in codes(decision)


class TestStop:
    def test_freeze_writes_nothing_for_any_pool_and_says_why(self) -> None:
        story = warm()
        writes = list(story.door.writes)
        story.turn("freeze", reason="incident", by=ALICE)
        story.write({"min": 6})
        story.launch("a")
        decision = story.tick(15)
        assert (decision.hold, story.door.writes) == (Code.FROZEN, writes)
        assert told(decision, Code.FROZEN).endswith(f": incident (by {ALICE})")
        story.configuration.stop = None
        story.tick()
        assert story.scale > 2

    def test_drain_is_nothing_at_once_whatever_the_override_asks_for(self) -> None:
        story = warm()
        story.write({"min": 6, "max": 12})
        story.turn("drain", reason="budget")
        decision = story.tick()
        assert story.scale == 0
        assert Code.DRAINING in codes(decision)
        story.configuration.stop = None
        story.tick()
        assert story.scale == 6

    def test_it_ends_by_itself(self) -> None:
        story = warm()
        story.turn("drain", until=(story.clock.time + 10 * MINUTE).isoformat())
        story.tick(9)
        assert story.scale == 0
        story.tick()
        assert story.scale == 2

    @pytest.mark.parametrize("text", ['{"mode": "freez"}', "{", '{"mode": "drain", "untill": "forever"}', '"freeze"'])
    def test_a_bad_one_leaves_the_pool_where_it_was_and_is_told_by_the_pool(self, text: str) -> None:
        story = warm()
        story.configuration.stop = text
        decision = story.tick(5)
        assert (story.scale, decision.hold) == (2, None)
        assert told(decision, Code.CONFIG_INVALID).startswith("stop: ")

    @pytest.mark.parametrize("failure", [True, False], ids=["store", "document"])
    def test_the_last_good_one_stays_where_it_cannot_be_read(self, failure: bool) -> None:  # noqa: FBT001
        story = warm()
        story.turn("freeze")
        story.tick()
        if failure:
            story.configuration.failure = "ThrottlingException"
        else:
            story.configuration.stop = "nonsense"
        story.write({"min": 6})
        assert story.tick(10).hold is Code.FROZEN

    def test_one_that_was_turned_while_the_cluster_could_not_be_seen_is_remembered_too(self) -> None:
        story = warm()
        story.door.failures.unreadable.add("pods")
        story.turn("freeze")
        story.tick()
        story.door.failures.unreadable.clear()
        story.configuration.failure = "ThrottlingException"
        story.deploy(replace(story.spec, min=6))
        assert story.tick(3).hold is Code.FROZEN
        story.door.failures.unreadable.add("pods")
        story.configuration.failure = story.configuration.stop = None
        story.tick()
        story.door.failures.unreadable.clear()
        story.configuration.failure = "ThrottlingException"
        assert story.tick().hold is None


def _overridden(decision: Decision) -> bool:
    return Code.OVERRIDE in codes(decision)
