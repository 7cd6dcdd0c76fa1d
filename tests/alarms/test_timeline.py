"""`make alarm`: what it lists, what it tells of a situation, and what it says to a name that is none."""

import pytest

from tests.alarms import __main__ as command
from tests.alarms.__main__ import happened, main
from tests.alarms.situations import COMPOSITE, SITUATIONS
from warmpool.sim.alarms.watch import Alarms


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    told = dict(line.split(maxsplit=1) for line in listed.splitlines() if line.startswith("  "))
    assert told == {name: each.about for name, each in SITUATIONS.items()}


def test_a_name_that_is_none_is_refused_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heartbeat", "lost"]) == 2
    told = capsys.readouterr()
    names = ", ".join(sorted(SITUATIONS))
    assert (told.out, told.err) == ("", f"error: there is no alarm 'heartbeat lost'; expected one of {names}\n")


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


def test_below_the_timeline_are_the_values_that_the_alarm_looked_at(
    alarms: Alarms, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "synthesised_alarms", lambda folder: alarms)

    assert main(["heartbeat-lost"]) == 0
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert told[0] == "heartbeat-lost: an API server that does not answer"
    rows = told.index("when it goes off, minute 35")
    assert told[rows : rows + 6] == [
        "when it goes off, minute 35",
        "minute 29 30 31 32 33 34 35 36 37",
        "value 1 1 1 0 0 0 0 0 0",
        "when it is over, minute 41",
        "minute 35 36 37 38 39 40 41 42 43",
        "value 0 0 0 0 0 1 1 1 1",
    ]


def test_of_the_one_that_is_made_of_others_its_rule_is_told(
    alarms: Alarms, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "synthesised_alarms", lambda folder: alarms)

    assert main([COMPOSITE]) == 0
    [composite] = alarms.composite
    assert f"it is made of other alarms: {composite.rule}" in " ".join(capsys.readouterr().out.split())
