"""A history into a file of JSON lines, whole or not at all."""

from collections.abc import Sequence
from pathlib import Path

from warmpool.adapters.history_file import HistoryWritten, write_history
from warmpool.adapters.kept_decision import Span
from warmpool.cli.errors import CliError
from warmpool.cli.histories import Opened
from warmpool.cli.pool_bars import PoolBars
from warmpool.cli.printing import warn
from warmpool.cli.progress import bars


def write_export(opened: Opened, pools: Sequence[str], span: Span, path: Path) -> HistoryWritten:
    """Write what is kept into a file, which is there once all of it is. Raises CliError, LedgerUnavailable."""
    if not path.name:
        raise CliError("Usage", "--export", f"{str(path)!r} is no file's name")
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as out, bars() as show:
            told = PoolBars(history=opened.history, span=span, show=show).reached
            written = write_history(opened.history, pools, span, out, told)
        unfinished.replace(path)
    except OSError as error:
        raise CliError("FileUnwritable", "--export", f"cannot write {str(path)!r}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    for each in written.damaged:
        warn(f"a decision of {each.pool} at {each.at} is damaged and left out: {each.why}")
    return written
