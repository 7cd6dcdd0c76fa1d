"""Numbers and prices, read exactly from what is written."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Final

from warmpool.adapters.config.scalar import Rejected, Scalar

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?")


class Number:
    """A number with a fraction, an exponent or very many digits, as it is written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    @property
    def fraction(self) -> Fraction | None:
        """The exact value; None for NaN, infinities and numbers of absurd length."""
        return Fraction(self.text) if _DECIMAL.fullmatch(self.text) else None

    @property
    def json(self) -> bytes:
        """The same number in JSON's grammar, which is narrower than YAML's."""
        return str(Decimal(self.text)).encode()


class Positive(Scalar[Fraction]):
    """A number above 0, exactly as it is written: 0.7 is 7/10."""

    __slots__ = ()
    expected = "a number above 0"
    schema: ClassVar[dict[str, Any]] = {"type": "number", "exclusiveMinimum": 0}

    @classmethod
    def allows(cls, value: Fraction) -> bool:
        """Tell whether the number is in range."""
        return value > 0

    @classmethod
    def read(cls, raw: Any) -> Fraction:
        """Return the exact number. Raises Rejected, also for text and for true and false."""
        if isinstance(raw, bool) or not isinstance(raw, int | Number):
            raise Rejected(cls.expected)
        value = raw.fraction if isinstance(raw, Number) else Fraction(raw)
        if value is None or not cls.allows(value):
            raise Rejected(cls.expected)
        return value


class NotNegative(Positive):
    """A number, 0 or more."""

    __slots__ = ()
    expected = "a number, 0 or more"
    schema: ClassVar[dict[str, Any]] = {"type": "number", "minimum": 0}

    @classmethod
    def allows(cls, value: Fraction) -> bool:
        """Tell whether the number is in range."""
        return value >= 0


class Share(Positive):
    """A share strictly between 0 and 1."""

    __slots__ = ()
    expected = "a number strictly between 0 and 1 such as 0.99"
    schema: ClassVar[dict[str, Any]] = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}

    @classmethod
    def allows(cls, value: Fraction) -> bool:
        """Tell whether the number is in range."""
        return 0 < value < 1


class Prices(Scalar[Mapping[str, Fraction]]):
    """USD an hour of one node: one price (key ""), or one by instance type."""

    __slots__ = ()
    expected = "a price above 0, or prices by instance type such as {ml.m5.12xlarge: 2.76}"
    schema: ClassVar[dict[str, Any]] = {
        "anyOf": [
            Positive.schema,
            {"type": "object", "minProperties": 1, "additionalProperties": Positive.schema},
        ]
    }

    @classmethod
    def read(cls, raw: Any) -> Mapping[str, Fraction]:
        """Return the prices. Raises Rejected."""
        if not isinstance(raw, dict):
            return {"": _within(cls.expected, raw)}
        if not raw:
            raise Rejected(cls.expected)
        return {_instance_type(key): _within("a price above 0", value, key) for key, value in raw.items()}


def _within(expected: str, raw: Any, *where: str) -> Fraction:
    try:
        return Positive.read(raw)
    except Rejected as error:
        raise Rejected(expected, where) from error


def _instance_type(key: Any) -> str:
    if not isinstance(key, str) or re.fullmatch(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", key, re.ASCII) is None:
        raise Rejected("an instance type such as ml.m5.12xlarge", (str(key),), key=True)
    return key
