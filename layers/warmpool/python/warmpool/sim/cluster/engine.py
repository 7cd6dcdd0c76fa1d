"""Runs the cluster's controllers until nothing is left to do at this instant."""

from datetime import datetime
from typing import Final

from warmpool.sim.cluster import deployments, disruption, drain, provisioning, scheduler
from warmpool.sim.cluster.world import World

_ROUNDS: Final = 10_000


def settle(world: World) -> None:
    """Let every controller react to what has changed, without letting time pass.

    Raises RuntimeError where the controllers chase each other for ever: a mistake in the model.
    """
    for _ in range(_ROUNDS):
        while world.dirty:
            key = next(iter(world.dirty))
            deployments.sync(world, world.dirty.pop(key))
        if drain.carry_on(world):
            continue
        scheduler.schedule(world)
        if not world.dirty:
            break
    else:
        msg = f"controllers do not come to rest at {world.now.isoformat()}"
        raise RuntimeError(msg)
    provisioning.watch(world)
    disruption.plan_poll(world)


def advance(world: World, to: datetime) -> None:
    """Let time pass: every planned event up to `to`, in order, with the controllers' reactions."""
    while (action := world.next_action(to)) is not None:
        action()
        settle(world)
    world.now = to
