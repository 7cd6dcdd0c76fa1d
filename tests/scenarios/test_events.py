"""Events make the next pass come sooner and change nothing else: lost, doubled, late, in any order, or in a storm."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from infra.edges import edges_of
from tests.events.scheduler import fires
from tests.scenarios.eventful import MINUTE, POOL, SPEC, Eventful, eventful, warmed
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.app.pace import BURST, EVERY
from warmpool.sim.cluster import amounts

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

SECOND = timedelta(seconds=1)
FILLING = amounts(cpu="44", memory="172Gi")
BIG = amounts(cpu="46", memory="180Gi")
"""A launch that takes a whole node, and preempts the placeholder that fills it."""
BUSY_COUNTS = SPEC.replace('placeholder: {cpu: "2", memory: 8Gi}', 'placeholder: {cpu: "44", memory: 172Gi}').replace(
    "min: 2", "min: 1\n    proportional: {linear: {nodesPerReplica: 0.5}}"
)
"""Two empty nodes' worth of room for each busy node."""


@pytest.fixture
def running() -> Iterator[Eventful]:
    with eventful() as started:
        yield warmed(started)


@pytest.fixture
def filling() -> Iterator[Eventful]:
    with eventful(BUSY_COUNTS, requests=FILLING) as started:
        yield warmed(started)


def launch(running: Eventful, name: str, **options: Any) -> None:
    """Create a Workspace, and let the audit log tell of it and of all that follows."""
    running.cluster.launch(name, **options)
    running.deliver_audit([running.workspace_record(name), *running.audit()])


def override(running: Eventful, **keys: Any) -> dict[str, Any]:
    return running.put_override(json.dumps({"until": "forever", "reason": "exam", **keys}))


def test_a_new_workspace_is_followed_by_a_patch_without_a_tick(running: Eventful) -> None:
    before = running.cluster.now
    launch(running, "space-1")
    running.serve()

    assert (running.replicas, running.patches, running.cluster.now) == (3, 2, before)


def test_a_preempted_placeholder_is_followed_by_a_patch_without_a_tick(filling: Eventful) -> None:
    filling.cluster.launch("space-1", requests=BIG)
    filling.advance(SECOND)  # which the log takes, and in which the workspace is bound
    preempted = [each for each in filling.audit() if each["objectRef"]["resource"] == "pods"]
    assert [each["verb"] for each in preempted][:1] == ["delete"]
    assert filling.deliver_audit(preempted[:1]) == 1
    filling.serve()

    assert (filling.replicas, filling.patches) == (2, 2)


def test_an_edited_override_is_followed_by_a_patch_without_a_tick(running: Eventful) -> None:
    assert running.publish(override(running, min=4)) == 1
    running.serve()

    assert (running.replicas, running.patches) == (4, 2)


def test_an_event_of_the_cluster_is_followed_by_a_pass_without_a_tick(running: Eventful) -> None:
    passes = running.passes
    assert running.publish(running.hyperpod_event()) == 1
    running.serve()

    assert running.passes == passes + 1


def _launch(running: Eventful) -> None:
    running.cluster.launch("space-1")


def _override(running: Eventful) -> None:
    override(running, min=4)


@pytest.mark.parametrize(("change", "replicas"), [(_launch, 3), (_override, 4)])
def test_with_all_events_lost_the_same_comes_with_the_next_tick(
    running: Eventful, change: Callable[[Eventful], None], replicas: int
) -> None:
    running.advance(10 * SECOND)
    change(running)
    running.advance(10 * SECOND)
    assert running.replicas == 2
    running.tick()

    assert running.replicas == replicas


def test_with_all_events_lost_a_preemption_is_made_good_with_the_next_tick(filling: Eventful) -> None:
    filling.cluster.launch("space-1", requests=BIG)
    assert filling.replicas == 1
    filling.tick()

    assert filling.replicas == 2


Send = Callable[[], object]
Mischief = Callable[[list[Send], random.Random], list[Send]]


def as_they_come(sends: list[Send], chance: random.Random) -> list[Send]:
    del chance
    return sends


def none_comes(sends: list[Send], chance: random.Random) -> list[Send]:
    del sends, chance
    return []


def half_come(sends: list[Send], chance: random.Random) -> list[Send]:
    return [each for each in sends if chance.random() < 0.5]


def twice_or_more(sends: list[Send], chance: random.Random) -> list[Send]:
    return [each for each in sends for _ in range(chance.randint(1, 3))]


def shuffled(sends: list[Send], chance: random.Random) -> list[Send]:
    return chance.sample(sends, len(sends))


def a_busy_hour(mischief: Mischief, seed: int = 7) -> tuple[list[int], dict[str, str]]:
    """Let workspaces come and go and an operator intervene; return replicas by the minute and what launches found.

    What happens within a minute is told at its end, just before the tick, so that only the messages differ.
    """
    happens, chance = random.Random(seed), random.Random(seed + 1)  # noqa: S311 - a story, drawn
    with eventful(SPEC.replace("leadTime: 10m", "leadTime: 10m\n    scaleDown: {after: 3m}")) as running:
        warmed(running)
        there: list[str] = []
        seen: list[int] = []
        for minute in range(60):
            running.advance(MINUTE - SECOND)
            records, events = [], []
            if minute < 30 and happens.random() < 0.6:
                there.append(f"space-{minute}")
                running.cluster.launch(there[-1])
                records.append(running.workspace_record(there[-1]))
            if there and happens.random() < 0.3:
                gone = there.pop(happens.randrange(len(there)))
                running.cluster.end(gone)
                records.append(running.workspace_record(gone, "deleted"))
            if minute in {10, 25}:
                events.append(override(running, min=minute // 5))
                events.append(running.hyperpod_event())
            records += running.audit()
            sends: list[Send] = [
                *(partial(running.deliver_audit, [each]) for each in records),
                *(partial(running.publish, each) for each in events),
            ]
            for send in mischief(sends, chance):
                send()
            running.advance(SECOND)
            running.pump.tick(running.cluster.now)
            running.serve()
            seen.append(running.replicas)
        assert running.cloud.aws.dead_letters() == []
        assert running.telemetry.warnings == []
        return seen, {each.name: str(each.outcome) for each in running.cluster.launches}


@pytest.fixture(scope="module")
def undisturbed() -> tuple[list[int], dict[str, str]]:
    return a_busy_hour(as_they_come)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "mischief", [none_comes, pytest.param(half_come, marks=SLOW), pytest.param(twice_or_more, marks=SLOW), shuffled]
)
def test_however_messages_come_the_outcome_is_the_same(
    undisturbed: tuple[list[int], dict[str, str]], mischief: Mischief
) -> None:
    seen, outcomes = undisturbed

    assert max(seen) > 4 > seen[-1] - 3
    assert a_busy_hour(mischief) == (seen, outcomes)


def test_ticks_that_waited_out_an_outage_cost_one_pass_and_change_nothing(running: Eventful) -> None:
    running.cluster.launch("space-1")
    for minute in range(40):
        running.advance(MINUTE)
        running.send(json.dumps({"kind": "tick", "scheduled": str(running.cluster.now), "execution": str(minute)}))
    running.advance(SECOND)
    passes = running.passes
    invocations = running.serve()

    assert len(invocations) == 4
    assert running.passes == passes + 1
    assert running.replicas == 3
    assert all(each.failed == frozenset() for each in invocations)


@pytest.mark.parametrize(
    "body", ["not json", "[]", '{"kind": null}', '{"no": "kind"}', pytest.param("x" * 250_000, id="long")]
)
def test_a_message_that_nobody_can_read_is_put_aside_and_the_next_one_served(running: Eventful, body: str) -> None:
    running.cluster.launch("space-1")
    running.pump.send(body)
    running.pump.send('{"kind": "cluster-event", "id": "1"}')
    [invocation] = running.serve()

    assert invocation.failed == frozenset()
    assert running.cloud.aws.dead_letters() == [body]
    assert running.replicas == 3


def test_a_message_that_kills_its_pass_blocks_the_group_for_minutes_and_not_for_ever(running: Eventful) -> None:
    served = running.pump

    def deadly(event: dict[str, Any], context: LambdaContext) -> Any:
        if any("poison" in record["body"] for record in event["Records"]):
            raise MemoryError("killed")
        return served._handler(event, context)  # noqa: SLF001 - the same function, before it meets the poison

    running.pump = running.cloud.pump(deadly)
    running.cluster.launch("space-1")
    running.pump.send('{"kind": "audit", "id": "poison"}')
    errors: list[bool] = []
    for _ in range(8):
        running.advance(MINUTE)
        invocation = running.pump.tick(running.cluster.now)
        errors.append(invocation is not None and invocation.error is not None)
        running.serve()

    assert errors[0]
    assert not errors[-1]
    assert "poison" in running.cloud.aws.dead_letters()[0]
    assert running.replicas == 3


def storm(running: Eventful, records: int = 10_000, seconds: int = 60, at_once: int = 50) -> None:
    """Plan so many records that all matter, spread over so many seconds, in deliveries as CloudWatch makes them."""
    begin, count = running.cluster.now, records // at_once
    for number in range(count):
        batch = [running.workspace_record(f"space-{number}-{index}", "stopped") for index in range(at_once)]
        due = begin + timedelta(seconds=seconds) * number / count
        running.plan.append((due, partial(running.deliver_audit, batch, at_once=at_once)))


def weather(running: Eventful, until: datetime) -> None:
    """Serve the queue as Lambda does: at once when something is there; a pass takes a second."""
    while running.cluster.now < until:
        if running.pump.deliver() is None:
            running.advance(timedelta(milliseconds=100))
        else:
            running.advance(SECOND)


def test_ten_thousand_records_in_a_minute_cost_a_handful_of_passes(running: Eventful) -> None:
    passes = running.passes
    storm(running)
    weather(running, running.cluster.now + 2 * MINUTE)

    made = running.passes - passes
    assert made <= BURST + MINUTE / EVERY + 1
    assert max(running.waited) <= EVERY.total_seconds()
    assert running.cloud.aws.dead_letters() == []


def test_a_storm_does_not_keep_an_override_waiting(running: Eventful) -> None:
    asked = running.cluster.now + timedelta(seconds=31)
    storm(running)
    running.plan.append((asked, lambda: running.publish(override(running, min=6))))
    weather(running, asked + EVERY + SECOND)

    assert running.replicas == 6


@SLOW
def test_the_last_record_of_a_storm_has_its_pass_as_well(running: Eventful) -> None:
    """A debounce by deduplication would have dropped it, and the tick would have been the first to see it."""
    last = running.cluster.now + timedelta(seconds=59, milliseconds=990)
    storm(running)
    running.plan.append((last, lambda: launch(running, "the-one-that-matters")))
    weather(running, last + EVERY + SECOND)

    assert running.replicas == 3


def test_a_real_mix_of_ten_thousand_records_costs_what_little_matters(running: Eventful) -> None:
    """As in the run of the samples: one record in a hundred is a Workspace's, the rest the operator's status."""
    noise = running._from("audit-workspace-status-updated", {"name": "space-0"})  # noqa: SLF001 - its own words
    records = [{**noise, "auditID": str(number)} for number in range(9_900)]
    records += [running.workspace_record(f"space-{number}") for number in range(100)]
    random.Random(3).shuffle(records)  # noqa: S311 - a mix
    passes = running.passes

    assert running.deliver_audit(records, at_once=200) == 100
    running.serve()
    assert running.passes == passes + 1


WINDOW = SPEC.replace("min: 2", 'min: 1\n    windows: [{name: office, start: "09:00", end: "10:00", min: 3}]')
NINE = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
"""09:00 in Berlin."""


def test_a_window_is_warm_at_its_start_and_not_ordered_before_it_must() -> None:
    """The lead time is measured by then: the spec's ten minutes would order two nodes too early."""
    with eventful(WINDOW, start=NINE - timedelta(minutes=45)) as running:
        replicas = {}
        while running.cluster.now < NINE:
            running.tick()
            replicas[running.cluster.now] = running.replicas
        measured = running.telemetry.reports[-1].decisions[0].lead_time
        assert measured is not None

        ordered = min(at for at, count in replicas.items() if count == 3)
        assert measured <= NINE - ordered <= measured + 2 * MINUTE < timedelta(minutes=10)
        assert running.warm == 3


def test_the_windows_edges_alone_would_have_it_warm_at_its_start_where_nothing_was_measured() -> None:
    edges = edges_of([load_spec_file(WINDOW).spec.pools[POOL]])
    with eventful(WINDOW, start=NINE - timedelta(minutes=12)) as running:
        passes = running.passes
        while running.cluster.now < NINE:
            running.advance(MINUTE)
            if any(fires(edge, running.cluster.now) for edge in edges):
                running.send(json.dumps({"kind": "window", "scheduled": str(running.cluster.now)}))
                running.serve()

        assert running.passes == passes + 2
        assert (running.replicas, running.warm) == (3, 3)


def test_a_start_that_the_clocks_skip_has_no_edge_and_the_tick_finds_it_all_the_same() -> None:
    """On 29 March 2026 Berlin goes from 02:00 to 03:00: a schedule at 02:30 is skipped, the window begins at 03:00."""
    spec = SPEC.replace("min: 2", 'min: 1\n    windows: [{name: night, start: "02:30", end: "05:00", min: 3}]')
    edges = edges_of([load_spec_file(spec).spec.pools[POOL]])
    change = datetime(2026, 3, 29, 1, 0, tzinfo=UTC)
    assert not any(
        fires(edge, change + minute * MINUTE) for edge in edges for minute in range(-70, 100) if "start" in edge.name
    )
    with eventful(spec, start=change - timedelta(minutes=40)) as running:
        running.tick(29)
        early = running.replicas
        running.tick(11)

        assert running.cluster.now == change
        assert (early, running.replicas, running.warm) == (1, 3, 3)


def test_on_hyperpod_sagemaker_is_asked(running: Eventful) -> None:
    assert running.called >= {"sagemaker", "eks"}


def test_outside_hyperpod_everything_works_without_a_call_to_sagemaker() -> None:
    spec = SPEC.replace("{hyperpod: ml-research}", "{eks: ml-research-eks}")
    with eventful(spec) as running:
        warmed(running)
        launch(running, "space-1")
        assert running.publish(running.hyperpod_event("ssm-stop-created")) == 0
        running.publish(override(running, min=4))
        running.serve()

        assert running.settings.hyperpod_cluster is None
        assert running.called == {"ssm", "dynamodb", "eks", "sqs"}
        assert (running.replicas, running.telemetry.warnings) == (5, [])
        assert all(each.complete for each in running.telemetry.reports)
