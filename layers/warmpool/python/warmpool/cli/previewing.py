"""From files to decisions: what `plan` and `explain` have in common."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from warmpool.app.steps import claim
from warmpool.cli.inputs import choose_pool, choose_pools, instant_or_now, load_snapshot, spec_of
from warmpool.core.assess import Inputs, assess
from warmpool.core.ceilings import shares
from warmpool.core.decide import preview
from warmpool.core.decision import Decision
from warmpool.core.model import Snapshot
from warmpool.core.spec import Spec


def preview_one(spec_file: str, snapshot_file: str, pool: str | None, at: str | None) -> Decision:
    """Decide for one pool: the named one or the only one. Raises CliError, ConfigInvalid."""
    return preview(inputs_of_one(spec_file, snapshot_file, pool, at))


def preview_all(spec_file: str, snapshot_file: str, pool: str | None, at: str | None) -> list[Decision]:
    """Decide for the named pool, or for every pool of the spec. Raises CliError, ConfigInvalid."""
    spec, now = spec_of(spec_file), instant_or_now(at)
    chosen = choose_pools(spec, pool)
    inputs = _inputs(spec, load_snapshot(snapshot_file), now)
    return [preview(inputs[each.name]) for each in chosen]


def inputs_of_one(spec_file: str, snapshot_file: str, pool: str | None, at: str | None) -> Inputs:
    """Gather what one pool's decision depends on. Raises CliError, ConfigInvalid."""
    spec, now = spec_of(spec_file), instant_or_now(at)
    chosen = choose_pool(spec, pool)
    return _inputs(spec, load_snapshot(snapshot_file), now)[chosen.name]


def _inputs(spec: Spec, snapshot: Snapshot, now: datetime) -> Mapping[str, Inputs]:
    alone = {name: Inputs(spec=pool, snapshot=snapshot, now=now) for name, pool in spec.pools.items()}
    if spec.max_hourly_cost is None:
        return alone
    # The stack's money is one purse: what a pool may take depends on what the others want.
    granted = shares([claim(inputs, assess(inputs)) for inputs in alone.values()], spec.max_hourly_cost)
    return {name: replace(inputs, share=granted[name]) for name, inputs in alone.items()}
