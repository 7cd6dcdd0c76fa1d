"""In a normal week no alarm goes off: the committed launches, the demo's pool, a pass every minute."""

from importlib import resources
from pathlib import Path

import pytest

from tests.alarms.synthesised import synthesised_alarms
from tests.alarms.week import week_of
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.emf_log import EmfLog
from warmpool.sim.alarms.definitions import State
from warmpool.sim.alarms.watch import AT_WORST, USUAL, Change

STACK = "warmpool-demo"


@pytest.mark.slow
def test_no_alarm_goes_off_in_a_normal_week(tmp_path_factory: pytest.TempPathFactory) -> None:
    with resources.as_file(resources.files("warmpool.sim").joinpath("data", "demo.yaml")) as spec:
        alarms = synthesised_alarms(tmp_path_factory.mktemp("cdk-week"), Path(spec), STACK)
        loaded = load_spec_file(spec)
    [pool] = loaded.spec.pools.values()
    scene, lines = week_of(pool, loaded.runtime_documents[pool.name], STACK, days=7)
    log = EmfLog(lines)

    for behaviour in (USUAL, AT_WORST):
        found = list(alarms.changes(log, scene.start - scene.warm_up, scene.end, behaviour))
        assert [each for each in found if each.at > scene.start] == []
        assert {each.after for each in _last(found).values()} == {State.OK}


def _last(found: list[Change]) -> dict[str, Change]:
    return {each.alarm: each for each in found}
