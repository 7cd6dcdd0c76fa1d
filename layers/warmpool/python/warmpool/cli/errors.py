"""What the command line says when it cannot do what it was asked: one shape, on one stream."""

import json
import sys
from collections.abc import Sequence
from enum import IntEnum

from warmpool.app.errors import ConfigInvalid, WarmpoolError


class Exit(IntEnum):
    """Exit codes: done, done with the answer "no", could not be done."""

    OK = 0
    NO = 1
    ERROR = 2


class CliError(WarmpoolError):
    """An error with a code for scripts, the path of what is wrong (option, file or key) and a sentence."""

    def __init__(self, code: str, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.code = code
        self.path = path
        self.message = message


def as_cli_error(error: WarmpoolError) -> CliError:
    """Give any of our own errors the shape that scripts read."""
    if isinstance(error, CliError):
        return error
    if isinstance(error, ConfigInvalid):
        message = f"{error.source}: {error.message}" if error.source else error.message
        return CliError("ConfigInvalid", error.path, message)
    return CliError(type(error).__name__, "", str(error))


def error_document(error: CliError) -> dict[str, dict[str, str]]:
    """Write an error as scripts read it."""
    return {"error": {"code": error.code, "path": error.path, "message": error.message}}


def report(error: CliError, *, as_json: bool) -> int:
    """Say what is wrong, as the whole of stdout in JSON or as a line on stderr, and return the exit code."""
    if as_json:
        sys.stdout.write(json.dumps(error_document(error), indent=2) + "\n")
    else:
        sys.stderr.write(f"error: {error}\n")
    return Exit.ERROR


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether the command line asks for JSON, even where the rest of it cannot be parsed."""
    asked = False
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument in {"--output", "-o"}:
            asked = arguments[position + 1 : position + 2] == ["json"]
        elif argument.startswith(("--output=", "-o")):
            asked = argument in {"--output=json", "-ojson"}
    return asked
