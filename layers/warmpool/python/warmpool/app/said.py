"""What people have set in a running stack: what it means now, since when, and who wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from warmpool.app.in_force import InForce, PoolInForce
from warmpool.app.overrides import limits_in_force
from warmpool.app.ports import Budget, LedgerEntry, LedgerState
from warmpool.core.decision import Limits
from warmpool.core.holds import operator_hold
from warmpool.core.limits import override_in_force, stop_in_force
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override, Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """When a document was written and by whom, as the store itself knows it; an empty `by` is unknown."""

    at: datetime
    by: str = ""


class Writers(Protocol):
    """Who wrote the documents that are in the store."""

    def written(self, budget: Budget) -> Mapping[str, Written]:
        """Return the writers by document: `stop`, `POOL/override`, `POOL/spec`.

        Raises ConfigUnreadable or NotPermitted.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The documents of a stack at one instant, and where each comes from."""

    now: datetime
    in_force: InForce
    ledger: LedgerState
    writers: Mapping[str, Written]

    @property
    def stop(self) -> Stop | None:
        """The stop switch in force."""
        return stop_in_force(self.in_force.stop, self.now)

    def override(self, pool: PoolInForce) -> Override | None:
        """Return the pool's override in force."""
        return override_in_force(pool.override, self.now)

    def limits(self, pool: PoolInForce) -> Limits | None:
        """Return the limits in force; None where the pool has no good spec."""
        return limits_in_force(pool.spec, self.now, pool.override, self.in_force.stop) if pool.spec else None

    def reasons(self, pool: PoolInForce) -> tuple[Reason, ...]:
        """Return what the documents say of a pool, whatever its cluster looks like."""
        limits, hold = self.limits(pool), operator_hold(self.override(pool), self.stop)
        return (*pool.notes, *((hold.reason,) if hold else ()), *(limits.reasons if limits else ()))

    def since(self, pool: PoolInForce) -> Mapping[Reason, datetime]:
        """Tell since when each reason holds: since a pass took its document over, else since that was written."""
        found = {each: self._since(each, pool) for each in self.reasons(pool)}
        return {each: at for each, at in found.items() if at is not None}

    def taken_over(self, pool: PoolInForce) -> datetime | None:
        """Return when a pass first saw the present override; None where none has, or that is unknown."""
        known = self.ledger.pools.get(pool.name, LedgerEntry())
        return known.override_seen_at if known.good_override == pool.entry.good_override else None

    def written(self, pool: PoolInForce) -> Written | None:
        """Return who wrote the override in force; None where that is unknown, or another text is in the store."""
        override = f"{pool.name}/override"
        replaced = any(_is_of(each, override) for each in pool.notes)
        return None if replaced or self.override(pool) is None else self.writers.get(override)

    def _since(self, reason: Reason, pool: PoolInForce) -> datetime | None:
        override = f"{pool.name}/override"
        if reason.code in {Code.OVERRIDE, Code.PAUSED_BY_OVERRIDE}:
            return self.taken_over(pool) or self._at(override)
        if reason.code in {Code.FROZEN, Code.DRAINING}:
            return self._at("stop")
        if reason.code is Code.CONFIG_UNREADABLE:
            # Nothing to do with when it was written; a pass may have met the same.
            return self.ledger.pools.get(pool.name, LedgerEntry()).config_wrong_since
        # What is wrong with a document begins with its name.
        return self._at(next((each for each in (override, f"{pool.name}/spec", "stop") if _is_of(reason, each)), ""))

    def _at(self, document: str) -> datetime | None:
        written = self.writers.get(document)
        return written.at if written else None


def _is_of(reason: Reason, document: str) -> bool:
    return reason.text.startswith((f"{document}:", f"{document} "))
