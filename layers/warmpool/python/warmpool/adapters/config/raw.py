"""JSON text as plain values: numbers keep their text, and a key that is given twice is an error."""

import json
from collections.abc import Iterator
from typing import Any, Final

from warmpool.adapters.config.amounts import Number
from warmpool.adapters.config.problems import Problem, reject
from warmpool.adapters.config.scalar import Path

LONGEST_INTEGER: Final = 19
"""Digits of the largest integer that anything here may need; a longer one is kept as text and rejected in its place."""


class _GivenTwice(dict[str, Any]):
    """A mapping of which one key came twice."""

    key: str


def read_json(text: str, source: str) -> Any:
    """Parse JSON. Raises ConfigInvalid for anything that is not, for keys given twice and for broken Unicode."""
    try:
        raw = json.loads(text, object_pairs_hook=_mapping, parse_float=Number, parse_constant=Number, parse_int=integer)
        problems = list(_flaws(raw, ()))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        reject([Problem((), f"this is not JSON: {error.msg} at {where}; expected one JSON object")], source)
    except RecursionError:
        reject([Problem((), "this is nested too deeply; expected one JSON object as documented")], source)
    if problems:
        reject(problems, source)
    return raw


def integer(text: str) -> int | Number:
    """Read a whole number; one of absurd length stays text."""
    return int(text) if len(text) <= LONGEST_INTEGER else Number(text)


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    twice = _GivenTwice(plain)
    keys = [key for key, _ in pairs]
    twice.key = next(key for key in keys if keys.count(key) > 1)
    return twice


def _flaws(value: Any, path: Path) -> Iterator[Problem]:
    match value:
        case str() if not _is_unicode(value):
            yield Problem(path, "got text that is not valid Unicode (half of a surrogate pair); expected text")
        case list():
            for index, each in enumerate(value):
                yield from _flaws(each, (*path, index))
        case dict():
            if isinstance(value, _GivenTwice):
                yield Problem((*path, value.key), "this key is given twice; expected it once")
            if not all(_is_unicode(key) for key in value):
                yield Problem(path, "got a key that is not valid Unicode; expected a documented key")
            for key, each in value.items():
                yield from _flaws(each, (*path, key))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
