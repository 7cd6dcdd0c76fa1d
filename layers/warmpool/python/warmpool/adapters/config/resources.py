"""Amounts of resources, as Kubernetes quantities."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from warmpool.adapters.config.amounts import Number
from warmpool.adapters.config.names import LABEL_KEY, nearest
from warmpool.adapters.config.scalar import Rejected, Scalar
from warmpool.core.quantity import NANO, Amounts, parse_quantity

GPU: Final = "nvidia.com/gpu"
_PLAIN: Final = ("cpu", "memory", "gpu", "ephemeral-storage")
_EXTENDED: Final = LABEL_KEY.replace("/)?", "/)", 1)
_QUANTITY: Final = "a quantity above 0 such as 500m, 2 or 8Gi"


def _schema(plain: tuple[str, ...], needed: tuple[str, ...] = ()) -> dict[str, Any]:
    quantity = {"type": ["string", "number"], "description": _QUANTITY}
    return {
        "type": "object",
        "minProperties": 1,
        "properties": dict.fromkeys(plain, quantity),
        "patternProperties": {f"^{_EXTENDED}$": quantity},
        "additionalProperties": False,
        "required": [*needed],
    }


class Shape(Scalar[Amounts]):
    """What one launch asks for; `gpu` is short for nvidia.com/gpu."""

    __slots__ = ()
    expected = "amounts by resource such as {cpu: 2100m, memory: 9Gi}"
    schema: ClassVar[dict[str, Any]] = _schema(_PLAIN)

    @classmethod
    def read(cls, raw: Any) -> Amounts:
        """Return nano-units by resource. Raises Rejected."""
        return _amounts(raw, cls.expected, _PLAIN)


class NodeOffer(Scalar[Amounts]):
    """What an empty node offers."""

    __slots__ = ()
    expected = "what an empty node offers such as {cpu: 47810m, memory: 188520Mi}"
    schema: ClassVar[dict[str, Any]] = _schema((*_PLAIN, "pods"), ("cpu", "memory"))

    @classmethod
    def read(cls, raw: Any) -> Amounts:
        """Return nano-units by resource. Raises Rejected."""
        return _needing(("cpu", "memory"), _amounts(raw, cls.expected, (*_PLAIN, "pods")), cls.expected)


class Placeholder(Scalar[Amounts | None]):
    """What one placeholder asks for; None fills its node."""

    __slots__ = ()
    expected = "node (fills its node), or amounts such as {cpu: 2, memory: 8Gi}"
    schema: ClassVar[dict[str, Any]] = {"anyOf": [{"const": "node"}, _schema(_PLAIN, ("cpu", "memory"))]}

    @classmethod
    def read(cls, raw: Any) -> Amounts | None:
        """Return nano-units by resource, None for `node`. Raises Rejected."""
        return None if raw == "node" else _needing(("cpu", "memory"), _amounts(raw, cls.expected, _PLAIN), cls.expected)


def _needing(keys: tuple[str, ...], amounts: Amounts, expected: str) -> Amounts:
    for key in keys:
        if key not in amounts:
            raise Rejected(expected, (key,))
    return amounts


def _amounts(raw: Any, expected: str, plain: tuple[str, ...]) -> Amounts:
    if not isinstance(raw, dict) or not raw:
        raise Rejected(expected)
    amounts: dict[str, int] = {}
    for key, name in _names(raw, plain):
        if name in amounts:
            raise Rejected(f"either gpu or {GPU}, not both", (key,))
        amounts[name] = _amount(name, raw[key], key)
    return amounts


def _names(raw: dict[Any, Any], plain: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield each key with the resource's own name."""
    for key in raw:
        if key in plain:
            yield key, GPU if key == "gpu" else key
        elif isinstance(key, str) and re.fullmatch(_EXTENDED, key, re.ASCII):
            yield key, key
        else:
            near = nearest(key, plain)
            hint = f" (did you mean {near}?)" if near else ""
            raise Rejected(
                f"one of {', '.join(plain)} or an extended resource's full name{hint}", (str(key),), key=True
            )


def _amount(name: str, raw: Any, key: str) -> int:
    if isinstance(raw, bool) or not isinstance(raw, str | int | Number):
        raise Rejected(_QUANTITY, (key,))
    try:
        nano = parse_quantity(str(raw))
    except ValueError as error:
        raise Rejected(_QUANTITY, (key,)) from error
    if nano <= 0:
        raise Rejected(_QUANTITY, (key,))
    if "/" in name and nano % NANO:
        raise Rejected("a whole number: an extended resource cannot be split", (key,))
    return nano
