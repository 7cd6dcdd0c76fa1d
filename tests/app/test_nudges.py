"""What the queue delivers: nudges, stale ones, and what nobody can read."""

from datetime import timedelta

import pytest

from tests.app.fakes import FakeCluster, World
from tests.builders import NOW, snapshot
from warmpool.adapters.memory import MemoryDeadLetters
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.nudges import LONGEST_BODY, Message, ServeNudges
from warmpool.app.ports import Budget, PassReport
from warmpool.app.reconcile import Reconcile

MINUTE = timedelta(minutes=1)
TICK = '{"kind":"tick","scheduled":"2026-12-01T09:00:00Z"}'


def served(here: World, *messages: Message) -> tuple[PassReport | None, MemoryDeadLetters]:
    letters = MemoryDeadLetters()
    report = ServeNudges(here.reconcile(), letters, here.telemetry).serve(messages, here.budget)
    return report, letters


def world() -> World:
    return World(cluster=FakeCluster(seen=snapshot(replicas=0)))


def test_ten_nudges_are_one_pass() -> None:
    here = world()
    report, letters = served(here, *(Message(body=TICK, sent=NOW) for _ in range(10)))
    assert report is not None
    assert (len(here.cluster.scopes), letters.sent) == (1, [])


def test_a_batch_of_stale_nudges_is_no_pass() -> None:
    here = world()
    here.ledger.last_complete_began = NOW
    report, _ = served(here, Message(body=TICK, sent=NOW - MINUTE), Message(body=TICK, sent=NOW - 2 * MINUTE))
    assert (report, here.cluster.scopes) == (None, [])


def test_the_newest_nudge_of_a_batch_decides() -> None:
    here = world()
    here.ledger.last_complete_began = NOW
    report, _ = served(here, Message(body=TICK, sent=NOW - MINUTE), Message(body=TICK, sent=NOW + MINUTE))
    assert report is not None


def test_a_nudge_without_a_time_is_never_stale() -> None:
    here = world()
    here.ledger.last_complete_began = NOW
    report, _ = served(here, Message(body=TICK), Message(body=TICK, sent=NOW - MINUTE))
    assert report is not None


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an object"),
        ("{}", "kind"),
        ('{"kind": 3}', "kind"),
        ("x" * (LONGEST_BODY + 1), "characters"),
    ],
    ids=["broken", "deep", "list", "no kind", "kind of another type", "too long"],
)
def test_what_cannot_be_read_goes_to_the_dead_letters_and_the_rest_is_served(body: str, why: str) -> None:
    here = world()
    report, letters = served(here, Message(body=body, message_id="m1"), Message(body=TICK, sent=NOW))
    assert report is not None
    assert [(text, why in reason) for text, reason in letters.sent] == [(body, True)]
    assert "m1" in here.telemetry.warnings[0][0]


def test_only_unreadable_messages_are_no_pass() -> None:
    here = world()
    report, letters = served(here, Message(body=""))
    assert (report, len(letters.sent), here.cluster.scopes) == (None, 1, [])


@pytest.mark.parametrize("error", [LedgerUnavailable("no time"), RuntimeError("a defect")])
def test_a_pass_that_fails_is_reported_and_acknowledged(error: Exception) -> None:
    class Failing(Reconcile):
        def run(self, budget: Budget, newest_nudge: object = None) -> PassReport | None:
            raise error

    here = world()
    failing = Failing.__new__(Failing)
    report = ServeNudges(failing, MemoryDeadLetters(), here.telemetry).serve([Message(body=TICK)], here.budget)
    assert report is not None
    assert list(report.failures) == ["*"]
    assert here.telemetry.reports == [report]
