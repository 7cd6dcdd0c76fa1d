"""Turn a batch of the EKS audit log into one nudge: what could change a pool's room is worth a look, now."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from warmpool.app.kinds import Kind
from warmpool.app.ports import Budget, NudgeQueue, Telemetry

CONTROLLER_GROUP: Final = "warmpool-controller"
"""The Kubernetes group that the reconciler's access entry gives it."""

_DELETE: Final = ("delete", "deletecollection")
_FIRST_CODE_OF_A_REFUSAL: Final = 300
_TIME_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A resource whose changes matter, with the verbs that change what a pass would decide."""

    resource: str
    api_group: str = ""
    subresource: str = ""
    verbs: tuple[str, ...] = ("create", *_DELETE)


CLAIMS: Final = Watched(resource="nodeclaims", api_group="karpenter.sh")
"""Karpenter orders or gives up a node. Its patches are progress of an order that is counted already."""

WORKSPACES: Final = Watched(
    resource="workspaces", api_group="workspace.jupyter.org", verbs=("create", "patch", *_DELETE)
)
"""A launch begins or ends; a patch is how people start and stop one. The operator's own writes are updates."""

LAUNCHES: Final = Watched(resource="pods", subresource="binding", verbs=("create",))
"""A workspace has its node. Its Workspace was created a second before, when there was nothing to be seen yet."""

LAUNCHED_POD: Final = "workspace-"
"""How the names of workspaces' pods begin: the record of a binding holds no labels."""

PLACEHOLDERS: Final = Watched(resource="pods")
"""In the placeholders' namespaces: preempted, collected with their node, replaced."""

EVICTIONS: Final = Watched(resource="pods", subresource="eviction", verbs=("create",))
"""Of placeholders, from a node that is drained."""

WATCHED: Final = (CLAIMS, WORKSPACES, LAUNCHES, PLACEHOLDERS, EVICTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """What one audit record says, as far as anybody here asks. Bodies are not among it.

    EKS logs Workspaces and NodeClaims at level Metadata: nothing more is known of them.
    """

    id: str
    verb: str
    resource: str
    api_group: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    groups: Sequence[str] = ()
    code: int | None = None
    uri: str = ""
    at: str = ""
    """When the API server had answered, RFC 3339."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditBatch:
    """What one delivery held: the records that could be read, and why others could not."""

    records: Sequence[AuditRecord] = ()
    problems: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """What belongs to this stack."""

    role: str
    """Name of the reconciler's role, which its Kubernetes user name holds."""
    placeholders: frozenset[tuple[str, str]]
    """Namespace and name of each placeholder Deployment."""


class IngestAudit:
    """Sends at most one nudge for a batch."""

    def __init__(self, queue: NudgeQueue, telemetry: Telemetry, ours: Ours) -> None:
        """Take the reconcile queue, where to tell of what cannot be read, and what is ours."""
        self._queue = queue
        self._telemetry = telemetry
        self._ours = ours

    def take(self, batch: AuditBatch, budget: Budget) -> int:
        """Send one nudge where a record matters, and return how many do. Raises NudgeNotSent."""
        if batch.problems:
            self._telemetry.warn(
                f"{len(batch.problems)} of {len(batch.problems) + len(batch.records)} audit records are dropped: "
                "they cannot be read",
                first=batch.problems[0],
            )
        found = [each for each in batch.records if matters(each, self._ours)]
        if found:
            self._queue.send(_nudge(found), budget)
        return len(found)


def matters(record: AuditRecord, ours: Ours) -> bool:
    """Say whether a record tells of a change, made by somebody else, that may change a decision."""
    if record.code is not None and record.code >= _FIRST_CODE_OF_A_REFUSAL:
        return False
    if "dryRun=" in record.uri or _is_own(record, ours):
        return False
    watched = next((each for each in WATCHED if _is_of(record, each)), None)
    if watched is LAUNCHES:
        return record.name.startswith(LAUNCHED_POD)
    if watched in (PLACEHOLDERS, EVICTIONS):
        return _is_placeholder(record, ours)
    return watched is not None


def _is_own(record: AuditRecord, ours: Ours) -> bool:
    """EKS names a role's session `arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION`."""
    return CONTROLLER_GROUP in record.groups or f":assumed-role/{ours.role}/" in record.user


def _is_of(record: AuditRecord, watched: Watched) -> bool:
    there = (watched.resource, watched.api_group, watched.subresource)
    return (record.resource, record.api_group, record.subresource) == there and record.verb in watched.verbs


def _is_placeholder(record: AuditRecord, ours: Ours) -> bool:
    """Tell by the pod's name, which begins with its Deployment's, or by its namespace where it has none yet."""
    return any(
        record.namespace == namespace and (not record.name or record.name.startswith(f"{deployment}-"))
        for namespace, deployment in ours.placeholders
    )


def _nudge(records: Sequence[AuditRecord]) -> str:
    """Word the nudge; the fingerprint makes it unlike every other batch's, and a second delivery's the same."""
    changes = Counter(f"{each.verb} {each.resource}/{each.subresource}".rstrip("/") for each in records)
    document = {
        "kind": Kind.AUDIT,
        "id": _fingerprint(each.id for each in records),
        "time": max(each.at for each in records)[:_TIME_CHARACTERS],
        "changes": dict(sorted(changes.items())),
    }
    return json.dumps(document)


def _fingerprint(ids: Iterable[str]) -> str:
    return sha256("\n".join(sorted(ids)).encode(errors="surrogatepass")).hexdigest()
