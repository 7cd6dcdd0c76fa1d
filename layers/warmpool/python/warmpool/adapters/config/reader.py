"""Documents of the parameter store, JSON only, as typed configuration; on the Lambda's path."""

from typing import Any, Final, TypeVar

from msgspec import UNSET, Struct

from warmpool.adapters.config.build import override_of, spec_of, stop_of
from warmpool.adapters.config.checks import given, limit_problems, shared_problems, spec_problems
from warmpool.adapters.config.controls import OverrideDocument, StopDocument
from warmpool.adapters.config.decode import decode_document
from warmpool.adapters.config.documents import SpecDocument
from warmpool.adapters.config.problems import Problem, reject
from warmpool.adapters.config.raw import read_json
from warmpool.core.spec import Override, PoolSpec, Spec, Stop

D = TypeVar("D", bound=Struct)

LONGEST: Final = 8 * 1024
"""Bytes of a parameter in SSM's advanced tier, which is the largest there is."""


class Reader:
    """Implements app.ports.DocumentReader."""

    def spec(self, text: str, source: str) -> Spec:
        """Decode a pool's runtime copy of the spec. Raises ConfigInvalid with path, value and what was expected."""
        spec, problems = build_spec(_parsed(text, source))
        return spec if spec is not None else reject(problems, source)

    def override(self, text: str, pool: PoolSpec, source: str) -> Override:
        """Decode an override; it is checked within itself and, where it has no max, against the pool's.

        Raises ConfigInvalid.
        """
        document = _typed(_parsed(text, source), OverrideDocument, source)
        problems = list(_override_problems(document, pool))
        if problems:
            reject(problems, source)
        return override_of(document)

    def stop(self, text: str, source: str) -> Stop:
        """Decode the stop switch. Raises ConfigInvalid."""
        return stop_of(_typed(_parsed(text, source), StopDocument, source))


def build_spec(raw: Any) -> tuple[Spec | None, list[Problem]]:
    """Turn plain values into a spec, or say all that is wrong."""
    document, problems = decode_document(raw, SpecDocument)
    if document is None:
        return None, problems
    problems = list(spec_problems(document))
    if problems:
        return None, problems
    spec = spec_of(document)
    problems = list(shared_problems(spec))
    return (None if problems else spec), problems


def _parsed(text: str, source: str) -> Any:
    size = len(text.encode(errors="replace"))
    if size > LONGEST:
        reject([Problem((), f"got {size} bytes; expected at most {LONGEST}, as much as a parameter holds")], source)
    return read_json(text, source)


def _typed(raw: Any, kind: type[D], source: str) -> D:
    document, problems = decode_document(raw, kind)
    return document if document is not None else reject(problems, source)


def _override_problems(document: OverrideDocument, pool: PoolSpec) -> list[Problem]:
    if all(each is UNSET for each in (document.min, document.max, document.target, document.pause)):
        return [Problem((), "got none of min, max, target, pause; expected at least one")]
    high = given(document.max, pool.max)
    ceiling = f"the pool's max ({high}), as there is no max here" if document.max is UNSET else f"max ({high})"
    return list(limit_problems((), {"min": document.min, "target": document.target}, high, ceiling))
