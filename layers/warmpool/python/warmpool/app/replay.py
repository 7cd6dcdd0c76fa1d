"""Deciding again: the same inputs give the same decision, byte by byte, or somebody is told where they do not."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any, Final

from warmpool.app.ports import Decided
from warmpool.app.steps import blind, undone
from warmpool.core.assess import Inputs
from warmpool.core.decide import decide
from warmpool.core.decision import Decision
from warmpool.core.reasons import Reason

_ABSENT: Final = object()


class Verdict(StrEnum):
    """What became of deciding again. `NOTHING_SEEN` and `NO_INPUTS` cannot be decided again."""

    IDENTICAL = "identical"
    DIFFERS = "differs"
    NOTHING_SEEN = "nothing-seen"
    """The pass saw nothing of the cluster, and held."""
    NO_INPUTS = "no-inputs"
    """They were too large, or an older version kept the decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first place where two decisions differ, and what stands there."""

    path: str
    kept: str
    again: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A kept decision, decided again."""

    verdict: Verdict
    difference: Difference | None = None


def replay(decided: Decided, written: bytes, write: Callable[[Decision], bytes]) -> Replayed:
    """Decide again and compare with the decision as it was `written`: JSON, as `write` writes it.

    Fields that a decision had not yet when it was kept are not compared.
    """
    if decided.inputs is None:
        unseen = decided.decision.limits is None
        return Replayed(verdict=Verdict.NOTHING_SEEN if unseen else Verdict.NO_INPUTS)
    try:
        again = _again(decided.inputs, decided.failed)
    except Exception as error:  # noqa: BLE001 - the boundary of one decision: that it fails now is a difference, too
        told = Difference(path="", kept="a decision", again=f"{type(error).__name__}: {error}")
        return Replayed(verdict=Verdict.DIFFERS, difference=told)
    kept = json.loads(written)
    new = {name: value for name, value in json.loads(write(again)).items() if name in kept}
    if json.dumps(kept) == json.dumps(new):
        return Replayed(verdict=Verdict.IDENTICAL)
    return Replayed(verdict=Verdict.DIFFERS, difference=next(_differences("", kept, new)))


def _again(inputs: Inputs, failed: tuple[Reason, ...]) -> Decision:
    if not failed:
        return decide(inputs)
    unapplied = blind(inputs.spec.name, inputs.now, inputs.state, failed)
    try:
        return undone(decide(inputs), unapplied)
    except Exception:  # noqa: BLE001 - the boundary of one decision: deciding itself may be what had failed
        return unapplied


def _differences(path: str, kept: Any, again: Any) -> Iterator[Difference]:
    """Yield the places where two JSON values differ, in the order of the first one; for unequal values at least one."""
    if isinstance(kept, dict) and isinstance(again, dict) and (kept != again or list(kept) == list(again)):
        for name in {**kept, **again}:
            yield from _differences(f"{path}.{name}".lstrip("."), kept.get(name, _ABSENT), again.get(name, _ABSENT))
    elif isinstance(kept, list) and isinstance(again, list):
        for index, (one, other) in enumerate(zip_longest(kept, again, fillvalue=_ABSENT)):
            yield from _differences(f"{path}[{index}]", one, other)
    elif _told(kept) != _told(again):
        yield Difference(path=path, kept=_told(kept), again=_told(again))


def _told(value: object) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value)
