"""`warmpool stop`: the switch for all pools of a stack."""

import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.deployed import CALLER, STACK, Deployed, deployed_stack, spec
from warmpool.adapters.config.reader import Reader
from warmpool.core.spec import StopMode

from .conftest import SPEC, Warmpool

WHERE = ("--stack", STACK)
SURE = ("--reason", "incident 4711", *WHERE, "--yes", "--output", "json")


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    with deployed_stack(monkeypatch) as here:
        yield here


@pytest.mark.parametrize("mode", ["freeze", "drain"])
def test_it_writes_the_switch_for_ever_or_until_then(warmpool: Warmpool, deployed: Deployed, mode: str) -> None:
    assert warmpool("stop", f"--{mode}", *SURE).code == 0
    switch = {"mode": mode, "until": "forever", "reason": "incident 4711", "by": CALLER}
    assert deployed.document("stop") == switch
    found = warmpool("stop", f"--{mode}", "--until", "18:00", *SURE).document
    assert deployed.document("stop") == {**switch, "until": "2026-12-14T18:00:00+01:00"}
    assert (found["parameter"], found["written"], found["cleared"]) == (f"/warmpool/{STACK}/stop", True, False)
    assert found["stop"] == {**switch, "until": "2026-12-14T17:00:00Z"}
    assert found["replaced"] == switch
    assert found["pools"] == ["spaces"]


def test_clearing_deletes_it_and_needs_no_reason(warmpool: Warmpool, deployed: Deployed) -> None:
    deployed.put("stop", '{"mode": "freeze", "reason": "incident"}')
    found = warmpool("stop", "--clear", *WHERE, "--yes", "--output", "json").document
    assert (found["cleared"], found["stop"], found["replaced"]["reason"]) == (True, None, "incident")
    assert deployed.text("stop") is None
    again = warmpool("stop", "--clear", *WHERE, "--yes")
    assert again.code == 0
    assert "Nothing has changed" in again.out


def test_a_time_of_day_is_utc_where_pools_have_several_zones(warmpool: Warmpool, deployed: Deployed) -> None:
    deployed.put("gpu/spec", spec("gpu", timezone="Asia/Tokyo"))
    warmpool("stop", "--freeze", "--until", "18:00", *SURE)
    assert deployed.document("stop")["until"] == "2026-12-14T18:00:00+00:00"


def test_draining_says_which_pools_are_paused_and_stay(warmpool: Warmpool, deployed: Deployed) -> None:
    deployed.put("spaces/override", '{"pause": true, "until": "forever"}')
    deployed.put("broken/spec", "{}")
    assert "spaces is paused by an override and stays as it is" in warmpool("stop", "--drain", *SURE).err
    assert "paused" not in warmpool("stop", "--freeze", *SURE).err
    deployed.put("spaces/override", '{"pause": true, "until": "2026-12-14T07:00Z"}')
    assert "paused" not in warmpool("stop", "--drain", *SURE).err


def test_people_get_sentences(warmpool: Warmpool, deployed: Deployed) -> None:
    result = warmpool("stop", "--freeze", "--reason", "incident", *WHERE, "--yes")
    assert f"Written to /warmpool/{STACK}/stop" in result.out
    assert f"freeze for ever: incident (by {CALLER})" in result.out
    assert "the pools go on" in warmpool("stop", "--clear", *WHERE, "--yes").out


class TestQuestion:
    @pytest.fixture
    def answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sit at a terminal."""
        monkeypatch.setattr("tests.cli.conftest._Stdin.isatty", lambda self: True, raising=False)

    @pytest.mark.usefixtures("answer")
    def test_yes_does_it_and_the_question_is_not_in_the_result(self, warmpool: Warmpool, deployed: Deployed) -> None:
        words = ("--freeze", "--reason", "incident", *WHERE, "--output", "json")
        result = warmpool("stop", *words, stdin=b"y\n")
        assert (result.code, result.document["written"]) == (0, True)
        assert f"for all pools of {STACK} in eu-central-1 (spaces)? [y/N]" in result.err
        assert "Clear the stop switch" in warmpool("stop", "--clear", *WHERE, stdin=b"n\n").err

    @pytest.mark.usefixtures("answer")
    @pytest.mark.parametrize("said", [b"n\n", b"\n"])
    def test_anything_but_yes_changes_nothing(self, warmpool: Warmpool, deployed: Deployed, said: bytes) -> None:
        result = warmpool("stop", "--freeze", "--reason", "incident", *WHERE, stdin=said)
        assert result.code == 1
        assert "Nothing has changed" in result.out
        assert deployed.text("stop") is None

    @pytest.mark.usefixtures("answer")
    def test_no_answer_changes_nothing(self, warmpool: Warmpool, deployed: Deployed) -> None:
        assert warmpool("stop", "--freeze", "--reason", "incident", *WHERE, stdin=b"").code == 130
        assert deployed.text("stop") is None

    def test_where_nobody_can_be_asked_it_wants_yes(self, warmpool: Warmpool, deployed: Deployed) -> None:
        error = warmpool("stop", "--freeze", "--reason", "incident", *WHERE, "-o", "json").error
        assert error["path"] == "--yes"
        assert deployed.text("stop") is None


def test_in_an_incident_it_works_though_nothing_can_be_read(warmpool: Warmpool, deployed: Deployed) -> None:
    deployed.faults.refuse("GetParametersByPath", "ThrottlingException")
    result = warmpool("stop", "--freeze", "--until", "18:00", *SURE)
    assert (result.code, result.document["pools"]) == (0, [])
    assert "so --until is read in UTC" in result.err
    deployed.faults.refuse("GetParametersByPath", "ThrottlingException", times=0)
    assert deployed.document("stop")["until"] == "2026-12-14T18:00:00+00:00"


def test_a_rejected_switch_that_is_there_is_told_and_replaced(warmpool: Warmpool, deployed: Deployed) -> None:
    deployed.put("stop", '{"mode": "freez"}')
    result = warmpool("stop", "--freeze", *SURE)
    assert (result.code, result.document["replaced"]) == (0, None)
    assert "the stop switch is rejected" in result.err
    deployed.ssm.delete_parameter(Name=f"/warmpool/{STACK}/stop")
    deployed.ssm.put_parameter(Name=f"/warmpool/{STACK}/stop", Value="{}", Type="SecureString")
    assert "the stop switch cannot be read" in warmpool("stop", "--freeze", *SURE).err


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["--reason", "x"], "--freeze"),
        (["--freeze", "--drain", "--reason", "x"], "--freeze"),
        (["--freeze", "--clear"], "--freeze"),
        (["--freeze"], "--reason"),
        (["--drain", "--reason", ""], "--reason"),
        (["--drain", "--reason", "x", "--until", "soon"], "--until"),
        (["--drain", "--reason", "x", "--until", "2026-12-14T07:00Z"], "--until"),
        (["--drain", "--reason", "x", "--stack", "nope"], "--stack"),
    ],
)
def test_a_mistake_changes_nothing(warmpool: Warmpool, deployed: Deployed, words: list[str], path: str) -> None:
    assert warmpool("stop", *WHERE, *words, "--yes", "--output", "json").error["path"] == path
    assert deployed.text("stop") is None


def test_a_refused_write_is_an_error(warmpool: Warmpool, deployed: Deployed) -> None:
    deployed.faults.refuse("PutParameter", "AccessDeniedException")
    assert warmpool("stop", "--freeze", *SURE).error["code"] == "NotPermitted"


def test_the_spec_file_names_the_stack(warmpool: Warmpool, deployed: Deployed, tmp_path: Path) -> None:
    path = tmp_path / "pools.yaml"
    path.write_text(SPEC, encoding="utf-8")
    assert warmpool("stop", "--freeze", "--reason", "x", "-f", path, "--yes").code == 0
    assert deployed.document("stop")["mode"] == "freeze"


def test_the_line_of_the_runbook_writes_a_good_switch() -> None:
    runbook = (Path(__file__).parents[2] / "docs/runbook.md").read_text(encoding="utf-8")
    (line,) = (each for each in runbook.splitlines() if each.startswith("aws ssm put-parameter"))
    words = shlex.split(line)
    given = dict(pairwise(words))
    assert given["--name"] == f"/warmpool/{STACK}/stop"
    assert given["--type"] == "String"
    stop = Reader().stop(given["--value"], "stop")
    assert (stop.mode, stop.reason) == (StopMode.FREEZE, "incident 4711")
