"""Overrides, the stop switch and limits as JSON for scripts and as sentences for people."""

import json
from datetime import datetime
from typing import Any, Final

from warmpool.app.said import Written
from warmpool.cli.errors import CliError
from warmpool.cli.instants import instant_text
from warmpool.cli.until import FOREVER
from warmpool.core.decision import Limits
from warmpool.core.spec import Override, Stop

LONGEST_BYTES: Final = 4096
"""What a parameter of SSM's standard tier holds, which costs nothing."""

LIMIT_COLUMNS: Final = ("min", "max", "pinned to", "window", "override", "capped")


def limits_document(limits: Limits, override: Override | None) -> dict[str, Any]:
    """Write the limits in force and the override that has a part in them (design section 11)."""
    return {
        "min": limits.min,
        "max": limits.max,
        "target": limits.target,
        "window": limits.window,
        "override": None if override is None else override_document(override),
        "capped": limits.capped,
        "reasons": [{"code": each.code.value, "text": each.text} for each in limits.reasons],
    }


def override_document(override: Override) -> dict[str, Any]:
    """Write an override with all its keys."""
    return {
        "min": override.min,
        "max": override.max,
        "target": override.target,
        "pause": override.pause,
        "until": _until(override.until),
        "reason": override.reason,
        "by": override.by,
    }


def stop_document(stop: Stop) -> dict[str, Any]:
    """Write a stop with all its keys."""
    return {"mode": stop.mode.value, "until": _until(stop.until), "reason": stop.reason, "by": stop.by}


def written_document(written: Written | None) -> dict[str, Any] | None:
    """Write who wrote a parameter by the store's own books."""
    return None if written is None else {"at": instant_text(written.at), "by": written.by or None}


def limit_cells(limits: Limits) -> tuple[str, ...]:
    """Write the limits as cells of a table."""
    return (
        str(limits.min),
        str(limits.max),
        "-" if limits.target is None else str(limits.target),
        printable(limits.window or "-"),
        "yes" if limits.override else "no",
        "yes" if limits.capped else "no",
    )


def limits_in_short(limits: Limits) -> str:
    """Write the limits as one cell of a table."""
    return f"{limits.min} to {limits.max}" if limits.target is None else f"{limits.target} (max {limits.max})"


def in_a_line(override: Override) -> str:
    """Say an override in a line: what it sets, until when, why and who says so."""
    values = [f"{key} {value}" for key in ("min", "max", "target") if (value := getattr(override, key)) is not None]
    what = ", ".join((*values, *(("pause",) if override.pause else ())))
    return printable(f"{what} {_ends(override.until)}: {_why(override)}")


def stop_in_a_line(stop: Stop) -> str:
    """Say a stop in a line."""
    return printable(f"{stop.mode.value} {_ends(stop.until)}: {_why(stop)}")


def printable(text: str) -> str:
    """Write control characters out: whoever may write a parameter must not steer an operator's terminal."""
    return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text)


def composed(keys: dict[str, Any]) -> str:
    """Write a document for the store, without the keys that have no value. Raises CliError where it is too long."""
    text = json.dumps({key: value for key, value in keys.items() if value is not None}, ensure_ascii=False)
    size = len(text.encode())
    if size > LONGEST_BYTES:
        raise CliError("Usage", "--reason", f"the document has {size} bytes; SSM takes {LONGEST_BYTES}: say it shorter")
    return text


def _until(until: datetime | None) -> str:
    return FOREVER if until is None else instant_text(until)


def _ends(until: datetime | None) -> str:
    return "for ever" if until is None else f"until {instant_text(until)}"


def _why(control: Override | Stop) -> str:
    by = f" (by {control.by})" if control.by else ""
    return f"{control.reason or 'no reason given'}{by}"
