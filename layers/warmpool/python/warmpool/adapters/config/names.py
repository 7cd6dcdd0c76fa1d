"""Names, selectors and zones, each in the form that its owner (Kubernetes, AWS, IANA) demands."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Final

from warmpool.adapters.config.scalar import Rejected, Scalar, Text

_DNS_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DNS_NAME: Final = rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*"
_LABEL_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
LABEL_KEY: Final = rf"(?:{_DNS_NAME}/)?{_LABEL_NAME}"
_LABEL_VALUE: Final = rf"(?:{_LABEL_NAME})?"
_SET: Final = rf"\(\s*{_LABEL_VALUE}(?:\s*,\s*{_LABEL_VALUE})*\s*\)"
_TEST: Final = rf"\s*(?:==?|!=)\s*{_LABEL_VALUE}|\s+(?:in|notin)\s*{_SET}"
_REQUIREMENT: Final = rf"\s*(?:!\s*{LABEL_KEY}|{LABEL_KEY}(?:{_TEST})?)\s*"


class DnsLabel(Text):
    """A pool, namespace or secret: safe in Kubernetes names, parameter paths and metric dimensions."""

    __slots__ = ()
    pattern = _DNS_LABEL
    limit = 63
    expected = "a name of at most 63 lower-case letters, digits and `-`, with no `-` at either end"


class DnsName(Text):
    """The name of a Kubernetes object."""

    __slots__ = ()
    pattern = _DNS_NAME
    expected = "a Kubernetes name: lower-case letters, digits, `-` and `.`"


class HyperPodName(Text):
    """The name of a SageMaker HyperPod cluster, as CreateCluster takes it."""

    __slots__ = ()
    pattern = r"[A-Za-z0-9](?:-*[A-Za-z0-9]){0,62}"
    limit = 63
    expected = "the name of a HyperPod cluster: at most 63 letters, digits and `-`"


class EksName(Text):
    """The name of an EKS cluster, as CreateCluster takes it."""

    __slots__ = ()
    pattern = r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}"
    limit = 100
    expected = "the name of an EKS cluster: at most 100 letters, digits, `-` and `_`"


class Image(Text):
    """A container image reference."""

    __slots__ = ()
    pattern = r"[^\s]+"
    limit = 512
    expected = "an image such as public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu"


class WindowName(Text):
    """The name of a window."""

    __slots__ = ()
    pattern = r"[^\s](?:.{0,61}[^\s])?"
    limit = 63
    expected = "a name of 1 to 63 characters"


class LabelKey(Text):
    """The key of a label or a taint."""

    __slots__ = ()
    pattern = LABEL_KEY
    limit = 317
    expected = "the key of a label or taint such as sagemaker.amazonaws.com/dedicated"


class LabelSelector(Text):
    """A label selector, as kubectl's `-l` takes it."""

    __slots__ = ()
    pattern = rf"{_REQUIREMENT}(?:,{_REQUIREMENT})*"
    limit = 1024
    schema: ClassVar[dict[str, Any]] = {"type": "string", "minLength": 1, "maxLength": 1024}
    expected = "a label selector such as app=jupyter,tier!=test or `env in (a, b)`"


class Labels(Scalar[Mapping[str, str]]):
    """Labels that a node must have, at least one: none would take every node of the cluster."""

    __slots__ = ()
    expected = "a mapping of at least one label such as {karpenter.sh/nodepool: spaces-cpu}"
    schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": f"^{LABEL_KEY}$"},
        "additionalProperties": {"type": "string", "pattern": f"^{_LABEL_VALUE}$"},
    }

    @classmethod
    def read(cls, raw: Any) -> Mapping[str, str]:
        """Return the labels. Raises Rejected."""
        if not isinstance(raw, dict) or not raw:
            raise Rejected(cls.expected)
        for key, value in raw.items():
            if not isinstance(key, str) or re.fullmatch(LABEL_KEY, key, re.ASCII) is None:
                raise Rejected("the key of a label such as karpenter.sh/nodepool", (str(key),), key=True)
            if not isinstance(value, str) or re.fullmatch(_LABEL_VALUE, value, re.ASCII) is None:
                raise Rejected("the value of a label as text (numbers, true and false in quotes)", (key,))
        return raw


class Zone(Scalar[str]):
    """An IANA time zone of the release of tzdata that is shipped; a host's own files know others, such as posix/UTC."""

    __slots__ = ()
    expected = "an IANA time zone such as Europe/Berlin or UTC"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": r"^[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*$"}

    @classmethod
    def read(cls, raw: Any) -> str:
        """Return the zone's name. Raises Rejected, with the nearest known name."""
        if isinstance(raw, str) and raw in _zones():
            return raw
        near = nearest(raw, _zones())
        raise Rejected(f"{cls.expected}{f' (did you mean {near}?)' if near else ''}")


@cache
def _zones() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="ascii").split())


def nearest(word: object, known: Iterable[str]) -> str | None:
    """Return the known word most like what was written, however it is capitalised; None where nothing is."""
    from difflib import get_close_matches  # noqa: PLC0415  only a document that is wrong pays for it

    folded = {each.lower(): each for each in known}
    found = get_close_matches(str(word)[:100].lower(), folded, n=1)
    return folded[found[0]] if found else None
