"""Objects as Kubernetes JSON: the shapes of the real ones, and rendered only when they change."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.sim.api.standin import CONTROLLER, MERGE_PATCH, get, patch, read
from tests.sim.cluster.builders import FILLING, MINUTE, SECOND, burst, cluster, nodes, placeholders, wait, warm
from warmpool.core.model import DELETION_COST, Taint, Toleration
from warmpool.sim.api.access import StaticTokens, controller_rules
from warmpool.sim.api.door import Door
from warmpool.sim.cluster import EmbeddedCluster, Mismatch, NotFound

SAMPLES = Path(__file__).parents[2] / "samples"


def _sample(name: str, kind: str, namespace: str | None = None) -> dict[str, Any]:
    items = json.loads(gzip.decompress((SAMPLES / f"{name}.json.gz").read_bytes()))["items"]
    found: dict[str, Any] = next(
        item for item in items if item["kind"] == kind and item["metadata"].get("namespace") == namespace
    )
    return found


def _one(made: EmbeddedCluster, resource: str, namespace: str | None = None) -> dict[str, Any]:
    return next(each for each in made.objects(resource) if each["metadata"].get("namespace") == namespace)


def test_a_workspaces_pod_has_the_labels_and_owner_of_a_real_one() -> None:
    made = warm(1)
    burst(made, 1)
    ours, real = _one(made, "pods", "default"), _sample("2-burst-pending", "Pod", "default")
    assert set(ours["metadata"]["labels"]) == set(real["metadata"]["labels"])
    assert ours["metadata"]["labels"]["workspace.jupyter.org/workspace-name"] == "w0"
    assert [each["kind"] for each in ours["metadata"]["ownerReferences"]] == ["ReplicaSet"]
    assert ours["metadata"]["name"].startswith("workspace-w0-")


def test_a_placeholder_looks_like_a_real_one() -> None:
    ours, real = _one(warm(1), "pods", "op"), _sample("1-baseline", "Pod", "op")
    assert set(real["status"]) <= {*ours["status"], "podIP", "podIPs"}
    for key in ("priority", "preemptionPolicy", "nodeSelector", "affinity"):
        assert ours["spec"][key] == real["spec"][key]
    assert ours["spec"]["containers"][0]["resources"] == real["spec"]["containers"][0]["resources"]
    types = {each["type"]: each["status"] for each in ours["status"]["conditions"]}
    assert types == {each["type"]: each["status"] for each in real["status"]["conditions"]}


def test_an_unschedulable_pod_says_so_as_a_real_one_does() -> None:
    made = cluster()
    made.launch("w")
    ours, real = _one(made, "pods", "default")["status"]["conditions"], _pending_sample()["status"]["conditions"]
    for key in ("type", "status", "reason"):
        assert ours[0][key] == real[0][key]


def _pending_sample() -> dict[str, Any]:
    items = json.loads(gzip.decompress((SAMPLES / "2-burst-pending.json.gz").read_bytes()))["items"]
    found: dict[str, Any] = next(item for item in items if item["kind"] == "Pod" and "nodeName" not in item["spec"])
    return found


@pytest.mark.parametrize(
    ("resource", "kind"), [("nodes", "Node"), ("nodeclaims", "NodeClaim"), ("nodepools", "NodePool")]
)
def test_nodes_and_karpenters_objects_have_what_the_real_ones_have(resource: str, kind: str) -> None:
    ours, real = _one(warm(1), resource), _sample("1-baseline", kind)
    provider = {"lastPodEventTime", "phase", "nodeClassObservedGeneration", "providerID"}
    assert set(real["status"]) - provider <= set(ours["status"])
    assert set(real["spec"]) - provider <= {*ours["spec"], "limits"}
    assert ours["apiVersion"] == real["apiVersion"]
    labels = set(real["metadata"].get("labels", {}))
    own = {
        label
        for label in labels
        if "kwok" in label or label.startswith(("beta.", "eks-node-viewer/", "kubernetes.io/host"))
    }
    assert labels - own <= set(ours["metadata"].get("labels", {}))


def test_a_cordoned_node_has_the_taint_and_the_field() -> None:
    made = warm(1)
    made.cordon(nodes(made)[0].name)
    spec = made.objects("nodes")[0]["spec"]
    assert spec["unschedulable"] is True
    assert spec["taints"] == [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]


def test_a_paused_deployment_and_its_annotations_are_shown() -> None:
    made = warm(1, options={"do_not_disrupt": True})
    made.pause_deployment("op", "ph")
    spec = _one(made, "deployments", "op")["spec"]
    assert spec["paused"] is True
    assert spec["template"]["metadata"]["annotations"] == {"karpenter.sh/do-not-disrupt": "true"}


def test_a_nodepools_taints_are_shown_as_its_nodes_have_them() -> None:
    gpu = Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule")
    made = cluster(node_taints=(gpu,))
    made.launch("w", tolerations=[Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")])
    wait(made, MINUTE)
    shown = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    assert made.objects("nodes")[0]["spec"]["taints"] == shown
    assert made.objects("nodepools")[0]["spec"]["template"]["spec"]["taints"] == shown
    tolerations = _one(made, "pods", "default")["spec"]["tolerations"]
    assert tolerations[0] == {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def test_a_disrupted_node_is_tainted_and_being_deleted() -> None:
    made = warm(1)
    made.expire(nodes(made)[0].name)
    node = made.objects("nodes")[0]
    assert node["spec"]["taints"] == [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]
    assert node["metadata"]["deletionTimestamp"] == "2026-12-01T08:01:00Z"


def test_managed_fields_name_the_last_writer_of_replicas_through_the_scale_without_a_time() -> None:
    made = warm(1)
    made.patch_scale("op", "ph", 3, manager="warmpool-controller", at=made.now)
    owners = [
        each for each in _one(made, "deployments", "op")["metadata"]["managedFields"] if "f:spec" in each["fieldsV1"]
    ]
    assert [(each["manager"], each["subresource"], "time" in each) for each in owners] == [
        ("warmpool-controller", "scale", False)
    ]


def test_a_person_who_scales_is_kubectl() -> None:
    made = warm(1)
    made.scale("op", "ph", 2)
    assert _one(made, "deployments", "op")["metadata"]["managedFields"][0]["manager"] == "kubectl"


def test_a_write_that_changes_nothing_owns_nothing() -> None:
    made = warm(1)
    made.patch_scale("op", "ph", 1, manager="warmpool-controller", at=made.now)
    assert _one(made, "deployments", "op")["metadata"]["managedFields"][0]["manager"] == "kubectl-client-side-apply"


def test_a_workspace_becomes_available_when_its_pod_is_ready() -> None:
    made = warm(1)
    made.launch("w")
    before = made.objects("workspaces")[0]["status"]["conditions"][0]
    wait(made, MINUTE)
    after = made.objects("workspaces")[0]["status"]["conditions"][0]
    assert (before["status"], before["reason"]) == ("False", "ComputeNotReady")
    assert (after["status"], after["reason"]) == ("True", "ResourcesReady")


def test_a_workspace_has_deployment_replicaset_and_claim_of_its_name() -> None:
    made = warm(1)
    burst(made, 1)
    assert _one(made, "deployments", "default")["metadata"]["name"] == "workspace-w0"
    assert _one(made, "replicasets", "default")["spec"]["replicas"] == 1
    volume = _one(made, "pods", "default")["spec"]["volumes"][0]
    assert volume["persistentVolumeClaim"]["claimName"] == "workspace-w0-pvc"


@pytest.mark.parametrize(
    "resource", ["nodes", "pods", "deployments", "replicasets", "nodeclaims", "nodepools", "workspaces"]
)
def test_an_object_is_rendered_once_as_long_as_it_is_unchanged(resource: str) -> None:
    made = warm(2)
    burst(made, 1)
    first = made.objects(resource)
    wait(made, 0 * SECOND)
    assert [id(each) for each in made.objects(resource)] == [id(each) for each in first]


def test_a_changed_object_is_a_new_mapping_with_a_higher_resource_version() -> None:
    made = warm(2)
    before = made.objects("pods")
    made.patch_pod("op", placeholders(made)[0].name, annotations={DELETION_COST: "-100"})
    after = made.objects("pods")
    assert after[0] is not before[0]
    assert after[1] is before[1]
    assert DELETION_COST not in before[0]["metadata"].get("annotations", {})
    versions = [int(each["metadata"]["resourceVersion"]) for each in (before[0], after[0])]
    assert versions[0] < versions[1] <= made.resource_version


def test_an_annotation_is_removed_with_none() -> None:
    made = warm(1)
    name = placeholders(made)[0].name
    made.patch_pod("op", name, annotations={DELETION_COST: "-100"})
    made.patch_pod("op", name, annotations={DELETION_COST: None})
    assert "annotations" not in made.objects("pods")[0]["metadata"]


def test_a_patch_for_another_uid_is_refused() -> None:
    made = warm(1)
    name = placeholders(made)[0].name
    with pytest.raises(Mismatch, match="expected other"):
        made.patch_pod("op", name, labels={"a": "b"}, uid="other")
    assert "a" not in placeholders(made)[0].labels


def test_the_https_door_serves_it() -> None:
    made = warm(2)
    served = Door(made, StaticTokens({"good": CONTROLLER}), controller_rules(["op"]))
    scale = "/apis/apps/v1/namespaces/op/deployments/ph/scale"
    pod = placeholders(made)[0]
    patch_of_pod = {"metadata": {"uid": pod.uid, "annotations": {DELETION_COST: "-5"}}}
    assert patch(served, scale, [{"op": "replace", "path": "/spec/replicas", "value": 0}]).status == 200
    assert read(get(served, scale))["spec"] == {}
    made.scale("op", "ph", 1)
    replaced = f"/api/v1/namespaces/op/pods/{placeholders(made)[0].name}"
    assert patch(served, replaced, patch_of_pod, MERGE_PATCH).status == 409
    patch_of_pod["metadata"]["uid"] = placeholders(made)[0].uid
    assert patch(served, replaced, patch_of_pod, MERGE_PATCH).status == 200
    assert placeholders(made)[0].deletion_cost == -5


def test_foreign_scalers_are_objects_of_their_kinds_and_a_cpa_is_a_deployment() -> None:
    made = cluster()
    for kind in ("HPA", "ScaledObject", "CPA"):
        made.add_foreign_scaler(kind, "op", kind.lower(), "ph")
    assert made.objects("horizontalpodautoscalers")[0]["spec"]["scaleTargetRef"]["name"] == "ph"
    assert made.objects("scaledobjects")[0]["spec"]["scaleTargetRef"]["name"] == "ph"
    command = made.objects("deployments")[0]["spec"]["template"]["spec"]["containers"][0]["command"]
    assert "--target=deployment/ph" in command
    made.remove_foreign_scaler("CPA", "op", "cpa")
    assert made.objects("deployments") == []


def test_a_disruption_budget_is_an_object_too() -> None:
    made = cluster()
    made.add_disruption_budget("op", "pulling", {"warm": "false"})
    assert made.objects("poddisruptionbudgets")[0]["spec"] == {
        "maxUnavailable": 0,
        "selector": {"matchLabels": {"warm": "false"}},
    }


def test_a_nominated_launch_shows_its_node_in_the_status_only() -> None:
    made = warm(1, requests=FILLING)
    made.launch("w")
    pod = _one(made, "pods", "default")
    assert (pod["status"]["nominatedNodeName"], pod["spec"].get("nodeName")) == (nodes(made)[0].name, None)


def test_what_is_not_there_is_not_found() -> None:
    made = cluster()
    with pytest.raises(NotFound, match="secrets"):
        made.objects("secrets")
    with pytest.raises(NotFound, match="ph"):
        made.scale("op", "ph", 1)
    with pytest.raises(NotFound, match="n1"):
        made.cordon("n1")
    with pytest.raises(NotFound, match="w"):
        made.end("w")
    with pytest.raises(NotFound, match="pods"):
        made.patch_pod("op", "ph-1")
    with pytest.raises(NotFound, match="hpa"):
        made.remove_foreign_scaler("HPA", "op", "hpa")
    assert made.get_scale("op", "ph") is None
