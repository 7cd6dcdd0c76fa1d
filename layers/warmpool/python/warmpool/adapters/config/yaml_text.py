"""YAML 1.2 text as plain values, and the lines of what is in it; not in Lambda, whose layer has no ruamel.yaml."""

from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from warmpool.adapters.config.amounts import Number
from warmpool.adapters.config.problems import Problem, reject
from warmpool.adapters.config.raw import integer
from warmpool.adapters.config.scalar import Path


class _Constructor(SafeConstructor):
    """Plain, safe values; numbers with a fraction keep their text, and dates are text."""


def _exact(constructor: SafeConstructor, node: ScalarNode) -> Number:
    return Number(str(constructor.construct_scalar(node)))


def _whole(constructor: SafeConstructor, node: ScalarNode) -> Any:
    text = integer(str(node.value)) if str(node.value).isdigit() else None
    return text if isinstance(text, Number) else constructor.construct_yaml_int(node)


_Constructor.add_constructor("tag:yaml.org,2002:float", _exact)
_Constructor.add_constructor("tag:yaml.org,2002:int", _whole)
_Constructor.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)


def read_yaml(text: str, source: str) -> Any:
    """Parse one YAML document. Raises ConfigInvalid, with the line; also for a key that is given twice."""
    parser = YAML(typ="safe", pure=True)
    parser.Constructor = _Constructor
    try:
        return parser.load(text)
    except DuplicateKeyError as error:
        line, column = error.problem_mark.line, error.problem_mark.column
        path = next((path for path, key in _keys(text) if (key.line, key.column) == (line, column)), ())
        reject([Problem(path, "this key is given twice; expected it once")], source, lambda _: line + 1)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = f"this is not YAML: {error.problem or error.context}"
        reject([Problem((), what)], source, lambda _: mark.line + 1 if mark else None)
    except (YAMLError, RecursionError, ValueError) as error:
        reject([Problem((), f"this is not YAML: {str(error).splitlines()[0] or 'nested too deeply'}")], source)


def line_of(text: str, path: Path) -> int | None:
    """Find the line, from 1, of what a path leads to, or of the last part of it that is there."""
    lines = {each: mark.line + 1 for each, mark in _keys(text)}
    return next((lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), None)


def _keys(text: str) -> Iterator[tuple[Path, Any]]:
    """Yield the path and the place of each key and each element."""
    root = YAML(typ="safe", pure=True).compose(text)
    return _within(root, ())


def _within(node: Node | None, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            yield here, key.start_mark
            yield from _within(value, here)
    elif isinstance(node, SequenceNode):
        for index, value in enumerate(node.value):
            yield (*path, index), value.start_mark
            yield from _within(value, (*path, index))
