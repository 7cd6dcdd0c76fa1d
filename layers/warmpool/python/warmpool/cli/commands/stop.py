"""`warmpool stop`: the switch for all pools of a stack: freeze them, drain them, or let them go on."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from warmpool.adapters.aws.operator_parameters import STOP
from warmpool.adapters.config.reader import Reader
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable
from warmpool.app.ports import Documents
from warmpool.cli.controls import composed, printable, stop_document, stop_in_a_line
from warmpool.cli.deployed import present, stop_of
from warmpool.cli.errors import CliError, Exit
from warmpool.cli.live import LiveStack, deployed_pools, open_stack
from warmpool.cli.live_options import MaybeSpecOption, RegionOption, StackOption
from warmpool.cli.options import Output, OutputOption
from warmpool.cli.printing import print_json, print_line, warn
from warmpool.cli.until import FOREVER, parse_until, until_text
from warmpool.core.limits import override_in_force, stop_in_force
from warmpool.core.spec import PoolSpec, Stop, StopMode

FreezeOption = Annotated[bool, typer.Option("--freeze", help="Write nothing any more: every pool stays as it is.")]
DrainOption = Annotated[bool, typer.Option("--drain", help="Ask for no room at once, so that idle nodes go.")]
ClearOption = Annotated[bool, typer.Option("--clear", help="Delete the switch: every pool goes on.")]
StopUntilOption = Annotated[
    str,
    typer.Option(
        "--until",
        metavar="WHEN",
        help="When it ends: 18:00 (the next one in the pools' zone, UTC where they have several), an instant with "
        "offset, or forever.",
    ),
]
StopReasonOption = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why, for whoever reads it; needed to freeze or drain.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def stop(  # noqa: PLR0913, PLR0917 - one parameter an option
    freeze: FreezeOption = False,  # noqa: FBT002 - a flag of the command line, as those below
    drain: DrainOption = False,  # noqa: FBT002
    clear: ClearOption = False,  # noqa: FBT002
    until: StopUntilOption = FOREVER,
    reason: StopReasonOption = "",
    yes: YesOption = False,  # noqa: FBT002
    spec: MaybeSpecOption = None,
    stack: StackOption = None,
    region: RegionOption = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Stop all pools of a stack at once, or let them go on.

    Running workspaces are not touched. The same in one line without this command: docs/runbook.md, "Stop everything".

    Examples:
    ```
    warmpool stop --freeze --until 18:00 --reason "incident 4711"
    warmpool stop --drain --reason "budget is spent" --stack warmpool-ml-research --yes --output json
    warmpool stop --clear
    ```

    """
    mode = _mode(freeze=freeze, drain=drain, clear=clear)
    if mode is not None and not reason:
        raise CliError("Usage", "--reason", "is missing; say why, for whoever finds the pools stopped")
    there = open_stack(stack, region, spec)
    documents = _documents(there)
    text = None if mode is None else _text(there, documents, {"mode": mode.value, "until": until, "reason": reason})
    written = None if text is None else Reader().stop(text, STOP)
    replaced = stop_in_force(stop_of(documents), there.now()) if documents else None
    switch = Switch(there=there, documents=documents, stop=written, replaced=replaced)
    for line in switch.remarks():
        warn(line)
    agreed = yes or _agreed(switch)
    done = agreed and _turn(there, text)
    _tell(switch, done=done, as_json=output is Output.JSON)
    return Exit.OK if agreed else Exit.NO


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What is about to happen. `documents` is None where they cannot be read; `stop` None clears the switch."""

    there: LiveStack
    documents: Documents | None
    stop: Stop | None
    replaced: Stop | None
    """The stop switch that was in force."""

    @property
    def pools(self) -> Mapping[str, PoolSpec | ConfigInvalid | None]:
        """The stack's pools as far as they are known."""
        return deployed_pools(self.documents) if self.documents else {}

    def question(self) -> str:
        """Ask for it in a sentence."""
        names = ", ".join(sorted(self.pools)) or "which cannot be listed"
        what = "Clear the stop switch" if self.stop is None else f"Set the stop switch to {stop_in_a_line(self.stop)}"
        return printable(f"{what} - for all pools of {self.there.name} in {self.there.region} ({names})?")

    def remarks(self) -> Iterator[str]:
        """Say what a person might overlook."""
        if self.stop is None or self.documents is None:
            return
        for name, spec in sorted(self.pools.items()):
            override = present(self.documents, spec).override if isinstance(spec, PoolSpec) else None
            paused = override_in_force(override, self.there.now())
            if self.stop.mode is StopMode.DRAIN and paused is not None and paused.pause:
                yield f"{name} is paused by an override and stays as it is: clear that to drain it"


def _mode(*, freeze: bool, drain: bool, clear: bool) -> StopMode | None:
    if freeze + drain + clear != 1:
        raise CliError("Usage", "--freeze", "expected exactly one of --freeze, --drain and --clear")
    if clear:
        return None
    return StopMode.FREEZE if freeze else StopMode.DRAIN


def _documents(there: LiveStack) -> Documents | None:
    """Read what is deployed; in an incident the switch must work without."""
    try:
        return there.documents()
    except ConfigUnreadable as error:
        warn(f"what is deployed cannot be read, so --until is read in UTC: {error}")
        return None


def _text(there: LiveStack, documents: Documents | None, keys: dict[str, str]) -> str:
    until = parse_until(keys["until"], _zone(documents), there.now())
    return composed({**keys, "until": until_text(until), "by": there.caller()})


def _zone(documents: Documents | None) -> str | None:
    """Return the zone that all pools have; None where they differ."""
    pools = deployed_pools(documents).values() if documents else ()
    zones = {each.timezone for each in pools if isinstance(each, PoolSpec)}
    return zones.pop() if len(zones) == 1 else None


def _agreed(switch: Switch) -> bool:
    if not sys.stdin.isatty():
        raise CliError("Usage", "--yes", "there is nobody to ask here; say --yes to do it without a question")
    return typer.confirm(switch.question(), err=True)


def _turn(there: LiveStack, text: str | None) -> bool:
    """Write or delete the switch; False where there was none to delete."""
    if text is None:
        return there.parameters.delete(STOP, there.budget)
    there.parameters.put(STOP, text, there.budget)
    return True


def _tell(switch: Switch, *, done: bool, as_json: bool) -> None:
    parameter = switch.there.parameters.name(STOP)
    if as_json:
        print_json(
            {
                "parameter": parameter,
                "written": done and switch.stop is not None,
                "cleared": done and switch.stop is None,
                "stop": None if switch.stop is None or not done else stop_document(switch.stop),
                "replaced": None if switch.replaced is None else stop_document(switch.replaced),
                "pools": sorted(switch.pools),
            }
        )
    elif done and switch.stop is not None:
        print_line(f"Written to {parameter} - in force with the next pass, within a minute.")
        print_line(stop_in_a_line(switch.stop))
    elif done:
        print_line(f"Deleted {parameter} - the pools go on with the next pass.")
    else:
        print_line(f"Nothing has changed at {parameter}.")
