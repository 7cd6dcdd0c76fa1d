"""Progress bars on stderr, one a run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from warmpool.cli.printing import progress_console

_REDRAWN_PER_SECOND: Final = 2
_LEAST_STEP: Final = 0.005


@contextmanager
def bars() -> Iterator[Callable[[str, float], None]]:
    """Give a function that takes a run's name and the share that is done; a new name begins a new bar."""
    # A bar that is drawn more often than eyes follow takes time from what it waits for.
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(
        *columns,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=progress_console(),
        refresh_per_second=_REDRAWN_PER_SECOND,
    ) as progress:
        tasks: dict[str, TaskID] = {}
        shown: dict[str, float] = {}

        def show(name: str, share: float) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=1.0)
            elif share < min(1.0, shown[name] + _LEAST_STEP):
                return
            shown[name] = share
            progress.update(tasks[name], completed=share)

        yield show
