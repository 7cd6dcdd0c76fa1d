"""Writes through the door: the scale subresource and pod marks."""

from typing import Any

import pytest

from tests.sim.api.standin import MERGE_PATCH, StandIn, deployment, door, get, patch, pod, read
from warmpool.sim.api.door import Request

SCALE = "/apis/apps/v1/namespaces/op/deployments/ph/scale"
POD = "/api/v1/namespaces/op/pods/a"


def compare_and_set(present: int | None, target: int) -> list[dict[str, Any]]:
    kind = "add" if present is None else "replace"
    return [
        {"op": "test", "path": "/spec/replicas", "value": present},
        {"op": kind, "path": "/spec/replicas", "value": target},
    ]


def test_a_scale_is_read_and_replaced_and_read_back() -> None:
    cluster = StandIn(deployments=[deployment(replicas=2)])
    the_door = door(cluster)
    body = read(get(the_door, SCALE))
    assert (body["kind"], body["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert (body["spec"], body["status"]) == ({"replicas": 2}, {"replicas": 2, "selector": "app=ph"})
    answer = patch(the_door, f"{SCALE}?fieldManager=warmpool-controller", compare_and_set(2, 5))
    assert (answer.status, read(answer)["spec"]) == (200, {"replicas": 5})
    assert read(answer)["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"]
    assert cluster.managers == ["warmpool-controller"]


def test_without_a_field_manager_the_user_agent_is_it() -> None:
    cluster = StandIn(deployments=[deployment(replicas=2)])
    patch(door(cluster), SCALE, compare_and_set(2, 3))
    assert cluster.managers == ["test"]


def test_zero_is_an_absent_field_on_the_way_down_and_up() -> None:
    cluster = StandIn(deployments=[deployment(replicas=1)])
    the_door = door(cluster)
    assert read(patch(the_door, SCALE, compare_and_set(1, 0)))["spec"] == {}
    assert read(get(the_door, SCALE))["spec"] == {}
    assert patch(the_door, SCALE, compare_and_set(0, 3)).status == 422
    assert read(patch(the_door, SCALE, compare_and_set(None, 3)))["spec"] == {"replicas": 3}


def test_a_failed_test_is_422_invalid_and_writes_nothing() -> None:
    cluster = StandIn(deployments=[deployment(replicas=4)])
    answer = patch(door(cluster), SCALE, compare_and_set(2, 5))
    body = read(answer)
    assert (answer.status, body["reason"]) == (422, "Invalid")
    assert body["message"] == "the server rejected our request due to an error in our request"
    assert cluster.managers == []


def test_a_dry_run_answers_as_if_and_writes_nothing() -> None:
    cluster = StandIn(deployments=[deployment(replicas=2)])
    answer = patch(door(cluster), f"{SCALE}?dryRun=All", compare_and_set(2, 0))
    assert read(answer)["spec"] == {}
    assert cluster.get_scale("op", "ph") == 2
    assert patch(door(cluster), f"{SCALE}?dryRun=Some", compare_and_set(2, 0)).status == 400


def test_setting_what_is_there_already_is_no_write() -> None:
    cluster = StandIn(deployments=[deployment(replicas=2)])
    assert patch(door(cluster), SCALE, compare_and_set(2, 2)).status == 200
    assert cluster.managers == []


def test_a_scale_of_no_deployment_is_404() -> None:
    answer = patch(door(StandIn()), SCALE, compare_and_set(2, 5))
    assert (answer.status, read(answer)["message"]) == (404, 'deployments.apps "ph" not found')


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (compare_and_set(2, -1), "application/json-patch+json", 422),
        ([{"op": "replace", "path": "/spec/replicas", "value": "5"}], "application/json-patch+json", 400),
        ([{"op": "replace", "path": "/spec/replicas", "value": True}], "application/json-patch+json", 400),
        ({"spec": {"replicas": 5}}, "application/json-patch+json", 400),
        ({"spec": {"replicas": 5}}, "application/apply-patch+yaml", 415),
        ({"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 5}}, MERGE_PATCH, 409),
    ],
)
def test_a_write_that_makes_no_sense_is_refused_by_its_own_status(body: Any, content_type: str, status: int) -> None:
    cluster = StandIn(deployments=[deployment(replicas=2)])
    assert patch(door(cluster), SCALE, body, content_type).status == status
    assert cluster.get_scale("op", "ph") == 2


def test_a_body_that_is_no_json_is_a_bad_request() -> None:
    headers = {"authorization": "Bearer good", "content-type": "application/json-patch+json"}
    request = Request(method="PATCH", target=SCALE, headers=headers, body=b"{")
    assert door(StandIn(deployments=[deployment()])).handle(request).status == 400


def test_a_merge_patch_scales_too() -> None:
    cluster = StandIn(deployments=[deployment(replicas=2)])
    patch(door(cluster), SCALE, {"spec": {"replicas": 5}}, MERGE_PATCH)
    assert cluster.get_scale("op", "ph") == 5


def test_a_pods_labels_and_annotations_are_set_and_removed() -> None:
    cluster = StandIn(pods=[pod("a", app="ph", old="1")])
    body = {"metadata": {"labels": {"warm": "true", "old": None}, "annotations": {"cost": "-100"}}}
    metadata = read(patch(door(cluster), POD, body, MERGE_PATCH))["metadata"]
    assert (metadata["labels"], metadata["annotations"]) == ({"app": "ph", "warm": "true"}, {"cost": "-100"})


def test_another_pods_uid_is_a_conflict_and_marks_nothing() -> None:
    cluster = StandIn(pods=[pod("a")])
    body = {"metadata": {"uid": "somebody-else", "labels": {"warm": "true"}}}
    answer = patch(door(cluster), POD, body, MERGE_PATCH)
    assert (answer.status, read(answer)["reason"]) == (409, "Conflict")
    assert cluster.held["pods"][0]["metadata"]["labels"] == {}
    assert patch(door(cluster), POD, {"metadata": {"uid": "uid-a"}}, MERGE_PATCH).status == 200


def test_a_pod_that_has_gone_is_404() -> None:
    assert patch(door(StandIn()), POD, {"metadata": {"labels": {"a": "b"}}}, MERGE_PATCH).status == 404


def test_a_dry_run_on_a_pod_writes_nothing() -> None:
    cluster = StandIn(pods=[pod("a")])
    answer = patch(door(cluster), f"{POD}?dryRun=All", {"metadata": {"labels": {"warm": "true"}}}, MERGE_PATCH)
    assert read(answer)["metadata"]["labels"] == {"warm": "true"}
    assert cluster.held["pods"][0]["metadata"]["labels"] == {}


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        ({"spec": {"priority": 5}}, MERGE_PATCH, 400),
        ({"metadata": {"finalizers": []}}, MERGE_PATCH, 400),
        ([], "application/json-patch+json", 415),
        ({"metadata": {"labels": {"a": 1}}}, MERGE_PATCH, 422),
        ({"metadata": {"resourceVersion": "1"}}, MERGE_PATCH, 409),
    ],
)
def test_other_patches_of_pods_are_refused(body: Any, content_type: str, status: int) -> None:
    assert patch(door(StandIn(pods=[pod("a")])), POD, body, content_type).status == status
