"""The status of pools as the JSON that scripts rely on (design section 11) and as tables for people."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from warmpool.app.lead_seen import LeadSeen
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
from warmpool.cli.instants import duration_text, instant_text
from warmpool.cli.printing import result_console, table_of
from warmpool.core.decision import Decision
from warmpool.core.reasons import Code

if TYPE_CHECKING:
    from rich.console import Group

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
        "launches_waiting": live.launches_waiting,
        "lead_time": None if live.lead is None else _lead(live.lead),
    }
    return document


def _lead(lead: LeadSeen) -> dict[str, Any]:
    parts = {"node": lead.node, "join": lead.join, "pull": lead.pull}
    return {
        "orders": lead.orders,
        "p90_s": round(lead.reckoned.total_seconds(), 1),
        "mean_s": {name: round(each.total_seconds(), 1) for name, each in parts.items()},
    }


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
    result_console().print(status_picture(at, pools, stack))


def status_picture(at: datetime, pools: Sequence[PoolLive], stack: StackLive | None) -> "Group":
    """Lay out what `print_status` prints."""
    # As in printing: Rich takes as long to import as a look takes.
    from rich.console import Group  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    rows = [_cells(each) for each in pools]
    title = f"Warm pools as of {instant_text(at)}"
    table = table_of(title, _COLUMNS, rows, right=("warm nodes", "room", "placeholders"))
    stopped = stack.stop if stack is not None else None
    told = [Text(f"Stop switch: {stop_in_a_line(stopped)}", style="bold")] if stopped is not None else []
    lines = [Text(printable(line)) for each in pools for line in _lines(each)]
    last = stack.last_complete if stack is not None else None
    end = [Text(f"The last complete pass began at {instant_text(last)}.")] if last is not None else []
    return Group(table, *told, *lines, *end)


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
    yield from _measured(live)


def _measured(live: PoolLive) -> Iterable[str]:
    if live.launches_waiting:
        launches = "launch waits" if live.launches_waiting == 1 else "launches wait"
        yield f"{live.status.pool}: {live.launches_waiting} {launches} as of the last complete pass"
    if lead := live.lead:
        parts = f"node {duration_text(lead.node)}, join {duration_text(lead.join)}, pull {duration_text(lead.pull)}"
        yield (
            f"{live.status.pool}: lead time {duration_text(lead.reckoned)}, by the last {lead.orders} orders;"
            f" on average {parts}"
        )


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
