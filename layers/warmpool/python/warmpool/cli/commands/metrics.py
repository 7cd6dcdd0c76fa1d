"""`warmpool metrics`: every metric with its meaning, and what a stack's metrics cost a month."""

from pathlib import Path
from typing import Annotated

import typer

from warmpool.cli.errors import CliError
from warmpool.cli.options import Output, OutputOption

LogOption = Annotated[
    str | None,
    typer.Option("--log", metavar="FILE", help="Reckon the cost from the function's log (EMF lines), or - for stdin."),
]
DemoOption = Annotated[
    bool,
    typer.Option("--demo", help="Reckon it from a day that is played on the embedded cluster, which takes a minute."),
]
TemplateOption = Annotated[
    Path | None,
    typer.Option(
        "--template", metavar="FILE", help="With --log or --demo: reckon alarms and dashboard of this template too."
    ),
]
StackInLogOption = Annotated[
    str | None, typer.Option("--stack", metavar="NAME", help="Which stack, where the log holds several.")
]


def metrics(
    log: LogOption = None,
    demo: DemoOption = False,  # noqa: FBT002 - a flag of the command line
    template: TemplateOption = None,
    stack: StackInLogOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """List the metrics; with --log or --demo reckon what CloudWatch charges a month for those really written.

    Prices are the list prices of us-east-1 without the free tier.

    Examples:
    ```
    warmpool metrics
    warmpool metrics --demo --template cdk.out/warmpool-ml-research.template.json
    aws logs tail LOG_GROUP --since 1d | warmpool metrics --log - --output json
    ```

    """
    if log is not None and demo:
        raise CliError("Usage", "--demo", "give either --log or --demo, not both")
    if template is not None and log is None and not demo:
        raise CliError("Usage", "--template", "tells nothing of what is written: give --log or --demo too")
    # The table library and what it all is reckoned with are slow to import.
    from warmpool.cli.metering import cost_of, show_catalogue, show_cost  # noqa: PLC0415

    as_json = output is Output.JSON
    if log is None and not demo:
        show_catalogue(as_json=as_json)
        return
    from warmpool.cli.progress import bars  # noqa: PLC0415 - as above

    with bars() as progress:
        cost = cost_of(log, template, stack, progress)
    show_cost(cost, as_json=as_json)
