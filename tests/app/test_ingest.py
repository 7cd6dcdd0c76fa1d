"""Which audit records are worth a look, and the one nudge that a batch becomes."""

import json

import pytest

from tests.app.ingest_builders import DEPLOYMENT, NAMESPACE, OURS, Ingesting, bound, claim, record, workspace
from warmpool.app.errors import NudgeNotSent
from warmpool.app.ingest import AuditRecord, matters


@pytest.mark.parametrize(
    "each",
    [
        pytest.param(record(), id="a placeholder is preempted"),
        pytest.param(record(verb="create", subresource="eviction", code=201), id="a placeholder is evicted"),
        pytest.param(record(verb="create", name="", code=201), id="a placeholder is created"),
        pytest.param(record(verb="deletecollection", name=""), id="all placeholders are deleted"),
        pytest.param(claim(), id="a node is ordered"),
        pytest.param(claim(verb="delete", name="spaces-abcde", code=200), id="a node is given up"),
        pytest.param(workspace(), id="a launch begins"),
        pytest.param(workspace(verb="patch", code=200), id="a workspace is started or stopped"),
        pytest.param(bound(), id="a launch has its node"),
        pytest.param(workspace(verb="delete", code=200), id="a launch ends"),
        pytest.param(record(code=None), id="nobody knows whether it succeeded"),
    ],
)
def test_what_could_change_a_pools_room_matters(each: AuditRecord) -> None:
    assert matters(each, OURS)


@pytest.mark.parametrize(
    "each",
    [
        pytest.param(record(code=404), id="refused"),
        pytest.param(record(uri="/api/v1/namespaces/x/pods/y?dryRun=All"), id="dry run"),
        pytest.param(record(groups=("system:authenticated", "warmpool-controller")), id="our group"),
        pytest.param(
            record(user="arn:aws:sts::111122223333:assumed-role/warmpool-reconciler/pass", groups=()), id="our role"
        ),
        pytest.param(record(namespace="default"), id="a pod elsewhere"),
        pytest.param(record(name="another-app-0"), id="another pod beside the placeholders"),
        pytest.param(record(verb="create", subresource="binding"), id="a placeholder has its node"),
        pytest.param(bound(name="trainer-0"), id="another pod has its node"),
        pytest.param(bound(verb="delete"), id="no such thing as unbinding"),
        pytest.param(record(verb="delete", subresource="eviction"), id="no such thing"),
        pytest.param(record(verb="patch", subresource="status"), id="the kubelet's status"),
        pytest.param(record(verb="patch"), id="marked"),
        pytest.param(record(api_group="metrics.k8s.io"), id="pods of another API"),
        pytest.param(claim(verb="patch"), id="progress of an order"),
        pytest.param(claim(api_group="example.com"), id="claims of another API"),
        pytest.param(workspace(verb="update"), id="the operator's own write"),
        pytest.param(workspace(verb="patch", subresource="status"), id="the operator's status"),
        pytest.param(workspace(verb="get"), id="read"),
    ],
)
def test_the_rest_does_not(each: AuditRecord) -> None:
    assert not matters(each, OURS)


def test_a_role_whose_name_only_begins_like_ours_is_somebody_else() -> None:
    assert matters(record(user="arn:aws:sts::111122223333:assumed-role/warmpool-reconciler-2/x"), OURS)


def test_a_batch_becomes_one_nudge_that_says_what_changed() -> None:
    here = Ingesting()

    records = [claim(id="b"), workspace(id="c", verb="get"), claim(id="a"), bound(id="d"), record(at="2026-12-02")]
    assert here.take(*records) == 4
    assert len(here.queue.bodies) == 1
    assert here.queue.last["kind"] == "audit"
    assert here.queue.last["changes"] == {"create nodeclaims": 2, "create pods/binding": 1, "delete pods": 1}
    assert here.queue.last["time"] == "2026-12-02"
    assert here.telemetry.warnings == []


def test_a_batch_without_anything_that_matters_is_no_nudge() -> None:
    here = Ingesting()

    assert here.take(workspace(verb="update"), record(code=409)) == 0
    assert here.queue.bodies == []


def test_a_batch_that_comes_twice_has_the_same_body_and_another_one_has_not() -> None:
    here = Ingesting()
    here.take(claim(id="a"), claim(id="b"))
    here.take(claim(id="b"), claim(id="a"))
    here.take(claim(id="a"), claim(id="c"))

    assert here.queue.bodies[0] == here.queue.bodies[1] != here.queue.bodies[2]


def test_what_cannot_be_read_is_told_and_the_rest_is_taken() -> None:
    here = Ingesting()

    assert here.take(record(), problems=("a record of 3 bytes: not JSON", "another")) == 1
    [(text, fields)] = here.telemetry.warnings
    assert "2 of 3 audit records are dropped" in text
    assert fields == {"first": "a record of 3 bytes: not JSON"}


def test_a_nudge_stays_short_whatever_the_records_hold() -> None:
    here = Ingesting()
    here.take(record(id="x" * 100_000, at="9" * 100_000, name=f"{DEPLOYMENT}-{'y' * 100_000}", namespace=NAMESPACE))

    assert len(here.queue.bodies[0]) < 300
    assert isinstance(json.loads(here.queue.bodies[0]), dict)


def test_a_queue_that_refuses_is_an_error() -> None:
    here = Ingesting()
    here.queue.failure = "AccessDenied"

    with pytest.raises(NudgeNotSent, match="AccessDenied"):
        here.take(record())
