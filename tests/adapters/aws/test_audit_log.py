"""Deliveries of CloudWatch Logs become records, whatever is in them."""

import base64
import json
import random
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.aws.test_sqs_messages import json_values
from tests.events.audit_log import delivery, packed
from tests.events.samples import sample
from warmpool.adapters.aws import audit_log
from warmpool.adapters.aws.audit_log import audit_batch
from warmpool.app.ingest import AuditBatch, AuditRecord

LAMBDA_TAKES = 6 * 1024 * 1024
"""Bytes of an event that is handed over at once; asynchronous ones hold 1 MB at most."""


def test_a_record_of_the_scheduler_is_read() -> None:
    assert audit_batch(delivery([sample("audit-placeholder-preempted")])) == AuditBatch(
        records=[
            AuditRecord(
                id=sample("audit-placeholder-preempted")["auditID"],
                verb="delete",
                resource="pods",
                namespace="spaces-overprovisioning",
                name="spaces-placeholder-cpu-747c47f75-zv298",
                user="system:kube-scheduler",
                groups=["system:authenticated"],
                code=200,
                uri="/api/v1/namespaces/spaces-overprovisioning/pods/spaces-placeholder-cpu-747c47f75-zv298",
                at=sample("audit-placeholder-preempted")["stageTimestamp"],
            )
        ],
        problems=[],
    )


def test_a_created_pods_name_is_read_from_the_answer() -> None:
    [record] = audit_batch(delivery([sample("audit-placeholder-created")])).records

    assert record.name == "spaces-placeholder-cpu-747c47f75-zv298"


def test_a_record_without_a_body_has_no_name() -> None:
    [record] = audit_batch(delivery([sample("audit-nodeclaim-created")])).records

    assert (record.resource, record.api_group, record.name) == ("nodeclaims", "karpenter.sh", "")


def test_records_keep_their_order_and_a_broken_one_costs_itself_only() -> None:
    good = sample("audit-nodeclaim-created")
    batch = audit_batch(delivery([good, '{"kind":"Event","verb":"cre', {"verb": 3}, good]))

    assert len(batch.records) == 2
    assert len(batch.problems) == 2


def test_a_log_event_that_is_none_costs_itself_only() -> None:
    text = json.dumps({"messageType": "DATA_MESSAGE", "logEvents": [None, 3, {"message": None}, {"id": "x"}]})

    assert len(audit_batch(packed(text.encode())).problems) == 4


@pytest.mark.parametrize("ids", [{"auditID": "a"}, {}, {"auditID": None}, {"auditID": ""}])
def test_every_record_has_an_identity(ids: dict[str, Any]) -> None:
    [record] = audit_batch(delivery([{"verb": "create", **ids}])).records

    assert record.id == (ids.get("auditID") or f"{0:056d}")


def test_a_record_whose_event_has_no_id_either_is_known_by_its_text() -> None:
    def read(verb: str) -> str:
        text = json.dumps({"logEvents": [{"message": json.dumps({"verb": verb})}]})
        return audit_batch(packed(text.encode())).records[0].id

    assert read("create") == read("create") != read("delete")


def test_the_test_message_of_a_new_subscription_is_no_problem() -> None:
    assert audit_batch(delivery(["CWL CONTROL MESSAGE: Checking health of destination"], "CONTROL_MESSAGE")) == (
        AuditBatch()
    )


@pytest.mark.parametrize(
    "event",
    [
        None,
        [],
        {},
        {"awslogs": None},
        {"awslogs": {"data": 3}},
        {"awslogs": {"data": ""}},
        {"awslogs": {"data": "not base64!"}},
        {"awslogs": {"data": "bm90IGd6aXA="}},
        {"awslogs": {"data": "\N{SNOWMAN}"}},
        {"awslogs": {"data": base64.b64encode(zlib.compress(b"{}")).decode()}},
        packed(b""),
        packed(b"not json"),
        packed(b'{"logEvents": 3}'),
        packed(b"\xff\xfe"),
        packed(b"[" * 100_000),
        packed(b'{"x":' * 100_000),
        {"awslogs": {"data": packed(b"{}")["awslogs"]["data"][:20]}},
    ],
)
def test_an_event_that_is_no_delivery_is_one_problem(event: object) -> None:
    batch = audit_batch(event)

    assert batch.records == ()
    assert len(batch.problems) == 1


def test_the_largest_event_that_lambda_gets_is_read() -> None:
    """Records with bodies, as varied as random text makes them, until the event is full."""
    chance = random.Random(4)  # noqa: S311 - filler
    record = sample("audit-placeholder-created")
    records: list[dict[str, Any]] = []
    while len(records) < 8_500:
        note = base64.b64encode(chance.randbytes(300)).decode()
        records.append({**record, "auditID": str(len(records)), "annotations": {"note": note}})
    event = delivery(records)
    size = len(json.dumps(event))

    assert 0.75 * LAMBDA_TAKES < size < LAMBDA_TAKES
    assert len(audit_batch(event).records) == 8_500


def test_what_unpacks_beyond_all_measure_is_dropped_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit_log, "LONGEST_BATCH_BYTES", 1_000_000)
    batch = audit_batch(packed(b" " * 50_000_000))

    assert batch.records == ()
    assert "more than 1000000 bytes" in batch.problems[0]


@given(json_values)
def test_no_event_makes_reading_it_fail(value: object) -> None:
    for event in (value, {"awslogs": value}, {"awslogs": {"data": value}}):
        assert isinstance(audit_batch(event), AuditBatch)


@given(json_values)
def test_no_record_makes_reading_it_fail(value: object) -> None:
    fields = ("verb", "user", "objectRef", "responseStatus", "responseObject", "auditID", "requestURI")
    records = [value, *({"verb": "create", field: value} for field in fields)]
    batch = audit_batch(delivery(records))

    assert len(batch.records) + len(batch.problems) == len(records)


@given(st.binary(max_size=200))
def test_no_bytes_make_unpacking_them_fail(data: bytes) -> None:
    assert isinstance(audit_batch({"awslogs": {"data": base64.b64encode(data).decode()}}), AuditBatch)
    assert isinstance(audit_batch(packed(data)), AuditBatch)
