"""`warmpool explain`: the decision in words, with its arithmetic."""

from pathlib import Path

import pytest

from .conftest import Warmpool

SAMPLES = Path(__file__).parents[1] / "samples"
AT = "2026-12-01T02:50:00Z"
NAMES = ["1-baseline", "2-burst-pending", "3-burst-running", "6-preempting", "7-replacing", "9-cordoned"]


@pytest.mark.parametrize("sample", NAMES)
def test_it_tells_the_same_decision_as_plan_and_more(warmpool: Warmpool, spec_file: Path, sample: str) -> None:
    words = ("--spec", spec_file, "--snapshot", SAMPLES / f"{sample}.json.gz", "--at", AT, "--output", "json")
    told = warmpool("explain", *words).document
    explanation = told.pop("explanation")
    assert told == warmpool("plan", *words).document
    assert [each["heading"] for each in explanation] == [
        "What is there",
        "What is wanted",
        "What follows",
        "What would go first",
    ]
    assert all(each["lines"] for each in explanation)


def test_it_shows_the_arithmetic(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("explain", "--spec", spec_file, "--snapshot", SAMPLES / "3-burst-running.json.gz", "--at", AT)
    assert result.code == 0
    # Three busy nodes with 11 slots each, of which 3 are free on the last one.
    assert "min: min 2 in force: room of 2 empty nodes = 2 x 11 = 22 slots." in result.out
    assert "ceil((22 slots needed - 3 free on busy nodes) / 11 a node) = 2, decided by min." in result.out
    assert "Placeholders go from 2 to 5" in result.out


def test_it_names_the_nodes_left_out_and_why(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("explain", "--spec", spec_file, "--snapshot", SAMPLES / "9-cordoned.json.gz", "--at", AT)
    assert "Left out: " in result.out
    assert "(Cordoned)." in result.out


def test_without_the_deployment_it_says_so(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("explain", "--spec", spec_file, "--snapshot", "-", stdin=b'{"kind": "List", "items": []}')
    assert result.code == 0
    assert "The placeholder Deployment is not there." in result.out
    assert "DeploymentMissing" in result.out


def test_the_first_to_go_is_listed_first(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("explain", "--spec", spec_file, "--snapshot", SAMPLES / "1-baseline.json.gz", "--at", AT)
    listed = result.out[result.out.index("What would go first") :]
    assert "1. ph-" in listed
    assert "2. ph-" in listed
