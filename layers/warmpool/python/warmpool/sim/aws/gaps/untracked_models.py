"""Gap: moto keeps every message, item and attribute value that it ever made, for its dashboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from moto.core.common_models import BaseModel

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def untracked_models() -> Iterator[None]:
    """Let a simulated week end with as little memory as it began."""

    def new(cls: type[Any], *_: Any, **__: Any) -> Any:
        return object.__new__(cls)

    with replaced(BaseModel, "__new__", new):
        yield
