"""Progress through a history: one bar a pool, which runs from its first decision to its last."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from warmpool.adapters.kept_decision import History, KeptDecision, Span
from warmpool.core.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolBars:
    """Tells `show` of each pool what share of its time has been read."""

    history: History
    span: Span
    show: Callable[[str, float], None]
    _ends: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)

    def reached(self, decision: Decision) -> None:
        """Show that this decision has been read."""
        if decision.pool not in self._ends:
            self._ends[decision.pool] = (decision.at, self._last(decision))
        first, last = self._ends[decision.pool]
        self.show(decision.pool, (decision.at - first) / (last - first) if decision.at < last else 1.0)

    def _last(self, first: Decision) -> datetime:
        newest = self.history.newest(first.pool, self.span, 1, with_inputs=False)
        return max((each.decision.at for each in newest if isinstance(each, KeptDecision)), default=first.at)
