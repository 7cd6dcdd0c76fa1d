"""How long an order takes until it is warm, as measured. Design sections 2 and 7."""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from warmpool.core.watch import LeadSample

KEPT_SAMPLES: Final = 50
_SHARE: Final = 0.9


def lead_time(samples: Sequence[LeadSample], limit: timedelta) -> timedelta | None:
    """Return the 90th percentile (nearest rank) of the samples, at most `limit`; None where there are none.

    With fewer than ten samples that is the longest of them, so a few lucky orders do not shorten it.
    """
    if not samples:
        return None
    totals = sorted(each.total for each in samples)
    return min(limit, totals[math.ceil(_SHARE * len(totals)) - 1])


def kept(samples: Sequence[LeadSample], new: Sequence[LeadSample]) -> tuple[LeadSample, ...]:
    """Add new samples behind the old ones and keep the last fifty."""
    return (*samples, *new)[-KEPT_SAMPLES:]
