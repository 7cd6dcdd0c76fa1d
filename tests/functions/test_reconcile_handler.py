"""From the queue through the real handler to the cluster and back, over HTTPS."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from functions.reconcile.handler import handler
from tests.functions.reconcile_world import START, ReconcileWorld, reconcile_world, spec
from warmpool.app.errors import ConfigInvalid
from warmpool.core.reasons import Code
from warmpool.wiring import application

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


class Context:
    """Half a minute, as Lambda gives it."""

    def get_remaining_time_in_millis(self) -> int:
        return 30_000


@pytest.fixture
def world() -> Iterator[ReconcileWorld]:
    with reconcile_world() as entered:
        yield entered


def test_a_tick_raises_an_empty_pool_to_its_min(world: ReconcileWorld) -> None:
    world.add_pool()

    assert world.tick().result == {"batchItemFailures": []}
    assert world.replicas() == 2
    assert world.telemetry.reports[-1].complete


def test_a_pool_that_has_what_it_needs_is_left_alone(world: ReconcileWorld) -> None:
    world.add_pool()
    for _ in range(15):
        world.tick()

    assert world.replicas() == 2
    assert all(each.complete and not each.failures for each in world.telemetry.reports)
    assert world.telemetry.warnings == []


def test_a_nudge_older_than_the_last_complete_pass_costs_no_pass(world: ReconcileWorld) -> None:
    world.add_pool()
    world.pump.send('{"kind": "stale"}')
    world.wait(timedelta(seconds=30))
    event = {"Records": [{"body": '{"kind": "tick"}', "attributes": {}}]}
    handler(event, Context(), world.app)
    invocation = world.pump.deliver()

    assert invocation is not None
    assert invocation.failed == frozenset()
    assert len(world.telemetry.reports) == 1


def test_an_unreadable_message_goes_to_the_dead_letters_and_the_tick_is_served(world: ReconcileWorld) -> None:
    world.add_pool()
    world.pump.send("not json")
    invocation = world.tick()

    assert invocation.failed == frozenset()
    assert world.aws.dead_letters() == ["not json"]
    assert world.replicas() == 2


def test_a_broken_pool_changes_nothing_for_the_others(world: ReconcileWorld) -> None:
    world.add_pool()
    world.aws.put_spec("broken", "{")
    world.aws.put_spec("absent", spec("absent"))
    world.tick()

    assert world.replicas() == 2
    decisions = {each.pool: each for each in world.telemetry.reports[-1].decisions}
    assert decisions["broken"].hold == Code.CONFIG_INVALID
    assert decisions["absent"].hold == Code.DEPLOYMENT_MISSING


def test_an_override_acts_in_the_next_pass_and_ends_by_itself(world: ReconcileWorld) -> None:
    world.add_pool()
    world.tick()
    until = (world.clock.time + timedelta(minutes=3)).isoformat()
    world.aws.put_override("spaces", json.dumps({"target": 4, "until": until, "reason": "exam"}))
    world.tick()
    during = world.replicas()
    for _ in range(20):
        world.tick()

    assert during == 4
    assert world.replicas() == 2


@pytest.mark.parametrize(
    ("operation", "right"),
    [
        ("GetItem", "dynamodb:GetItem"),
        ("BatchGetItem", "dynamodb:BatchGetItem"),
        ("GetParametersByPath", "ssm:GetParametersByPath"),
        ("PutItem", "dynamodb:PutItem"),
        ("TransactWriteItems", "dynamodb:PutItem and dynamodb:UpdateItem"),
    ],
)
def test_a_pass_that_aws_fails_is_acknowledged_and_changes_nothing(
    world: ReconcileWorld, operation: str, right: str
) -> None:
    world.add_pool()
    world.tick()
    world.aws.failures.order(operation, "AccessDeniedException")
    failed = world.tick()

    assert failed.error is None
    assert failed.failed == frozenset()
    assert len(world.telemetry.reports) == 2
    assert [text for text, _ in world.telemetry.warnings if f"{right} on " in text] != []
    assert world.replicas() == 2


def test_a_cluster_that_refuses_us_is_acknowledged_and_says_so(world: ReconcileWorld) -> None:
    world.add_pool()
    world.door.rules = ()
    invocation = world.tick()

    assert invocation.failed == frozenset()
    report = world.telemetry.reports[-1]
    assert not report.complete
    assert [each.hold for each in report.decisions] == [Code.NOT_PERMITTED]
    assert world.replicas() == 0


def test_the_ledger_remembers_across_cold_starts(world: ReconcileWorld) -> None:
    world.add_pool()
    world.tick()
    keys = {
        (each["pk"]["S"], each["sk"]["S"][:8])
        for each in world.aws.dynamodb.scan(TableName=world.aws.names.table)["Items"]
    }

    assert keys == {
        ("stack", "state"),
        ("stack", "watch"),
        ("pool#spaces", "state"),
        ("pool#spaces", "history#"),
    }


def test_any_event_is_acknowledged(world: ReconcileWorld) -> None:
    world.add_pool()

    events: list[dict[str, Any]] = [{}, {"Records": []}, {"Records": [{"body": ""}]}, {"hello": "world"}]
    for event in events:
        assert handler(event, Context(), world.app) == {"batchItemFailures": []}
    assert world.telemetry.reports == []


def test_a_wrong_environment_fails_the_invocation() -> None:
    application.cache_clear()

    with pytest.raises(ConfigInvalid, match="WARMPOOL_STACK"):
        handler({"Records": []}, Context())


def test_the_handler_finds_its_app_by_itself(world: ReconcileWorld) -> None:
    application.cache_clear()
    assert handler({"Records": []}, Context()) == {"batchItemFailures": []}
    assert application().settings == world.aws.settings()
    application.cache_clear()
    assert world.clock.time == START
