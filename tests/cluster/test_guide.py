"""What the guide verifies by hand, and the public lab on Karpenter, with our controller in place of the autoscaler."""

from tests.cluster.api import Api, Object
from tests.cluster.conftest import NewLab
from tests.cluster.lab import IMAGE, Lab
from tests.cluster.plane import ControlPlane
from tests.cluster.views import node_view
from warmpool.core.decision import Action


def test_the_guides_flow_from_baseline_to_clean_up(lab: Lab) -> None:
    lab.warm(2)
    nodes = {each.name for each in lab.nodes()}
    assert len(nodes) == 2
    assert all(lab.plane.kubelet.has(name, IMAGE) for name in nodes)

    assert lab.launch_and_tell("coexist", cpu="2", memory="8Gi") == "warm-coexist"
    assert lab.launch_and_tell("preempt", cpu="46", memory="16Gi") == "warm-preempt"

    lab.until("a replacement is warm", lambda: sum(each.ready for each in lab.placeholders()) == 2)
    assert len(lab.nodes()) == 3

    lab.close("coexist", "preempt")
    lab.until("two nodes again", lambda: len(lab.nodes()) == 2 and not lab.workspace_pods())
    decision = lab.warm(2)
    assert decision.action is Action.NONE
    assert lab.replicas() == 2


def test_a_launch_without_a_warm_node_is_cold(new_lab: NewLab) -> None:
    lab = new_lab(spec={"min": 0})
    lab.until("no placeholder", lambda: lab.replicas() == 0 and not lab.nodes())

    assert lab.launch_and_tell("cold-start") == "cold"


def test_the_image_of_a_warm_node_is_not_pulled_again(lab: Lab) -> None:
    lab.warm(2)
    lab.plane.kubelet.pull_seconds = 3600.0

    assert lab.launch_and_tell("no-pull") == "warm-coexist"


def inflate(lab: Lab, replicas: int) -> Object:
    container = {"name": "inflate", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": "1"}}}
    labels = {"app": "inflate"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "inflate", "namespace": lab.users},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "nodeSelector": {"pool": lab.name},
                    "containers": [container],
                },
            },
        },
    }


def running(lab: Lab) -> list[Object]:
    found = lab.plane.api.all_of("v1", "Pod", lab.users, labelSelector="app=inflate")
    return [each for each in found if each["status"]["phase"] == "Running"]


def test_five_pods_at_once_get_one_node_which_goes_with_them(new_lab: NewLab) -> None:
    """Part one of the lab: Karpenter alone, in one batch, and back to nothing."""
    lab = new_lab(spec={"min": 0})
    lab.until("an empty pool", lambda: lab.replicas() == 0 and not lab.nodes())

    lab.plane.api.apply([inflate(lab, 5)])
    lab.wait("five pods run", lambda: len(running(lab)) == 5)
    assert {each["spec"]["nodeName"] for each in running(lab)} == {lab.nodes()[0].name}

    lab.plane.api.apply([inflate(lab, 0)])
    lab.wait("no node is left", lambda: not lab.nodes())


def node(name: str, api: Api) -> Object:
    """Build a node without Karpenter, as the lab's second part has them; kwok reports it Ready."""
    return api.create(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {"taint-lab": "true", "kubernetes.io/hostname": name},
                "annotations": {"kwok.x-k8s.io/node": "fake"},
            },
            "status": {
                "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
                "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            },
        }
    )


def cpu_only(lab: Lab, generation: int) -> Object:
    labels = {"app": "inflate"}
    container = {"name": "w", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": "500m"}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "cpu-only", "namespace": lab.users},
        "spec": {
            "replicas": 4,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, "annotations": {"generation": str(generation)}},
                "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "nodeSelector": {"taint-lab": "true"},
                    "containers": [container],
                },
            },
        },
    }


def ready(plane: ControlPlane, name: str) -> bool:
    """Tell that a node is Ready and open for pods: its taints go a moment after."""
    found = plane.api.get("v1", "Node", name)
    return found is not None and node_view(found).ready and not found["spec"].get("taints")


def test_a_taint_keeps_new_pods_away_and_leaves_the_old_ones(lab: Lab, plane: ControlPlane) -> None:
    """Part two of the lab: NoSchedule acts on scheduling alone, until the pods are made anew."""
    workers = [node(name, plane.api) for name in ("taint-lab-worker", "taint-lab-worker2")]
    try:
        lab.wait("both are Ready", lambda: all(ready(plane, each["metadata"]["name"]) for each in workers))
        lab.plane.api.apply([cpu_only(lab, 1)])
        lab.wait("four pods run", lambda: len(running(lab)) == 4)
        assert len({each["spec"]["nodeName"] for each in running(lab)}) == 2

        taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
        plane.api.merge(workers[0], {"spec": {"taints": [taint]}})
        assert len({each["spec"]["nodeName"] for each in running(lab)}) == 2

        lab.plane.api.apply([cpu_only(lab, 2)])
        lab.wait(
            "all pods are on the other node",
            lambda: [each["spec"]["nodeName"] for each in running(lab)] == ["taint-lab-worker2"] * 4,
        )
    finally:
        for each in workers:
            plane.api.delete(each)
