"""Deployments and what scales them, as values of the core's model."""

from typing import Any

import pytest

from tests.adapters.kubernetes.bodies import (
    autoscaler,
    container,
    deployment,
    item,
    metadata,
)
from tests.builders import amounts
from warmpool.adapters.kubernetes import objects
from warmpool.core.model import (
    Deployment,
    Scaler,
    Selector,
)


def deployment_of(body: dict[str, Any]) -> Deployment:
    return objects.DEPLOYMENTS.read(item(body)).deployment


class TestDeployments:
    def test_a_deployment_is_read_whole(self) -> None:
        selector = {"matchLabels": {"app": "ph"}, "matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]}

        assert deployment_of(deployment(spec={"selector": selector, "paused": True})) == Deployment(
            namespace="op",
            name="ph",
            replicas=2,
            uid="uid-ph",
            selector=Selector(labels={"app": "ph"}, expressions=(("old", "DoesNotExist", ()),)),
            requests=amounts(cpu="2", memory="8Gi", pods="1"),
            paused=True,
            status_replicas=2,
            updated_replicas=2,
        )

    def test_a_deployment_at_zero_has_a_status_of_nothing_and_no_rollout(self) -> None:
        body = deployment(replicas=0)
        body["status"] = {"observedGeneration": 1}

        seen = deployment_of(body)

        assert (seen.replicas, seen.status_replicas, seen.rolling_out) == (0, 0, False)

    def test_replicas_that_are_not_said_are_one(self) -> None:
        assert deployment_of({"metadata": {"name": "ph"}}).replicas == 1

    def test_a_generation_not_observed_yet_is_a_rollout(self) -> None:
        assert deployment_of(deployment(metadata={"generation": 2})).rolling_out
        body = deployment()
        body["status"] = {}
        assert deployment_of(body).rolling_out

    def test_pods_of_an_older_template_are_a_rollout(self) -> None:
        assert deployment_of(deployment(replicas=3, updatedReplicas=2)).rolling_out

    def test_a_limit_without_a_request_is_what_the_pods_will_request(self) -> None:
        limited = container(resources={"limits": {"cpu": "2", "memory": "8Gi"}, "requests": {"cpu": "1"}})

        assert deployment_of(deployment(pod={"containers": [limited]})).requests == amounts(
            cpu="1", memory="8Gi", pods="1"
        )


class TestScalers:
    def scales(self, *words: str, replicas: int = 1, command: bool = False) -> list[tuple[str, str]]:
        told: dict[str, Any] = {"command" if command else "args": list(words)}
        body = deployment("cpa", pod={"containers": [container(**told)]})
        body["spec"]["replicas"] = replicas
        found = objects.DEPLOYMENTS.read(item(body)).scales
        assert {(each.kind, each.name) for each in found} <= {("ClusterProportionalAutoscaler", "cpa")}
        return [(each.namespace, each.target) for each in found]

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (("--target=deployment/ph",), [("op", "ph")]),
            (("--target", "Deployment/ph", "--v=2"), [("op", "ph")]),
            (("--namespace=spaces", "--target=deployment/ph"), [("spaces", "ph")]),
            (("--target=deployment/a, deployment/b",), [("op", "a"), ("op", "b")]),
            (("--target=replicationcontroller/ph",), []),
            (("--target=deployment/",), []),
            (("--target",), []),
            (("--targeted=deployment/ph",), []),
            ((), []),
        ],
    )
    def test_a_cpa_is_known_by_its_target(self, words: tuple[str, ...], expected: list[tuple[str, str]]) -> None:
        assert self.scales(*words) == expected

    def test_its_words_may_be_in_the_command(self) -> None:
        assert self.scales("/cluster-proportional-autoscaler", "--target=deployment/ph", command=True) == [("op", "ph")]

    def test_a_cpa_without_replicas_is_not_alive(self) -> None:
        assert self.scales("--target=deployment/ph", replicas=0) == []

    def test_an_autoscaler_of_something_else_is_left_out(self) -> None:
        assert objects.AUTOSCALERS.read(item(autoscaler(kind="StatefulSet"))) is None
        assert objects.AUTOSCALERS.read(item({"metadata": metadata("empty", "op")})) is None

    def test_a_scaled_object_scales_a_deployment_unless_it_says_otherwise(self) -> None:
        body = {"metadata": metadata("so", "op"), "spec": {"scaleTargetRef": {"name": "ph"}}}

        assert objects.SCALED_OBJECTS.read(item(body)) == Scaler(
            kind="ScaledObject", namespace="op", name="so", target="ph"
        )
        body["spec"]["scaleTargetRef"]["kind"] = "StatefulSet"
        assert objects.SCALED_OBJECTS.read(item(body)) is None
