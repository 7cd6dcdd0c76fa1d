"""`warmpool override`: a pool's limits at run time, from operators: set, show, clear, or only check."""

import re
from typing import Annotated, Any, Final

import typer

from warmpool.adapters.aws.operator_parameters import override_of
from warmpool.adapters.config.reader import Reader
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable
from warmpool.app.overrides import check_first_seen, limits_in_force
from warmpool.cli.controls import LIMIT_COLUMNS, composed, limit_cells, limits_document
from warmpool.cli.deployed import DeployedPool, deployed_pool
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import choose_pool, instant_or_now, read_file, spec_of
from warmpool.cli.live import LiveStack, open_stack
from warmpool.cli.live_options import MaybeSpecOption, ReasonOption, RegionOption, StackOption, UntilOption
from warmpool.cli.options import AtOption, Output, OutputOption, PoolOption, SpecOption
from warmpool.cli.overriding import Change, print_change, print_shown, shown
from warmpool.cli.printing import print_json, print_line, print_table, warn
from warmpool.cli.until import parse_until, until_text
from warmpool.core.spec import Override, PoolSpec

_HELP: Final = """Change a pool's limits at run time, without a deployment; it ends by itself.

An override is a parameter in SSM that operators own, never CDK. It is as strict as the spec: what does not validate is
not written here, and the controller rejects it whole and keeps the last good one.

Examples:
```
warmpool override set --pool spaces-cpu --max 12 --until 18:00 --reason "exam"
warmpool override show --stack warmpool-ml-research --output json
warmpool override clear --pool spaces-cpu
warmpool override check -f pools.yaml --pool spaces-cpu --override override.json --at 2026-12-14T08:00:00Z -o json
```
"""
_WHOLE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)


def _whole(text: str) -> int:
    """Read a number as strictly as the document's: `1.0` and `1_0` are none."""
    if _WHOLE.fullmatch(text) is None:
        raise typer.BadParameter(f"{text!r} is no whole number, 0 or more")
    return int(text)


def _count(name: str, meaning: str) -> Any:
    return typer.Option(name, metavar="NODES", parser=_whole, help=f"{meaning} A whole number, 0 or more.")


MinOption = Annotated[int | None, _count("--min", "Instead of the min in force.")]
MaxOption = Annotated[int | None, _count("--max", "Instead of the max in force.")]
TargetOption = Annotated[int | None, _count("--target", "A pin: exactly this much room.")]
PauseOption = Annotated[bool, typer.Option("--pause", help="Write nothing for this pool: leave it as it is.")]
DocumentOption = Annotated[
    str, typer.Option("--override", metavar="FILE", help="The override, JSON as in the parameter, or - for stdin.")
]

override = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode="markdown")


@override.command("set")
def set_(  # noqa: PLR0913, PLR0917 - one parameter an option
    until: UntilOption,
    reason: ReasonOption,
    pool: PoolOption = None,
    minimum: MinOption = None,
    maximum: MaxOption = None,
    target: TargetOption = None,
    pause: PauseOption = False,  # noqa: FBT002 - a flag of the command line
    spec: MaybeSpecOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Write a pool's override, and show what is in force with it; an override that is there is replaced.

    Examples:
    ```
    warmpool override set --pool spaces-cpu --max 12 --until 18:00 --reason "exam"
    warmpool override set --pool spaces-cpu --target 6 --until 2026-12-14T12:00+01:00 --reason "workshop" -f pools.yaml
    warmpool override set --pool spaces-cpu --pause --until forever --reason "node group is being rebuilt"
    ```

    """
    there = open_stack(stack, region, spec)
    deployed = deployed_pool(there, pool)
    now = there.now()
    keys: dict[str, Any] = {
        "min": minimum,
        "max": maximum,
        "target": target,
        "pause": pause or None,
        "until": until_text(parse_until(until, deployed.spec.timezone, now)),
        "reason": reason,
    }
    text = composed({**keys, "by": there.caller()})
    name = deployed.spec.name
    written = _read(text, deployed.spec)
    there.parameters.put(override_of(name), text, there.budget)
    parameter = there.parameters.name(override_of(name))
    change = Change(pool=name, parameter=parameter, now=now, deployed=deployed, override=written)
    print_change(change, as_json=output is Output.JSON)


@override.command()
def clear(
    pool: PoolOption = None,
    spec: MaybeSpecOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Delete a pool's override: it ends with the next pass.

    Example:
    ```
    warmpool override clear --pool spaces-cpu --stack warmpool-ml-research
    ```

    """
    there = open_stack(stack, region, spec)
    deployed = _deployed_if_known(there, pool)
    name = deployed.spec.name if deployed else pool or ""
    cleared = there.parameters.delete(override_of(name), there.budget)
    change = Change(
        pool=name, parameter=there.parameters.name(override_of(name)), now=there.now(), deployed=deployed, done=cleared
    )
    print_change(change, as_json=output is Output.JSON)


@override.command()
def show(
    pool: PoolOption = None,
    spec: MaybeSpecOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show every pool's override: its text, whether it is good, until when, by whom and why.

    `warmpool status` tells what the controller has made of it.

    Example:
    ```
    warmpool override show --stack warmpool-ml-research
    ```

    """
    there = open_stack(stack, region, spec)
    print_shown(shown(there, pool), as_json=output is Output.JSON)


@override.command()
def check(
    spec: SpecOption,
    document: DocumentOption,
    pool: PoolOption = None,
    at: AtOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Say what would be in force with an override, without AWS; one that would be rejected is an error.

    Example:
    ```
    warmpool override check -f pools.yaml --pool spaces-cpu --override override.json --at 2026-12-14T08:00:00Z -o json
    ```

    """
    chosen, now = choose_pool(spec_of(spec), pool), instant_or_now(at)
    read = _read(_text(document), chosen)
    check_first_seen(read, now, override_of(chosen.name))
    limits = limits_in_force(chosen, now, read)
    if output is Output.JSON:
        print_json(limits_document(limits, read))
        return
    print_table(f"{chosen.name} with this override", LIMIT_COLUMNS, [limit_cells(limits)], right=LIMIT_COLUMNS[:3])
    for reason in limits.reasons:
        print_line(f"{reason.code.value}: {reason.text}")


def _read(text: str, pool: PoolSpec) -> Override:
    """Decode an override as the controller will. Raises ConfigInvalid."""
    try:
        return Reader().override(text, pool, override_of(pool.name))
    except ConfigInvalid as error:
        # A document that is wrong as a whole has no path of its own.
        raise ConfigInvalid(error.path or "$", error.message, source=error.source) from error


def _text(document: str) -> str:
    try:
        return read_file(document, "--override").decode()
    except UnicodeDecodeError as error:
        raise ConfigInvalid("$", f"is not UTF-8 ({error.reason} at byte {error.start}); expected JSON") from error


def _deployed_if_known(there: LiveStack, pool: str | None) -> DeployedPool | None:
    """Find the pool; one that is named is cleared even where nothing else is known of it."""
    try:
        return deployed_pool(there, pool)
    except (CliError, ConfigUnreadable) as error:
        if pool is None:
            raise
        warn(str(error))
        return None
