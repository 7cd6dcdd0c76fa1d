"""The command line against a stack at work: SSM, the handler behind its queue, and a cluster behind HTTPS."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.functions.reconcile_world import MINUTE, NAMES, ReconcileWorld, reconcile_world, spec
from warmpool.core.reasons import Code
from warmpool.sim.aws.session import quick_session

from .conftest import Warmpool

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

WHERE = ("--stack", NAMES.stack, "--region", NAMES.region)
LIVE = (*WHERE, "--table", NAMES.table, "--output", "json")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReconcileWorld]:
    """Run a stack until its two nodes are warm."""
    with reconcile_world() as here:
        monkeypatch.setattr("warmpool.cli.live.Session", quick_session)
        monkeypatch.setattr("warmpool.cli.live.SystemClock", lambda: here.clock)
        here.add_pool()
        for _ in range(12):
            here.tick()
        yield here


def look(warmpool: Warmpool, code: int = 0) -> dict[str, Any]:
    result = warmpool("status", *LIVE)
    assert result.code == code, result
    (pool,) = result.document["pools"]
    return dict(pool)


def codes(pool: dict[str, Any]) -> list[str]:
    return [each["code"] for each in pool["problems"]]


def test_an_override_is_set_acts_is_told_and_ends(warmpool: Warmpool, world: ReconcileWorld) -> None:
    assert (look(warmpool)["kept"], codes(look(warmpool)), world.replicas()) == (True, [], 2)
    said = ("--pool", "spaces", "--min", "4", "--until", "18:00", "--reason", "exam", *WHERE)
    assert warmpool("override", "set", *said).code == 0
    before = look(warmpool, code=1)
    assert (before["taken_over"], before["in_force"]["min"]) == (None, 4)
    world.tick()
    assert world.replicas() == 4
    after = look(warmpool, code=1)
    assert after["taken_over"] == world.clock.time.isoformat().replace("+00:00", "Z")
    assert after["in_force"]["override"]["reason"] == "exam"
    assert after["in_force"]["override"]["by"].startswith("arn:aws:sts::123456789012:")
    assert after["written"]["at"] is not None
    (reason,) = (each for each in after["last_decision"]["reasons"] if each["code"] == "Override")
    assert "exam (by arn:aws:sts::123456789012:" in reason["text"]
    assert codes(after) == ["RoomMissing"]
    for _ in range(12):
        world.tick()
    assert look(warmpool)["warm_nodes"] == 4
    assert warmpool("override", "clear", *WHERE).code == 0
    world.tick()
    assert look(warmpool)["in_force"]["override"] is None


BAD: dict[str, str] = {
    '{"min": 5, "max": 3, "until": "forever"}': "min: got number 5; expected at most max (3)",
    '{"min": 5, "until": "2026-12-01T08:00Z"}': "until: got 2026-12-01T08:00+00:00, which was past when first seen",
    '{"min": 5, "until": "forever", "maxx": 8}': "maxx: unknown key; did you mean `max`?",
    '{"min": "5", "until": "forever"}': 'min: got text "5"',
    '{"min": true, "until": "forever"}': "min: got true",
    "{": "this is not JSON",
}


def test_bad_overrides_in_ssm_leave_the_pool_where_it_was_and_status_says_why(
    warmpool: Warmpool, world: ReconcileWorld
) -> None:
    for text, why in BAD.items():
        world.aws.put_override("spaces", text)
        world.tick()
        (decision,) = world.telemetry.reports[-1].decisions
        assert Code.CONFIG_INVALID in {each.code for each in decision.reasons}
        pool = look(warmpool)
        (problem,) = pool["problems"]
        assert (world.replicas(), pool["kept"], problem["code"]) == (2, True, "ConfigInvalid")
        assert f"spaces/override: {why}" in problem["text"]
        assert problem["since"] is not None


def test_where_ssm_refuses_the_last_good_override_stays_and_a_deleted_one_ends_at_once(world: ReconcileWorld) -> None:
    world.aws.put_override("spaces", '{"min": 4, "until": "forever"}')
    world.tick()
    # A refusal is final, throttling is tried once more by the client.
    for code, times in (("AccessDeniedException", 1), ("ThrottlingException", 2)):
        world.aws.failures.order("GetParametersByPath", code, times=times)
        world.tick()
        (decision,) = world.telemetry.reports[-1].decisions
        assert Code.CONFIG_UNREADABLE in {each.code for each in decision.reasons}
        assert world.replicas() == 4
    world.aws.delete_parameter("spaces/override")
    world.tick()
    (decision,) = world.telemetry.reports[-1].decisions
    assert decision.limits is not None
    assert (decision.limits.min, decision.limits.override) == (2, False)


def test_the_stop_switch_freezes_and_status_says_who_and_why(warmpool: Warmpool, world: ReconcileWorld) -> None:
    assert warmpool("stop", "--freeze", "--reason", "incident 4711", *WHERE, "--yes").code == 0
    world.aws.put_spec("spaces", spec(min=4))
    world.tick()
    assert world.replicas() == 2
    pool = look(warmpool, code=1)
    (frozen,) = (each for each in pool["problems"] if each["code"] == "Frozen")
    assert "incident 4711 (by arn:aws:sts::123456789012:" in frozen["text"]
    assert warmpool("stop", "--clear", *WHERE, "--yes").code == 0
    world.tick()
    assert world.replicas() == 4


def test_an_operator_without_access_to_the_cluster_sees_the_documents_and_the_ledger(
    warmpool: Warmpool, world: ReconcileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ASIASOMEBODYELSE0000")
    pool = look(warmpool, code=1)
    assert (pool["kept"], codes(pool)) == (None, ["NotPermitted"])
    assert "access entry" in pool["problems"][0]["text"]
    assert pool["last_decision"]["target"] == 2
    people = warmpool("status", *WHERE, "--table", NAMES.table)
    assert "Steady, decided at" in people.out


def test_what_orders_took_and_how_many_launches_wait_is_told(warmpool: Warmpool, world: ReconcileWorld) -> None:
    pool = look(warmpool)
    assert (pool["launches_waiting"], pool["lead_time"]["orders"]) == (0, 2)
    parts = pool["lead_time"]["mean_s"]
    assert set(parts) == {"node", "join", "pull"}
    # Two orders of the same minute: the slower one is reckoned with.
    assert sum(parts.values()) <= pool["lead_time"]["p90_s"] < sum(parts.values()) + 60
    people = warmpool("status", *WHERE, "--table", NAMES.table)
    assert "spaces: lead time 6 min" in people.out


def test_passes_that_stop_coming_are_told(warmpool: Warmpool, world: ReconcileWorld) -> None:
    world.wait(9 * MINUTE)
    pool = look(warmpool)
    assert (pool["kept"], codes(pool)) == (True, ["PassesLate"])
