"""How long things took in both worlds, and how far the two may be apart.

The real cluster's delays are shortened (a node registers after seconds, not minutes) and the model is told the same
ones, so that a second here is a second there; only the model's seconds are virtual.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec


class Bounds(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Seconds by which the real cluster may be quicker or slower than the model.

    What both have in common is known to the second. What they have not: the scheduler's and Karpenter's rounds, of a
    second each; Karpenter looks for empty nodes every 10 s, and nobody knows at which second of the ten a step begins;
    six real clusters share the machine's cores.
    """

    launch: float = 3.0
    """A launch's wait: from its pod's creation until it is Ready."""
    target: float = 12.0
    """From a step until nothing changes any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What one step took in one world, in its own seconds."""

    launches: Mapping[str, float]
    target: float


def too_far_apart(model: Times, real: Times, bounds: Bounds) -> Iterator[str]:
    """Say of each time that is out of bounds what it was in the model and in reality."""
    pairs = [(name, model.launches[name], real.launches[name], bounds.launch) for name in sorted(model.launches)]
    for what, expected, seen, bound in (*pairs, ("target", model.target, real.target, bounds.target)):
        if abs(seen - expected) > bound:
            yield f"{what}: {expected:.0f} s in the model, {seen:.0f} s in reality, {bound:.0f} s apart at most"
