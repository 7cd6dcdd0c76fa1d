"""Simulated runs on the terminal, as JSON and as an HTML report."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warmpool.cli.errors import CliError
from warmpool.cli.instants import instant_text
from warmpool.cli.options import Output
from warmpool.cli.printing import print_json, print_line, print_table
from warmpool.sim.outcome import Run, run_document
from warmpool.sim.report import COLUMNS, Story, summary_row, write_report
from warmpool.sim.scenes import Scene


def show_runs(scene: Scene, story: Story, runs: Sequence[Run], *, html: Path | None, output: Output) -> None:
    """Print the runs and write the report where one is asked for. Raises CliError where it cannot be written."""
    written = None if html is None else _write(html, story, runs)
    if output is Output.JSON:
        print_json(_document(scene, runs, written))
        return
    # One row a number: ten columns would not fit a terminal of 80.
    names, *numbers = zip(COLUMNS, *(summary_row(run) for run in runs), strict=True)
    print_table(story.title, names, numbers, right=names[1:])
    for heading, text in story.assumptions.items():
        print_line(f"{heading}: {text}")
    if written is not None:
        print_line(f"Report: {written}", bold=True)


def _write(path: Path, story: Story, runs: Sequence[Run]) -> Path:
    try:
        return write_report(path, story, runs)
    except OSError as error:
        raise CliError("FileUnwritable", "--html", f"cannot write {str(path)!r}: {error.strerror}") from error


def _document(scene: Scene, runs: Sequence[Run], written: Path | None) -> dict[str, Any]:
    return {
        "trace": scene.trace.name,
        "from": instant_text(scene.start),
        "to": instant_text(scene.end),
        "seed": scene.seed,
        "runs": [run_document(run) for run in runs],
        "report": None if written is None else str(written),
    }
