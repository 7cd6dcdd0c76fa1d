"""The two writes: test-and-set of replicas with a second look, and marks on placeholder pods."""

from typing import Any

import pytest

from tests.adapters.kubernetes.conftest import FixedBudget
from tests.adapters.kubernetes.fake_api import FORBIDDEN, FakeApi, Reply, status
from tests.builders import pool
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.app.errors import ClusterUnavailable, Conflict, DeploymentGone, NotPermitted
from warmpool.app.ports import ScaleChange
from warmpool.core.decision import Mark

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

SCALE = "/apis/apps/v1/namespaces/op/deployments/ph/scale"
POD = "/api/v1/namespaces/op/pods/ph-1"


def scale(cluster: KubernetesCluster, current: int, target: int, *, dry_run: bool = False) -> int:
    return cluster.scale(pool(), ScaleChange(current=current, target=target, dry_run=dry_run), FixedBudget())


@pytest.mark.parametrize(("current", "target"), [(2, 5), (5, 2), (0, 3), (3, 0), (1, 1)])
def test_replicas_are_set_and_read_back(cluster: KubernetesCluster, api: FakeApi, current: int, target: int) -> None:
    api.replicas[SCALE] = current

    assert scale(cluster, current, target) == target
    assert api.replicas[SCALE] == target
    assert [each.method for each in api.requests] == ["PATCH", "GET"]


def test_a_change_is_a_json_patch_that_tests_before_it_replaces(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.replicas[SCALE] = 2

    scale(cluster, 2, 5)

    patch = api.requests[0]
    assert patch.body == [
        {"op": "test", "path": "/spec/replicas", "value": 2},
        {"op": "replace", "path": "/spec/replicas", "value": 5},
    ]
    assert patch.headers["content-type"] == "application/json-patch+json"
    assert patch.query == {"fieldManager": "warmpool-controller"}


def test_at_zero_the_field_is_absent_so_null_is_tested_and_the_value_added(
    cluster: KubernetesCluster, api: FakeApi
) -> None:
    api.replicas[SCALE] = 0

    scale(cluster, 0, 3)

    assert api.requests[0].body == [
        {"op": "test", "path": "/spec/replicas", "value": None},
        {"op": "add", "path": "/spec/replicas", "value": 3},
    ]


@pytest.mark.parametrize(("expected", "present"), [(2, 3), (0, 1), (2, 0)])
def test_replicas_that_somebody_else_has_changed_are_a_conflict(
    cluster: KubernetesCluster, api: FakeApi, expected: int, present: int
) -> None:
    api.replicas[SCALE] = present

    with pytest.raises(Conflict, match=r"patch deployments\.apps/scale op/ph: 422"):
        scale(cluster, expected, 5)

    assert api.replicas[SCALE] == present


def test_a_409_is_a_conflict_too(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.replicas[SCALE] = 2
    api.faults[SCALE].append(status(409, "Conflict", "the object has been modified"))

    with pytest.raises(Conflict, match="409"):
        scale(cluster, 2, 5)


def test_replicas_that_differ_when_read_back_are_a_conflict(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.replicas[SCALE] = 7
    api.faults[SCALE].append(Reply(body={"spec": {"replicas": 5}}))

    with pytest.raises(Conflict, match="op/ph has 7 replicas after 5 were written"):
        scale(cluster, 2, 5)


def test_a_dry_run_changes_nothing_and_takes_the_answer_for_the_second_look(
    cluster: KubernetesCluster, api: FakeApi
) -> None:
    api.replicas[SCALE] = 2

    assert scale(cluster, 2, 5, dry_run=True) == 5
    assert api.replicas[SCALE] == 2
    assert [(each.method, each.query.get("dryRun")) for each in api.requests] == [("PATCH", "All")]


def test_a_deployment_that_is_gone_is_an_error_of_its_own(cluster: KubernetesCluster) -> None:
    with pytest.raises(DeploymentGone, match="op/ph is gone"):
        scale(cluster, 2, 5)


def test_a_refused_write_names_verb_and_resource(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.replicas[SCALE] = 2
    api.faults[SCALE].append(FORBIDDEN)

    with pytest.raises(NotPermitted, match=r"forbidden: patch deployments\.apps/scale op/ph"):
        scale(cluster, 2, 5)


@pytest.mark.parametrize("body", [b"{", {"spec": {"replicas": "5"}}, [], b"[" * 100_000])
def test_an_answer_that_is_no_scale_counts_for_nothing(cluster: KubernetesCluster, api: FakeApi, body: object) -> None:
    api.faults[SCALE].append(Reply(body=body))

    with pytest.raises(ClusterUnavailable, match="the answer is no Scale"):
        scale(cluster, 2, 5)


def mark(cluster: KubernetesCluster, *, dry_run: bool = False, **what: Any) -> None:
    wanted = Mark(namespace="op", pod="ph-1", uid="uid-ph-1", **what)
    cluster.mark([wanted], FixedBudget(), dry_run=dry_run)


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        (
            {"set_deletion_cost": True, "deletion_cost": -100},
            {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "-100"}},
        ),
        (
            {"set_deletion_cost": True, "deletion_cost": None},
            {"annotations": {"controller.kubernetes.io/pod-deletion-cost": None}},
        ),
        ({"warm": True}, {"labels": {"warmpool.spaces.aws/warm": "true"}}),
        ({"warm": False}, {"labels": {"warmpool.spaces.aws/warm": "false"}}),
        (
            {"set_deletion_cost": True, "deletion_cost": 0, "warm": True},
            {
                "annotations": {"controller.kubernetes.io/pod-deletion-cost": "0"},
                "labels": {"warmpool.spaces.aws/warm": "true"},
            },
        ),
    ],
)
def test_a_mark_is_a_merge_patch_of_the_very_pod(
    cluster: KubernetesCluster, api: FakeApi, what: dict[str, Any], changes: dict[str, object]
) -> None:
    api.objects[POD] = {}

    mark(cluster, **what)

    patch = api.last(POD)
    assert patch.method == "PATCH"
    assert patch.body == {"metadata": {"uid": "uid-ph-1", **changes}}
    assert patch.headers["content-type"] == "application/merge-patch+json"
    assert patch.query == {"fieldManager": "warmpool-controller"}


def test_a_mark_that_says_nothing_sends_nothing(cluster: KubernetesCluster, api: FakeApi) -> None:
    mark(cluster)

    assert api.requests == []


def test_a_mark_in_a_dry_run_says_so(cluster: KubernetesCluster, api: FakeApi) -> None:
    api.objects[POD] = {}

    mark(cluster, warm=True, dry_run=True)

    assert api.last(POD).query["dryRun"] == "All"


@pytest.mark.parametrize(
    "reply",
    [
        status(404, "NotFound"),
        status(409, "Conflict", "Precondition failed: UID in precondition"),
        status(422, "Invalid", "metadata.uid: field is immutable"),
    ],
)
def test_a_pod_that_has_gone_or_was_replaced_is_no_error(
    cluster: KubernetesCluster, api: FakeApi, reply: Reply
) -> None:
    api.faults[POD].append(reply)
    api.objects["/api/v1/namespaces/op/pods/ph-2"] = {}
    marks = [Mark(namespace="op", pod=name, uid=f"uid-{name}", warm=True) for name in ("ph-1", "ph-2")]

    cluster.mark(marks, FixedBudget())

    assert api.paths("PATCH") == [POD, "/api/v1/namespaces/op/pods/ph-2"]


@pytest.mark.parametrize(
    ("reply", "error"),
    [(FORBIDDEN, NotPermitted), (status(500, "InternalError"), ClusterUnavailable)],
)
def test_a_mark_that_is_refused_is_an_error(
    cluster: KubernetesCluster, api: FakeApi, reply: Reply, error: type[Exception]
) -> None:
    api.faults[POD].append(reply)

    with pytest.raises(error, match="patch pods op/ph-1"):
        mark(cluster, warm=True)
