"""CloudWatch Logs' filter language for JSON, as far as its documentation tells it and our pattern needs it.

A comparison with a field that is absent is not met, whatever its operator. Numbers are compared with numbers only;
in a text `*` stands for any characters.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Condition = Callable[[object], bool]

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<word>&&|\|\||[(){}]|!=|<=|>=|=|<|>|NOT EXISTS|IS NULL|IS TRUE|IS FALSE)|(?P<field>\$[\w.\[\]-]*)"
    r'|"(?P<text>[^"]*)"|(?P<number>-?\d+(?:\.\d+)?))'
)
_ABSENT: Final = object()
_ORDER: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
}


def compile_pattern(pattern: str) -> Condition:
    """Turn a pattern into a condition on a parsed log event. Raises ValueError where it is not well formed."""
    reader = _Reader(pattern)
    reader.expect("{")
    condition = reader.any_of()
    reader.expect("}")
    if reader.kind is not None:
        raise ValueError(f"unexpected {reader.value!r} after the pattern")
    return condition


class _Reader:
    """Recursive descent: `||` binds less than `&&`."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self.kind: str | None = None
        self.value = ""
        self._next()

    def _next(self) -> None:
        if not self._pattern[self._at :].strip():
            self.kind = None
            return
        found = _TOKEN.match(self._pattern, self._at)
        if found is None or found.lastgroup is None:
            raise ValueError(f"cannot read {self._pattern[self._at :]!r}")
        self.kind, self.value, self._at = found.lastgroup, found[found.lastgroup], found.end()

    def take(self, *words: str) -> str | None:
        if self.kind != "word" or self.value not in words:
            return None
        word = self.value
        self._next()
        return word

    def expect(self, word: str) -> None:
        if self.take(word) is None:
            raise ValueError(f"expected {word!r}, found {self.value!r}")

    def any_of(self) -> Condition:
        parts = [self.all_of()]
        while self.take("||"):
            parts.append(self.all_of())
        return lambda event: any(part(event) for part in parts)

    def all_of(self) -> Condition:
        parts = [self.term()]
        while self.take("&&"):
            parts.append(self.term())
        return lambda event: all(part(event) for part in parts)

    def term(self) -> Condition:
        if self.take("("):
            inner = self.any_of()
            self.expect(")")
            return inner
        if self.kind != "field":
            raise ValueError(f"expected a field, found {self.value!r}")
        path = re.findall(r"[\w-]+", self.value)
        self._next()
        if word := self.take("NOT EXISTS", "IS NULL", "IS TRUE", "IS FALSE"):
            wanted = {"NOT EXISTS": _ABSENT, "IS NULL": None, "IS TRUE": True, "IS FALSE": False}[word]
            return lambda event: _at(event, path) is wanted
        operator = self.take(*_ORDER)
        kind, value = self.kind, self.value
        if operator is None or kind not in {"text", "number"}:
            raise ValueError(f"expected an operator and a value, found {self.value!r}")
        self._next()
        if kind == "number":
            return lambda event: _compares(_at(event, path), operator, float(value))
        return lambda event: _says(_at(event, path), operator, value)


def _at(event: object, path: list[str]) -> Any:
    value: Any = event
    for key in path:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return _ABSENT
    return value


def _compares(value: object, operator: str, wanted: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and _ORDER[operator](value, wanted)


def _says(value: object, operator: str, wanted: str) -> bool:
    if not isinstance(value, str):
        return False
    met = re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), value, re.DOTALL) is not None
    return met if operator == "=" else not met
