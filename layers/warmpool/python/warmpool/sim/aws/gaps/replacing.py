"""Put something in the place of a module's or class' attribute, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[Any]:
    """Set `owner.name` to `value` and yield what was there; put that back at the end.

    Raises AttributeError where there is nothing to replace: a moto that has changed must not go unnoticed.
    """
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield original
    finally:
        setattr(owner, name, original)
