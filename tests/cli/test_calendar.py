"""`warmpool calendar`: UTC rows without gaps, wall-clock edges, and when room is ordered."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from .conftest import SPEC, Warmpool

WINDOWS = """\
    windows:
      - {name: office, days: [mon-fri], start: "08:00", end: "18:30", min: 3}
      - {name: exam, dates: ["2026-12-15"], start: "09:00", end: "12:00", target: 6}
"""


@pytest.fixture
def spec_with_windows(tmp_path: Path) -> Path:
    path = tmp_path / "pools.yaml"
    path.write_text(SPEC.replace("pools:", "timezone: Europe/Berlin\npools:") + WINDOWS, encoding="utf-8")
    return path


def test_the_rows_of_two_days_are_those_of_the_wall_clock(warmpool: Warmpool, spec_with_windows: Path) -> None:
    rows = _rows(warmpool, spec_with_windows, "2026-12-14T00:00:00Z", 2)
    assert [(row["start"], row["min"], row["max"], row["window"]) for row in rows] == [
        ("2026-12-14T00:00:00Z", 2, 8, None),
        ("2026-12-14T07:00:00Z", 3, 8, "office"),
        ("2026-12-14T17:30:00Z", 2, 8, None),
        ("2026-12-15T07:00:00Z", 3, 8, "office"),
        ("2026-12-15T08:00:00Z", 6, 6, "exam"),
        ("2026-12-15T11:00:00Z", 3, 8, "office"),
        ("2026-12-15T17:30:00Z", 2, 8, None),
    ]


def test_rows_are_gapless_from_the_first_to_the_last_instant(warmpool: Warmpool, spec_with_windows: Path) -> None:
    rows = _rows(warmpool, spec_with_windows, "2026-12-14T10:15:00+01:00", 30)
    assert rows[0]["start"] == "2026-12-14T09:15:00Z"
    assert rows[-1]["end"] == "2027-01-13T09:15:00Z"
    assert all(before["end"] == after["start"] for before, after in pairwise(rows))


def test_a_pin_and_the_order_for_more_room_are_told_where_they_apply(
    warmpool: Warmpool, spec_with_windows: Path
) -> None:
    rows = {row["start"]: row for row in _rows(warmpool, spec_with_windows, "2026-12-14T00:00:00Z", 2)}
    exam = rows["2026-12-15T08:00:00Z"]
    assert (exam["target"], exam["orderAt"]) == (6, "2026-12-15T07:45:00Z")
    assert rows["2026-12-14T07:00:00Z"]["orderAt"] == "2026-12-14T06:45:00Z"
    assert {"target", "orderAt"}.isdisjoint(rows["2026-12-14T17:30:00Z"])


def test_a_pool_without_windows_is_one_row(warmpool: Warmpool, spec_file: Path) -> None:
    (row,) = _rows(warmpool, spec_file, "2026-12-14T00:00:00Z", 7)
    expected = {"start": "2026-12-14T00:00:00Z", "end": "2026-12-21T00:00:00Z", "min": 2, "max": 8, "window": None}
    assert row == expected


def test_a_day_alone_begins_at_the_pools_midnight(warmpool: Warmpool, spec_with_windows: Path) -> None:
    assert _rows(warmpool, spec_with_windows, "2026-12-14", 1)[0]["start"] == "2026-12-13T23:00:00Z"


def test_the_table_names_window_and_pin(warmpool: Warmpool, spec_with_windows: Path) -> None:
    result = warmpool("calendar", "-f", spec_with_windows, "--from", "2026-12-15T00:00Z", "--days", "1")
    assert result.code == 0
    assert "exam" in result.out
    assert "2026-12-15T07:45:00Z" in result.out


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["--from", "soon"], "--from"),
        (["--from", "2026-12-14T00:00:00"], "--from"),
        (["--from", "9999-12-30T00:00Z", "--days", "7"], "--from"),
        (["--from", "0001-01-01T00:00Z", "--days", "7"], "--from"),
        (["--from", "2026-12-14T00:00Z", "--days", "-1"], "--days"),
        (["--from", "2026-12-14T00:00Z", "--days", "4000"], "--days"),
        (["--from", "2026-12-14T00:00Z", "--pool", "nope"], "--pool"),
        ([], "--from"),
    ],
)
def test_wrong_input_is_an_error_with_its_option(
    warmpool: Warmpool, spec_with_windows: Path, words: list[str], path: str
) -> None:
    assert warmpool("calendar", "--spec", spec_with_windows, *words, "--output", "json").error["path"] == path


def _rows(warmpool: Warmpool, spec: Path, start: str, days: int) -> list[dict[str, Any]]:
    words = ("calendar", "--spec", spec, "--pool", "spaces", "--from", start, "--days", str(days))
    result = warmpool(*words, "--output", "json")
    assert result.code == 0, result.out
    rows: list[dict[str, Any]] = result.document
    return rows
