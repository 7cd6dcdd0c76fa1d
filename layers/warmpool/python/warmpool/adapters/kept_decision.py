"""A changed decision as it is kept: its JSON, and packed what it came from, so that it can be decided again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol, Self

from warmpool.adapters.decided_json import read_decision, read_inputs, write_decision, write_inputs
from warmpool.adapters.packing import pack, unpack
from warmpool.app.ports import Decided
from warmpool.core.decision import Decision
from warmpool.core.kept import kept_inputs
from warmpool.core.launch_counts import LaunchCounts
from warmpool.core.reasons import Reason

MOST_INPUTS: Final = 1_500_000
"""Bytes of packed inputs that are kept; a pool of 5,000 nodes and 20,000 pods takes 0.6 MB (measured)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDecision:
    """One changed decision."""

    decision: Decision
    written: bytes
    """The decision's JSON as it was kept: what deciding again is compared with."""
    inputs: bytes | None = None
    """Packed; None where nothing was seen, or they were left out."""
    failed: tuple[Reason, ...] = ()
    left_out: str = ""
    """Why inputs that there were are not here."""

    @classmethod
    def of(cls, decided: Decided) -> Self:
        """Write down a decision and the part of its inputs that it needs."""
        packed = None if decided.inputs is None else pack(write_inputs(kept_inputs(decided.inputs)))
        left_out = ""
        if packed is not None and len(packed) > MOST_INPUTS:
            left_out = f"the inputs take {len(packed)} bytes, and at most {MOST_INPUTS} are kept"
            packed = None
        return cls(
            decision=decided.decision,
            written=write_decision(decided.decision),
            inputs=packed,
            failed=decided.failed,
            left_out=left_out,
        )

    @classmethod
    def read(cls, written: bytes, *, inputs: bytes | None, failed: tuple[Reason, ...], left_out: str) -> Self:
        """Read a decision that was kept; its inputs are not looked at yet. Raises ValueError."""
        return cls(decision=read_decision(written), written=written, inputs=inputs, failed=failed, left_out=left_out)

    def decided(self) -> Decided:
        """Read it with its inputs. Raises ValueError where these are damaged or another version's."""
        inputs = None if self.inputs is None else read_inputs(unpack(self.inputs))
        return Decided(decision=self.decision, inputs=inputs, failed=self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A decision that was kept and cannot be read."""

    pool: str
    at: str
    """When, as far as that can be read."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From when until when, both included; None is without end."""

    since: datetime | None = None
    until: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Tell whether an instant lies in it."""
        return (self.since is None or self.since <= at) and (self.until is None or at <= self.until)


class History(Protocol):
    """What is kept of decisions and launches: in the ledger, or in a file that was written from it."""

    def pools(self) -> Sequence[str]:
        """Name the pools of which something is kept."""
        ...

    def decisions(self, pool: str, span: Span, *, with_inputs: bool) -> Iterator[KeptDecision | Damaged]:
        """Yield a pool's changed decisions, the oldest first."""
        ...

    def newest(self, pool: str, span: Span, most: int, *, with_inputs: bool) -> Sequence[KeptDecision | Damaged]:
        """Return a pool's newest changed decisions, the oldest of them first."""
        ...

    def launches(self, pool: str, span: Span) -> Sequence[LaunchCounts]:
        """Return a pool's launches in buckets that begin in the span, the oldest first."""
        ...
