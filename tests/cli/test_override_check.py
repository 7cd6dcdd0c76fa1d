"""`warmpool override check`: what would be in force with an override, without AWS."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import SPEC, Result, Warmpool

WINDOWS = """\
    windows:
      - {name: office, days: [mon-fri], start: "08:00", end: "18:30", min: 3}
      - {name: exam, dates: ["2026-12-15"], start: "09:00", end: "12:00", target: 6}
      - {name: quiet, dates: ["2026-12-24"], allDay: true, min: 0, max: 1}
"""
IN_OFFICE, AT_NIGHT = "2026-12-14T10:00:00Z", "2026-12-14T23:00:00Z"
IN_EXAM, IN_QUIET = "2026-12-15T09:00:00Z", "2026-12-24T10:00:00Z"
LATER = "2027-01-01T00:00Z"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "pools.yaml"
    path.write_text(SPEC.replace("pools:", "timezone: Europe/Berlin\npools:") + WINDOWS, encoding="utf-8")
    return path


def check(warmpool: Warmpool, spec: Path, override: Any, at: str = IN_OFFICE) -> Result:
    text = override if isinstance(override, bytes) else json.dumps(override).encode()
    words = ("--spec", spec, "--pool", "spaces", "--override", "-", "--at", at, "--output", "json")
    return warmpool("override", "check", *words, stdin=text)


@pytest.mark.parametrize(
    ("override", "at", "expected"),
    [
        ({"max": 12}, IN_OFFICE, (3, 12, None, "office", False)),
        ({"max": 12}, AT_NIGHT, (2, 12, None, None, False)),
        ({"min": 5}, IN_OFFICE, (5, 8, None, "office", False)),
        ({"target": 6}, IN_OFFICE, (3, 8, 6, "office", False)),
        ({"max": 2}, IN_OFFICE, (2, 2, None, "office", True)),
        ({"max": 0}, IN_OFFICE, (0, 0, None, "office", True)),
        ({"min": 5}, IN_QUIET, (1, 1, None, "quiet", True)),
        ({"target": 12, "max": 12}, IN_QUIET, (0, 12, 12, "quiet", False)),
        ({"min": 4}, IN_EXAM, (4, 8, 6, "exam", False)),
        ({"max": 4}, IN_EXAM, (4, 4, 4, "exam", True)),
        ({"pause": True}, IN_OFFICE, (3, 8, None, "office", False)),
    ],
)
def test_its_keys_replace_the_windows_and_the_max_in_force_cuts(
    warmpool: Warmpool, spec: Path, override: dict[str, Any], at: str, expected: tuple[Any, ...]
) -> None:
    result = check(warmpool, spec, {**override, "until": LATER}, at)
    found = result.document
    assert result.code == 0
    assert tuple(found[key] for key in ("min", "max", "target", "window", "capped")) == expected


def test_the_override_itself_is_given_back_with_all_its_keys(warmpool: Warmpool, spec: Path) -> None:
    given = {"max": 12, "until": "2026-12-14T18:00+01:00", "reason": "exam", "by": "alice"}
    found = check(warmpool, spec, given).document
    assert found["override"] == {
        "min": None,
        "max": 12,
        "target": None,
        "pause": False,
        "until": "2026-12-14T17:00:00Z",
        "reason": "exam",
        "by": "alice",
    }
    assert {"code": "Override", "text": "override sets max 12 until 2026-12-14T17:00+00:00: exam (by alice)"} in found[
        "reasons"
    ]


def test_for_ever_is_told_as_such(warmpool: Warmpool, spec: Path) -> None:
    assert check(warmpool, spec, {"max": 1, "until": "forever"}).document["override"]["until"] == "forever"


@pytest.mark.parametrize(
    ("override", "path", "seen"),
    [
        ({"min": 5, "max": 2, "until": LATER}, "min", "number 5; expected at most max (2)"),
        ({"min": 9, "until": LATER}, "min", "number 9; expected at most the pool's max (8)"),
        ({"target": 9, "until": LATER}, "target", "number 9"),
        ({"target": 5, "max": 2, "until": LATER}, "target", "number 5"),
        ({"max": 1, "until": IN_OFFICE}, "until", "2026-12-14T10:00+00:00, which was past when first seen"),
        ({"max": 1}, "until", "missing"),
        ({"max": 1, "until": "18:00"}, "until", '"18:00"'),
        ({"max": 1, "until": "2026-12-14T18:00"}, "until", "expected an instant with its offset"),
        ({"max": 1, "until": None}, "until", "null"),
        ({"max": 1, "untill": LATER}, "untill", "did you mean `until`?"),
        ({"max": "12", "until": LATER}, "max", 'text "12"'),
        ({"max": True, "until": LATER}, "max", "true"),
        ({"max": 1.5, "until": LATER}, "max", "1.5"),
        ({"max": 1.0, "until": LATER}, "max", "1.0"),
        ({"max": -1, "until": LATER}, "max", "-1"),
        ({"max": None, "until": LATER}, "max", "null"),
        ({"max": 10**40, "until": LATER}, "max", "1000000"),
        ({"pause": "true", "until": LATER}, "pause", '"true"'),
        ({"pause": 1, "until": LATER}, "pause", "number 1"),
        ({"max": 1, "until": LATER, "reason": 7}, "reason", "number 7"),
        ({"max": 1, "until": LATER, "by": ["alice"]}, "by", "list"),
        ({"until": LATER}, "$", "none of min, max, target, pause"),
        ([], "$", "list"),
        (12, "$", "number 12"),
        (b"", "$", "not JSON"),
        (b"{", "$", "not JSON"),
        (b'{"max": 1, "max": 2, "until": "forever"}', "max", "twice"),
        (b'{"max": NaN, "until": "forever"}', "max", "NaN"),
        (b"[" * 5000, "$", "nested too deeply"),
        (b"\xff\xfe", "$", "UTF-8"),
        (b'{"max": 1, "until": "forever", "reason": "' + b"x" * 2**20 + b'"}', "$", "bytes; expected at most 8192"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_one_that_would_be_rejected_is_an_error_with_path_value_and_what_was_expected(
    warmpool: Warmpool, spec: Path, override: Any, path: str, seen: str
) -> None:
    error = check(warmpool, spec, override).error
    assert (error["code"], error["path"]) == ("ConfigInvalid", path)
    assert seen in error["message"]
    assert len(error["message"]) < 500


def test_a_file_does_as_well_and_people_get_a_table(warmpool: Warmpool, spec: Path, tmp_path: Path) -> None:
    override = tmp_path / "override.json"
    override.write_text(json.dumps({"max": 2, "until": "forever", "reason": "incident"}), encoding="utf-8")
    result = warmpool("override", "check", "-f", spec, "--override", override, "--at", IN_OFFICE)
    assert result.code == 0
    assert "CappedByMax: 3 wanted, max 2 in force: max wins" in result.out


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["--override", "-"], "--spec"),
        (["--spec", "SPEC"], "--override"),
        (["--spec", "SPEC", "--override", "/nowhere"], "--override"),
        (["--spec", "SPEC", "--override", "-", "--pool", "nope"], "--pool"),
        (["--spec", "SPEC", "--override", "-", "--at", "10:00"], "--at"),
        (["--spec", "/nowhere", "--override", "-"], "--spec"),
    ],
)
def test_wrong_options_are_errors_with_their_name(warmpool: Warmpool, spec: Path, words: list[str], path: str) -> None:
    filled = [str(spec) if word == "SPEC" else word for word in words]
    assert warmpool("override", "check", *filled, "--output", "json").error["path"] == path
