"""`warmpool demo`: one real day of launches, with the real Lambda handler, on this machine alone."""

from datetime import date
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, BinaryIO, Final, TextIO

import typer

from warmpool.cli.errors import CliError
from warmpool.cli.options import Output, OutputOption, SeedOption
from warmpool.cli.printing import print_line
from warmpool.sim.sessions import DEFAULT_SEED

_REPORT: Final = "build/demo/report.html"
_LOG: Final = "reconcile.log"
_HISTORY: Final = "history.jsonl"


def demo(
    day: Annotated[
        str | None,
        typer.Option("--day", metavar="DAY", help="A day from 2019-01-14 to 2019-01-20. Default: the busiest of them."),
    ] = None,
    seed: SeedOption = DEFAULT_SEED,
    html: Annotated[Path, typer.Option("--html", metavar="FILE", help="Where the report goes.")] = Path(_REPORT),
    output: OutputOption = Output.TABLE,
) -> None:
    """Keep a pool warm through a real day of launches, and compare with two ways of today.

    The Lambda handler runs unchanged: ticks through the queue, HTTPS to an embedded cluster, AWS by moto. It needs no
    account, no cluster and no network. Beside it the same day with cluster-proportional-autoscaler and a fixed pool.

    Examples:
    ```
    warmpool demo
    warmpool demo --day 2019-01-19 --html /tmp/saturday.html --output json
    ```

    """
    # moto, matplotlib and the simulator take seconds to import; other commands need none of them.
    from warmpool.cli.progress import bars  # noqa: PLC0415
    from warmpool.cli.runs import show_runs  # noqa: PLC0415
    from warmpool.sim.demo import demo_scene, run_demo  # noqa: PLC0415

    scene = demo_scene(None if day is None else _day(day), seed)
    log_file, history_file = html.with_name(_LOG), html.with_name(_HISTORY)
    with _log_file(log_file) as log, _opened(history_file) as history, bars() as progress:
        result = run_demo(scene, log, progress, history)
    show_runs(scene, result.story, result.runs, html=html, output=output)
    if output is Output.TABLE:
        print_line(f"The handler's log and metrics: {log_file.resolve()}")
        print_line(f"Its decisions and launches, for warmpool history, explain and replay: {history_file.resolve()}")


def _log_file(path: Path) -> TextIO:
    return TextIOWrapper(_opened(path), encoding="utf-8")


def _opened(path: Path) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")
    except OSError as error:
        raise CliError("FileUnwritable", "--html", f"cannot write {str(path)!r}: {error.strerror}") from error


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CliError("Usage", "--day", f"{text!r} is no day; expected for instance 2019-01-16") from error
