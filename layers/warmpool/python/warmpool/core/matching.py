"""Label selectors and tolerations, by Kubernetes' rules."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from warmpool.core.model import Selector, Taint, Toleration

BLOCKING_EFFECTS: Final = frozenset({"NoSchedule", "NoExecute"})

_SET: Final = re.compile(r"\s*([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\)\s*")
_EQUAL: Final = re.compile(r"\s*([^\s!=,()]+)\s*(==|!=|=)\s*([^\s!=,()]*)\s*")
_EXISTS: Final = re.compile(r"\s*(!?)\s*([^\s!=,()]+)\s*")
_TERM: Final = re.compile(r"(?:[^,()]|\([^()]*\))+")


class SelectorError(ValueError):
    """A text that is not a label selector."""


def parse_selector(text: str) -> Selector:
    """Read a label selector as kubectl's `-l` takes it: `a=b,c!=d,e in (f,g),h,!i`. Raises SelectorError."""
    terms = _TERM.findall(text)
    if not terms or len(text) != sum(map(len, terms)) + len(terms) - 1:
        msg = f"{text!r} is not a label selector; expected for instance app=jupyter or !team"
        raise SelectorError(msg)
    return Selector(expressions=tuple(_requirement(term) for term in terms))


def _requirement(term: str) -> tuple[str, str, tuple[str, ...]]:
    if match := _SET.fullmatch(term):
        values = tuple(value.strip() for value in match[3].split(","))
        return match[1], "In" if match[2] == "in" else "NotIn", values
    if match := _EQUAL.fullmatch(term):
        return match[1], "NotIn" if match[2] == "!=" else "In", (match[3],)
    if match := _EXISTS.fullmatch(term):
        return match[2], "DoesNotExist" if match[1] else "Exists", ()
    msg = f"{term!r} is not a label requirement; expected key, !key, key=value, key!=value or key in (a,b)"
    raise SelectorError(msg)


def selects(selector: Selector, labels: Mapping[str, str]) -> bool:
    """Tell whether labels satisfy a selector. An empty selector selects nothing here.

    Kubernetes lets an empty selector select everything; a Deployment cannot have one, so for us it means unknown.
    """
    if not selector.labels and not selector.expressions:
        return False
    return has_labels(selector.labels, labels) and all(_holds(*each, labels) for each in selector.expressions)


def has_labels(wanted: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Tell whether every wanted label is there with its value."""
    return all(labels.get(key) == value for key, value in wanted.items())


def _holds(key: str, operator: str, values: tuple[str, ...], labels: Mapping[str, str]) -> bool:
    match operator:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Tell whether one toleration covers one taint."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return bool(toleration.key) and toleration.value == taint.value


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    """Return the first taint that keeps a pod away, or None."""
    known = tuple(tolerations)
    for taint in taints:
        if taint.effect in BLOCKING_EFFECTS and not any(tolerates(each, taint) for each in known):
            return taint
    return None
