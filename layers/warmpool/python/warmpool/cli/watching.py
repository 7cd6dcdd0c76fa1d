"""Looks again and again, as `watch` does: redrawn on a terminal, one after another elsewhere."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from warmpool.app.errors import ConfigInvalid, WarmpoolError
from warmpool.app.live_status import PoolLive, StackLive
from warmpool.cli.errors import CliError, Exit, as_cli_error, error_document
from warmpool.cli.printing import result_console
from warmpool.cli.statuses import exit_code, status_document, status_picture

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What one look has found; `stack` None is a snapshot."""

    at: datetime
    pools: tuple[PoolLive, ...]
    stack: StackLive | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A look that found nothing, and what was seen before it."""

    error: WarmpoolError
    every: timedelta
    before: Looked | None

    @property
    def text(self) -> str:
        """Say what failed and what comes next."""
        last = f"; the last look was at {self.before.at:%H:%M:%S} UTC" if self.before else ""
        return f"this look failed{last}: {self.error}. Trying again every {self.every.total_seconds():g} s"


Show = Callable[[Looked | Failed], None]


def watch(look: Callable[[], Looked], every: timedelta, *, as_json: bool) -> int:
    """Look until Ctrl-C and return the exit code of the last look: 2 where it failed.

    A failure is shown and the look is tried again, but the first one's mistakes in options and documents are raised.
    """
    code, before = int(Exit.ERROR), None
    try:
        with _screen(as_json=as_json) as show:
            while True:
                try:
                    before = look()
                    code = exit_code(before.pools)
                    show(before)
                except WarmpoolError as error:
                    if before is None and isinstance(error, CliError | ConfigInvalid):
                        raise
                    code = Exit.ERROR
                    show(Failed(error=error, every=every, before=before))
                time.sleep(every.total_seconds())
    except KeyboardInterrupt:
        return code


@contextmanager
def _screen(*, as_json: bool) -> Iterator[Show]:
    if as_json:
        yield _print_json_line
        return
    console = result_console()
    if not console.is_terminal:
        yield lambda seen: console.print(_picture(seen), "")
        return
    from rich.live import Live  # noqa: PLC0415 - see printing

    with Live(console=console, auto_refresh=False) as live:
        yield lambda seen: live.update(_picture(seen), refresh=True)


def _print_json_line(seen: Looked | Failed) -> None:
    sys.stdout.write(json.dumps(_document(seen), separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _document(seen: Looked | Failed) -> dict[str, Any]:
    if isinstance(seen, Failed):
        return error_document(as_cli_error(seen.error))
    return status_document(seen.at, seen.pools, seen.stack)


def _picture(seen: Looked | Failed) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - see printing
    from rich.text import Text  # noqa: PLC0415 - see printing

    if isinstance(seen, Looked):
        return status_picture(seen.at, seen.pools, seen.stack)
    told = Text(seen.text, style="bold")
    return told if seen.before is None else Group(_picture(seen.before), told)
