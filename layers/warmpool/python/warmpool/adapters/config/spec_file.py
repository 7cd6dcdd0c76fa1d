"""The spec file, YAML or JSON: what infra deploys and the command line reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from warmpool.adapters.config.amounts import Number
from warmpool.adapters.config.problems import Problem, reject
from warmpool.adapters.config.raw import read_json
from warmpool.adapters.config.reader import LONGEST, build_spec
from warmpool.adapters.config.scalar import Path as Keys
from warmpool.app.errors import ConfigUnreadable
from warmpool.core.lint import Lint, lints
from warmpool.core.spec import Spec

_LONGEST_FILE: Final = 1024 * 1024
_SHARED: Final = ("cluster", "timezone", "maxHourlyCost")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSpec:
    """A spec, with its lints and what CDK writes to the parameter store: each pool's copy, of the file's own format."""

    spec: Spec
    runtime_documents: Mapping[str, str]
    lints: tuple[Lint, ...]


def load_spec_file(source: Path | str, *, name: str = "") -> LoadedSpec:
    """Read and check a spec: a Path is a file (`.json` is read as JSON), a str is the YAML text itself.

    Raises ConfigInvalid with path, value, what was expected and, in YAML, the line; ConfigUnreadable where there is no
    such file.
    """
    text = _read(source) if isinstance(source, Path) else source
    shown = name or (str(source) if isinstance(source, Path) else "")
    if len(text) > _LONGEST_FILE:
        reject([Problem((), f"got {len(text)} characters; expected at most {_LONGEST_FILE}")], shown)
    if isinstance(source, Path) and source.suffix == ".json":
        return _loaded(read_json(text, shown), shown, None)
    # Imported here because the Lambda layer, which has the rest of this package, does not have ruamel.yaml.
    from warmpool.adapters.config import yaml_text  # noqa: PLC0415

    return _loaded(yaml_text.read_yaml(text, shown), shown, lambda path: yaml_text.line_of(text, path))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigUnreadable(
            f"cannot read {file}: {error.strerror}; expected the spec, such as infra/pools.yaml"
        ) from error
    except UnicodeDecodeError as error:
        reject([Problem((), f"got bytes that are not UTF-8 (at {error.start}); expected text")], str(file))


def _loaded(raw: Any, source: str, line_of: Callable[[Keys], int | None] | None) -> LoadedSpec:
    spec, problems = build_spec(raw)
    if spec is None:
        reject(problems, source, line_of)
    documents = {name: _runtime_document(raw, name) for name in spec.pools}
    too_long = [_too_long(name, text) for name, text in documents.items() if len(text.encode()) > LONGEST]
    if too_long:
        reject(too_long, source, line_of)
    return LoadedSpec(spec=spec, runtime_documents=documents, lints=lints(spec))


def _runtime_document(raw: Mapping[str, Any], pool: str) -> str:
    """Write one pool with what it shares as JSON: sorted, so that a moved line in the file is no change."""
    shared = {key: raw[key] for key in _SHARED if key in raw}
    document = {"version": 1, **shared, "pools": {pool: raw["pools"][pool]}}
    return msgspec.json.encode(document, enc_hook=_number, order="sorted").decode()


def _number(value: Any) -> Any:
    if isinstance(value, Number):
        return msgspec.Raw(value.json)
    raise NotImplementedError(f"no way to write {type(value).__name__}")


def _too_long(pool: str, text: str) -> Problem:
    size = len(text.encode())
    what = f"got {size} bytes as JSON; expected at most {LONGEST}, as much as a parameter holds: shorten its lists"
    return Problem(("pools", pool), what)
