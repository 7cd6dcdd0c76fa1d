"""`warmpool simulate`: traces and rates under chosen policies, as table, JSON and report."""

import gzip
from pathlib import Path

import pytest

from .conftest import Warmpool

MINUTE = 29_480_960  # 2026-01-19T21:20Z
TRACE = b"minute,launches\n" + b"".join(b"%d,2\n" % (MINUTE + 3 * number) for number in range(10))
RUN = {
    "policy",
    "about",
    "launches",
    "hit_rate",
    "cold_launches",
    "p50_wait_s",
    "p99_wait_s",
    "idle_node_hours",
    "node_hours",
    "cost_usd",
    "idle_cost_usd",
    "peak_nodes",
    "pool_size_at_end",
    "nodes_at_end",
}


def test_a_trace_runs_under_every_policy_named(warmpool: Warmpool, spec_file: Path) -> None:
    words = ("simulate", "--spec", spec_file, "--trace", "-", "--from", "2026-01-19T21:00Z", "--hours", "1")
    policies = ("--policy", "ours", "--policy", "cpa", "--policy", "fixed:3")
    result = warmpool(*words, *policies, "--output", "json", stdin=gzip.compress(TRACE))
    assert result.code == 0, result.out
    document = result.document
    assert [run["policy"] for run in document["runs"]] == ["warmpool", "CPA (guide)", "fixed pool of 3"]
    assert all(set(run) == RUN for run in document["runs"])
    assert {run["launches"] for run in document["runs"]} == {20}
    assert (document["from"], document["to"]) == ("2026-01-19T21:00:00Z", "2026-01-19T22:00:00Z")
    assert document["report"] is None


def test_a_rate_is_drawn_from_its_seed(warmpool: Warmpool, spec_file: Path) -> None:
    words = ("simulate", "-f", spec_file, "--launches-per-hour", "30", "--hours", "1", "-o", "json", "--seed")
    first, again, other = (warmpool(*words, seed).document for seed in ("1", "1", "2"))
    assert first == again
    assert first["runs"] != other["runs"]
    assert 10 < first["runs"][0]["launches"] < 60


def test_the_report_is_written_and_its_place_told(warmpool: Warmpool, spec_file: Path, tmp_path: Path) -> None:
    report = tmp_path / "new" / "report.html"
    words = ("simulate", "-f", spec_file, "--hours", "1", "--policy", "fixed:2", "--html", report)
    result = warmpool(*words)
    assert result.code == 0
    assert str(report) in result.out
    assert "hit rate" in result.out
    assert "seed 20190116" in result.out
    assert "<svg" in report.read_text(encoding="utf-8")


def test_progress_goes_to_stderr(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("simulate", "-f", spec_file, "--hours", "0.5", "--policy", "fixed:2", "--output", "json")
    assert "fixed pool of 2" in result.err
    assert result.document["runs"]


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["--policy", "best"], "--policy"),
        (["--policy", "fixed:"], "--policy"),
        (["--policy", "fixed:-1"], "--policy"),
        (["--trace", "-", "--launches-per-hour", "3"], "--launches-per-hour"),
        (["--launches-per-hour", "nan"], "--launches-per-hour"),
        (["--launches-per-hour", "-3"], "--launches-per-hour"),
        (["--launches-per-hour", "5000", "--hours", "100"], "--launches-per-hour"),
        (["--from", "2030-01-01"], "--from"),
        (["--from", "never"], "--from"),
        (["--hours", "0"], "--hours"),
        (["--hours", "100000"], "--hours"),
        (["--session-mean", "1"], "--session-mean"),
        (["--seed", "-1"], "--seed"),
        (["--pool", "nope"], "--pool"),
        (["--trace", "missing.csv"], "--trace"),
    ],
)
def test_wrong_input_is_an_error_with_its_option(
    warmpool: Warmpool, spec_file: Path, words: list[str], path: str
) -> None:
    assert warmpool("simulate", "--spec", spec_file, *words, "--output", "json").error["path"] == path


def test_a_file_that_is_no_trace_is_an_error_with_its_line(warmpool: Warmpool, spec_file: Path) -> None:
    words = ("simulate", "--spec", spec_file, "--trace", "-", "--output", "json")
    error = warmpool(*words, stdin=b"minute,launches\n1,x\n").error
    assert (error["code"], error["path"]) == ("TraceInvalid", "line 2")
    assert "stdin" in error["message"]


def test_a_report_that_cannot_be_written_is_an_error(warmpool: Warmpool, spec_file: Path, tmp_path: Path) -> None:
    words = ("simulate", "-f", spec_file, "--hours", "0.5", "--policy", "fixed:1", "--html", tmp_path, "-o", "json")
    assert warmpool(*words).error["code"] == "FileUnwritable"
