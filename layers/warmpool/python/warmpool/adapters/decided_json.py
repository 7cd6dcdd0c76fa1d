"""A decision and what it came from as JSON: exact there and back, so that deciding again compares byte by byte."""

import re
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, TypeVar

import msgspec

from warmpool.core.assess import Inputs
from warmpool.core.decision import Decision
from warmpool.core.reasons import Reason

_T = TypeVar("_T")
_FRACTION: Final = re.compile(r"-?[0-9]{1,400}(/[1-9][0-9]{0,399})?")


def _plain(value: object) -> object:
    match value:
        case Fraction():
            return str(value)
        case MappingProxyType():
            return dict(value)
        case _:
            raise NotImplementedError(f"no JSON for {type(value).__name__}")


def _typed(kind: type, value: Any) -> object:
    # Digits alone: Python would take "1e999999999" too, and reckon for hours.
    if kind is Fraction and isinstance(value, str) and _FRACTION.fullmatch(value):
        return Fraction(value)
    raise ValueError(f"expected a fraction such as 3/4, found {value!r:.100}")


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_plain)
_DECISION: Final = msgspec.json.Decoder(Decision)
_INPUTS: Final = msgspec.json.Decoder(Inputs, dec_hook=_typed)
_REASONS: Final = msgspec.json.Decoder(tuple[Reason, ...])


def write_decision(decision: Decision) -> bytes:
    """Write a decision with all of its fields."""
    return _ENCODER.encode(decision)


def read_decision(text: bytes) -> Decision:
    """Read a decision; fields that it lacks have their defaults. Raises ValueError."""
    return _read(_DECISION, text, "a decision")


def write_inputs(inputs: Inputs) -> bytes:
    """Write what a decision came from."""
    return _ENCODER.encode(inputs)


def read_inputs(text: bytes) -> Inputs:
    """Read what a decision came from. Raises ValueError, also where a later version wrote what this one cannot know."""
    return _read(_INPUTS, text, "the inputs of a decision")


def write_reasons(reasons: tuple[Reason, ...]) -> bytes:
    """Write why a decision could not be applied."""
    return _ENCODER.encode(reasons)


def read_reasons(text: bytes) -> tuple[Reason, ...]:
    """Read why a decision could not be applied. Raises ValueError."""
    return _read(_REASONS, text, "reasons")


def _read(decoder: msgspec.json.Decoder[_T], text: bytes, what: str) -> _T:
    try:
        return decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(f"not {what}: {error}") from error
