"""`warmpool status`: whether the warm promise is kept right now, and if not what is wrong and what to do."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Annotated, Final

import typer

from warmpool.app.status import statuses
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import STDIN, choose_pools, instant_or_now, load_snapshot, spec_of
from warmpool.cli.instants import parse_duration
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption, TableOption
from warmpool.cli.options import AtOption, Output, OutputOption, PoolOption
from warmpool.cli.printing import print_json
from warmpool.cli.statuses import exit_code, print_status, snapshot_lives, status_document
from warmpool.cli.watching import Looked
from warmpool.cli.watching import watch as watch_looks

Look = Callable[[], Looked]

MaybeSnapshotOption = Annotated[
    str | None,
    typer.Option(
        "--snapshot",
        "-s",
        metavar="FILE",
        help="What kubectl get ... -o json printed (plain or gzip'ed), or - for stdin. Default: the running stack.",
    ),
]


WatchOption = Annotated[
    bool, typer.Option("--watch", help="Look again and again until Ctrl-C; with JSON, one document a line.")
]
EveryOption = Annotated[
    str | None, typer.Option("--every", metavar="DURATION", help="How often --watch looks. Default: 10s.")
]
_EVERY: Final = timedelta(seconds=10)
_LEAST: Final = timedelta(seconds=1)


def status(  # noqa: PLR0913, PLR0917 - one parameter an option
    spec: MaybeSpecOption = None,
    snapshot: MaybeSnapshotOption = None,
    pool: PoolOption = None,
    at: AtOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    table: TableOption = None,
    watch: WatchOption = False,  # noqa: FBT002 - a flag of the command line
    every: EveryOption = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Say of every pool whether usable warm room covers the need, what is in force, and what is wrong.

    Without --snapshot it reads the running stack with your own AWS identity: parameters, ledger and cluster. What you
    may not read is said, and the rest is still told. Exit code: 0 kept, 1 not kept or not known, 2 an error; with
    --watch that of the last look.

    Examples:
    ```
    warmpool status --stack warmpool-ml-research
    warmpool status --stack warmpool-ml-research --watch --every 30s
    kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json | warmpool status -f pools.yaml -s - -o json
    ```

    """
    pace, as_json = _pace(every, watch=watch), output is Output.JSON
    if snapshot is None:
        if at is not None:
            raise CliError("Usage", "--at", "goes with --snapshot: a running stack is looked at as it is now")
        look = _stack_look((stack, region, spec), table, pool)
    else:
        if watch and snapshot == STDIN:
            raise CliError("Usage", "--watch", "cannot look at stdin again; give a file that is written anew")
        look = partial(_snapshot_look, (spec, snapshot, at), pool)
    if watch:
        return watch_looks(look, pace, as_json=as_json)
    seen = look()
    if as_json:
        print_json(status_document(seen.at, seen.pools, seen.stack))
    else:
        print_status(seen.at, seen.pools, seen.stack)
    return exit_code(seen.pools)


def _pace(every: str | None, *, watch: bool) -> timedelta:
    if every is None:
        return _EVERY
    if not watch:
        raise CliError("Usage", "--every", "goes with --watch")
    pace = parse_duration(every, "--every")
    if pace < _LEAST:
        raise CliError("Usage", "--every", f"got {every}; expected at least 1s")
    return pace


def _stack_look(named: tuple[str | None, str | None, str | None], table: str | None, pool: str | None) -> Look:
    # The AWS and Kubernetes libraries take longer to import than a snapshot to judge.
    from warmpool.cli.live import open_stack  # noqa: PLC0415
    from warmpool.cli.live_look import look  # noqa: PLC0415

    there = open_stack(*named)

    def looked() -> Looked:
        # A copy has a time limit of its own.
        seen = look(replace(there), table)
        chosen = tuple(each for each in seen.pools if pool in {None, each.status.pool})
        if not chosen:
            raise CliError("UnknownPool", "--pool", f"{pool!r} is not deployed")
        return Looked(at=seen.at, pools=chosen, stack=seen)

    return looked


def _snapshot_look(files: tuple[str | None, str, str | None], pool: str | None) -> Looked:
    spec_file, snapshot_file, at = files
    if spec_file is None:
        raise CliError("Usage", "--spec", "is missing; a snapshot is judged by a spec")
    spec, now = spec_of(spec_file), instant_or_now(at)
    chosen = {each.name for each in choose_pools(spec, pool)}
    found = statuses(spec, load_snapshot(snapshot_file), now)
    return Looked(at=now, pools=snapshot_lives(each for each in found if each.pool in chosen))
