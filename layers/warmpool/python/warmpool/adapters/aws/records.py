"""The ledger's records as JSON: exact there and back, and readable by the version before and after."""

import dataclasses
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

from warmpool.app.ports import LedgerEntry
from warmpool.core.decision import Decision, PoolState

_T = TypeVar("_T")
_HINTS: Final[Mapping[type, Mapping[str, Any]]] = {kind: get_type_hints(kind) for kind in (PoolState, LedgerEntry)}
_LARGEST: Final = 16 * 2**20
"""Bytes that an unpacked decision may have; far above any real one, far below the function's memory."""


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
        entry=dataclasses.replace(entry, state=state),
        lost=(*(f"state.{each}" for each in lost_of_state), *lost_of_entry),
    )


def encode_decision(decision: Decision) -> bytes:
    """Write a decision as compressed JSON: thirty days of them are kept."""
    return zlib.compress(msgspec.json.encode(decision))


def decode_decision(packed: bytes) -> Decision:
    """Read a decision back. Raises ValueError where it is damaged."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, _LARGEST)
    except zlib.error as error:
        raise ValueError(f"not a compressed decision: {error}") from error
    try:
        return msgspec.json.decode(text, type=Decision)
    except msgspec.DecodeError as error:
        raise ValueError(f"not a decision: {error}") from error


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
    if isinstance(value, tuple):
        for each in value:
            _aware(each)
    return value
