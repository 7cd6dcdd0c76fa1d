"""The base of values that a document writes as text or numbers: each kind reads itself and says what it expects."""

import re
from typing import Any, ClassVar, Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)
Path = tuple[str | int, ...]


class Rejected(ValueError):
    """A value that is not `expected`; `where` leads to the part of it that is wrong, `key` if it is the key itself."""

    def __init__(self, expected: str, where: Path = (), *, key: bool = False) -> None:
        super().__init__(expected)
        self.expected = expected
        self.where = where
        self.key = key


class Scalar(Generic[T_co]):
    """A value with the text or number that it was read from; `schema` is its part of the published JSON Schema."""

    __slots__ = ("raw", "value")
    expected: ClassVar[str]
    schema: ClassVar[dict[str, Any]]

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.value: T_co = self.read(raw)

    @classmethod
    def read(cls, raw: Any) -> T_co:
        """Return the value. Raises Rejected."""
        raise NotImplementedError


def decode_scalar(kind: type[Any], raw: Any) -> Any:
    """Build a Scalar; msgspec's `dec_hook`. Raises Rejected."""
    if issubclass(kind, Scalar):
        return kind(raw)
    raise NotImplementedError(f"no reader for {kind}")


class Text(Scalar[str]):
    """Text of one form."""

    __slots__ = ()
    pattern: ClassVar[str]
    limit: ClassVar[int] = 253

    def __init_subclass__(cls) -> None:
        """Publish the form as JSON Schema, unless the kind has a simpler one."""
        if "schema" not in vars(cls):
            cls.schema = {"type": "string", "pattern": f"^(?:{cls.pattern})$", "maxLength": cls.limit}

    @classmethod
    def read(cls, raw: Any) -> str:
        """Return the text if it has the form. Raises Rejected."""
        if not isinstance(raw, str) or len(raw) > cls.limit or re.fullmatch(cls.pattern, raw, re.ASCII) is None:
            raise Rejected(cls.expected)
        return raw
