"""What of the EKS audit log reaches our code, in CloudWatch's filter language."""

from collections.abc import Iterable
from typing import Final

from warmpool.app.errors import ConfigInvalid
from warmpool.app.ingest import CLAIMS, EVICTIONS, LAUNCHED_POD, LAUNCHES, PLACEHOLDERS, WORKSPACES, Watched

LONGEST_PATTERN: Final = 1024
"""Characters that CloudWatch takes."""


def filter_pattern(namespaces: Iterable[str]) -> str:
    """Write what matters in CloudWatch's language: changes of claims, Workspaces and placeholders, and launches.

    A comparison with a field that is absent is not met, whatever its operator, so nothing here is said by `!=`.
    Raises ConfigInvalid where the placeholders' namespaces make it longer than CloudWatch takes.
    """
    places = _any(f'$.objectRef.namespace = "{each}"' for each in sorted(namespaces))
    whole = f"$.objectRef.subresource NOT EXISTS && {_any((_named(CLAIMS), _named(WORKSPACES)))}"
    launched = f'{_part(LAUNCHES)} && $.objectRef.name = "{LAUNCHED_POD}*"'
    placeholder = f"{places} && {_any((_part(EVICTIONS), _part(PLACEHOLDERS)))}"
    pods = f'$.objectRef.resource = "{PLACEHOLDERS.resource}" && {_any((launched, placeholder))}'
    pattern = f'{{ $.stage = "ResponseComplete" && $.responseStatus.code < 300 && {_any((whole, pods))} }}'
    if len(pattern) > LONGEST_PATTERN:
        raise ConfigInvalid(
            "auditEvents",
            f"needs a filter of {len(pattern)} characters for the placeholders' namespaces, but CloudWatch takes"
            f" {LONGEST_PATTERN}; put the placeholders of more pools into one namespace, or leave auditEvents out",
            source="CDK context",
        )
    return pattern


def _named(watched: Watched) -> str:
    """Name a resource of an API group, and its verbs."""
    named = f'$.objectRef.apiGroup = "{watched.api_group}" && $.objectRef.resource = "{watched.resource}"'
    return f"{named} && {_verbs(watched)}"


def _part(watched: Watched) -> str:
    """Name a subresource, or the resource itself; a subresource that is created has no other verb."""
    if watched.subresource:
        return f'$.objectRef.subresource = "{watched.subresource}"'
    return f"$.objectRef.subresource NOT EXISTS && {_verbs(watched)}"


def _verbs(watched: Watched) -> str:
    return _any(f'$.verb = "{each}"' for each in watched.verbs)


def _any(conditions: Iterable[str]) -> str:
    several = [f"({each})" if " && " in each else each for each in conditions]
    return f"({' || '.join(several)})"
