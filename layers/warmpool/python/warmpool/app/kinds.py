"""What a nudge can be about: the words that its senders and its reader share."""

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """The `kind` of a message in the reconcile queue; the message says no more than "look now"."""

    TICK = "tick"
    WINDOW = "window"
    PARAMETER = "parameter"
    CLUSTER_EVENT = "cluster-event"
    AUDIT = "audit"


URGENT: Final = frozenset({Kind.TICK, Kind.WINDOW, Kind.PARAMETER})
"""What the clock or a person asks for: there is never a storm of it, so it never waits its turn."""
