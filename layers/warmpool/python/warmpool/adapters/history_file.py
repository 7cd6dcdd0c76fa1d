"""The ledger's history as a file of JSON lines: to look at it, and to decide again, without AWS."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Final

import msgspec

from warmpool.adapters.kept_decision import Damaged, History, KeptDecision, Span
from warmpool.app.errors import ConfigInvalid
from warmpool.core.decision import Decision
from warmpool.core.launch_counts import LaunchCounts
from warmpool.core.reasons import Reason


class _DecisionLine(msgspec.Struct, tag_field="kind", tag="decision", kw_only=True):
    """A changed decision, as it was written; `inputs` is packed and base64."""

    decision: msgspec.Raw
    inputs: bytes | None = None
    failed: tuple[Reason, ...] = ()
    left_out: str = ""


class _LaunchesLine(msgspec.Struct, tag_field="kind", tag="launches", kw_only=True):
    """A bucket of launches."""

    pool: str
    counts: LaunchCounts


_EXPECTED: Final = "expected lines as `warmpool history --export FILE` writes them"
_LINE: Final = msgspec.json.Decoder(_DecisionLine | _LaunchesLine)


@dataclass(slots=True, kw_only=True)
class HistoryWritten:
    """What went into a file."""

    decisions: int = 0
    buckets: int = 0
    damaged: list[Damaged] = field(default_factory=list)
    """What could not be read, and so is not in it."""


def write_history(
    history: History, pools: Iterable[str], span: Span, out: IO[bytes], told: Callable[[Decision], None] | None = None
) -> HistoryWritten:
    """Write everything that a history keeps of these pools, a line each; `told` is called with each decision."""
    written = HistoryWritten()
    for pool in pools:
        for each in history.decisions(pool, span, with_inputs=True):
            if isinstance(each, Damaged):
                written.damaged.append(each)
                continue
            out.write(_decision_line(each))
            written.decisions += 1
            if told is not None:
                told(each.decision)
        for counts in history.launches(pool, span):
            out.write(msgspec.json.encode(_LaunchesLine(pool=pool, counts=counts)) + b"\n")
            written.buckets += 1
    return written


def _decision_line(kept: KeptDecision) -> bytes:
    line = _DecisionLine(
        decision=msgspec.Raw(kept.written), inputs=kept.inputs, failed=kept.failed, left_out=kept.left_out
    )
    return msgspec.json.encode(line) + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHistory:
    """Implements warmpool.adapters.kept_decision.History on the lines of a file."""

    by_pool: Mapping[str, Sequence[KeptDecision]]
    counts: Mapping[str, Sequence[LaunchCounts]]

    def pools(self) -> Sequence[str]:
        """Name the pools of which there are lines."""
        return sorted({*self.by_pool, *self.counts})

    def decisions(self, pool: str, span: Span, *, with_inputs: bool) -> Iterator[KeptDecision | Damaged]:
        """Yield a pool's changed decisions, the oldest first."""
        del with_inputs  # they are here anyway
        return (each for each in self.by_pool.get(pool, ()) if span.holds(each.decision.at))

    def newest(self, pool: str, span: Span, most: int, *, with_inputs: bool) -> Sequence[KeptDecision | Damaged]:
        """Return a pool's newest changed decisions, the oldest of them first."""
        return list(self.decisions(pool, span, with_inputs=with_inputs))[-most:]

    def launches(self, pool: str, span: Span) -> Sequence[LaunchCounts]:
        """Return a pool's launches in buckets that begin in the span, the oldest first."""
        return [each for each in self.counts.get(pool, ()) if span.holds(each.start)]


def read_history(text: bytes, source: str) -> FileHistory:
    """Read what `write_history` wrote, in any order; of lines about the same the last one counts.

    Raises ConfigInvalid with the number of the line that is wrong.
    """
    decisions: dict[str, dict[datetime, KeptDecision]] = {}
    launches: dict[str, dict[datetime, LaunchCounts]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            read = _read_line(line)
        except (ValueError, RecursionError) as error:
            raise ConfigInvalid(f"line {number}", f"{error}; {_EXPECTED}", source=source) from error
        if isinstance(read, KeptDecision):
            decisions.setdefault(read.decision.pool, {})[read.decision.at] = read
        else:
            launches.setdefault(read.pool, {})[read.counts.start] = read.counts
    if not decisions and not launches:
        raise ConfigInvalid("", f"there is no line in it; {_EXPECTED}", source=source)
    return FileHistory(
        by_pool={pool: [each[at] for at in sorted(each)] for pool, each in decisions.items()},
        counts={pool: [each[at] for at in sorted(each)] for pool, each in launches.items()},
    )


def _read_line(line: bytes) -> KeptDecision | _LaunchesLine:
    read = _LINE.decode(line)
    if isinstance(read, _LaunchesLine):
        _with_offset(read.counts.start)
        return read
    kept = KeptDecision.read(bytes(read.decision), inputs=read.inputs, failed=read.failed, left_out=read.left_out)
    _with_offset(kept.decision.at)
    return kept


def _with_offset(at: datetime) -> None:
    if at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no offset from UTC")
