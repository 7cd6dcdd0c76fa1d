"""`warmpool report`: whether the promise was kept and what it cost, as an HTML page from what was measured."""

from pathlib import Path
from typing import Annotated, Final

import typer

from warmpool.cli.errors import CliError
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption
from warmpool.cli.options import Output, OutputOption

_MOST_DAYS: Final = 455
"""So long CloudWatch keeps metrics."""

LogOption = Annotated[
    str | None,
    typer.Option(
        "--log", metavar="FILE", help="Read the functions' log (EMF lines), or - for stdin, in place of CloudWatch."
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option("--from", metavar="WHEN", help="Where to begin: an instant with offset, or a day. See --days."),
]
ToOption = Annotated[
    str | None, typer.Option("--to", metavar="WHEN", help="Where to end. Default: now; with --log, where that ends.")
]
DaysOption = Annotated[
    int | None,
    typer.Option(
        "--days", min=1, max=_MOST_DAYS, help="So many days until --to. Default: 7; with --log, all that is in it."
    ),
]
ManyPoolsOption = Annotated[
    list[str] | None,
    typer.Option("--pool", "-p", metavar="NAME", help="Only this pool; may be repeated. Default: all."),
]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Where the HTML page goes. Default: only the numbers.")
]


def report(  # noqa: PLR0913, PLR0917 - one parameter an option
    stack: StackOption = None,
    region: RegionOption = None,
    spec: MaybeSpecOption = None,
    log: LogOption = None,
    start: FromOption = None,
    end: ToOption = None,
    days: DaysOption = None,
    pool: ManyPoolsOption = None,
    out: OutOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Say whether the promise was kept, how long people waited and what idle nodes cost; the dashboard as a page.

    It reads CloudWatch with your own identity, or a log. What was not measured is "no data", never 0.

    Examples:
    ```
    warmpool report --stack warmpool-ml-research --days 30 --out report.html
    warmpool report --log build/demo/reconcile.log --out report.html
    aws logs tail LOG_GROUP --since 1d | warmpool report --log - --output json
    ```

    """
    if start is not None and days is not None:
        raise CliError("Usage", "--days", "give either --days or --from, not both")
    # Drawing takes a second to import; a mistake in the options should not wait for it.
    from warmpool.cli.progress import bars  # noqa: PLC0415
    from warmpool.cli.reporting import Asked, from_cloudwatch, from_log, show  # noqa: PLC0415

    asked = Asked(stack=stack, region=region, spec=spec, start=start, end=end, days=days, pools=tuple(pool or ()))
    with bars() as progress:
        measured = from_cloudwatch(asked, progress) if log is None else from_log(log, asked, progress)
        show(measured, out=out, as_json=output is Output.JSON, progress=progress)
