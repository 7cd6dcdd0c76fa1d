"""How results reach stdout: JSON for scripts, Rich tables for people."""

import json
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_json(document: Any) -> None:
    """Print one JSON document as the whole of stdout."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[str] = ()
) -> None:
    """Print a table for people; `right` names the columns of numbers. Cells are plain text, not markup."""
    result_console().print(table_of(title, columns, rows, right=right))


def table_of(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[str] = ()
) -> "Table":
    """Lay out what `print_table` prints."""
    # Rich takes as long to import as a plan takes to make, and scripts do not need it.
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=Text(title), title_justify="left")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def print_line(text: str = "", *, bold: bool = False) -> None:
    """Print one line for people, wrapped at the terminal's width."""
    result_console().print(text, style="bold" if bold else None, markup=False)


def result_console() -> "Console":
    """Make the console for results."""
    from rich.console import Console  # noqa: PLC0415 - see print_table

    return Console(highlight=False)


def progress_console() -> "Console":
    """Make the console for progress bars: stderr, so that stdout stays the result alone."""
    from rich.console import Console  # noqa: PLC0415 - see print_table

    return Console(stderr=True, highlight=False)


def warn(text: str) -> None:
    """Write one warning to stderr."""
    sys.stderr.write(f"warning: {text}\n")
