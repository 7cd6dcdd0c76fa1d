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
TemplateOption = Annotated[
    Path | None,
    typer.Option("--template", metavar="FILE", help="With --log: reckon the alarms of this synthesised template too."),
]


def metrics(
    log: LogOption = None,
    template: TemplateOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """List the metrics; with --log reckon what CloudWatch charges a month for those really written.

    Prices are the list prices of us-east-1 without the free tier.

    Examples:
    ```
    warmpool metrics
    warmpool metrics --log build/demo/reconcile.log --template cdk.out/warmpool-ml-research.template.json
    aws logs tail LOG_GROUP --since 1d | warmpool metrics --log - --output json
    ```

    """
    if template is not None and log is None:
        raise CliError("Usage", "--template", "only with --log, which tells what is written: give both")
    from warmpool.cli.metering import from_log, show_catalogue, show_cost  # noqa: PLC0415 - the table library is slow

    as_json = output is Output.JSON
    if log is None:
        show_catalogue(as_json=as_json)
        return
    from warmpool.cli.progress import bars  # noqa: PLC0415 - as above

    with bars() as progress:
        cost = from_log(log, template, progress)
    show_cost(cost, as_json=as_json)
