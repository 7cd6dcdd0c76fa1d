"""`make alarm`: what it lists, what it tells of a situation, and what it says to a name that is none."""

import pytest

from tests.alarms.__main__ import happened, main
from tests.alarms.situations import SITUATIONS
from warmpool.sim.alarms.watch import Alarms


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert [name for name in SITUATIONS if name not in listed] == []


def test_a_name_that_is_none_is_refused_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heartbeat"]) == 2
    assert "there is no alarm 'heartbeat'; expected one of audit-errors, below-floor" in capsys.readouterr().err


def test_what_was_done_comes_before_the_alarm_and_its_end_after_both(alarms: Alarms) -> None:
    played = SITUATIONS["heartbeat-lost"].play(alarms)

    told = [line.what for line in happened("heartbeat-lost", alarms, played)]
    assert told == [
        "the API server does not answer",
        "its value is 0, beyond 1 (4 of 5 periods of 1 min make the alarm)",
        "heartbeat-lost goes off",
        "it answers again",
        "its value is 1, no longer beyond 1 (4 of 5 periods of 1 min make the alarm)",
        "heartbeat-lost is over",
    ]
