"""Windows, overrides and the stop switch, in real time."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.cluster.conftest import NewLab
from tests.cluster.lab import Lab, codes
from warmpool.core.reasons import Code

ZONE = ZoneInfo("Europe/Berlin")
LEAD_SECONDS = 10


def test_nodes_are_ready_when_a_window_begins_and_go_when_it_ends(new_lab: NewLab) -> None:
    now = datetime.now(ZONE)
    start = (now + timedelta(minutes=1, seconds=LEAD_SECONDS + 30)).replace(second=0, microsecond=0)
    end = start + timedelta(minutes=1)
    window = {
        "name": "class",
        "dates": [start.date().isoformat()],
        "start": f"{start:%H:%M}",
        "end": f"{end:%H:%M}",
        "min": 2,
    }
    # With a first placeholder its node would have to go again, and time is short.
    lab: Lab = new_lab(spec={"min": 0, "windows": [window], "leadTime": f"{LEAD_SECONDS}s"}, initial_replicas=0)
    lab.until("an empty pool before", lambda: lab.replicas() == 0 and not lab.nodes())
    assert datetime.now(ZONE) < start - timedelta(seconds=LEAD_SECONDS)

    ahead = lab.until("the order", lambda: lab.replicas() == 2, seconds=120)
    assert start - timedelta(seconds=LEAD_SECONDS) <= ahead.at.astimezone(ZONE)
    lab.warm(2)

    lab.until("an empty pool after", lambda: lab.replicas() == 0 and not lab.nodes(), seconds=150)
    assert datetime.now(ZONE) >= end


def test_an_override_raises_pins_and_ends(lab: Lab) -> None:
    lab.warm(2)
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()

    lab.override({"min": 4, "until": until, "reason": "a class"})
    lab.warm(4)
    lab.override({"target": 1, "until": until, "reason": "an incident"})
    lowered = lab.until("lowered at once", lambda: lab.replicas() == 1)
    assert Code.LOWERED_BY_OVERRIDE in codes(lowered)
    lab.override(None)
    lab.warm(2)


def test_a_paused_pool_and_a_frozen_cluster_write_nothing(lab: Lab) -> None:
    lab.warm(2)
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()

    lab.override({"pause": True, "until": until, "reason": "maintenance"})
    lab.change(min=4)
    assert all(Code.PAUSED_BY_OVERRIDE in codes(each) for each in lab.for_passes(3))
    lab.override(None)
    lab.configuration.stop = json.dumps({"mode": "freeze", "until": until, "reason": "an incident"})
    assert all(Code.FROZEN in codes(each) for each in lab.for_passes(3))
    assert lab.replicas() == 2


def test_a_drained_cluster_holds_no_warm_node(lab: Lab) -> None:
    lab.warm(2)
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()

    lab.configuration.stop = json.dumps({"mode": "drain", "until": until, "reason": "an incident"})

    lab.until("no node", lambda: lab.replicas() == 0 and not lab.nodes())


@pytest.mark.parametrize("initial_replicas", [1, None])
def test_a_persons_scale_is_honoured_and_said(new_lab: NewLab, initial_replicas: int | None) -> None:
    lab: Lab = new_lab(initial_replicas=initial_replicas)
    lab.warm(2)

    lab.scale_by_hand(3)

    assert all(Code.MANUAL_SCALE in codes(each) for each in lab.for_passes(5))
    assert lab.replicas() == 3
