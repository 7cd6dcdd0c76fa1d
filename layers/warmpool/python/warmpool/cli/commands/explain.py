"""`warmpool explain`: a decision in words, with its arithmetic: of a snapshot, or what was decided at an instant."""

from collections.abc import Iterable
from typing import Annotated, Final

import typer

from warmpool.cli.controls import printable
from warmpool.cli.documents import decision_document
from warmpool.cli.errors import CliError
from warmpool.cli.explaining import Section, explain_decision
from warmpool.cli.explaining_kept import KeptAnswer, answer_at, answer_document
from warmpool.cli.histories import FileOption, Place, open_history
from warmpool.cli.instants import instant_text, parse_instant
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption, TableOption
from warmpool.cli.options import Output, OutputOption, PoolOption
from warmpool.cli.previewing import inputs_of_one
from warmpool.cli.printing import print_json, print_line
from warmpool.core.assess import assess
from warmpool.core.decide import preview

_KEPT: Final = "what the stack's ledger keeps"

ExplainedSnapshotOption = Annotated[
    str | None,
    typer.Option(
        "--snapshot",
        "-s",
        metavar="FILE",
        help=f"What kubectl get ... -o json printed (plain or gzip'ed), or - for stdin. Default: {_KEPT}.",
    ),
]
ExplainedAtOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="INSTANT",
        help="With --snapshot: decide as of this instant. Without: tell what was decided then. Default: now.",
    ),
]


def explain(  # noqa: PLR0913, PLR0917 - one parameter an option
    spec: MaybeSpecOption = None,
    snapshot: ExplainedSnapshotOption = None,
    pool: PoolOption = None,
    at: ExplainedAtOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    table: TableOption = None,
    file: FileOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Tell in words what is there, what is wanted and why, and what would go first.

    With --snapshot it decides for that. Without, it tells what a running stack decided at an instant, as the ledger
    keeps it for 30 days, and what the launches of the hour around it found: "why was Monday 9:00 cold?"

    Examples:
    ```
    warmpool explain -f pools.yaml -s cluster.json
    kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json | warmpool explain -f pools.yaml -s -
    warmpool explain --stack warmpool-ml-research --pool spaces-cpu --at 2026-12-14T09:00+01:00
    warmpool explain --file history.jsonl --at 2026-12-14T09:00+01:00
    ```

    """
    if snapshot is not None:
        _of_snapshot((spec, snapshot, at, file), pool, as_json=output is Output.JSON)
        return
    asked = None if at is None else parse_instant(at, "--at")
    opened = open_history(Place(file=file, spec=spec, stack=stack, region=region, table=table))
    name = opened.pool(pool)
    answer = answer_at(opened, name, opened.until(name, asked))
    if output is Output.JSON:
        print_json(answer_document(answer))
    else:
        _print(_headline(answer), answer.sections)


def _of_snapshot(files: tuple[str | None, str, str | None, str | None], pool: str | None, *, as_json: bool) -> None:
    spec, snapshot, at, file = files
    if spec is None:
        raise CliError("Usage", "--spec", "is missing; a snapshot is explained by a spec")
    if file is not None:
        raise CliError("Usage", "--file", "does not go with --snapshot: explain either what is there or what was kept")
    inputs = inputs_of_one(spec, snapshot, pool, at)
    decision = preview(inputs)
    sections = explain_decision(inputs, assess(inputs), decision)
    if as_json:
        told = [{"heading": each.heading, "lines": list(each.lines)} for each in sections]
        print_json({**decision_document(decision), "explanation": told})
        return
    _print(f"Pool {decision.pool} as of {instant_text(decision.at)}", sections)


def _headline(answer: KeptAnswer) -> str:
    decision = answer.kept.decision
    until = "no later change is kept" if answer.next_at is None else f"it held until {instant_text(answer.next_at)}"
    numbers = "" if answer.at == decision.at else " (numbers are of then; later passes came to the same answer)"
    decided = f"decided at {instant_text(decision.at)}{numbers}"
    return f"Pool {decision.pool} at {instant_text(answer.at)}: {decided}; {until}"


def _print(headline: str, sections: Iterable[Section]) -> None:
    print_line(headline, bold=True)
    for section in sections:
        print_line()
        print_line(section.heading, bold=True)
        for line in section.lines:
            print_line(f"  {printable(line)}")
