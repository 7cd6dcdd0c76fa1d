"""What the cluster needs for a pool."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.builders import SMALL, amounts, pool
from warmpool.adapters.kubernetes.manifests import ClusterWide, Manifest, manifests
from warmpool.adapters.kubernetes.placeholder import requests
from warmpool.app.errors import ConfigInvalid
from warmpool.core.model import Toleration
from warmpool.core.quantity import parse_quantity
from warmpool.core.spec import DoNotDisrupt, PoolSpec

IMAGES = ("r/distribution:latest-cpu", "r/sidecar:1")


def made(*pools: PoolSpec, **wide: Any) -> list[Manifest]:
    return manifests(pools or (pool(images=IMAGES),), ClusterWide(**wide))


def one(kind: str, *pools: PoolSpec, **wide: Any) -> Manifest:
    (found,) = (each for each in made(*pools, **wide) if each["kind"] == kind)
    return found


def template(*pools: PoolSpec, **wide: Any) -> Manifest:
    found: Manifest = one("Deployment", *pools, **wide)["spec"]["template"]
    return found


def containers(spec: Manifest) -> Iterator[Manifest]:
    yield from (*spec.get("initContainers", ()), *spec["containers"])


def rules(kind: str) -> set[tuple[str, str, str, str]]:
    return {
        (group, resource, verb, ",".join(rule.get("resourceNames", ())))
        for rule in one(kind)["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_objects_come_in_the_order_in_which_they_can_be_applied() -> None:
    assert [each["kind"] for each in made()] == [
        "Namespace",
        "PriorityClass",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
        "Deployment",
        "PodDisruptionBudget",
    ]


def test_two_pools_share_the_namespace_and_nothing_that_bears_a_name_of_theirs() -> None:
    both = made(pool(name="a", deployment="ph-a"), pool(name="b", deployment="ph-b"))
    named = [(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in both]

    assert len(named) == len(set(named))
    assert sum(kind == "Namespace" for kind, _, _ in named) == 1
    assert {name for kind, _, name in named if kind == "Role"} == {
        "warmpool-controller-ph-a",
        "warmpool-controller-ph-b",
    }


def test_a_pool_applied_alone_is_what_it_is_among_others() -> None:
    first, second = pool(name="a", deployment="ph-a"), pool(name="b", deployment="ph-b")

    both = made(first, second)

    assert all(each in both for each in (*made(first), *made(second)))


def test_every_other_pod_preempts_a_placeholder_which_preempts_none() -> None:
    priority = one("PriorityClass")

    assert (priority["value"], priority["preemptionPolicy"], priority["globalDefault"]) == (-1000, "Never", False)
    assert template()["spec"]["priorityClassName"] == priority["metadata"]["name"]


def test_only_nodes_pods_and_karpenter_are_read_in_the_whole_cluster() -> None:
    assert rules("ClusterRole") == {
        ("", "nodes", "list", ""),
        ("", "pods", "list", ""),
        ("karpenter.sh", "nodeclaims", "list", ""),
        ("karpenter.sh", "nodepools", "list", ""),
    }


def test_only_the_pools_own_deployment_can_be_scaled() -> None:
    assert rules("Role") == {
        ("apps", "deployments", "list", ""),
        ("apps", "deployments", "get", "ph"),
        ("apps", "deployments/scale", "get", "ph"),
        ("apps", "deployments/scale", "patch", "ph"),
        ("", "pods", "patch", ""),
        ("autoscaling", "horizontalpodautoscalers", "list", ""),
        ("keda.sh", "scaledobjects", "list", ""),
    }


def test_the_bindings_name_the_controllers_group_and_nobody_else() -> None:
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        binding = one(kind, group="team-controller")
        assert [(each["kind"], each["name"]) for each in binding["subjects"]] == [("Group", "team-controller")]
        assert (
            binding["roleRef"]["name"] == one(binding["roleRef"]["kind"], group="team-controller")["metadata"]["name"]
        )


def test_replicas_are_left_to_the_controller() -> None:
    assert "replicas" not in one("Deployment")["spec"]


def test_replicas_are_written_where_they_are_asked_for_zero_included() -> None:
    assert one("Deployment", initial_replicas=0)["spec"]["replicas"] == 0


def test_a_rollout_never_needs_a_node_more() -> None:
    assert one("Deployment")["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
    }


def test_placeholders_are_born_cold_and_their_deployment_knows_them_all_the_same() -> None:
    deployment = one("Deployment")
    selector = deployment["spec"]["selector"]["matchLabels"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]

    assert labels == {**selector, "warmpool.spaces.aws/warm": "false"}


def test_the_budget_covers_the_cold_placeholders_of_its_pool_alone() -> None:
    budget = one("PodDisruptionBudget")["spec"]

    assert budget["maxUnavailable"] == 0
    assert budget["selector"]["matchLabels"] == template()["metadata"]["labels"]


def test_two_pools_do_not_take_each_others_placeholders_for_their_own() -> None:
    first, second = (template(pool(name=name, deployment=f"ph-{name}"))["metadata"]["labels"] for name in ("a", "b"))

    assert first != second


def test_there_is_one_placeholder_on_a_node() -> None:
    (apart,) = template()["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert apart["topologyKey"] == "kubernetes.io/hostname"
    assert apart["labelSelector"]["matchLabels"].items() <= template()["metadata"]["labels"].items()
    assert "warmpool.spaces.aws/warm" not in apart["labelSelector"]["matchLabels"]


def test_placeholders_keep_to_the_pools_nodes() -> None:
    spec = template(pool(node_selector={"b": "2", "a": "1"}))["spec"]
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert required["nodeSelectorTerms"] == [
        {
            "matchExpressions": [
                {"key": "a", "operator": "In", "values": ["1"]},
                {"key": "b", "operator": "In", "values": ["2"]},
            ]
        }
    ]


def test_every_image_is_pulled_by_a_container_that_does_nothing() -> None:
    pulls = template()["spec"]["initContainers"]

    assert [each["image"] for each in pulls] == list(IMAGES)
    assert {tuple(each["command"]) for each in pulls} == {("sh", "-c", "exit 0")}
    assert len({each["name"] for each in pulls}) == len(IMAGES)


def test_what_a_pool_does_not_have_is_left_out() -> None:
    spec = template(pool())["spec"]

    assert spec.keys().isdisjoint({"tolerations", "imagePullSecrets", "initContainers"})


def test_tolerations_and_secrets_are_those_of_the_spec() -> None:
    tolerations = (
        Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule"),
        Toleration(key="a", value="b"),
    )
    spec = template(pool(tolerations=tolerations, image_pull_secrets=("registry",)))["spec"]

    assert spec["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "a", "operator": "Equal", "value": "b"},
    ]
    assert spec["imagePullSecrets"] == [{"name": "registry"}]


def test_every_container_satisfies_the_restricted_pod_security_level() -> None:
    spec = template()["spec"]

    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in containers(spec):
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False
        assert context["readOnlyRootFilesystem"] is True
        assert context["capabilities"] == {"drop": ["ALL"]}


def test_the_user_is_a_number_since_images_only_name_theirs() -> None:
    assert template()["spec"]["securityContext"]["runAsUser"] > 0


def test_every_container_has_requests_and_limits_for_namespaces_with_quotas() -> None:
    for container in containers(template()["spec"]):
        for kind in ("requests", "limits"):
            assert container["resources"][kind].keys() >= {"cpu", "memory"}


def test_a_small_placeholder_asks_for_what_the_spec_says() -> None:
    spec = template(pool(images=IMAGES, placeholder=amounts(cpu="2", memory="8Gi")))["spec"]

    assert spec["containers"][0]["resources"]["requests"] == {"cpu": "2", "memory": "8Gi"}
    assert spec["containers"][0]["resources"]["limits"] == {"cpu": "2", "memory": "8Gi"}


def test_a_container_never_asks_for_pods_which_the_api_server_refuses() -> None:
    for container in containers(template(pool(images=IMAGES, placeholder=SMALL))["spec"]):
        assert "pods" not in container["resources"]["requests"]


def test_a_placeholder_that_fills_its_node_leaves_five_percent() -> None:
    whole = pool(placeholder=None, node_allocatable=amounts(cpu="47810m", memory="188520Mi", pods="110"))

    assert requests(whole) == amounts(cpu="45419m", memory="179094Mi")


def test_a_placeholder_on_a_small_node_leaves_at_least_a_quarter_core_and_a_gibibyte() -> None:
    whole = pool(placeholder=None, node_allocatable=amounts(cpu="2", memory="8Gi"))

    assert requests(whole) == amounts(cpu="1750m", memory="7Gi")


def test_a_placeholder_that_fills_its_node_takes_all_devices() -> None:
    offer = {**amounts(cpu="48", memory="192Gi"), "nvidia.com/gpu": parse_quantity("4")}
    resources = template(pool(placeholder=None, node_allocatable=offer))["spec"]["containers"][0]["resources"]

    assert resources["requests"]["nvidia.com/gpu"] == resources["limits"]["nvidia.com/gpu"] == "4"


def test_the_size_of_a_node_has_to_be_known_to_fill_it() -> None:
    with pytest.raises(ConfigInvalid, match="nodeAllocatable: is absent") as raised:
        made(pool(placeholder=None))

    assert raised.value.path == "pools.spaces.nodeAllocatable"


def test_a_node_smaller_than_the_margin_is_an_error() -> None:
    with pytest.raises(ConfigInvalid, match=r"nodeAllocatable\.memory: is 1Gi"):
        made(pool(placeholder=None, node_allocatable=amounts(cpu="2", memory="1Gi")))


def test_pulling_asks_for_no_more_than_the_placeholder_itself() -> None:
    tiny = amounts(cpu="5m", memory="32Mi")

    pulls = template(pool(images=IMAGES, placeholder=tiny))["spec"]["initContainers"]

    assert {tuple(each["resources"]["requests"].values()) for each in pulls} == {("5m", "32Mi")}


@pytest.mark.parametrize(
    ("wish", "underutilised", "protected"),
    [
        (DoNotDisrupt.AUTO, False, False),
        (DoNotDisrupt.AUTO, True, True),
        (DoNotDisrupt.ALWAYS, False, True),
        (DoNotDisrupt.NEVER, True, False),
    ],
)
def test_placeholders_are_protected_only_where_nodes_in_use_are_consolidated(
    wish: DoNotDisrupt, *, underutilised: bool, protected: bool
) -> None:
    pools = frozenset({"spaces"} if underutilised else ())

    annotations = template(pool(do_not_disrupt=wish), underutilised=pools)["metadata"].get("annotations", {})

    assert annotations == ({"karpenter.sh/do-not-disrupt": "true"} if protected else {})


def test_a_placeholder_goes_at_once_and_holds_no_token() -> None:
    spec = template()["spec"]

    assert spec["terminationGracePeriodSeconds"] == 0
    assert spec["automountServiceAccountToken"] is False
