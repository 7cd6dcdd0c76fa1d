"""The ledger's records as JSON: exact there and back, and readable by the version before and after."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

from warmpool.adapters.packing import pack, unpack
from warmpool.app.ports import LedgerEntry
from warmpool.core.decision import PoolState
from warmpool.core.watch import PoolWatch, Watch

_T = TypeVar("_T")
_HINTS: Final[Mapping[type, Mapping[str, Any]]] = {
    kind: get_type_hints(kind) for kind in (PoolState, LedgerEntry, PoolWatch, Watch)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEntry:
    """An entry as far as it could be read; `lost` names the fields that start afresh, with the reason."""

    entry: LedgerEntry
    lost: tuple[str, ...] = ()


def encode_entry(entry: LedgerEntry) -> str:
    """Write an entry as JSON text."""
    return msgspec.json.encode(entry).decode()


def decode_entry(text: str) -> ReadEntry:
    """Read an entry field by field.

    A field that this version does not know is ignored, one that is missing has its default, and one that it
    cannot read (a reason that only a later version knows, a damaged value) starts afresh by itself: the
    rest of the entry stays good.
    """
    try:
        raw = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        return ReadEntry(entry=LedgerEntry(), lost=(f"all of it: {error}",))
    if not isinstance(raw, dict):
        return ReadEntry(entry=LedgerEntry(), lost=(f"all of it: expected an object, found {type(raw).__name__}",))
    state, lost_of_state = _fields(PoolState, raw.pop("state", {}))
    entry, lost_of_entry = _fields(LedgerEntry, raw)
    return ReadEntry(
        entry=replace(entry, state=state),
        lost=(*(f"state.{each}" for each in lost_of_state), *lost_of_entry),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWatch:
    """What passes remember as far as it could be read; `lost` names what starts afresh, with the reason."""

    watch: Watch
    lost: tuple[str, ...] = ()


def encode_watch(watch: Watch) -> bytes:
    """Write what passes remember, all but when: a quiet cluster's is the same from pass to pass."""
    return pack(msgspec.json.encode(replace(watch, began=None)))


def decode_watch(packed: bytes, began: datetime | None) -> ReadWatch:
    """Read what a pass that began then left.

    What is damaged in a pool starts afresh by itself, as in an entry. Where it is not known which launches are counted
    already, everything does: the next pass only remembers, and none is counted twice.
    """
    try:
        raw = msgspec.json.decode(unpack(packed), type=dict[str, Any])
        by_pool = msgspec.convert(raw.pop("pools", {}), dict[str, Any])
        rest = {name: _aware(msgspec.convert(raw[name], hint)) for name, hint in _HINTS[Watch].items() if name in raw}
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        return ReadWatch(watch=Watch(), lost=(f"all of it: {error}",))
    pools: dict[str, PoolWatch] = {}
    lost: list[str] = []
    for name, each in by_pool.items():
        pools[name], lost_of_pool = _fields(PoolWatch, each)
        lost += (f"{name}.{each}" for each in lost_of_pool)
    return ReadWatch(watch=Watch(**{**rest, "pools": pools, "began": began}), lost=tuple(lost))


def _fields(kind: type[_T], raw: object) -> tuple[_T, list[str]]:
    if not isinstance(raw, Mapping):
        return kind(), [f"all of it: expected an object, found {type(raw).__name__}"]
    good: dict[str, Any] = {}
    lost: list[str] = []
    for name, hint in _HINTS[kind].items():
        if name in raw:
            try:
                good[name] = _aware(msgspec.convert(raw[name], hint))
            except ValueError as error:  # msgspec's ValidationError is one
                lost.append(f"{name}: {error}")
    return kind(**good), lost


def _aware(value: _T) -> _T:
    """Return the value; an instant without offset is refused: compared with a real one it would fail every pass."""
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no offset from UTC")
    for each in _parts(value):
        _aware(each)
    return value


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, tuple):
        return value
    if isinstance(value, dict):
        return value.values()
    # The slots of our dataclasses are their fields; asking `dataclasses` for those of thousands of nodes takes long.
    return [getattr(value, name) for name in getattr(type(value), "__slots__", ())]
