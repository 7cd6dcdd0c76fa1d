"""`warmpool status` for a snapshot, and for a stack whose cluster cannot be seen."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.deployed import CALLER, STACK, Deployed, deployed_stack, spec

from .conftest import SPEC, Warmpool

SAMPLES = Path(__file__).parents[1] / "samples"
AT = "2026-12-01T02:52:00Z"
PROBLEM_KEYS = {"code", "text", "since", "fix"}


@pytest.mark.parametrize(
    ("sample", "kept", "warm_nodes", "room_slots", "codes"),
    [
        ("1-baseline", True, 2, 22, []),
        ("2-burst-pending", False, 2, 0, ["RoomMissing"]),
        ("3-burst-running", False, 3, 3, ["RoomMissing"]),
        ("6-preempting", False, 1, 11, ["RoomMissing"]),
        ("7-replacing", False, 2, 11, ["RoomMissing"]),
        ("9-cordoned", False, 2, 11, ["RoomMissing", "Cordoned"]),
    ],
)
def test_the_samples_are_judged_by_the_room_that_is_warm_now(  # noqa: PLR0913, PLR0917 - the columns of the table
    warmpool: Warmpool,
    spec_file: Path,
    sample: str,
    kept: bool,  # noqa: FBT001 - a column of the table
    warm_nodes: int,
    room_slots: int,
    codes: list[str],
) -> None:
    words = ("--spec", spec_file, "--snapshot", SAMPLES / f"{sample}.json.gz", "--at", AT, "--output", "json")
    result = warmpool("status", *words)
    (found,) = result.document["pools"]
    assert result.code == (0 if kept else 1)
    assert (found["pool"], found["kept"]) == ("spaces", kept)
    assert (found["warm_nodes"], found["room_slots"], found["need_slots"]) == (warm_nodes, room_slots, 22)
    assert [each["code"] for each in found["problems"]] == codes
    assert all(set(each) == PROBLEM_KEYS and each["text"] and each["fix"] for each in found["problems"])
    assert (result.document["at"], result.document["source"]) == (AT, "snapshot")


def test_what_is_in_force_and_what_a_pass_would_do_is_told_too(warmpool: Warmpool, spec_file: Path) -> None:
    words = ("-f", spec_file, "-s", SAMPLES / "9-cordoned.json.gz", "--at", AT, "-o", "json")
    (found,) = warmpool("status", *words).document["pools"]
    assert (found["in_force"]["min"], found["in_force"]["max"], found["in_force"]["override"]) == (2, 8, None)
    assert (found["decision"]["current"], found["decision"]["target"]) == (2, 3)


def test_people_get_a_table_and_below_it_what_is_wrong_and_what_to_do(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("status", "-f", spec_file, "-s", SAMPLES / "6-preempting.json.gz", "--at", AT)
    assert result.code == 1
    assert "11 of 22 slots" in result.out
    assert "spaces: RoomMissing (since 2026-12-01T02:50:57Z): " in result.out
    assert "    -> the next pass orders what is missing" in result.out
    assert "spaces: Steady: " in result.out
    assert "BeforeStabilisation" not in result.out


def test_one_pool_that_is_not_kept_decides_the_exit_code(warmpool: Warmpool, tmp_path: Path) -> None:
    path = tmp_path / "pools.yaml"
    gpu = SPEC[SPEC.index("  spaces:") :].replace("spaces", "gpu").replace("ph", "ph-gpu")
    path.write_text(SPEC + gpu, encoding="utf-8")
    words = ("status", "-f", path, "-s", SAMPLES / "1-baseline.json.gz", "--at", AT, "-o", "json")
    result = warmpool(*words)
    assert (result.code, [each["kept"] for each in result.document["pools"]]) == (1, [True, False])
    one = warmpool(*words, "--pool", "spaces")
    assert (one.code, [each["pool"] for each in one.document["pools"]]) == (0, ["spaces"])


def test_an_empty_list_is_a_cluster_without_the_deployment(warmpool: Warmpool, spec_file: Path) -> None:
    result = warmpool("status", "-f", spec_file, "-s", "-", "-o", "json", stdin=b'{"kind": "List", "items": []}')
    (found,) = result.document["pools"]
    assert (result.code, found["kept"], found["room_slots"]) == (1, False, 0)
    assert "DeploymentMissing" in [each["code"] for each in found["problems"]]
    assert found["decision"]["hold"] == "DeploymentMissing"


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["--snapshot", "-"], "--spec"),
        (["--snapshot", "/nowhere", "--spec", "SPEC"], "--snapshot"),
        (["--snapshot", "-", "--spec", "SPEC"], "$"),
        (["--snapshot", "-", "--spec", "SPEC", "--at", "soon"], "--at"),
        (["--snapshot", "-", "--spec", "SPEC", "--pool", "nope"], "--pool"),
        (["--at", AT, "--spec", "SPEC"], "--at"),
        ([], "--stack"),
    ],
)
def test_wrong_input_is_an_error(warmpool: Warmpool, spec_file: Path, words: list[str], path: str) -> None:
    filled = [str(spec_file) if word == "SPEC" else word for word in words]
    assert warmpool("status", *filled, "--output", "json").error["path"] == path


class TestWithoutACluster:
    """moto's SageMaker does not know the HyperPod cluster, and its ledger has no table."""

    @pytest.fixture
    def deployed(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
        with deployed_stack(monkeypatch) as here:
            here.faults.refuse("DescribeStacks", "AccessDenied")
            here.faults.refuse("DescribeCluster", "AccessDeniedException")
            yield here

    def look(self, warmpool: Warmpool, *words: str) -> Any:
        result = warmpool("status", "--stack", STACK, *words, "--output", "json")
        assert result.code == 1
        return result.document

    def test_the_documents_are_told_and_kept_is_unknown(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("spaces/override", json.dumps({"max": 4, "until": "forever", "reason": "exam", "by": CALLER}))
        found = self.look(warmpool)
        (pool,) = found["pools"]
        assert (pool["kept"], pool["warm_nodes"], pool["room_slots"]) == (None, None, None)
        assert pool["in_force"]["override"]["by"] == CALLER
        assert (pool["in_force"]["max"], pool["in_force"]["window"]) == (4, "office")
        assert {each["code"] for each in pool["problems"]} == {"LedgerUnreadable", "NotPermitted"}
        assert "give --table" in pool["problems"][0]["text"]
        assert "sagemaker:DescribeCluster" in pool["problems"][1]["text"]
        assert (found["source"], found["stop"], found["last_complete_pass"]) == ("live", None, None)

    def test_a_stack_without_the_output_has_no_known_table(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.faults.refuse("DescribeStacks", "ValidationError")
        assert "its table is unknown" in self.look(warmpool)["pools"][0]["problems"][0]["text"]

    def test_a_table_that_is_named_is_read(self, warmpool: Warmpool, deployed: Deployed) -> None:
        (pool,) = self.look(warmpool, "--table", "not-there")["pools"]
        assert "dynamodb:GetItem on not-there failed: ResourceNotFoundException" in pool["problems"][0]["text"]

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ('{"min": 5, "max": 2, "until": "forever"}', "min: got number 5; expected at most max (2)"),
            ('{"max": "4", "until": "forever"}', 'max: got text "4"'),
            ('{"max": true, "until": "forever"}', "max: got true"),
            ('{"maks": 4, "until": "forever"}', "maks: unknown key"),
            ("{", "this is not JSON"),
        ],
    )
    def test_a_rejected_override_is_shown_with_its_reason(
        self, warmpool: Warmpool, deployed: Deployed, text: str, why: str
    ) -> None:
        deployed.put("spaces/override", text)
        (pool,) = self.look(warmpool)["pools"]
        (wrong,) = (each for each in pool["problems"] if each["code"] == "ConfigInvalid")
        assert f"spaces/override: {why}" in wrong["text"]
        assert wrong["since"] is not None

    def test_people_see_the_switch_first(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("stop", '{"mode": "freeze", "reason": "incident\\u001b[2J"}')
        deployed.put("spaces/override", '{"max": 4, "until": "forever"}')
        result = warmpool("status", "--stack", STACK)
        assert "Stop switch: freeze for ever: incident\\x1b[2J" in result.out
        assert "override: max 4 for ever: no reason given - not seen by a pass yet" in result.out
        assert "unknown" in result.out
        assert "\x1b" not in result.out

    def test_one_pool_may_be_named(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("gpu/spec", spec("gpu"))
        assert [each["pool"] for each in self.look(warmpool, "--pool", "gpu")["pools"]] == ["gpu"]
        assert warmpool("status", "--stack", STACK, "--pool", "no", "-o", "json").error["code"] == "UnknownPool"

    def test_where_nothing_can_be_read_it_is_an_error(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.faults.refuse("GetParametersByPath", "AccessDeniedException")
        error = warmpool("status", "--stack", STACK, "-o", "json").error
        assert (error["code"], "allow ssm:GetParametersByPath" in error["message"]) == ("ConfigUnreadable", True)

    def test_a_stack_that_is_not_there_is_an_error(self, warmpool: Warmpool, deployed: Deployed) -> None:
        assert warmpool("status", "--stack", "nope", "-o", "json").error["path"] == "--stack"
