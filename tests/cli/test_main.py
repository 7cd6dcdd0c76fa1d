"""The command itself: help, unknown words, exit codes, and errors as JSON wherever JSON was asked for."""

import sys
from collections.abc import Sequence

import pytest

from warmpool.cli.errors import wants_json
from warmpool.cli.main import COMMANDS, main

from .conftest import Warmpool


def test_without_words_it_shows_what_there_is(warmpool: Warmpool) -> None:
    result = warmpool()
    assert result.code == 0
    for command in COMMANDS:
        assert command in result.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(warmpool: Warmpool, command: str) -> None:
    result = warmpool(command, "--help")
    assert result.code == 0
    assert f"warmpool {command}" in result.out
    assert "--output" in result.out


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["bogus"], ""),
        (["plan", "--bogus"], "--bogus"),
        (["plan", "--snapshot", "x"], "--spec"),
        (["plan", "--spec"], "--spec"),
        (["calendar", "--spec", "x", "--from", "y", "--days", "many"], "--days"),
        (["calendar", "--spec", "x", "--from", "y", "--days", "0"], "--days"),
        (["schema", "surplus"], "document"),
        (["schema", "spec", "surplus"], ""),
    ],
)
def test_a_usage_error_is_the_whole_of_stdout_in_json(warmpool: Warmpool, words: Sequence[str], path: str) -> None:
    result = warmpool(*words, "--output", "json")
    if words[-1] == "--spec":
        # The option took `--output` for its value, and json is a surplus word: still an error in JSON.
        assert result.code == 2
        return
    assert result.error["code"] == "Usage"
    assert result.error["path"] == path
    assert result.error["message"]


def test_without_json_an_error_goes_to_stderr_and_stdout_stays_empty(warmpool: Warmpool) -> None:
    result = warmpool("plan", "--bogus")
    assert result.code == 2
    assert result.out == ""
    assert "--bogus" in result.err


def test_an_output_that_does_not_exist_is_a_usage_error(warmpool: Warmpool) -> None:
    result = warmpool("schema", "--output", "xml")
    assert result.code == 2
    assert "xml" in result.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["plan", "--output", "json"], True),
        (["plan", "--output=json"], True),
        (["plan", "-o", "json"], True),
        (["plan", "-ojson"], True),
        (["plan"], False),
        (["plan", "--output", "table"], False),
        (["plan", "-o", "json", "-o", "table"], False),
        (["plan", "--output"], False),
        (["plan", "--", "--output=json"], False),
        (["plan", "--snapshot", "json"], False),
    ],
)
def test_json_is_recognised_even_where_the_rest_is_wrong(words: Sequence[str], expected: bool) -> None:  # noqa: FBT001
    assert wants_json(words) is expected


def test_as_a_kubectl_plugin_it_calls_itself_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/local/bin/kubectl-warmpool", "plan", "--help"])
    assert main() == 0
    assert "kubectl warmpool plan" in capsys.readouterr().out


def test_what_a_newcomer_needs_comes_first() -> None:
    assert COMMANDS[:3] == ("demo", "plan", "explain")
    assert {"calendar", "simulate", "schema"} < set(COMMANDS)
