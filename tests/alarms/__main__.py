"""`make alarm NAME=...`: play on the embedded cluster what makes an alarm go off, and tell it minute by minute."""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from tests.alarms.played import SETTLED, Played
from tests.alarms.situations import SITUATIONS
from tests.alarms.synthesised import POOL, STACK, slug_of, synthesised_alarms
from tests.scenarios.story import MINUTE
from warmpool.adapters.emf_log import EmfLog
from warmpool.sim.alarms.definitions import MetricAlarm, State
from warmpool.sim.alarms.watch import Alarms, Change

FOUND_IN = {State.ALARM: "goes off", State.OK: "is over"}
BEFORE, AFTER = 6, 2
"""Minutes whose values are shown around a change."""


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """One thing that happened."""

    at: datetime
    rank: int
    what: str
    style: str = ""


def happened(name: str, alarms: Alarms, played: Played) -> list[Line]:
    """Tell what was done, when the named alarm's value passed its threshold, and which alarms changed."""
    log = EmfLog(played.lines)
    settled = played.start + (SETTLED - 10) * MINUTE
    lines = [Line(at, 0, text, "bold") for at, text in played.notes]
    watched = [each for each in alarms.metric if slug_of(each.name) == name]
    lines += [line for alarm in watched for line in _crossings(alarm, alarms, log, played)]
    for change in alarms.changes(log, played.start, played.end):
        if change.at > settled and change.after in FOUND_IN:
            style = "red" if change.after is State.ALARM else "green"
            lines.append(Line(change.at, 2, f"{slug_of(change.alarm)} {FOUND_IN[change.after]}", style))
    return sorted(lines)


def _crossings(alarm: MetricAlarm, alarms: Alarms, log: EmfLog, played: Played) -> Iterator[Line]:
    """Yield where the newest value of what the alarm looks at goes beyond its threshold, and comes back."""
    was = False
    at = played.start + SETTLED * MINUTE
    while at <= played.end:
        value = alarms.values(log, alarm.name, at)[0]
        beyond = value is not None and alarm.comparison.holds(value, alarm.threshold)
        if value is not None and beyond is not was:
            side = "beyond" if beyond else "no longer beyond"
            yield Line(at, 1, f"its value is {value:g}, {side} {alarm.threshold:g} ({_asks(alarm)})")
            was = beyond
        at += MINUTE


def _asks(alarm: MetricAlarm) -> str:
    minutes = alarm.period // MINUTE
    return f"{alarm.points} of {alarm.periods} periods of {minutes} min make the alarm"


def around(name: str, alarms: Alarms, played: Played) -> Iterator[Table]:
    """Yield, for each change of the named alarm, one row of what it looked at, minute by minute."""
    log = EmfLog(played.lines)
    for alarm in (each for each in alarms.metric if slug_of(each.name) == name):
        for change in alarms.changes(log, played.start, played.end):
            if change.alarm == alarm.name and change.at > played.notes[0][0] and change.after in FOUND_IN:
                near = {played.minute(at): alarms.values(log, alarm.name, at)[0] for at in _near(change, played)}
                yield _row(f"when it {FOUND_IN[change.after]}, minute {played.minute(change.at)}", alarm, near)


def _near(change: Change, played: Played) -> list[datetime]:
    minutes = (change.at + offset * MINUTE for offset in range(-BEFORE, AFTER + 1))
    return [at for at in minutes if at <= played.end]


def _row(title: str, alarm: MetricAlarm, values: Mapping[int, float | None]) -> Table:
    row = Table("minute", *(str(minute) for minute in values), title=title, title_justify="left", box=None)
    row.add_row("value", *(_value(alarm, each) for each in values.values()))
    return row


def _value(alarm: MetricAlarm, value: float | None) -> Text:
    """Write one value, red where it is beyond the threshold; `-` is no data."""
    if value is None:
        return Text("-")
    return Text(f"{round(value, 2):g}", "red" if alarm.comparison.holds(value, alarm.threshold) else "")


def show(console: Console, name: str, alarms: Alarms, played: Played) -> None:
    """Print the timeline, and below it the values of what the alarm looks at, or which alarms it is made of."""
    table = Table(title=f"{name}: {SITUATIONS[name].about}", title_justify="left")
    table.add_column("minute", justify="right")
    table.add_column("what happens", overflow="fold")
    for line in happened(name, alarms, played):
        table.add_row(str(played.minute(line.at)), line.what, style=line.style)
    console.print(table)
    for row in around(name, alarms, played):
        console.print(row)
    for composite in (each for each in alarms.composite if slug_of(each.name) == name):
        console.print(f"it is made of other alarms: {composite.rule}")
    console.print(f"minute 0 is when the pool begins to be filled; at {SETTLED} it is warm")
    console.print(f"stack {STACK}, pool {POOL}, tests/alarms/pools.yaml; docs/runbook.md#{name} says what to do")


def main(arguments: Sequence[str]) -> int:
    """Play the named situation; without a name list them. Ends with 2 for a name that there is none of."""
    console = Console(highlight=False)
    if not arguments:
        for name, situation in sorted(SITUATIONS.items()):
            console.print(f"  {name:22} {situation.about}")
        console.print("play one: make alarm NAME=heartbeat-lost")
        return 0
    name = " ".join(arguments)
    if name not in SITUATIONS:
        sys.stderr.write(f"error: there is no alarm {name!r}; expected one of {', '.join(sorted(SITUATIONS))}\n")
        return 2
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        step = progress.add_task("synthesising the alarms", total=None)
        with tempfile.TemporaryDirectory() as folder:
            alarms = synthesised_alarms(Path(folder))
        progress.update(step, description=f"playing: {SITUATIONS[name].about}")
        played = SITUATIONS[name].play(alarms)
    show(console, name, alarms, played)
    return 0


if __name__ == "__main__":
    raise SystemExit(main([each for each in sys.argv[1:] if each]))
