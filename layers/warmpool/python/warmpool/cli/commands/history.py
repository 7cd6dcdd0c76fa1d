"""`warmpool history`: the decisions that changed something, or why, as the ledger keeps them for 30 days."""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from warmpool.adapters.kept_decision import Damaged, KeptDecision, Span
from warmpool.cli.documents import decision_document
from warmpool.cli.errors import CliError
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
    why,
)
from warmpool.cli.instants import instant_text
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption, TableOption
from warmpool.cli.options import Output, OutputOption
from warmpool.cli.printing import print_json, print_line, print_table, warn

_LIMIT: Final = 50
_COLUMNS: Final = ("at", "pool", "placeholders", "action", "why", "capped")

LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help=f"The newest N of them. Default: {_LIMIT}.")
]
ExportOption = Annotated[
    Path | None,
    typer.Option(
        "--export", metavar="FILE", help="Write all of them, with what they came from and the launches, as JSON lines."
    ),
]


def history(  # noqa: PLR0913, PLR0917 - one parameter an option
    pool: HistoryPoolOption = None,
    since: FromOption = None,
    until: ToOption = None,
    limit: LimitOption = None,
    export: ExportOption = None,
    file: FileOption = None,
    spec: MaybeSpecOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    table: TableOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """List the decisions that changed something, or why, the newest last.

    The ledger keeps them for 30 days. A minute in which nothing changed is not in it: the last decision before it held.

    Examples:
    ```
    warmpool history --pool spaces-cpu --from 2026-12-14T08:00:00Z --to 2026-12-14T10:00:00Z
    warmpool history --export history.jsonl --from 2026-12-01
    warmpool history --file history.jsonl --output json
    ```

    """
    if export is not None and limit is not None:
        raise CliError("Usage", "--limit", "does not go with --export; choose with --from and --to what is written")
    span = span_of(since, until)
    opened = open_history(Place(file=file, spec=spec, stack=stack, region=region, table=table))
    pools = opened.pools(pool)
    if export is not None:
        _export(opened, pools, span, export, as_json=output is Output.JSON)
        return
    most = limit or _LIMIT
    found = _newest(opened, pools, span, most + 1)
    if output is Output.JSON:
        print_json(_document(found, most))
    else:
        _print(found, span, most)


def _newest(opened: Opened, pools: Sequence[str], span: Span, most: int) -> Sequence[KeptDecision | Damaged]:
    found = [each for pool in pools for each in opened.history.newest(pool, span, most, with_inputs=False)]
    return sorted(found, key=_when)[-most:]


def _when(each: KeptDecision | Damaged) -> tuple[str, str]:
    if isinstance(each, Damaged):
        return each.at, each.pool
    return each.decision.at.astimezone(UTC).isoformat(timespec="microseconds"), each.decision.pool


def _document(found: Sequence[KeptDecision | Damaged], most: int) -> dict[str, Any]:
    shown = found[-most:]
    return {
        "decisions": [_decision(each) for each in shown if isinstance(each, KeptDecision)],
        "damaged": [{"pool": each.pool, "at": each.at, "why": each.why} for each in shown if isinstance(each, Damaged)],
        "older": len(found) > most,
    }


def _decision(kept: KeptDecision) -> dict[str, Any]:
    decision = kept.decision
    return {
        **decision_document(decision),
        "hold": decision.hold.value if decision.hold else None,
        "failed": [{"code": each.code.value, "text": each.text} for each in kept.failed],
        "dry_run": decision.dry_run,
    }


def _print(found: Sequence[KeptDecision | Damaged], span: Span, most: int) -> None:
    shown = found[-most:]
    for each in shown:
        if isinstance(each, Damaged):
            warn(f"a decision of {each.pool} at {each.at} is damaged: {each.why}")
    rows = [_cells(each) for each in shown if isinstance(each, KeptDecision)]
    if not rows:
        print_line(f"No changed decision is kept {span_text(span)}: warmpool explain --at tells which one held.")
        return
    print_table("Changed decisions", _COLUMNS, rows, right=("placeholders",))
    if len(found) > most:
        print_line(f"These are the newest {most}; --limit, --from and --to show others.")


def _cells(kept: KeptDecision) -> tuple[str, ...]:
    decision = kept.decision
    current, target = (str("-" if each is None else each) for each in (decision.current, decision.target))
    return (
        instant_text(decision.at),
        decision.pool,
        current if current == target else f"{current} -> {target}",
        decision.action.value,
        why(kept),
        "yes" if decision.capped else "no",
    )


def _export(opened: Opened, pools: Sequence[str], span: Span, export: Path, *, as_json: bool) -> None:
    from warmpool.cli.exporting import write_export  # noqa: PLC0415 - progress bars take time to import

    written = write_export(opened, pools, span, export)
    if as_json:
        print_json({"export": str(export), "decisions": written.decisions, "buckets": written.buckets})
        return
    launches = f"{written.buckets} buckets of launches"
    print_line(f"Written to {export}: {written.decisions} decisions and {launches} of {', '.join(pools)}.")
