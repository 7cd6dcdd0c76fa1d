"""Exact Kubernetes quantities and amounts of several resources."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

NANO: Final = 10**9
"""Quantities are whole numbers of nano-units: the finest step that Kubernetes keeps."""

_LARGEST: Final = (2**63 - 1) * NANO
_NUMBER: Final = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([eE])([+-]?\d{1,3})|([A-Za-z]{0,2}))", re.ASCII)
_SUFFIX: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "n": (1, NANO),
        "u": (1, 10**6),
        "m": (1, 10**3),
        "": (1, 1),
        "k": (10**3, 1),
        "M": (10**6, 1),
        "G": (10**9, 1),
        "T": (10**12, 1),
        "P": (10**15, 1),
        "E": (10**18, 1),
        "Ki": (2**10, 1),
        "Mi": (2**20, 1),
        "Gi": (2**30, 1),
        "Ti": (2**40, 1),
        "Pi": (2**50, 1),
        "Ei": (2**60, 1),
    }
)

Amounts = Mapping[str, int]
"""Nano-units by resource name (`cpu`, `memory`, `pods`, `nvidia.com/gpu`, ...)."""

NOTHING: Final[Amounts] = MappingProxyType({})


class QuantityError(ValueError):
    """A text that is not a Kubernetes quantity."""


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> int:
    """Read a quantity by Kubernetes' own grammar, as nano-units.

    Digits below a nano-unit round away from zero and values above 2^63-1 are capped, as
    apimachinery's resource.Quantity does. Raises QuantityError for anything else: `1K`, `NaN`, `""`.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or (match[5] or "") not in _SUFFIX:
        msg = f"{text!r} is not a Kubernetes quantity; expected for instance 500m, 2, 1.5, 8Gi or 1e3"
        raise QuantityError(msg)
    sign, digits, exponent, suffix = match[1], match[2], match[4], match[5] or ""
    whole, _, fraction = digits.partition(".")
    times, per = _SUFFIX[suffix]
    power = int(exponent or 0) - len(fraction)
    numerator = int(whole + fraction) * times * NANO * 10 ** max(0, power)
    amount = min(ceil_div(numerator, per * 10 ** max(0, -power)), _LARGEST)
    return -amount if sign == "-" else amount


def format_quantity(nano: int, *, binary: bool = False) -> str:
    """Write nano-units back as a quantity; binary suffixes only where the value is a multiple of Mi."""
    if nano % NANO == 0:
        value = nano // NANO
        if binary:
            for suffix in ("Gi", "Mi", "Ki"):
                if value and value % _SUFFIX[suffix][0] == 0:
                    return f"{value // _SUFFIX[suffix][0]}{suffix}"
        return str(value)
    for suffix, step in (("m", 10**6), ("u", 10**3)):
        if nano % step == 0:
            return f"{nano // step}{suffix}"
    return f"{nano}n"


def ceil_div(numerator: int, denominator: int) -> int:
    """Divide whole numbers, rounding up."""
    return -(-numerator // denominator)


def whole_units(nano: int) -> int:
    """Round up once to whole units: how a sum of CPU becomes cores."""
    return ceil_div(nano, NANO)


def add(amounts: Iterable[Amounts]) -> dict[str, int]:
    """Sum several amounts, resource by resource."""
    total: dict[str, int] = {}
    for each in amounts:
        for name, value in each.items():
            total[name] = total.get(name, 0) + value
    return total


def subtract(left: Amounts, right: Amounts) -> dict[str, int]:
    """Take `right` from `left`; a resource that only `right` has becomes negative."""
    rest = dict(left)
    for name, value in right.items():
        rest[name] = rest.get(name, 0) - value
    return rest


def times_that_fit(free: Amounts, shape: Amounts) -> int:
    """Count how often `shape` fits into `free`, never below 0; a shape of nothing fits 0 times."""
    counts = [free.get(name, 0) // value for name, value in shape.items() if value > 0]
    return max(0, min(counts, default=0))


def pods_that_fit(free: Amounts, requests: Amounts) -> int:
    """Count how often a pod that requests so much fits; it is one pod itself.

    Where `free` does not say how many pods there is room for (`nodeAllocatable` need not), pods do not limit.
    """
    return times_that_fit(free, {"pods": NANO, **requests} if "pods" in free else {**requests, "pods": 0})
