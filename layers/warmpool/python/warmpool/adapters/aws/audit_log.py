"""What CloudWatch Logs delivers of the EKS audit log: base64, gzip, JSON, and JSON again in every line."""

import base64
import binascii
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from warmpool.app.ingest import AuditBatch, AuditRecord

LONGEST_BATCH_BYTES: Final = 128 * 1024 * 1024
"""Unpacked. Lambda takes at most 6 MB of event, and real records pack to a 17th to a 23rd of their size, base64 adds a
third: what grows beyond this was made to."""

_GZIP: Final = 31
"""zlib's code for: a gzip header, the largest window."""
_DATA: Final = "DATA_MESSAGE"
_CONTROL: Final = "CONTROL_MESSAGE"
"""Sent by CloudWatch to see whether a new subscription's target answers; holds no records."""
_UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, UnicodeError)


class _Batch(msgspec.Struct):
    messageType: str = _DATA  # noqa: N815 - CloudWatch's name
    logEvents: list[msgspec.Raw] = []  # noqa: N815 - as above; msgspec copies the default


class _LogEvent(msgspec.Struct):
    message: str
    id: str | None = None


class _User(msgspec.Struct):
    username: str | None = None
    groups: list[str] | None = None


class _Reference(msgspec.Struct):
    resource: str | None = None
    apiGroup: str | None = None  # noqa: N815 - Kubernetes' name, as are all below
    subresource: str | None = None
    namespace: str | None = None
    name: str | None = None


class _Status(msgspec.Struct):
    code: int | None = None


class _Metadata(msgspec.Struct):
    name: str | None = None


class _Object(msgspec.Struct):
    metadata: _Metadata | None = None


class _Record(msgspec.Struct):
    """One record of audit.k8s.io/v1, partially: nothing else of it is unpacked."""

    verb: str
    auditID: str | None = None  # noqa: N815
    requestURI: str | None = None  # noqa: N815
    stageTimestamp: str | None = None  # noqa: N815
    user: _User | None = None
    objectRef: _Reference | None = None  # noqa: N815
    responseStatus: _Status | None = None  # noqa: N815
    responseObject: _Object | None = None  # noqa: N815


_read_batch = msgspec.json.Decoder(_Batch).decode
_read_event = msgspec.json.Decoder(_LogEvent).decode
_read_record = msgspec.json.Decoder(_Record).decode


def audit_batch(event: object) -> AuditBatch:
    """Read one invocation's event; whatever cannot be read is named in the batch's problems. Never raises."""
    try:
        batch = _read_batch(_unpacked(event))
    except (ValueError, *_UNREADABLE) as error:
        return AuditBatch(problems=(f"the event: {error}",))
    if batch.messageType == _CONTROL:
        return AuditBatch()
    records: list[AuditRecord] = []
    problems: list[str] = []
    for raw in batch.logEvents:
        try:
            records.append(_record(_read_event(raw)))
        except _UNREADABLE as error:
            problems.append(f"a record of {len(memoryview(raw))} bytes: {error}")
    return AuditBatch(records=records, problems=problems)


def _unpacked(event: object) -> bytes:
    """Return the batch's JSON. Raises ValueError where the event is none of CloudWatch Logs, or too large."""
    data = _data_of(event)
    try:
        packed = base64.b64decode(data, validate=True)
        unpacker = zlib.decompressobj(_GZIP)
        text = unpacker.decompress(packed, LONGEST_BATCH_BYTES)
    except (binascii.Error, UnicodeError, zlib.error) as error:
        raise ValueError(f"its data is not base64 of gzip: {error}") from error
    if unpacker.unconsumed_tail:
        raise ValueError(f"its data unpacks to more than {LONGEST_BATCH_BYTES} bytes")
    if not unpacker.eof:
        raise ValueError("its data ends before the gzip stream does")
    return text


def _data_of(event: object) -> str:
    logs: Any = event.get("awslogs") if isinstance(event, Mapping) else None
    data: Any = logs.get("data") if isinstance(logs, Mapping) else None
    if not isinstance(data, str):
        raise ValueError("it has no text at awslogs.data; expected a delivery of CloudWatch Logs")  # noqa: TRY004 - input
    return data


def _record(event: _LogEvent) -> AuditRecord:
    found = _read_record(event.message)
    user, reference = found.user or _User(), found.objectRef or _Reference()
    return AuditRecord(
        id=found.auditID or event.id or sha256(event.message.encode()).hexdigest(),
        verb=found.verb,
        resource=reference.resource or "",
        api_group=reference.apiGroup or "",
        subresource=reference.subresource or "",
        namespace=reference.namespace or "",
        name=reference.name or _created_name(found),
        user=user.username or "",
        groups=user.groups or (),
        code=found.responseStatus.code if found.responseStatus else None,
        uri=found.requestURI or "",
        at=found.stageTimestamp or "",
    )


def _created_name(found: _Record) -> str:
    """Read the name that the API server made up; it stands only in the answer to a create."""
    answered = found.responseObject
    return (answered.metadata.name if answered and answered.metadata else None) or ""
