"""The measured lead time as people are told it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from warmpool.core.lead import lead_time
from warmpool.core.watch import LeadSample

_NONE = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadSeen:
    """What the last orders took: the time that decisions reckon with, and the averages of its three parts."""

    orders: int
    reckoned: timedelta
    """90th percentile, at most `leadTimeLimit`."""
    node: timedelta
    join: timedelta
    pull: timedelta


def lead_seen(samples: Sequence[LeadSample], limit: timedelta) -> LeadSeen | None:
    """Sum the samples up; None where there are none."""
    reckoned = lead_time(samples, limit)
    if reckoned is None:
        return None
    count = len(samples)
    return LeadSeen(
        orders=count,
        reckoned=reckoned,
        node=sum((each.node for each in samples), _NONE) / count,
        join=sum((each.join for each in samples), _NONE) / count,
        pull=sum((each.pull for each in samples), _NONE) / count,
    )
