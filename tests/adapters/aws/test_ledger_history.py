"""The ledger's history as operators read it: decisions with what they came from, and launches."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.adapters.aws.builders import AT, cold, launch, tally, warm
from tests.adapters.aws.faults import Faults
from tests.adapters.aws.table import TABLE, create_table, items_of
from tests.builders import inputs, pair
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.aws.ledger_history import LedgerHistory
from warmpool.adapters.decided_json import write_decision
from warmpool.adapters.kept_decision import Damaged, KeptDecision, Span
from warmpool.adapters.memory import RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Completion, Decided, LedgerEntry
from warmpool.core.decide import decide
from warmpool.core.reasons import Code, Reason
from warmpool.core.watch import Outcome

MINUTE = timedelta(minutes=1)
ANY_TIME = UnlimitedBudget()
ALWAYS = Span()
FAILED = (Reason(Code.CONFLICT, "somebody else wrote first"),)


@pytest.fixture
def history(clients: AwsClients) -> LedgerHistory:
    create_table(clients)
    return LedgerHistory(clients, table=TABLE, budget=ANY_TIME)


def decided(minutes: int = 0, placeholders: int = 1, **changes: Any) -> Decided:
    """Decide with so many placeholders on nodes of their own, so many minutes after nine."""
    things = [each for number in range(placeholders) for each in pair(f"n{number}")]
    seen = inputs(*things, now=AT + minutes * MINUTE, **changes)
    return Decided(decision=decide(seen), inputs=seen)


def keep(clients: AwsClients, *all_decided: Decided, telemetry: RecordingTelemetry | None = None) -> None:
    for each in all_decided:
        ledger = DynamoDbLedger(clients, table=TABLE, telemetry=telemetry or RecordingTelemetry())
        ledger.write({each.decision.pool: LedgerEntry()}, [each], ANY_TIME)


def whole(found: Sequence[KeptDecision | Damaged]) -> list[KeptDecision]:
    assert all(isinstance(each, KeptDecision) for each in found)
    return [each for each in found if isinstance(each, KeptDecision)]


def test_decisions_come_back_oldest_first_with_what_they_came_from(clients: AwsClients, history: LedgerHistory) -> None:
    first, second = decided(0), replace(decided(3, placeholders=4), failed=FAILED)
    keep(clients, second, first)
    kept = whole(list(history.decisions("spaces", ALWAYS, with_inputs=True)))

    assert [each.decision for each in kept] == [first.decision, second.decision]
    assert [each.failed for each in kept] == [(), FAILED]
    for each in kept:
        again = each.decided().inputs
        assert again is not None
        assert write_decision(decide(again)) == each.written == write_decision(each.decision)


def test_a_span_takes_both_its_ends(clients: AwsClients, history: LedgerHistory) -> None:
    keep(clients, *(decided(minutes) for minutes in range(5)))
    span = Span(since=AT + MINUTE, until=AT + 3 * MINUTE)
    kept = whole(list(history.decisions("spaces", span, with_inputs=False)))

    assert [each.decision.at for each in kept] == [AT + minutes * MINUTE for minutes in (1, 2, 3)]


def test_the_newest_are_the_last_ones_the_oldest_of_them_first(clients: AwsClients, history: LedgerHistory) -> None:
    keep(clients, *(decided(minutes) for minutes in range(5)))
    newest = whole(history.newest("spaces", Span(until=AT + 3 * MINUTE), 2, with_inputs=True))

    assert [each.decision.at for each in newest] == [AT + minutes * MINUTE for minutes in (2, 3)]
    assert history.newest("gpu", ALWAYS, 2, with_inputs=True) == []


def test_pages_are_read_to_the_end(clients: AwsClients, faults: Faults, history: LedgerHistory) -> None:
    keep(clients, *(decided(minutes) for minutes in range(7)))
    faults.calls.clear()

    assert len(history.newest("spaces", ALWAYS, 3, with_inputs=False)) == 3
    assert faults.calls["Query"] == 1
    assert len(list(history._items("spaces", "history", ALWAYS, page=3))) == 7  # noqa: SLF001 - pages of a real size hold thousands
    assert faults.calls["Query"] == 4


def large(nodes: int) -> Decided:
    return decided(0, placeholders=nodes, replicas=nodes)


def test_inputs_that_do_not_fit_into_one_item_are_in_several(
    clients: AwsClients, history: LedgerHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmpool.adapters.aws.history_items.MOST_BYTES", 1000)
    keep(clients, large(60))
    items = items_of(clients, "pool#spaces")
    pieces = [each for each in items if each["sk"]["S"].startswith("inputs#")]
    [item] = [each for each in items if each["sk"]["S"].startswith("history#")]

    assert int(item["pieces"]["N"]) == len(pieces) > 1
    assert {each["expires"]["N"] for each in pieces} == {item["expires"]["N"]}
    [kept] = whole(list(history.decisions("spaces", ALWAYS, with_inputs=True)))
    assert kept.decided().inputs == KeptDecision.of(large(60)).decided().inputs
    [seen] = whole(list(history.decisions("spaces", ALWAYS, with_inputs=False)))
    assert (seen.decision, seen.inputs) == (kept.decision, None)


def test_pieces_are_written_before_the_decision_that_names_them(
    clients: AwsClients, faults: Faults, history: LedgerHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmpool.adapters.aws.history_items.MOST_BYTES", 1000)
    faults.refuse("PutItem", "InternalServerError", after=1)
    with pytest.raises(LedgerUnavailable):
        keep(clients, large(60))

    assert list(history.decisions("spaces", ALWAYS, with_inputs=True)) == []


def test_a_piece_that_is_gone_is_said(
    clients: AwsClients, history: LedgerHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmpool.adapters.aws.history_items.MOST_BYTES", 1000)
    keep(clients, large(60))
    first = next(each for each in items_of(clients, "pool#spaces") if each["sk"]["S"].startswith("inputs#"))
    clients.client("dynamodb", ANY_TIME).delete_item(TableName=TABLE, Key={"pk": first["pk"], "sk": first["sk"]})
    [kept] = whole(list(history.decisions("spaces", ALWAYS, with_inputs=True)))

    assert kept.inputs is None
    assert "1 of" in kept.left_out
    assert "pieces of its inputs are not there" in kept.left_out


def test_inputs_without_end_are_left_out_and_that_is_said(
    clients: AwsClients, history: LedgerHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmpool.adapters.kept_decision.MOST_INPUTS", 1000)
    telemetry = RecordingTelemetry()
    keep(clients, large(60), telemetry=telemetry)
    [kept] = whole(list(history.decisions("spaces", ALWAYS, with_inputs=True)))

    assert (kept.decision, kept.inputs) == (large(60).decision, None)
    assert "at most 1000 are kept" in kept.left_out
    assert telemetry.warnings == [
        ("a decision is kept and cannot be replayed", {"pool": "spaces", "why": kept.left_out})
    ]


def test_a_decision_is_not_written_down_again_while_it_stays(
    clients: AwsClients, history: LedgerHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = DynamoDbLedger(clients, table=TABLE, telemetry=RecordingTelemetry())
    ledger.write({"spaces": LedgerEntry()}, [decided(0)], ANY_TIME)
    entry = ledger.read(ANY_TIME).pools["spaces"]
    monkeypatch.setattr(KeptDecision, "of", None)
    ledger.write({"spaces": entry}, [decided(1)], ANY_TIME)

    assert len(list(history.decisions("spaces", ALWAYS, with_inputs=False))) == 1


def test_a_damaged_decision_does_not_hide_the_others(clients: AwsClients, history: LedgerHistory) -> None:
    keep(clients, decided(0), decided(2))
    key = {"pk": {"S": "pool#spaces"}, "sk": {"S": "history#2026-12-01T09:01:00.000000+00:00"}}
    clients.client("dynamodb", ANY_TIME).put_item(TableName=TABLE, Item={**key, "decision": {"B": b"junk"}})
    first, damaged, last = history.decisions("spaces", ALWAYS, with_inputs=True)

    assert isinstance(first, KeptDecision)
    assert isinstance(last, KeptDecision)
    assert isinstance(damaged, Damaged)
    assert (damaged.pool, damaged.at) == ("spaces", "2026-12-01T09:01:00.000000+00:00")
    assert "not packed by us" in damaged.why


def test_a_decision_of_the_version_before_has_no_inputs(clients: AwsClients, history: LedgerHistory) -> None:
    keep(clients, Decided(decision=decided().decision))
    [kept] = whole(list(history.decisions("spaces", ALWAYS, with_inputs=True)))

    assert kept.decided() == Decided(decision=decided().decision)


def test_launches_are_read_by_their_span(clients: AwsClients, history: LedgerHistory) -> None:
    ledger = DynamoDbLedger(clients, table=TABLE, telemetry=RecordingTelemetry())
    counts = tally(launch(warm(), waited=20), launch(cold(), waited=3600))
    ledger.complete(Completion(began=AT, previous=None, tallies={"spaces": counts}), ANY_TIME)

    assert [each.start for each in history.launches("spaces", ALWAYS)] == [AT - 60 * MINUTE, AT - 5 * MINUTE]
    [late] = history.launches("spaces", Span(since=AT - 30 * MINUTE))
    assert late.outcomes == {Outcome.WARM_COEXIST: 1}
    assert history.launches("gpu", ALWAYS) == []


def test_damaged_launches_are_an_error(clients: AwsClients, history: LedgerHistory) -> None:
    item = {"pk": {"S": "pool#spaces"}, "sk": {"S": "launches#soon"}}
    clients.client("dynamodb", ANY_TIME).put_item(TableName=TABLE, Item=item)

    with pytest.raises(LedgerUnavailable, match="pool spaces are damaged: expected a bucket's instant, found 'soon'"):
        history.launches("spaces", ALWAYS)


def test_the_pools_are_those_that_passes_have_written(clients: AwsClients, history: LedgerHistory) -> None:
    assert history.pools() == []
    keep(clients, decided())
    DynamoDbLedger(clients, table=TABLE, telemetry=RecordingTelemetry()).write({"a": LedgerEntry()}, [], ANY_TIME)

    assert history.pools() == ["a", "spaces"]


@pytest.mark.parametrize("operation", ["GetItem", "Query"])
def test_a_refusal_names_the_right_that_is_missing(faults: Faults, history: LedgerHistory, operation: str) -> None:
    faults.refuse(operation, "AccessDeniedException")

    with pytest.raises(LedgerUnavailable, match=f"allow dynamodb:{operation} on it"):
        (history.pools() if operation == "GetItem" else history.launches("spaces", ALWAYS))
