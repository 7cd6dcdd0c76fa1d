"""`warmpool status --watch`: again and again, over failures, until Ctrl-C."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.deployed import STACK, Deployed, deployed_stack

from .conftest import Warmpool

SAMPLES = Path(__file__).parents[1] / "samples"
AT = "2026-12-01T02:52:00Z"


class Pauses:
    """Stands in for sleeping: so many pauses, before each of which something may happen, then Ctrl-C."""

    def __init__(self) -> None:
        self.between: list[Any] = []
        self.seconds: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if not self.between:
            raise KeyboardInterrupt
        self.between.pop(0)()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    found = Pauses()
    monkeypatch.setattr("warmpool.cli.watching.time.sleep", found.sleep)
    return found


class TestSnapshot:
    def words(self, tmp_path: Path, spec_file: Path) -> tuple[str | Path, ...]:
        self.show("1-baseline", tmp_path)
        return ("status", "--spec", spec_file, "--snapshot", tmp_path / "now.json.gz", "--at", AT, "--watch")

    def show(self, sample: str, tmp_path: Path) -> None:
        (tmp_path / "now.json.gz").write_bytes((SAMPLES / f"{sample}.json.gz").read_bytes())

    def test_each_look_reads_anew_and_the_exit_code_is_the_last_ones(
        self, warmpool: Warmpool, tmp_path: Path, spec_file: Path, pauses: Pauses
    ) -> None:
        pauses.between = [lambda: self.show("9-cordoned", tmp_path)]
        result = warmpool(*self.words(tmp_path, spec_file), "--every", "30s", "--output", "json")
        first, second = map(json.loads, result.out.splitlines())
        assert [each["pools"][0]["kept"] for each in (first, second)] == [True, False]
        assert (result.code, pauses.seconds) == (1, [30, 30])

    def test_a_look_that_fails_is_told_and_tried_again(
        self, warmpool: Warmpool, tmp_path: Path, spec_file: Path, pauses: Pauses
    ) -> None:
        pauses.between = [(tmp_path / "now.json.gz").unlink, lambda: self.show("1-baseline", tmp_path)]
        result = warmpool(*self.words(tmp_path, spec_file), "--output", "json")
        first, second, third = map(json.loads, result.out.splitlines())
        assert (second["error"]["path"], set(second)) == ("--snapshot", {"error"})
        assert first["pools"][0]["kept"] is third["pools"][0]["kept"] is True
        assert (result.code, pauses.seconds) == (0, [10, 10, 10])

    def test_where_the_last_look_failed_the_exit_code_is_an_errors(
        self, warmpool: Warmpool, tmp_path: Path, spec_file: Path, pauses: Pauses
    ) -> None:
        pauses.between = [(tmp_path / "now.json.gz").unlink]
        result = warmpool(*self.words(tmp_path, spec_file))
        assert result.code == 2
        assert result.out.count("Warm pools as of") == 2
        assert "this look failed; the last look was at 02:52:00 UTC: --snapshot: cannot read" in result.out
        assert "Trying again every 10 s" in result.out

    def test_on_a_terminal_it_is_redrawn(
        self,
        warmpool: Warmpool,
        tmp_path: Path,
        spec_file: Path,
        pauses: Pauses,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        pauses.between = [lambda: self.show("9-cordoned", tmp_path)]
        result = warmpool(*self.words(tmp_path, spec_file))
        assert result.code == 1
        assert "\x1b[1A\x1b[2K" in result.out  # up a line and erase it
        assert "Cordoned" in result.out.rpartition("Warm pools as of")[2]

    @pytest.mark.parametrize(
        ("words", "path"),
        [
            (["--snapshot", "-", "--watch"], "--watch"),
            (["--snapshot", "x", "--every", "5s"], "--every"),
            (["--snapshot", "x", "--watch", "--every", "0s"], "--every"),
            (["--snapshot", "x", "--watch", "--every", "often"], "--every"),
            (["--snapshot", "/nowhere", "--watch"], "--snapshot"),
        ],
    )
    def test_mistakes_in_the_options_end_it_at_once(
        self, warmpool: Warmpool, spec_file: Path, words: list[str], path: str
    ) -> None:
        assert warmpool("status", "--spec", spec_file, *words, "--output", "json").error["path"] == path


class TestStack:
    @pytest.fixture
    def deployed(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
        with deployed_stack(monkeypatch) as here:
            here.faults.refuse("DescribeStacks", "AccessDenied")
            here.faults.refuse("DescribeCluster", "AccessDeniedException")
            yield here

    def test_a_stack_that_does_not_answer_yet_is_tried_again(
        self, warmpool: Warmpool, deployed: Deployed, pauses: Pauses
    ) -> None:
        deployed.faults.silence("GetParametersByPath", times=1)
        pauses.between = [lambda: None]
        result = warmpool("status", "--stack", STACK, "--watch", "--output", "json")
        first, second = map(json.loads, result.out.splitlines())
        assert first["error"]["code"] == "ConfigUnreadable"
        assert (second["source"], result.code) == ("live", 1)

    def test_before_anything_was_seen_people_are_told_why(
        self, warmpool: Warmpool, deployed: Deployed, pauses: Pauses
    ) -> None:
        deployed.faults.silence("GetParametersByPath")
        result = warmpool("status", "--stack", STACK, "--watch")
        assert (result.code, "this look failed: ssm:GetParametersByPath" in result.out) == (2, True)
