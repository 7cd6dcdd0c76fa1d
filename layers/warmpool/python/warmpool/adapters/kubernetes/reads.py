"""Reads that may fail one by one: what failed, for which pools, and whether it is worth going on."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, ParamSpec, TypeVar

from warmpool.adapters.kubernetes.failures import Unauthorized, Unreachable
from warmpool.app.errors import ClusterUnavailable, NotPermitted, WarmpoolError

EVERY_POOL: Final = "*"

_T = TypeVar("_T")
_P = ParamSpec("_P")


class Reads:
    """The bookkeeping of one observation."""

    def __init__(self) -> None:
        self._missing: dict[str, None] = {}
        self._failures: list[WarmpoolError] = []
        self._succeeded = False
        self._ended: WarmpoolError | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Return one text for each pool and failure: `POOL: what`, or `*: what` where it concerns them all."""
        return tuple(self._missing)

    def attempt(
        self, pools: Iterable[str], read: Callable[_P, Sequence[_T]], *args: _P.args, **kwargs: _P.kwargs
    ) -> Sequence[_T]:
        """Return what was read; nothing where it failed, which is noted for these pools.

        Once the server is out of reach it is not asked again: the time left is better spent on saying so.
        """
        if self._ended is not None:
            self._note(pools, self._ended)
            return []
        try:
            found = read(*args, **kwargs)
        except WarmpoolError as error:
            if isinstance(error, (Unreachable, Unauthorized)):
                self._ended = error
            self._note(pools, error)
            return []
        self._succeeded = True
        return found

    def _note(self, pools: Iterable[str], error: WarmpoolError) -> None:
        self._failures.append(error)
        self._missing.update(dict.fromkeys(f"{pool}: {error}" for pool in pools))

    def insist(self) -> None:
        """Raise the failure where nothing at all could be read."""
        if self._succeeded or not self._failures:
            return
        if all(isinstance(each, NotPermitted) for each in self._failures):
            raise self._failures[0]
        raise next(
            (each for each in self._failures if isinstance(each, ClusterUnavailable)),
            ClusterUnavailable(str(self._failures[0])),
        )
