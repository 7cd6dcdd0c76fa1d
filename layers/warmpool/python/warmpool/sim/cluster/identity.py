"""Names, identifiers and jitter from a seed: the same seed gives the same cluster, whoever asks in which order."""

from datetime import timedelta
from hashlib import blake2b
from math import exp
from statistics import NormalDist
from typing import Final

from warmpool.sim.cluster.settings import ClusterSettings

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
"""The letters of Kubernetes' generated names."""
_STANDARD_NORMAL: Final = NormalDist()


def _digest(seed: int, purpose: str, ordinal: int, size: int = 16) -> bytes:
    return blake2b(f"{seed}/{purpose}/{ordinal}".encode(), digest_size=size).digest()


def uid(seed: int, purpose: str, ordinal: int) -> str:
    """Make a UUID."""
    text = _digest(seed, purpose, ordinal).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def suffix(seed: int, purpose: str, ordinal: int, length: int = 5) -> str:
    """Make the random end of a generated name."""
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in _digest(seed, purpose, ordinal, length))


def hexadecimal(seed: int, purpose: str, ordinal: int, length: int = 17) -> str:
    """Make hexadecimal digits, as in an instance id."""
    return _digest(seed, purpose, ordinal).hex()[:length]


def stretched(settings: ClusterSettings, delay: timedelta, purpose: str, ordinal: int) -> timedelta:
    """Vary a delay by the settings' jitter.

    The number depends only on seed, purpose and ordinal: two policies on the same day meet the same slow nodes.
    """
    if settings.jitter == "none" or not delay:
        return delay
    unit = (int.from_bytes(_digest(settings.seed, purpose, ordinal, 8)) + 0.5) / 2**64
    if settings.jitter == "uniform":
        return delay * (1 + settings.jitter_spread * (2 * unit - 1))
    return delay * exp(settings.jitter_spread * _STANDARD_NORMAL.inv_cdf(unit))
