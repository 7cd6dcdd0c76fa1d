"""Launches in buckets of five minutes by what they found: the books that stay when the launches are forgotten."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from warmpool.core.watch import Cause, Launch, Outcome, Tally

BUCKET: Final = timedelta(minutes=5)

_NONE: Final = timedelta(0)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchCounts:
    """What the launches found that were created from `start` on, until `BUCKET` later."""

    start: datetime
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    causes: Mapping[Cause, int] = field(default_factory=dict)
    """Of the cold ones."""
    abandoned: int = 0
    """Launches that ended before they were Ready, or whose first readiness nobody saw; by the pass that missed them."""
    warm_waits: timedelta = _NONE
    """What the warm ones waited, summed up."""
    cold_waits: timedelta = _NONE

    @property
    def launches(self) -> int:
        """All launches that became Ready, those included of which nobody knows what they found."""
        return sum(self.outcomes.values())

    @property
    def warm(self) -> int:
        """The hits, either kind."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.warm)

    @property
    def cold(self) -> int:
        """The misses."""
        return self.outcomes.get(Outcome.COLD, 0)


def bucket_of(at: datetime) -> datetime:
    """Return the instant at which the bucket of an instant begins, in UTC."""
    return at.astimezone(UTC) - (at - _EPOCH) % BUCKET


def counted(tally: Tally, began: datetime) -> tuple[LaunchCounts, ...]:
    """Sort what a pass that began then adds to the books into buckets, the oldest first."""
    launches: dict[datetime, list[Launch]] = {}
    for each in tally.launches:
        launches.setdefault(bucket_of(each.created), []).append(each)
    if tally.abandoned:
        launches.setdefault(bucket_of(began), [])
    return tuple(
        _count(start, launches[start], tally.abandoned if start == bucket_of(began) else 0)
        for start in sorted(launches)
    )


def _count(start: datetime, launches: Sequence[Launch], abandoned: int) -> LaunchCounts:
    outcomes: dict[Outcome, int] = {}
    causes: dict[Cause, int] = {}
    for found in (each.found for each in launches):
        outcomes[found.outcome] = outcomes.get(found.outcome, 0) + 1
        if found.cause is not None:
            causes[found.cause] = causes.get(found.cause, 0) + 1
    return LaunchCounts(
        start=start,
        outcomes=outcomes,
        causes=causes,
        abandoned=abandoned,
        warm_waits=sum((each.waited for each in launches if each.found.outcome.warm), _NONE),
        cold_waits=sum((each.waited for each in launches if each.found.outcome is Outcome.COLD), _NONE),
    )


def together(start: datetime, counts: Iterable[LaunchCounts]) -> LaunchCounts:
    """Sum buckets up, as if all their launches were created from `start` on."""
    known = tuple(counts)
    return LaunchCounts(
        start=start,
        outcomes={kind: number for kind in Outcome if (number := sum(each.outcomes.get(kind, 0) for each in known))},
        causes={kind: number for kind in Cause if (number := sum(each.causes.get(kind, 0) for each in known))},
        abandoned=sum(each.abandoned for each in known),
        warm_waits=sum((each.warm_waits for each in known), _NONE),
        cold_waits=sum((each.cold_waits for each in known), _NONE),
    )


def fewer(buckets: Mapping[str, Sequence[LaunchCounts]], most: int) -> Mapping[str, Sequence[LaunchCounts]]:
    """Leave at most so many buckets of all pools: a pool's oldest goes into its next one, until each has one left.

    If these are still too many, pools with the fewest launches are left out.
    """
    left = {pool: list(each) for pool, each in buckets.items() if each}
    surplus = sum(map(len, left.values())) - most
    while surplus > 0 and (pool := min(_with_several(left), key=lambda each: left[each][0].start, default=None)):
        oldest, kept, *later = left[pool]
        left[pool] = [together(kept.start, (oldest, kept)), *later]
        surplus -= 1
    busiest_first = sorted(left, key=lambda pool: -sum(each.launches for each in left[pool]))
    return {pool: left[pool] for pool in (busiest_first[:most] if surplus > 0 else left)}


def _with_several(buckets: Mapping[str, Sequence[LaunchCounts]]) -> list[str]:
    return [pool for pool, each in buckets.items() if len(each) > 1]
