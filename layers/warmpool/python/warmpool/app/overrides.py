"""What is in force in a pool at an instant: its windows, then its override, then the stop switch."""

from datetime import datetime

from warmpool.app.errors import ConfigInvalid
from warmpool.core.decision import Limits
from warmpool.core.limits import drained, overridden, override_in_force, stop_in_force
from warmpool.core.schedule import limits_at
from warmpool.core.spec import Override, PoolSpec, Stop


def limits_in_force(
    pool: PoolSpec, now: datetime, override: Override | None = None, stop: Stop | None = None
) -> Limits:
    """Return the limits as a pass at this instant would take them, before the cluster and money cut anything.

    An override or a stop whose `until` has passed counts as none.
    """
    plain = limits_at(pool, now, pool.lead_time)
    return drained(overridden(plain, override_in_force(override, now)), stop_in_force(stop, now))


def check_first_seen(override: Override, now: datetime, source: str) -> None:
    """Reject an override that nobody has seen in force and whose `until` has passed. Raises ConfigInvalid.

    One that was in force and has passed has simply ended: do not ask for that one.
    """
    if override.until is not None and override.until <= now:
        past, present = (each.isoformat(timespec="minutes") for each in (override.until, now))
        raise ConfigInvalid(
            "until", f"got {past}, which was past when first seen; expected an instant after {present}", source=source
        )
