"""Options of the commands that talk to a deployed stack."""

from typing import Annotated

import typer

StackOption = Annotated[
    str | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        envvar="WARMPOOL_STACK",
        help="The deployed stack. Default: the one that the --spec's cluster has.",
    ),
]
RegionOption = Annotated[
    str | None,
    typer.Option(
        "--region",
        metavar="REGION",
        envvar=["AWS_REGION", "AWS_DEFAULT_REGION"],
        help="The stack's AWS region. Default: your profile's.",
    ),
]
MaybeSpecOption = Annotated[
    str | None,
    typer.Option("--spec", "-f", metavar="FILE", help="The pools' spec, a YAML file; it tells which stack is meant."),
]
TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        envvar="WARMPOOL_TABLE",
        help="The ledger's DynamoDB table. Default: the stack's output LedgerTable.",
    ),
]
UntilOption = Annotated[
    str,
    typer.Option(
        "--until",
        metavar="WHEN",
        help="When it ends: 18:00 (the next one in the pool's zone, else UTC), an instant with offset, or forever.",
    ),
]
ReasonOption = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for whoever reads it.")]
