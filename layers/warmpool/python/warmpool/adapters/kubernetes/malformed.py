"""Where a JSON text is not what it should be: path, value seen, what was expected."""

import re
from typing import Final

import msgspec

from warmpool.app.errors import WarmpoolError

_PLACE: Final = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>.*)`)?", re.DOTALL)
_GOT: Final = re.compile(r"got `(\w+)`")
_INDEX: Final = re.compile(r"\[(\d+)\]")
_SOME: Final = "[...]"
"""What msgspec writes for a key that it does not name."""
_SHOWN: Final = 60
_TYPES: Final = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    list: "array",
    dict: "object",
    type(None): "null",
}


class Malformed(WarmpoolError):
    """A JSON text that is wrong at one place. `path` is relative to the text that was read."""

    def __init__(self, path: str, value: str, expected: str) -> None:
        super().__init__(f"{path}: {value}: {expected}" if path else f"{value}: {expected}")
        self.path = path
        self.value = value
        self.expected = expected

    def within(self, place: str) -> "Malformed":
        """Return the same with the path seen from further out."""
        return Malformed(join(place, self.path), self.value, self.expected)


def join(outer: str, inner: str) -> str:
    """Join two paths."""
    return outer + inner if not inner or inner.startswith("[") or not outer else f"{outer}.{inner}"


def explain(error: Exception, raw: bytes | msgspec.Raw, *, below: str = "") -> Malformed:
    """Find the place that msgspec complains about; `below` names where `raw` was found."""
    match = _PLACE.fullmatch(str(error))
    what, path = (match["what"], match["path"] or "") if match else (str(error), "")
    got = _GOT.search(what)
    found, value = _walk(path, msgspec.Raw(raw), got[1] if got else "")
    expected = what.replace("`", "")
    return Malformed(join(below, found), excerpt(value), expected[:1].lower() + expected[1:])


def excerpt(value: bytes | msgspec.Raw) -> str:
    """Return the first characters of a JSON text, on one line."""
    text = " ".join(bytes(value)[: 4 * _SHOWN].decode(errors="replace").split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _walk(path: str, raw: msgspec.Raw, got: str) -> tuple[str, msgspec.Raw]:
    """Follow msgspec's path through the text, as far as it goes, and say the keys that msgspec leaves out."""
    found = ""
    while path:
        try:
            step, path, raw = _step(path, raw, got)
        except (LookupError, ValueError, RecursionError):  # the text is broken, after all
            return join(found, path.removeprefix(".")), raw
        found = join(found, step)
    return found, raw


def _step(path: str, raw: msgspec.Raw, got: str) -> tuple[str, str, msgspec.Raw]:
    if path.startswith(_SOME):
        key, value = _suspect(msgspec.json.decode(raw, type=dict[str, msgspec.Raw]), got)
        return key, path.removeprefix(_SOME), value
    if index := _INDEX.match(path):
        items = msgspec.json.decode(raw, type=list[msgspec.Raw])
        return index[0], path[index.end() :], items[int(index[1])]
    fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    # A key may hold dots itself: the longest one that fits is meant.
    key = max((each for each in fields if path.startswith(f".{each}")), key=len)
    return key, path[len(key) + 1 :], fields[key]


def _suspect(fields: dict[str, msgspec.Raw], got: str) -> tuple[str, msgspec.Raw]:
    """Return the first field whose value has the type that msgspec met, else the first one."""
    suspects = (each for each in fields.items() if _TYPES.get(type(msgspec.json.decode(each[1]))) == got)
    return next(suspects, None) or min(fields.items())
