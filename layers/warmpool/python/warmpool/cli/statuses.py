"""The status of pools as the JSON that scripts rely on (design section 11) and as tables for people."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from warmpool.app.live_status import PoolLive, StackLive
from warmpool.app.status import PoolStatus, Problem
from warmpool.cli.controls import (
    in_a_line,
    limits_document,
    limits_in_short,
    printable,
    stop_document,
    stop_in_a_line,
    written_document,
)
from warmpool.cli.errors import Exit
from warmpool.cli.instants import instant_text
from warmpool.cli.printing import print_line, print_table
from warmpool.core.decision import Decision
from warmpool.core.reasons import Code

_COLUMNS: Final = ("pool", "kept", "warm nodes", "room", "placeholders", "limits", "window")
_HOW: Final = frozenset({Code.BEFORE_STABILISATION})
"""Reasons that tell how the answer was made, not why it is so."""


def snapshot_lives(statuses: Iterable[PoolStatus]) -> tuple[PoolLive, ...]:
    """Tell statuses of a snapshot as those of a stack of which nothing else is known."""
    return tuple(PoolLive(status=each, limits=each.decision.limits if each.decision else None) for each in statuses)


def exit_code(pools: Iterable[PoolLive]) -> int:
    """Return 0 where every pool is kept, else 1; a pool that could not be seen is not known to be kept."""
    return Exit.OK if all(each.status.kept for each in pools) else Exit.NO


def status_document(at: datetime, pools: Sequence[PoolLive], stack: StackLive | None) -> dict[str, Any]:
    """Write what `warmpool status --output json` prints."""
    document: dict[str, Any] = {
        "at": instant_text(at),
        "source": "snapshot" if stack is None else "live",
        "pools": [_pool(each) for each in pools],
    }
    if stack is not None:
        document["stop"] = None if stack.stop is None else stop_document(stack.stop)
        document["last_complete_pass"] = _instant(stack.last_complete)
    return document


def _pool(live: PoolLive) -> dict[str, Any]:
    status = live.status
    document: dict[str, Any] = {
        "pool": status.pool,
        "kept": status.kept,
        "warm_nodes": status.warm_nodes,
        "room_slots": status.room_slots,
        "need_slots": status.need_slots,
        "problems": [_problem(each) for each in status.problems],
        "in_force": None if live.limits is None else limits_document(live.limits, live.override),
        "decision": None if status.decision is None else _decision(status.decision),
        "taken_over": _instant(live.taken_over),
        "written": written_document(live.written),
        "last_decision": None if live.last is None else _decision(live.last),
    }
    return document


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "code": str(problem.code),
        "text": problem.text,
        "since": _instant(problem.since),
        "fix": problem.fix,
    }


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "at": instant_text(decision.at),
        "current": decision.current,
        "target": decision.target,
        "action": decision.action.value,
        "hold": decision.hold.value if decision.hold else None,
        "reasons": [{"code": each.code.value, "text": each.text} for each in decision.reasons],
    }


def _instant(at: datetime | None) -> str | None:
    return None if at is None else instant_text(at)


def print_status(at: datetime, pools: Sequence[PoolLive], stack: StackLive | None) -> None:
    """Print a row for each pool; below it who set what, what is wrong and what to do, and why it is so."""
    print_table(
        f"Warm pools as of {instant_text(at)}",
        _COLUMNS,
        [_cells(each) for each in pools],
        right=("warm nodes", "room", "placeholders"),
    )
    if stack is not None and stack.stop is not None:
        print_line(f"Stop switch: {stop_in_a_line(stack.stop)}", bold=True)
    for each in pools:
        for line in _lines(each):
            print_line(printable(line))
    if stack is not None and stack.last_complete is not None:
        print_line(f"The last complete pass began at {instant_text(stack.last_complete)}.")


def _cells(live: PoolLive) -> tuple[str, ...]:
    status, limits = live.status, live.limits
    kept = "unknown" if status.kept is None else "yes" if status.kept else "NO"
    room = "-" if status.kept is None else f"{status.room_slots} of {status.need_slots} slots"
    current = status.decision.current if status.decision else None
    return (
        status.pool,
        kept,
        _number(status.warm_nodes),
        room,
        _number(current),
        limits_in_short(limits) if limits else "-",
        printable((limits.window if limits else None) or "-"),
    )


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _lines(live: PoolLive) -> Iterable[str]:
    status = live.status
    if live.override is not None:
        seen = (
            f"taken over by a pass at {instant_text(live.taken_over)}" if live.taken_over else "not seen by a pass yet"
        )
        books = f", written by {live.written.by}" if live.written and live.written.by else ""
        yield f"{status.pool}: override: {in_a_line(live.override)} - {seen}{books}"
    for problem in status.problems:
        since = f" (since {instant_text(problem.since)})" if problem.since else ""
        yield f"{status.pool}: {problem.code}{since}: {problem.text}"
        yield f"    -> {problem.fix}"
    yield from _why(live, told={problem.text for problem in status.problems})


def _why(live: PoolLive, told: Collection[str]) -> Iterable[str]:
    """Give the reasons of what a pass would answer now or, where that is unknown, of what the last change was."""
    decision = live.status.decision or live.last
    if decision is None:
        return
    hidden = _HOW | {Code.OVERRIDE} if live.override else _HOW  # which has a line of its own
    when = "" if live.status.decision else f", decided at {instant_text(decision.at)}"
    for reason in decision.reasons:
        if reason.text not in told and reason.code not in hidden:
            yield f"{decision.pool}: {reason.code.value}{when}: {reason.text}"
