"""`warmpool schema`: the JSON Schema of the configuration, for editors and for checks before a commit."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from warmpool.adapters.config.schema import schema as schema_of
from warmpool.cli.options import Output
from warmpool.cli.printing import print_json, print_table

_COLUMNS: Final = ("part", "key", "default", "meaning")


class Document(StrEnum):
    """What can be configured."""

    SPEC = "spec"
    OVERRIDE = "override"
    STOP = "stop"


def schema(
    document: Annotated[Document, typer.Argument(help="Of which document.")] = Document.SPEC,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="The JSON Schema itself, or a table of all keys for people.")
    ] = Output.JSON,
) -> None:
    """Print the JSON Schema of the spec, of an override or of the stop switch.

    Examples:
    ```
    warmpool schema > pools.schema.json
    warmpool schema override --output table
    ```

    """
    made = schema_of(document.value)
    if output is Output.JSON:
        print_json(made)
    else:
        print_table(made["title"], _COLUMNS, _rows(made))


def _rows(made: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for name, part in made["$defs"].items():
        for key, value in part.get("properties", {}).items():
            needed = "required" if key in part.get("required", ()) else ""
            default = str(value["default"]) if "default" in value else needed
            yield name.removesuffix("Document"), key, default, value.get("description", "")
