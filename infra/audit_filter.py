"""What of the EKS audit log reaches our code, in CloudWatch's filter language."""

from collections.abc import Iterable
from typing import Final

from warmpool.app.errors import ConfigInvalid
from warmpool.app.ingest import CLAIMS, PLACEHOLDERS, WORKSPACES, Watched

LONGEST_PATTERN: Final = 1024
"""Characters that CloudWatch takes."""


def filter_pattern(namespaces: Iterable[str]) -> str:
    """Write what matters in CloudWatch's filter language: accepted changes of claims, Workspaces and placeholders.

    Comparisons that are not met include those of a field that is absent, so nothing here is said by `!=`.
    Raises ConfigInvalid where the placeholders' namespaces make it longer than CloudWatch takes.
    """
    places = " || ".join(f'$.objectRef.namespace = "{each}"' for each in sorted(namespaces))
    changes = (_change(CLAIMS), _change(WORKSPACES), f"({_change(PLACEHOLDERS)} && ({places}))")
    pattern = (
        '{ $.stage = "ResponseComplete" && $.responseStatus.code < 300'
        ' && ($.objectRef.subresource NOT EXISTS || $.objectRef.subresource = "eviction")'
        f" && ({' || '.join(changes)}) }}"
    )
    if len(pattern) > LONGEST_PATTERN:
        raise ConfigInvalid(
            "auditEvents",
            f"needs a filter of {len(pattern)} characters for the placeholders' namespaces, but CloudWatch takes"
            f" {LONGEST_PATTERN}; put the placeholders of more pools into one namespace, or leave auditEvents out",
            source="CDK context",
        )
    return pattern


def _change(watched: Watched) -> str:
    group = f' && $.objectRef.apiGroup = "{watched.api_group}"' if watched.api_group else ""
    said = " || ".join(f'$.verb = "{each}"' for each in watched.verbs)
    return f'($.objectRef.resource = "{watched.resource}"{group} && ({said}))'
