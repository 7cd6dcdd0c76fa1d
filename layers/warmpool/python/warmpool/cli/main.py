"""The `warmpool` command (also `kubectl warmpool`): finds the command, runs it, and turns errors into exit codes."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

import typer

from warmpool.app.errors import WarmpoolError
from warmpool.cli import commands
from warmpool.cli.errors import CliError, Exit, as_cli_error, report, wants_json

_FIRST: Final = ("demo", "plan", "explain", "calendar", "simulate")
"""What a newcomer needs, in that order; the others follow by name."""


def _found() -> tuple[str, ...]:
    names = {each.name for each in iter_modules(commands.__path__)}
    return (*_FIRST, *sorted(names - set(_FIRST)))


COMMANDS: Final = _found()
"""Each is a module of `warmpool.cli.commands` with a function, or a Typer of subcommands, of the same name."""

_HELP: Final = """Keeps the right number of warm nodes for SageMaker HyperPod Spaces.

Start with `warmpool demo`. To see what would be decided for a cluster of yours:

```
kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json | warmpool plan --spec pools.yaml --snapshot -
```

Exit codes: 0 done, 1 done and the answer is no, 2 an error (with `--output json` as JSON on stdout).
"""
_KUBECTL_PLUGIN: Final = "kubectl-warmpool"
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; the entry point of the `warmpool` script."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(words)
    except typer.TyperException as error:
        return report(_usage_error(error), as_json=wants_json(words))
    except WarmpoolError as error:
        return report(as_cli_error(error), as_json=wants_json(words))
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing is wrong, and nobody reads a message about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK


def build(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """Assemble the application from the named commands."""
    names_of_help = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(help=_HELP, add_completion=False, rich_markup_mode="markdown", context_settings=names_of_help)
    app.callback(invoke_without_command=True)(_start)
    for name in names:
        command = getattr(import_module(f"{commands.__name__}.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _run(words: Sequence[str]) -> int:
    # Only the command that is asked for is imported, so that `plan` starts fast; help and mistakes load them all.
    first = words[0] if words else ""
    app = build((first,) if first in COMMANDS else COMMANDS)
    result = typer.main.get_command(app).main(list(words), prog_name=_program_name(), standalone_mode=False)
    sys.stdout.flush()
    return int(result or Exit.OK)


def _start(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def _program_name() -> str:
    # kubectl finds a plugin by its file name and people type it with a space.
    return "kubectl warmpool" if Path(sys.argv[0]).name.startswith(_KUBECTL_PLUGIN) else "warmpool"


def _usage_error(error: typer.TyperException) -> CliError:
    option = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    if option is None and parameter is not None:
        option = next((name for name in parameter.opts if name.startswith("--")), parameter.name)
    return CliError("Usage", option or "", f"{error.format_message()} (warmpool --help shows what there is)")
