"""`warmpool replay`: the same again, or where not."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Warmpool
from tests.cli.kept import history_file, morning, steady, write
from warmpool.adapters.kept_decision import KeptDecision
from warmpool.adapters.packing import pack
from warmpool.app.ports import Decided
from warmpool.core.decide import decide
from warmpool.core.reasons import Code, Reason

__all__ = ["history_file"]


def other(changes: int = 0) -> Decided:
    """Return a decision that these inputs do not give."""
    decision = decide(steady())
    reasons = (Reason(Code.STEADY, "another sentence \x1b[2J" + "x" * 100),)
    return Decided(decision=replace(decision, target=7 + changes, reasons=reasons), inputs=steady())


def test_all_that_can_be_decided_again_is_identical(warmpool: Warmpool, history_file: Path) -> None:
    result = warmpool("replay", "--file", history_file)

    assert result.code == 0
    assert "3 decisions were decided again: 3 identical, 0 differ." in result.out
    assert "Beside them: 1 in which the pass saw nothing." in result.out


def test_json_tells_of_each_decision(warmpool: Warmpool, history_file: Path) -> None:
    document = warmpool("replay", "--file", history_file, "--output", "json").document
    replayed = document.pop("replayed")

    assert document == {
        "decisions": 4,
        "identical": 3,
        "differs": 0,
        "nothing_seen": 1,
        "no_inputs": 0,
        "damaged": 0,
    }
    assert [each["verdict"] for each in replayed] == ["identical"] * 3 + ["nothing-seen"]
    assert replayed[0] == {
        "pool": "spaces",
        "at": "2026-12-01T09:00:00Z",
        "verdict": "identical",
        "difference": None,
        "why": None,
    }


def test_a_difference_is_shown_and_told_by_the_exit_code(warmpool: Warmpool, tmp_path: Path) -> None:
    path = write(tmp_path / "h.jsonl", [*morning(), other()])
    result = warmpool("replay", "--file", path)

    assert result.code == 1
    [row] = [line for line in result.out.splitlines() if line.startswith("│")]
    assert [cell.strip() for cell in row.split("│")[1:-1]] == ["2026-12-01T09:00:00Z", "spaces", "target", "7", "2"]
    assert "3 decisions were decided again: 2 identical, 1 differ." in result.out


def test_what_differs_is_short_and_harmless_on_a_terminal(warmpool: Warmpool, tmp_path: Path) -> None:
    kept = replace(other(), decision=replace(other().decision, target=2))
    result = warmpool("replay", "--file", write(tmp_path / "h.jsonl", [kept]))

    assert "reasons[0].text" in result.out
    assert "x..." in result.out
    assert "\x1b[2J" not in result.out


def test_inputs_that_cannot_be_read_are_said_and_are_no_success(warmpool: Warmpool, tmp_path: Path) -> None:
    good, *_ = (KeptDecision.of(each) for each in morning())
    damaged = replace(good, inputs=pack(b'{"spec": 3}'))
    path = write(tmp_path / "h.jsonl", morning()[1:], more=[damaged])
    result = warmpool("replay", "--file", path)

    assert result.code == 1
    assert "not the inputs of a decision: Expected `object`, got `int` - at `$.spec`" in result.out
    assert "1 that cannot be read" in result.out


def test_inputs_that_were_left_out_are_counted_beside(warmpool: Warmpool, tmp_path: Path) -> None:
    good, *_ = (KeptDecision.of(each) for each in morning())
    without = replace(good, inputs=None, left_out="the inputs take 9 bytes, and at most 1 are kept")
    path = write(tmp_path / "h.jsonl", morning()[1:], more=[without])

    people = warmpool("replay", "--file", path)
    assert "Beside them: 1 in which the pass saw nothing, 1 kept without inputs." in people.out
    document = warmpool("replay", "--file", path, "-o", "json").document
    assert document["replayed"][0]["why"] == "the inputs take 9 bytes, and at most 1 are kept"


@pytest.mark.parametrize("words", [("--from", "2026-12-01T10:00Z"), ("--from", "2027-01-01")])
def test_where_nothing_can_be_decided_again_nothing_is_proven(
    warmpool: Warmpool, history_file: Path, words: tuple[str, ...]
) -> None:
    error = warmpool("replay", "--file", history_file, *words, "--output", "json").error

    assert (error["code"], error["path"]) == ("NothingToReplay", "--from")
    assert "none of them with what it came from" in error["message"]


def test_a_span_is_replayed_alone(warmpool: Warmpool, history_file: Path) -> None:
    words = ("--from", "2026-12-01T09:30Z", "--to", "2026-12-01T09:30Z", "--pool", "spaces")

    assert warmpool("replay", "--file", history_file, *words, "-o", "json").document["decisions"] == 1
