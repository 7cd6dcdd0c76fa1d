"""`warmpool status`: whether the warm promise is kept right now, and if not what is wrong and what to do."""

from typing import Annotated

import typer

from warmpool.app.status import statuses
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import choose_pools, instant_or_now, load_snapshot, spec_of
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption
from warmpool.cli.options import AtOption, Output, OutputOption, PoolOption
from warmpool.cli.printing import print_json
from warmpool.cli.statuses import exit_code, print_status, snapshot_lives, status_document

MaybeSnapshotOption = Annotated[
    str | None,
    typer.Option(
        "--snapshot",
        "-s",
        metavar="FILE",
        help="What kubectl get ... -o json printed (plain or gzip'ed), or - for stdin. Default: the running stack.",
    ),
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


def status(  # noqa: PLR0913, PLR0917 - one parameter an option
    spec: MaybeSpecOption = None,
    snapshot: MaybeSnapshotOption = None,
    pool: PoolOption = None,
    at: AtOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    table: TableOption = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Say of every pool whether usable warm room covers the need, what is in force, and what is wrong.

    Without --snapshot it reads the running stack with your own AWS identity: parameters, ledger and cluster. What you
    may not read is said, and the rest is still told. Exit code: 0 kept, 1 not kept or not known, 2 an error.

    Examples:
    ```
    warmpool status --stack warmpool-ml-research
    kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json | warmpool status -f pools.yaml -s - -o json
    ```

    """
    if snapshot is not None:
        return _of_snapshot((spec, snapshot, at), pool, as_json=output is Output.JSON)
    if at is not None:
        raise CliError("Usage", "--at", "goes with --snapshot: a running stack is looked at as it is now")
    # The AWS and Kubernetes libraries take longer to import than a snapshot to judge.
    from warmpool.cli.live import open_stack  # noqa: PLC0415
    from warmpool.cli.live_look import look  # noqa: PLC0415

    seen = look(open_stack(stack, region, spec), table)
    chosen = tuple(each for each in seen.pools if pool in {None, each.status.pool})
    if not chosen:
        raise CliError("UnknownPool", "--pool", f"{pool!r} is not deployed")
    if output is Output.JSON:
        print_json(status_document(seen.at, chosen, seen))
    else:
        print_status(seen.at, chosen, seen)
    return exit_code(chosen)


def _of_snapshot(files: tuple[str | None, str, str | None], pool: str | None, *, as_json: bool) -> int:
    spec_file, snapshot_file, at = files
    if spec_file is None:
        raise CliError("Usage", "--spec", "is missing; a snapshot is judged by a spec")
    spec, now = spec_of(spec_file), instant_or_now(at)
    chosen = {each.name for each in choose_pools(spec, pool)}
    found = statuses(spec, load_snapshot(snapshot_file), now)
    pools = snapshot_lives(each for each in found if each.pool in chosen)
    if as_json:
        print_json(status_document(now, pools, None))
    else:
        print_status(now, pools, None)
    return exit_code(pools)
