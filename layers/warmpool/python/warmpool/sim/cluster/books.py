"""What the nodes cost: idle and busy time, from an instance's launch to its end."""

from dataclasses import dataclass
from datetime import datetime, timedelta

_NONE = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """Node time so far. A node is busy while a workspace is bound to it, else idle, from launch to removal."""

    idle_node_seconds: float
    busy_node_seconds: float
    cost: float
    """USD."""
    births: int
    peak_nodes: int
    node_counts: tuple[tuple[datetime, int], ...]
    """Each change of the number of instances that are paid for."""

    @property
    def idle_node_hours(self) -> float:
        """Idle time in hours."""
        return self.idle_node_seconds / 3600


@dataclass(slots=True)
class _Account:
    opened: datetime
    hourly_price: float
    busy: timedelta = _NONE
    busy_since: datetime | None = None

    def times(self, until: datetime) -> tuple[timedelta, timedelta]:
        busy = self.busy + (until - self.busy_since if self.busy_since else _NONE)
        return until - self.opened - busy, busy


class Bookkeeper:
    """Keeps one account an instance, named after its NodeClaim."""

    def __init__(self) -> None:
        self._open: dict[str, _Account] = {}
        self._idle = _NONE
        self._busy = _NONE
        self._cost = 0.0
        self._births = 0
        self._counts: list[tuple[datetime, int]] = []

    def open(self, name: str, at: datetime, hourly_price: float) -> None:
        """Note that an instance starts to cost."""
        self._open[name] = _Account(at, hourly_price)
        self._births += 1
        self._counts.append((at, len(self._open)))

    def set_busy(self, name: str, at: datetime, *, busy: bool) -> None:
        """Note that a node's first workspace came, or its last one left."""
        account = self._open.get(name)
        if account is None or busy == (account.busy_since is not None):
            return
        if busy:
            account.busy_since = at
        else:
            account.busy = account.times(at)[1]
            account.busy_since = None

    def close(self, name: str, at: datetime) -> None:
        """Note that an instance is gone."""
        account = self._open.pop(name, None)
        if account is None:
            return
        idle, busy = account.times(at)
        self._idle += idle
        self._busy += busy
        self._cost += _cost(account, idle + busy)
        self._counts.append((at, len(self._open)))

    def at(self, now: datetime) -> Books:
        """Return the books as they stand."""
        running = [account.times(now) for account in self._open.values()]
        running_cost = sum(_cost(account, now - account.opened) for account in self._open.values())
        return Books(
            idle_node_seconds=sum((idle for idle, _ in running), self._idle).total_seconds(),
            busy_node_seconds=sum((busy for _, busy in running), self._busy).total_seconds(),
            cost=self._cost + running_cost,
            births=self._births,
            peak_nodes=max((count for _, count in self._counts), default=0),
            node_counts=tuple(self._counts),
        )


def _cost(account: _Account, span: timedelta) -> float:
    return span.total_seconds() / 3600 * account.hourly_price
