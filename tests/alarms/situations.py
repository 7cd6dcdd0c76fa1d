"""One situation for each alarm: what drives its metric over the threshold on the embedded cluster, and back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from tests.alarms.cloud import cloud_stage
from tests.alarms.played import SETTLED, Played, stage
from tests.functions.reconcile_world import MINUTE, START
from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP
from warmpool.core.spec import Override
from warmpool.sim.alarms.watch import Alarms
from warmpool.sim.cluster import ClusterSettings
from warmpool.sim.cluster.settings import WORKSPACE_IMAGE

COMPOSITE = "warm-promise-not-kept"


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What happens, and which alarms go off on account of it; all of them are over at the end."""

    about: str
    play: Callable[[Alarms], Played]
    goes_off: frozenset[str]


def promise_not_kept(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("thirty people come at once, where room for 22 is held")
    on.story.launch(*(f"burst-{number}" for number in range(30)))
    on.wait(80)
    return on.played()


def below_floor(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("somebody scales the placeholders to 0 by hand, which is honoured for half an hour")
    on.story.cluster.scale("op", "ph", 0)
    on.wait(29)
    on.note("the half hour is nearly over")
    on.wait(31)
    return on.played()


def capacity_stuck(alarms: Alarms) -> Played:
    dry = (START + SETTLED * MINUTE, START + (SETTLED + 60) * MINUTE)
    on = stage(alarms, ClusterSettings(insufficient_capacity=(dry,)))
    on.note("AWS has no such instance any more, and an override asks for room of four nodes")
    on.story.override(Override(min=4))
    on.wait(60)
    on.note("AWS has instances again")
    on.wait(50)
    return on.played()


def image_not_pulled(alarms: Alarms) -> Played:
    pulls: dict[str, timedelta] = {}
    on = stage(alarms, ClusterSettings(image_pull_times=pulls))
    on.note("a pull takes 45 minutes from now on, and an override asks for room of three nodes")
    pulls[WORKSPACE_IMAGE] = timedelta(minutes=45)
    on.story.override(Override(min=3))
    on.wait(35)
    on.note("new pulls are as fast as ever; those under way still take their time")
    pulls.clear()
    on.wait(70)
    return on.played()


def capped_long(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("an override asks for room of twelve nodes, where max is 8")
    on.story.override(Override(min=12))
    on.wait(40)
    on.note("the override is taken back")
    on.story.configuration.overrides.clear()
    on.wait(10)
    return on.played()


def held_long(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("somebody pauses the Deployment")
    on.story.cluster.pause_deployment("op", "ph")
    on.wait(40)
    on.note("it is resumed")
    on.story.cluster.pause_deployment("op", "ph", paused=False)
    on.wait(10)
    return on.played()


def config_invalid(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("somebody writes an override that is none")
    on.story.configuration.overrides["spaces"] = "nonsense"
    on.wait(8)
    on.note("it is deleted")
    on.story.configuration.overrides.clear()
    on.wait(10)
    return on.played()


def heartbeat_lost(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("the API server does not answer")
    on.story.door.failures.unavailable.add("observe")
    on.wait(8)
    on.note("it answers again")
    on.story.door.failures.unavailable.clear()
    on.wait(10)
    return on.played()


def pass_failed(alarms: Alarms) -> Played:
    on = stage(alarms)
    on.note("the role loses its right to scale, just when an override asks for room of three nodes")
    on.story.door.failures.refused.add("scale")
    on.story.override(Override(min=3))
    on.wait(8)
    on.note("it has it again")
    on.story.door.failures.refused.clear()
    on.wait(20)
    return on.played()


def function_errors(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("the handler crashes")
        on.crashes = True
        on.wait(3)
        on.note("the version before is deployed")
        on.crashes = False
        on.wait(12)
        return on.played()


def queue_late(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("somebody switches the event source mapping off")
        on.served = False
        on.wait(10)
        on.note("it is on again")
        on.served = True
        on.wait(12)
        return on.played()


def dead_letters(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("somebody sends a message that nobody can read")
        on.world.aws.sqs.send_message(
            QueueUrl=on.world.aws.queues.url, MessageBody="tick, please", MessageGroupId=MESSAGE_GROUP
        )
        on.wait(5)
        on.note("the dead letters are purged")
        on.world.aws.sqs.purge_queue(QueueUrl=on.world.aws.queues.dead_letters_url)
        on.wait(10)
        return on.played()


def throttled(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("other functions use all of the account's concurrency")
        on.throttled = True
        on.wait(5)
        on.note("they are done")
        on.throttled = False
        on.wait(12)
        return on.played()


def close_to_timeout(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("the API server is slow: passes take 25 s of 30 s")
        on.takes = timedelta(seconds=25)
        on.wait(5)
        on.note("they take a second again")
        on.takes = timedelta(seconds=1)
        on.wait(12)
        return on.played()


def undelivered_ticks(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("the queue takes nothing from the schedule")
        on.refused = True
        on.wait(2)
        on.note("its policy is mended, and what was not delivered is purged")
        on.refused = False
        on.purge_undelivered()
        on.wait(12)
        return on.played()


def audit_errors(alarms: Alarms) -> Played:
    with cloud_stage(alarms) as on:
        on.note("the ingest function sends into a queue that is not there")
        on.ingest_queue = on.world.aws.queues.url.replace("reconcile", "gone")
        on.wait(4)
        on.note("it sends into the right one again")
        on.ingest_queue = ""
        on.wait(12)
        return on.played()


def _of(about: str, play: Callable[[Alarms], Played], *also: str) -> tuple[str, Situation]:
    name = play.__name__.replace("_", "-")
    return name, Situation(about=about, play=play, goes_off=frozenset({name, *also}))


SITUATIONS = dict(
    [
        _of("more launches than room", promise_not_kept, COMPOSITE),
        _of("too little room for long", below_floor, COMPOSITE),
        _of("no instances to be had", capacity_stuck, "below-floor", COMPOSITE),
        _of("a slow registry", image_not_pulled, "below-floor", COMPOSITE),
        _of("a ceiling that binds", capped_long),
        _of("a Deployment that is paused", held_long),
        _of("a wrong override", config_invalid),
        _of("an API server that does not answer", heartbeat_lost),
        _of("a right that is gone", pass_failed),
        _of("a handler that crashes", function_errors, "heartbeat-lost"),
        _of("an account without concurrency", throttled, "heartbeat-lost"),
        _of("passes that take too long", close_to_timeout),
        _of("a queue that nobody serves", queue_late, "heartbeat-lost"),
        _of("an unreadable message", dead_letters),
        _of("an undelivered tick", undelivered_ticks),
        _of("an audit function that fails", audit_errors),
    ]
)
SITUATIONS[COMPOSITE] = SITUATIONS["promise-not-kept"]
"""By the alarm's place in the runbook."""
