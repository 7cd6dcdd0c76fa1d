"""`warmpool calendar`: which limits are in force when, over the days to come."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from warmpool.cli.errors import CliError
from warmpool.cli.inputs import choose_pool, spec_of
from warmpool.cli.instants import instant_text, parse_instant_or_day
from warmpool.cli.options import Output, OutputOption, PoolOption, SpecOption
from warmpool.cli.printing import print_json, print_table
from warmpool.core import schedule

_MOST_DAYS: Final = 3660


def calendar(
    spec: SpecOption,
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="INSTANT",
            help="Where to begin: an instant with offset, or a day in the pool's time zone.",
        ),
    ],
    pool: PoolOption = None,
    days: Annotated[int, typer.Option("--days", min=1, max=_MOST_DAYS, help="How many times 24 hours to list.")] = 7,
    output: OutputOption = Output.TABLE,
) -> None:
    """List min, max and pin over the days to come, window by window, in UTC and without gaps.

    An order goes out the lead time before a row that asks for more room than the one before it.

    Examples:
    ```
    warmpool calendar -f pools.yaml --from 2026-12-14 --days 7
    warmpool calendar -f pools.yaml -p spaces-cpu --from 2026-12-14T00:00:00Z --days 7 -o json
    ```

    """
    chosen = choose_pool(spec_of(spec), pool)
    begin = parse_instant_or_day(start, "--from", chosen.timezone)
    try:
        entries = schedule.calendar(chosen, begin, days, chosen.lead_time)
    except OverflowError as error:
        raise CliError(
            "Usage", "--from", f"{start!r} with {days} days runs past the years that can be reckoned with"
        ) from error
    if output is Output.JSON:
        print_json([_row(entry) for entry in entries])
        return
    print_table(
        f"{chosen.name} from {instant_text(begin)}",
        ("start", "end", "min", "max", "pinned to", "window", "ordered at"),
        [_cells(entry) for entry in entries],
        right=("min", "max", "pinned to"),
    )


def _row(entry: schedule.CalendarEntry) -> dict[str, Any]:
    row: dict[str, Any] = {
        "start": instant_text(entry.start),
        "end": instant_text(entry.end),
        "min": entry.min,
        "max": entry.max,
        "window": entry.window,
    }
    if entry.target is not None:
        row["target"] = entry.target
    if entry.order_at is not None:
        row["orderAt"] = instant_text(entry.order_at)
    return row


def _cells(entry: schedule.CalendarEntry) -> Sequence[str]:
    return (
        instant_text(entry.start),
        instant_text(entry.end),
        str(entry.min),
        str(entry.max),
        "-" if entry.target is None else str(entry.target),
        entry.window or "-",
        "-" if entry.order_at is None else instant_text(entry.order_at),
    )
