"""What is wrong with a document: where, the value seen and what was expected."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from warmpool.adapters.config.amounts import Number
from warmpool.adapters.config.scalar import Path
from warmpool.app.errors import ConfigInvalid

_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
MISSING: Final = object()
"""What `value_at` finds where there is nothing."""
_SHOWN: Final = 60
_TOLD: Final = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    path: Path
    message: str


def wrong(path: Path, seen: object, expected: str) -> Problem:
    """Say what was seen at a path and what was expected there."""
    return Problem(path, f"got {show(seen)}; expected {expected}")


def show(value: object) -> str:  # noqa: PLR0911  one short line for each kind of value
    """Describe a value of a document in a few words."""
    if value is MISSING:
        return "nothing"
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | Number():
            return f"number {shortened(str(value))}"
        case str():
            return f"text {shortened(json.dumps(value, ensure_ascii=False))}"
        case dict():
            return "a mapping" if value else "an empty mapping"
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case _:
            return f"a value of type {type(value).__name__}"


def shortened(text: str) -> str:
    """Cut a long text for a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def dotted(path: Path) -> str:
    """Write a path as people do: `pools.spaces-cpu.windows[0].end`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{json.dumps(shortened(part), ensure_ascii=False)}]"
    return text


def value_at(raw: Any, path: Path) -> Any:
    """Look a value up; MISSING where the path leads nowhere."""
    for part in path:
        if isinstance(raw, dict):
            raw = raw.get(part, MISSING)
        elif isinstance(raw, list) and isinstance(part, int) and part < len(raw):
            raw = raw[part]
        else:
            return MISSING
    return raw


def reject(problems: Sequence[Problem], source: str, line_of: Callable[[Path], int | None] | None = None) -> NoReturn:
    """Raise ConfigInvalid for the first problem, naming the others too."""
    first, *others = problems
    line = line_of(first.path) if line_of else None
    message = first.message + (f" ({_and(others)})" if others else "")
    raise ConfigInvalid(dotted(first.path), message, source=f"{source}:{line}" if line and source else source)


def _and(others: Sequence[Problem]) -> str:
    told = _listed(f"{dotted(each.path)}: {each.message}" for each in others[:_TOLD])
    rest = len(others) - _TOLD
    return f"and {len(others)} more: {told}{f'; and {rest} others' if rest > 0 else ''}"


def _listed(texts: Iterable[str]) -> str:
    return "; ".join(texts)
