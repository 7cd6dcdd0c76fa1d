"""`warmpool override set`, `show` and `clear` against a deployed stack."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.deployed import CALLER, STACK, Deployed, deployed_stack, spec

from .conftest import SPEC, Result, Warmpool

WHERE = ("--stack", STACK)


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    with deployed_stack(monkeypatch) as here:
        yield here


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "pools.yaml"
    path.write_text(SPEC.replace("pools:", "timezone: Asia/Tokyo\npools:"), encoding="utf-8")
    return path


def put(warmpool: Warmpool, *words: object) -> Result:
    said = ("--until", "18:00", "--reason", "exam")
    return warmpool("override", "set", *said, *WHERE, *(str(word) for word in words), "--output", "json")


class TestSet:
    def test_it_writes_what_was_asked_for_until_when_why_and_who(self, warmpool: Warmpool, deployed: Deployed) -> None:
        result = put(warmpool, "--pool", "spaces", "--max", 12)
        assert result.code == 0, result
        assert deployed.document("spaces/override") == {
            "max": 12,
            "until": "2026-12-14T18:00:00+01:00",
            "reason": "exam",
            "by": CALLER,
        }

    def test_it_shows_what_is_in_force_before_and_after(self, warmpool: Warmpool, deployed: Deployed) -> None:
        found = put(warmpool, "--min", 5, "--max", 12).document
        assert found["parameter"] == f"/warmpool/{STACK}/spaces/override"
        assert (found["pool"], found["written"], found["cleared"]) == ("spaces", True, False)
        assert (found["before"]["min"], found["before"]["max"], found["before"]["override"]) == (3, 8, None)
        assert (found["after"]["min"], found["after"]["max"], found["after"]["window"]) == (5, 12, "office")
        assert found["after"]["override"] == found["override"]
        assert found["override"]["by"] == CALLER
        assert found["override"]["until"] == "2026-12-14T17:00:00Z"
        assert (found["replaced"], found["replaced_text"], found["stop"]) == (None, None, None)

    def test_an_override_that_is_there_is_replaced_and_shown(self, warmpool: Warmpool, deployed: Deployed) -> None:
        put(warmpool, "--max", 12)
        found = put(warmpool, "--pause").document
        assert found["replaced"]["max"] == 12
        assert (found["before"]["max"], found["after"]["max"]) == (12, 8)
        assert deployed.document("spaces/override")["pause"] is True
        assert "max" not in deployed.document("spaces/override")

    def test_a_rejected_one_that_is_there_is_replaced_and_told(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("spaces/override", '{"max": "12", "until": "forever"}')
        found = put(warmpool, "--target", 4).document
        assert (found["before"], found["replaced"]) == (None, None)
        assert found["replaced_text"] == '{"max": "12", "until": "forever"}'
        assert 'max: got text "12"' in found["replaced_problem"]
        assert found["after"]["target"] == 4

    def test_a_stop_switch_in_force_is_told(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("stop", '{"mode": "drain", "reason": "incident"}')
        found = put(warmpool, "--min", 5).document
        assert found["stop"] == {"mode": "drain", "until": "forever", "reason": "incident", "by": ""}
        assert found["after"]["target"] == 0

    def test_people_get_sentences(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("stop", '{"mode": "freeze", "reason": "incident"}')
        put(warmpool, "--max", 12)
        result = warmpool("override", "set", "--max", "2", "--until", "forever", "--reason", "exam", *WHERE)
        assert result.code == 0
        for text in (
            f"Written to /warmpool/{STACK}/spaces/override",
            f"New: max 2 for ever: exam (by {CALLER})",
            f"Replaced: max 12 until 2026-12-14T17:00:00Z: exam (by {CALLER})",
            "The stop switch is in force for all pools and goes first: freeze for ever: incident",
            "CappedByMax: 3 wanted, max 2 in force: max wins",
        ):
            assert text in result.out

    def test_a_time_of_day_is_utc_in_a_pool_without_a_zone(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("spaces/spec", spec(timezone="UTC"))
        put(warmpool, "--max", 12)
        assert deployed.document("spaces/override")["until"] == "2026-12-14T18:00:00+00:00"

    @pytest.mark.parametrize(
        ("words", "code", "path"),
        [
            (["--min", 9], "ConfigInvalid", "min"),
            (["--min", 5, "--max", 2], "ConfigInvalid", "min"),
            (["--max", -1], "Usage", "--max"),
            (["--max", "1_0"], "Usage", "--max"),
            (["--target", "true"], "Usage", "--target"),
            ([], "ConfigInvalid", "$"),
            (["--max", 12, "--until", "2026-12-14T08:00Z"], "Usage", "--until"),
            (["--max", 12, "--until", "soon"], "Usage", "--until"),
            (["--max", "many"], "Usage", "--max"),
            (["--max", "1.0"], "Usage", "--max"),
            (["--max", 12, "--pool", "nope"], "UnknownPool", "--pool"),
            (["--max", 12, "--reason", "x" * 5000], "Usage", "--reason"),
            (["--max", 12, "--stack", "nope"], "UnknownStack", "--stack"),
            (["--max", 12, "--stack", "../stop"], "Usage", "--stack"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_what_does_not_validate_is_never_written(
        self, warmpool: Warmpool, deployed: Deployed, words: list[object], code: str, path: str
    ) -> None:
        deployed.put("spaces/override", "as it was")
        error = put(warmpool, *words).error
        assert (error["code"], error["path"]) == (code, path)
        assert deployed.text("spaces/override") == "as it was"
        assert deployed.faults.calls["PutParameter"] == 0

    @pytest.mark.parametrize("missing", ["--until", "--reason"])
    def test_until_and_reason_are_required(self, warmpool: Warmpool, deployed: Deployed, missing: str) -> None:
        said = {"--until": "18:00", "--reason": "exam"}
        del said[missing]
        words = [word for pair in said.items() for word in pair]
        assert warmpool("override", "set", "--max", "1", *words, *WHERE, "-o", "json").error["path"] == missing

    def test_with_several_pools_one_has_to_be_named(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("gpu/spec", spec("gpu"))
        error = put(warmpool, "--max", 12).error
        assert error["path"] == "--pool"
        assert "gpu, spaces" in error["message"]
        assert put(warmpool, "--max", 12, "--pool", "gpu").code == 0

    def test_a_refused_write_is_an_error_that_names_the_right(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.faults.refuse("PutParameter", "AccessDeniedException")
        error = put(warmpool, "--max", 12).error
        assert error["code"] == "NotPermitted"
        assert "allow ssm:PutParameter" in error["message"]

    def test_who_it_is_may_stay_unknown_in_an_incident(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.faults.silence("GetCallerIdentity")
        result = put(warmpool, "--max", 12)
        assert result.code == 0
        assert "who you are is left out" in result.err
        assert "by" not in deployed.document("spaces/override")

    def test_the_stack_is_the_one_of_the_spec_file_where_none_is_named(
        self, warmpool: Warmpool, deployed: Deployed, spec_file: Path
    ) -> None:
        words = ("--max", "12", "--until", "18:00", "--reason", "exam", "-f", spec_file, "-o", "json")
        assert warmpool("override", "set", *words).code == 0
        # What is deployed counts, also for the zone: the file says Tokyo.
        assert deployed.document("spaces/override")["until"] == "2026-12-14T18:00:00+01:00"

    def test_the_spec_file_stands_in_where_what_is_deployed_cannot_be_read(
        self, warmpool: Warmpool, deployed: Deployed, spec_file: Path
    ) -> None:
        deployed.faults.refuse("GetParametersByPath", "AccessDeniedException")
        result = put(warmpool, "--max", 12, "--spec", spec_file)
        assert result.code == 0
        assert "so the spec file counts" in result.err
        assert result.document["before"] is None
        deployed.faults.refuse("GetParametersByPath", "AccessDeniedException", times=0)
        assert deployed.document("spaces/override")["until"] == "2026-12-14T18:00:00+09:00"

    def test_without_it_what_cannot_be_read_is_an_error(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.faults.refuse("GetParametersByPath", "AccessDeniedException")
        assert put(warmpool, "--max", 12).error["code"] == "ConfigUnreadable"

    def test_a_deployed_spec_that_is_no_spec_is_told(
        self, warmpool: Warmpool, deployed: Deployed, spec_file: Path
    ) -> None:
        deployed.put("spaces/spec", "{}")
        assert put(warmpool, "--max", 12).error["code"] == "SpecInvalid"
        result = put(warmpool, "--max", 12, "--spec", spec_file)
        assert result.code == 0
        assert "of no use, so the spec file counts" in result.err

    def test_without_stack_or_spec_it_asks_which(self, warmpool: Warmpool, deployed: Deployed) -> None:
        words = ("--max", "12", "--until", "18:00", "--reason", "exam", "-o", "json")
        assert warmpool("override", "set", *words).error["path"] == "--stack"

    def test_the_environment_names_the_stack_too(
        self, warmpool: Warmpool, deployed: Deployed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WARMPOOL_STACK", STACK)
        assert warmpool("override", "set", "--max", "12", "--until", "18:00", "--reason", "exam").code == 0
        assert deployed.document("spaces/override")["max"] == 12

    def test_without_a_region_it_asks_for_one(
        self, warmpool: Warmpool, deployed: Deployed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("AWS_REGION")
        monkeypatch.delenv("AWS_DEFAULT_REGION")
        assert put(warmpool, "--max", 12).error["path"] == "--region"


class TestShow:
    def test_every_pool_has_a_row(self, warmpool: Warmpool, deployed: Deployed) -> None:
        for pool in ("gpu", "ended", "wrong", "plain", "broken"):
            deployed.put(f"{pool}/spec", spec(pool) if pool != "broken" else "{}")
        put(warmpool, "--pool", "spaces", "--max", 12)
        deployed.put("ended/override", '{"max": 1, "until": "2026-12-14T07:00Z"}')
        deployed.put("wrong/override", '{"max": true, "until": "forever"}')
        deployed.put("gpu/override", '{"pause": true, "until": "forever", "reason": "repair"}')
        rows = {each["pool"]: each for each in warmpool("override", "show", *WHERE, "-o", "json").document}
        assert {pool: row["state"] for pool, row in rows.items()} == {
            "spaces": "in force",
            "gpu": "in force",
            "ended": "ended",
            "wrong": "rejected",
            "plain": "none",
            "broken": "unknown",
        }
        assert (rows["spaces"]["valid"], rows["spaces"]["in_force"]) == (True, True)
        assert rows["spaces"]["override"]["by"] == CALLER
        assert rows["spaces"]["limits"]["max"] == 12
        assert (rows["ended"]["valid"], rows["ended"]["in_force"], rows["ended"]["limits"]["max"]) == (True, False, 8)
        assert (rows["wrong"]["valid"], rows["wrong"]["limits"]) == (False, None)
        assert "max: got true" in rows["wrong"]["problem"]
        assert rows["wrong"]["text"] == '{"max": true, "until": "forever"}'
        assert (rows["plain"]["valid"], rows["plain"]["text"], rows["plain"]["written"]) == (None, None, None)
        assert "spec is of no use" in rows["broken"]["problem"]
        assert datetime.fromisoformat(rows["gpu"]["written"]["at"]).tzinfo == UTC

    def test_one_pool_may_be_named(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("gpu/spec", spec("gpu"))
        (row,) = warmpool("override", "show", "--pool", "gpu", *WHERE, "-o", "json").document
        assert row["pool"] == "gpu"
        assert warmpool("override", "show", "--pool", "no", *WHERE, "-o", "json").error["code"] == "UnknownPool"

    def test_people_get_a_table_and_what_is_wrong_below(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("gpu/spec", spec("gpu"))
        deployed.put("gpu/override", '{"max": 1, "unti": "x\\u001b[2J"}')
        put(warmpool, "--pool", "spaces", "--max", 12)
        result = warmpool("override", "show", *WHERE)
        assert result.code == 0
        assert f"spaces: max 12 until 2026-12-14T17:00:00Z: exam (by {CALLER})" in result.out
        assert "gpu: gpu/override: unti: unknown key" in result.out

    def test_a_parameter_cannot_steer_the_terminal(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("spaces/override", '{"max": 1, "until": "forever", "reason": "\\u001b[2J\\u009b31mred\\n"}')
        result = warmpool("override", "show", *WHERE)
        assert "\\x1b[2J\\x9b31mred\\x0a" in result.out
        assert "\x1b" not in result.out

    def test_who_wrote_it_may_be_unknown(self, warmpool: Warmpool, deployed: Deployed) -> None:
        put(warmpool, "--max", 12)
        deployed.faults.refuse("DescribeParameters", "AccessDeniedException")
        result = warmpool("override", "show", *WHERE, "-o", "json")
        assert result.document[0]["written"] is None
        assert "allow ssm:DescribeParameters" in result.err

    def test_an_encrypted_one_is_unknown(self, warmpool: Warmpool, deployed: Deployed) -> None:
        name = f"/warmpool/{STACK}/spaces/override"
        deployed.ssm.put_parameter(Name=name, Value="{}", Type="SecureString")
        (row,) = warmpool("override", "show", *WHERE, "-o", "json").document
        assert (row["state"], row["text"]) == ("unknown", None)
        assert "SecureString" in row["problem"]


class TestClear:
    def test_it_deletes_the_override_and_shows_before_and_after(self, warmpool: Warmpool, deployed: Deployed) -> None:
        put(warmpool, "--max", 12)
        result = warmpool("override", "clear", *WHERE, "-o", "json")
        found = result.document
        assert (result.code, found["cleared"], found["written"]) == (0, True, False)
        assert (found["before"]["max"], found["after"]["max"], found["override"]) == (12, 8, None)
        assert deployed.text("spaces/override") is None

    def test_where_there_was_none_it_says_so(self, warmpool: Warmpool, deployed: Deployed) -> None:
        assert warmpool("override", "clear", *WHERE, "-o", "json").document["cleared"] is False
        assert "nothing has changed" in warmpool("override", "clear", *WHERE).out

    def test_a_rejected_one_can_be_cleared(self, warmpool: Warmpool, deployed: Deployed) -> None:
        deployed.put("spaces/override", "nonsense")
        result = warmpool("override", "clear", *WHERE)
        assert "Deleted" in result.out
        assert "What was there before was not in force" in result.out
        assert deployed.text("spaces/override") is None

    def test_a_pool_that_is_named_is_cleared_though_nothing_can_be_read(
        self, warmpool: Warmpool, deployed: Deployed
    ) -> None:
        put(warmpool, "--max", 12)
        deployed.faults.refuse("GetParametersByPath", "AccessDeniedException")
        result = warmpool("override", "clear", "--pool", "spaces", *WHERE, "-o", "json")
        assert (result.document["cleared"], result.document["after"]) == (True, None)
        assert "allow ssm:GetParametersByPath" in result.err
        assert warmpool("override", "clear", *WHERE, "-o", "json").error["code"] == "ConfigUnreadable"

    def test_an_override_of_a_pool_that_is_not_deployed_any_more_can_be_cleared(
        self, warmpool: Warmpool, deployed: Deployed
    ) -> None:
        deployed.put("old/override", "{}")
        result = warmpool("override", "clear", "--pool", "old", *WHERE)
        assert "Deleted" in result.out
        assert deployed.text("old/override") is None


def test_the_group_alone_shows_what_there_is(warmpool: Warmpool) -> None:
    result = warmpool("override", "--help")
    assert result.code == 0
    for word in ("set", "show", "clear", "check"):
        assert f"warmpool override {word}" in result.out
