"""Options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer


class Output(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


OutputOption = Annotated[
    Output, typer.Option("--output", "-o", help="A table for people, or JSON for scripts (errors too).")
]
SpecOption = Annotated[str, typer.Option("--spec", "-f", metavar="FILE", help="The pools' spec, a YAML file.")]
PoolOption = Annotated[
    str | None, typer.Option("--pool", "-p", metavar="NAME", help="Which pool; not needed where the spec has just one.")
]
SnapshotOption = Annotated[
    str,
    typer.Option(
        "--snapshot",
        "-s",
        metavar="FILE",
        help="What kubectl get ... -o json printed (plain or gzip'ed), or - for stdin.",
    ),
]
AtOption = Annotated[
    str | None,
    typer.Option("--at", metavar="INSTANT", help="Decide as of this instant, e.g. 2026-12-01T08:00:00Z. Default: now."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random: same seed, same numbers.")]
