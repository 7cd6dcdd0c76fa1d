"""`warmpool replay`: decide again what was decided; the same inputs must give the same decision, byte by byte."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from warmpool.adapters.decided_json import write_decision
from warmpool.adapters.kept_decision import Damaged, KeptDecision, Span
from warmpool.app.replay import Difference, Verdict
from warmpool.app.replay import replay as decide_again
from warmpool.cli.controls import printable
from warmpool.cli.errors import CliError, Exit
from warmpool.cli.histories import (
    FileOption,
    FromOption,
    HistoryPoolOption,
    Opened,
    Place,
    ToOption,
    open_history,
    span_of,
    span_text,
)
from warmpool.cli.instants import instant_text
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption, TableOption
from warmpool.cli.options import Output, OutputOption
from warmpool.cli.printing import print_json, print_line, print_table

_DAMAGED: Final = "damaged"
_LONGEST: Final = 60
"""Characters of a value in a table; JSON has all of it."""


def replay(  # noqa: PLR0913, PLR0917 - one parameter an option
    pool: HistoryPoolOption = None,
    since: FromOption = None,
    until: ToOption = None,
    file: FileOption = None,
    spec: MaybeSpecOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    table: TableOption = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Decide again what was decided, from the inputs that are kept with each changed decision, and compare.

    Nothing is written. After an update it tells whether the new version would have decided otherwise. Exit code: 0 all
    are identical, 1 some differ or cannot be read, 2 an error.

    Examples:
    ```
    warmpool replay --stack warmpool-ml-research --from 2026-12-14
    warmpool replay --file build/demo/history.jsonl --output json
    ```

    """
    span = span_of(since, until)
    opened = open_history(Place(file=file, spec=spec, stack=stack, region=region, table=table))
    rows = list(_replayed(opened, opened.pools(pool), span))
    counts = Counter(each.verdict for each in rows)
    if not counts.keys() - {Verdict.NOTHING_SEEN, Verdict.NO_INPUTS}:
        kept = f"{len(rows)} decisions are kept {span_text(span)}"
        raise CliError("NothingToReplay", "--from", f"{kept}, none of them with what it came from; choose another span")
    if output is Output.JSON:
        print_json(_document(rows, counts))
    else:
        _print(rows, counts)
    return Exit.NO if counts[Verdict.DIFFERS] or counts[_DAMAGED] else Exit.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One decision that was kept, and what became of it."""

    pool: str
    at: str
    verdict: str
    difference: Difference | None = None
    why: str = ""
    """Why it could not be decided again."""


def _replayed(opened: Opened, pools: Sequence[str], span: Span) -> Iterator[Row]:
    from warmpool.cli.pool_bars import PoolBars  # noqa: PLC0415 - Rich takes time to import
    from warmpool.cli.progress import bars  # noqa: PLC0415 - as above

    with bars() as show:
        progress = PoolBars(history=opened.history, span=span, show=show)
        for pool in pools:
            for each in opened.history.decisions(pool, span, with_inputs=True):
                if isinstance(each, Damaged):
                    yield Row(pool=each.pool, at=each.at, verdict=_DAMAGED, why=each.why)
                    continue
                progress.reached(each.decision)
                yield _row(each)


def _row(kept: KeptDecision) -> Row:
    pool, at = kept.decision.pool, instant_text(kept.decision.at)
    try:
        decided = kept.decided()
    except ValueError as error:
        return Row(pool=pool, at=at, verdict=_DAMAGED, why=str(error))
    result = decide_again(decided, kept.written, write_decision)
    return Row(pool=pool, at=at, verdict=result.verdict, difference=result.difference, why=kept.left_out)


def _document(rows: Sequence[Row], counts: Counter[str]) -> dict[str, Any]:
    return {
        "decisions": len(rows),
        **{name.replace("-", "_"): counts[name] for name in (*Verdict, _DAMAGED)},
        "replayed": [
            {
                "pool": each.pool,
                "at": each.at,
                "verdict": each.verdict,
                "difference": None if each.difference is None else _difference(each.difference),
                "why": each.why or None,
            }
            for each in rows
        ],
    }


def _difference(difference: Difference) -> dict[str, str]:
    return {"path": difference.path, "kept": difference.kept, "again": difference.again}


def _print(rows: Sequence[Row], counts: Counter[str]) -> None:
    odd = [_cells(each) for each in rows if each.verdict in {Verdict.DIFFERS, _DAMAGED}]
    if odd:
        print_table("Not the same", ("at", "pool", "where", "kept", "again"), odd)
    beside = {
        "in which the pass saw nothing": counts[Verdict.NOTHING_SEEN],
        "kept without inputs": counts[Verdict.NO_INPUTS],
        "that cannot be read": counts[_DAMAGED],
    }
    replayed = counts[Verdict.IDENTICAL] + counts[Verdict.DIFFERS]
    print_line(
        f"{replayed} decisions were decided again: {counts[Verdict.IDENTICAL]} identical, "
        f"{counts[Verdict.DIFFERS]} differ.",
        bold=True,
    )
    told = [f"{number} {what}" for what, number in beside.items() if number]
    if told:
        print_line(f"Beside them: {', '.join(told)}.")


def _cells(row: Row) -> tuple[str, ...]:
    if row.difference is None:
        return row.at, row.pool, "-", printable(row.why), "-"
    return row.at, row.pool, row.difference.path, _short(row.difference.kept), _short(row.difference.again)


def _short(text: str) -> str:
    return printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
