"""`warmpool explain --at`: what was decided then and why, and what the launches around it found."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Warmpool
from tests.cli.kept import history_file, morning, write
from warmpool.adapters.kept_decision import KeptDecision
from warmpool.adapters.packing import pack

__all__ = ["history_file"]


def test_it_tells_the_decision_that_held_then_with_its_arithmetic(warmpool: Warmpool, history_file: Path) -> None:
    result = warmpool("explain", "--file", history_file, "--at", "2026-12-01T10:30:30+01:00")

    assert result.code == 0
    assert (
        "Pool spaces at 2026-12-01T09:30:30Z: decided at 2026-12-01T09:30:00Z (numbers are of then; later passes came "
        "to the same answer); it held until 2026-12-01T09:31:00Z"
    ) in result.out
    assert "2 nodes in the pool: 1 busy, 1 idle and usable, 0 left out." in result.out
    assert "ceil((22 slots needed - 0 free on busy nodes) / 11 a node) = 2, decided by min." in result.out
    assert "Placeholders go from 2 to 3" in result.out


def test_it_tells_what_the_launches_of_the_hour_around_it_found(warmpool: Warmpool, history_file: Path) -> None:
    out = warmpool("explain", "--file", history_file, "--at", "2026-12-01T09:17:00Z").out
    told = out[out.index("Launches around then") :]

    assert "From 2026-12-01T08:45:00Z to 2026-12-01T09:45:00Z: 12, by what they found: " in told
    assert "found: 7 warm-coexist, 1 warm-preempt, 3 cold, 1 unknown." in told
    assert "Cold because of none-free (no warm node had room): 2." in told
    assert "Cold because of still-pulling (the node was still pulling images): 1." in told
    assert "A warm one waited 22 s on average." in told
    assert "A cold one waited 300 s on average." in told
    assert "Ended before they were Ready: 1." in told


def test_an_hour_without_launches_is_said(warmpool: Warmpool, history_file: Path) -> None:
    out = warmpool("explain", "--file", history_file, "--at", "2026-12-01T12:00:00Z").out

    assert "From 2026-12-01T11:30:00Z to 2026-12-01T12:30:00Z no launch became Ready." in out
    assert "no later change is kept" in out


def test_without_an_instant_it_tells_the_last_decision_of_a_file(warmpool: Warmpool, history_file: Path) -> None:
    result = warmpool("explain", "--file", history_file, "--pool", "spaces")

    assert "Pool spaces at 2026-12-01T10:30:00Z: decided at 2026-12-01T10:30:00Z; no later change is kept" in result.out
    assert "The pass saw nothing of the pool." in result.out
    assert "ClusterUnavailable: the cluster could not be read: no answer." in result.out


def test_a_decision_that_could_not_be_applied_says_so(warmpool: Warmpool, history_file: Path) -> None:
    out = warmpool("explain", "--file", history_file, "--at", "2026-12-01T09:40:00Z").out

    assert "Placeholders stay at 2 (hold)." in out
    assert "Conflict: Conflict: somebody else wrote first." in out


def test_json_has_it_all(warmpool: Warmpool, history_file: Path) -> None:
    words = ("--file", history_file, "--at", "2026-12-01T09:30:00Z", "--output", "json")
    document = warmpool("explain", *words).document

    assert (document["at"], document["asked_at"], document["next_at"]) == (
        "2026-12-01T09:30:00Z",
        "2026-12-01T09:30:00Z",
        "2026-12-01T09:31:00Z",
    )
    assert (document["action"], document["hold"], document["target"]) == ("up", None, 3)
    assert [each["heading"] for each in document["explanation"]] == [
        "What is there",
        "What is wanted",
        "What follows",
        "What would go first",
        "Launches around then",
    ]
    assert document["launches"] == {
        "from": "2026-12-01T09:00:00Z",
        "to": "2026-12-01T10:00:00Z",
        "launches": 112,
        "outcomes": {"warm-coexist": 7, "warm-preempt": 1, "cold": 103, "unknown": 1},
        "causes": {"none-free": 2, "image": 100, "still-pulling": 1},
        "abandoned": 1,
        "mean_warm_wait_s": 22.0,
        "mean_cold_wait_s": 8.7,
    }


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"inputs": None}, "What it came from is not kept: an older version kept the decision."),
        ({"inputs": None, "left_out": "too large"}, "What it came from is not kept: too large."),
        ({"inputs": pack(b"{}")}, "What it came from cannot be read: not the inputs of a decision"),
    ],
)
def test_without_inputs_the_decision_is_told_all_the_same(
    warmpool: Warmpool, tmp_path: Path, changes: dict[str, object], why: str
) -> None:
    first = replace(KeptDecision.of(morning()[0]), **changes)  # type: ignore[arg-type]  # each key has its own type
    path = write(tmp_path / "h.jsonl", (), more=[first])
    out = warmpool("explain", "--file", path, "--at", "2026-12-01T09:00:00Z").out

    assert why in out
    assert "Placeholders stay at 2 (none)." in out


@pytest.mark.parametrize(
    ("words", "place", "message"),
    [
        (("--at", "2026-12-01T08:59:59Z"), ("NothingKept", "--at"), "keeps no decision of spaces at or before"),
        (("--at", "monday 9:00"), ("Usage", "--at"), "'monday 9:00' is no instant"),
        (("--pool", "gpu"), ("UnknownPool", "--pool"), "its pools are spaces"),
        (("--snapshot", "s.json"), ("Usage", "--spec"), "a snapshot is explained by a spec"),
        (("--snapshot", "s.json", "--spec", "p.yaml"), ("Usage", "--file"), "does not go with --snapshot"),
    ],
)
def test_what_is_wrong_is_named(
    warmpool: Warmpool, history_file: Path, words: tuple[str, ...], place: tuple[str, str], message: str
) -> None:
    error = warmpool("explain", "--file", history_file, *words, "--output", "json").error

    assert (error["code"], error["path"]) == place
    assert message in error["message"]


def test_of_several_pools_one_has_to_be_named(warmpool: Warmpool, tmp_path: Path) -> None:
    gpu = replace(morning()[3], decision=replace(morning()[3].decision, pool="gpu"))
    path = write(tmp_path / "h.jsonl", [*morning(), gpu])
    error = warmpool("explain", "--file", path, "--output", "json").error

    assert (error["code"], error["path"]) == ("Usage", "--pool")
    assert "h.jsonl has 2 pools, name one of them: gpu, spaces" in error["message"]
    assert warmpool("explain", "--file", path, "--pool", "gpu").code == 0


def test_a_pool_with_launches_alone_has_no_decision_to_tell(warmpool: Warmpool, tmp_path: Path) -> None:
    path = write(tmp_path / "h.jsonl", ())
    error = warmpool("explain", "--file", path, "--output", "json").error

    assert error["code"] == "NothingKept"
    assert "keeps no decision of spaces" in error["message"]
