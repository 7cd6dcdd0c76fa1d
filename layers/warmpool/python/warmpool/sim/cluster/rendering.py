"""Pieces that all JSON renderings share: times, quantities, metadata, conditions."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from warmpool.core.quantity import Amounts, format_quantity
from warmpool.sim.cluster.state import Record

Json = dict[str, Any]


def stamp(moment: datetime) -> str:
    """Write a time as the API does: UTC, whole seconds."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def duration(span: timedelta | None) -> str:
    """Write a duration as Karpenter does; None is `Never`."""
    if span is None:
        return "Never"
    seconds = int(span.total_seconds())
    hours, minutes = seconds // 3600, seconds % 3600 // 60
    parts = ((hours, "h"), (minutes, "m"), (seconds % 60, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"


def quantities(amounts: Amounts) -> dict[str, str]:
    """Write amounts; memory and storage in binary units."""
    binary = ("memory", "ephemeral-storage")
    return {name: format_quantity(value, binary=name in binary) for name, value in amounts.items()}


def requests(amounts: Amounts) -> dict[str, str]:
    """Write a container's requests: the pod slot is not among them."""
    return quantities({name: value for name, value in amounts.items() if name != "pods"})


def metadata(record: Record, *, namespace: str | None = None, labels: Mapping[str, str] | None = None) -> Json:
    """Write what every object's metadata has."""
    made: Json = {
        "name": record.name,
        "uid": record.uid,
        "creationTimestamp": stamp(record.created),
        "resourceVersion": str(record.version),
    }
    if namespace is not None:
        made["namespace"] = namespace
    if labels:
        made["labels"] = dict(labels)
    return made


def owner(kind: str, api_version: str, record: Record, *, controller: bool = True) -> list[Json]:
    """Write an owner reference."""
    reference = {"apiVersion": api_version, "kind": kind, "name": record.name, "uid": record.uid}
    return [{**reference, "blockOwnerDeletion": True, **({"controller": True} if controller else {})}]


def condition(kind: str, status: str, at: datetime, reason: str = "", message: str = "") -> Json:
    """Write one status condition."""
    made = {"type": kind, "status": status, "lastTransitionTime": stamp(at)}
    return {**made, **({"reason": reason} if reason else {}), **({"message": message} if message else {})}
