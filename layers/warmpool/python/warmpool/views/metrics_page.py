"""Writes the table of docs/metrics.md from the catalogue: `python -m warmpool.views.metrics_page FILE [--check]`."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from warmpool.metrics import METRICS, Level, Metric

_BETWEEN: Final = re.compile(r"(?s)(<!-- metrics -->\n).*?(<!-- end -->)")
_ABOUT: Final = {
    Level.STACK: "Of the stack: dimensions `service`, `stack`",
    Level.POOL: "Of a pool: dimensions `service`, `stack`, `pool`",
    Level.REASON: "Of a pool and a reason: dimensions `service`, `stack`, `pool`, `reason`",
    Level.CAUSE: "Of a pool and a cause: dimensions `service`, `stack`, `pool`, `cause`",
}


def written(metric: Metric) -> str:
    """Say when a metric is written."""
    return f"{metric.when.value}, 1 or 0" if metric.flag else metric.when.value


def read_as(metric: Metric) -> str:
    """Name the statistics by which it is read."""
    return ", ".join(each.value for each in metric.read)


def tables() -> str:
    """Return the catalogue as Markdown, one table a level."""
    return "\n".join(line for level in Level for line in _table(level))


def _table(level: Level) -> Iterator[str]:
    yield from (f"### {_ABOUT[level]}", "", "| metric | unit | read as | written | meaning |", "|---|---|---|---|---|")
    for each in METRICS.values():
        if each.level is level:
            yield f"| `{each.name}` | {each.unit.value} | {read_as(each)} | {written(each)} | {each.about} |"
    yield ""


def with_tables(page: str) -> str:
    """Return a page with the tables between its marks. Raises ValueError where it has none."""
    if not _BETWEEN.search(page):
        raise ValueError("the page has no <!-- metrics --> ... <!-- end -->")
    return _BETWEEN.sub(lambda found: f"{found[1]}\n{tables()}{found[2]}", page)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or with `--check` say whether it is up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    before = given.file.read_text()
    after = with_tables(before)
    if not given.check:
        given.file.write_text(after)
        return 0
    if after != before:
        sys.stderr.write(f"error: {given.file} is not what warmpool/metrics.py says; run `make docs`\n")
    return int(after != before)


if __name__ == "__main__":
    raise SystemExit(main())
