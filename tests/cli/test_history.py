"""`warmpool history`: what changed and why, from a file."""

from pathlib import Path

import pytest

from tests.builders import inputs, pair, pool
from tests.cli.conftest import Warmpool
from tests.cli.kept import at, history_file, morning, write
from warmpool.app.ports import Decided
from warmpool.core.decide import decide

__all__ = ["history_file"]


def decided(name: str, minutes: int) -> Decided:
    seen = inputs(*pair("n1"), spec=pool(name=name), now=at(minutes))
    return Decided(decision=decide(seen), inputs=seen)


def test_each_change_is_a_row_the_newest_last(warmpool: Warmpool, history_file: Path) -> None:
    result = warmpool("history", "--file", history_file)
    rows = [line for line in result.out.splitlines() if "│" in line]

    assert result.code == 0
    assert [row.split("│")[1].strip() for row in rows] == [
        "2026-12-01T09:00:00Z",
        "2026-12-01T09:30:00Z",
        "2026-12-01T09:31:00Z",
        "2026-12-01T10:30:00Z",
    ]
    assert [row.split("│")[3].strip() for row in rows] == ["2", "2 -> 3", "2", "-"]
    assert [row.split("│")[4].strip() for row in rows] == ["none", "up", "hold", "hold"]
    assert "Short: 1 idle nodes held or ordered, 2 wanted" in rows[1]
    assert "Conflict: Conflict: somebody else wrote first" in rows[2]


def test_json_has_the_decisions_as_plan_tells_them_and_more(warmpool: Warmpool, history_file: Path) -> None:
    document = warmpool("history", "--file", history_file, "--output", "json").document
    _, short, failed, unseen = document["decisions"]

    assert (document["damaged"], document["older"]) == ([], False)
    assert (short["current"], short["target"], short["action"], short["hold"]) == (2, 3, "up", None)
    assert short["limits"]["max"] == 8
    assert (failed["hold"], [each["code"] for each in failed["failed"]]) == ("Conflict", ["Conflict"])
    assert (unseen["current"], unseen["hold"], unseen["limits"]) == (None, "ClusterUnavailable", None)


def test_the_newest_are_shown_where_there_are_more(warmpool: Warmpool, history_file: Path) -> None:
    document = warmpool("history", "--file", history_file, "--limit", "2", "-o", "json").document
    people = warmpool("history", "--file", history_file, "--limit", "2")

    assert [each["at"] for each in document["decisions"]] == ["2026-12-01T09:31:00Z", "2026-12-01T10:30:00Z"]
    assert document["older"] is True
    assert "These are the newest 2; --limit, --from and --to show others." in people.out


def test_a_span_is_from_when_until_when(warmpool: Warmpool, history_file: Path) -> None:
    words = ("--from", "2026-12-01T10:30+01:00", "--to", "2026-12-01T09:31Z")
    document = warmpool("history", "--file", history_file, *words, "-o", "json").document

    assert [each["at"] for each in document["decisions"]] == ["2026-12-01T09:30:00Z", "2026-12-01T09:31:00Z"]


@pytest.mark.parametrize(("option", "number"), [("--from", 4), ("--to", 0)])
def test_a_day_is_its_first_instant(warmpool: Warmpool, history_file: Path, option: str, number: int) -> None:
    document = warmpool("history", "--file", history_file, option, "2026-12-01", "-o", "json").document

    assert len(document["decisions"]) == number


def test_a_span_in_which_nothing_changed_is_said(warmpool: Warmpool, history_file: Path) -> None:
    result = warmpool("history", "--file", history_file, "--from", "2026-12-01T09:40Z", "--to", "2026-12-01T09:50Z")

    assert result.code == 0
    assert "No changed decision is kept from 2026-12-01T09:40:00+00:00 until 2026-12-01T09:50:00+00:00" in result.out


def test_pools_are_listed_together_or_one_alone(warmpool: Warmpool, tmp_path: Path) -> None:
    two = write(tmp_path / "two.jsonl", [decided("gpu", 1), *morning(), decided("cpu", 100)])
    words = ("history", "--file", two, "-o", "json")

    everything = warmpool(*words).document["decisions"]
    assert [each["pool"] for each in everything] == ["spaces", "gpu", "spaces", "spaces", "spaces", "cpu"]
    assert [each["pool"] for each in warmpool(*words, "--pool", "gpu").document["decisions"]] == ["gpu"]


def test_an_export_of_a_file_is_the_file_again(warmpool: Warmpool, history_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    result = warmpool("history", "--file", history_file, "--export", copy)

    assert result.code == 0
    assert f"Written to {copy}: 4 decisions and 3 buckets of launches of spaces." in result.out
    assert copy.read_bytes() == history_file.read_bytes()
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".part"] == []


def test_an_export_can_be_a_part(warmpool: Warmpool, history_file: Path, tmp_path: Path) -> None:
    words = ("--export", tmp_path / "part.jsonl", "--from", "2026-12-01T09:30Z", "--to", "2026-12-01T09:31Z")
    document = warmpool("history", "--file", history_file, *words, "-o", "json").document

    assert document == {"export": str(tmp_path / "part.jsonl"), "decisions": 2, "buckets": 0}


def test_a_history_comes_from_stdin_too(warmpool: Warmpool, history_file: Path) -> None:
    result = warmpool("history", "--file", "-", "-o", "json", stdin=history_file.read_bytes())

    assert len(result.document["decisions"]) == 4


@pytest.mark.parametrize(
    ("words", "path", "message"),
    [
        (("--from", "monday"), "--from", "'monday' is no instant; expected an instant with its offset"),
        (("--from", "2026-12-01T09:00"), "--from", "has no offset"),
        (("--to", "2026-13-01"), "--to", "'2026-13-01' is no instant"),
        (("--from", "2026-12-02", "--to", "2026-12-01"), "--to", "'2026-12-01' is before --from '2026-12-02'"),
        (("--pool", "gpu"), "--pool", "'gpu' is not in history.jsonl; its pools are spaces"),
        (("--limit", "0"), "--limit", "0 is not in the range"),
        (("--limit", "3", "--export", "x"), "--limit", "does not go with --export"),
        (("--export", "."), "--export", "'.' is no file's name"),
        (("--export", "/nowhere/at/all.jsonl"), "--export", "cannot write '/nowhere/at/all.jsonl': No such file"),
    ],
)
def test_what_is_wrong_is_named(
    warmpool: Warmpool, history_file: Path, words: tuple[str, ...], path: str, message: str
) -> None:
    error = warmpool("history", "--file", history_file, *words, "--output", "json").error

    assert error["path"] == path
    assert message in error["message"]


def test_a_line_that_is_damaged_is_named(warmpool: Warmpool, history_file: Path) -> None:
    lines = history_file.read_bytes().splitlines()
    history_file.write_bytes(b"\n".join([*lines[:2], lines[2][:-30], *lines[3:]]))
    error = warmpool("history", "--file", history_file, "--output", "json").error

    assert (error["code"], error["path"]) == ("HistoryInvalid", "line 3")
    assert error["message"].startswith("history.jsonl: ")
    assert "expected lines as `warmpool history --export FILE` writes them" in error["message"]


@pytest.mark.parametrize(("text", "path"), [(b"", "--file"), (b"at,pool\n", "line 1")])
def test_a_file_that_is_no_history_is_an_error(warmpool: Warmpool, tmp_path: Path, text: bytes, path: str) -> None:
    (tmp_path / "other.csv").write_bytes(text)
    error = warmpool("history", "--file", tmp_path / "other.csv", "--output", "json").error

    assert (error["code"], error["path"]) == ("HistoryInvalid", path)


def test_a_file_that_is_not_there_is_an_error(warmpool: Warmpool) -> None:
    error = warmpool("history", "--file", "/nowhere.jsonl", "--output", "json").error

    assert (error["code"], error["path"]) == ("FileUnreadable", "--file")
