"""A new image for the placeholders: what surge costs on one-a-node pods (facts/hyperpod.md 0.8)."""

from tests.sim.cluster.builders import (
    MINUTE,
    SECOND,
    happened,
    nodes,
    placeholders,
    ready_placeholders,
    wait,
    warm,
)
from warmpool.sim.cluster import EmbeddedCluster

NO_SURGE = {"max_surge": 0, "max_unavailable": 1}


def _images(made: EmbeddedCluster) -> list[str]:
    return sorted(pod.template.init_images[0] for pod in ready_placeholders(made))


def test_with_kubernetes_defaults_a_rollout_of_two_needs_a_third_node() -> None:
    made = warm(2, registration_delay=30 * SECOND)
    made.set_image("op", "ph", "space:2")
    assert [pod.node for pod in placeholders(made)].count(None) == 1
    wait(made, 30 * SECOND)
    assert "space:2" not in _images(made)
    wait(made, 5 * MINUTE)
    assert _images(made) == ["space:2", "space:2"]
    assert made.books.peak_nodes == 3


def test_without_surge_a_rollout_stays_on_its_nodes() -> None:
    made = warm(2, options=NO_SURGE)
    made.set_image("op", "ph", "space:2")
    assert len(placeholders(made)) == 2
    wait(made, 5 * MINUTE)
    assert _images(made) == ["space:2", "space:2"]
    assert made.books.peak_nodes == 2


def test_without_surge_one_placeholder_stays_ready_all_the_time() -> None:
    made = warm(2, options=NO_SURGE, image_pull_time=30 * SECOND)
    made.set_image("op", "ph", "space:2")
    for _ in range(90):
        wait(made, SECOND)
        assert len(ready_placeholders(made)) >= 1
    assert _images(made) == ["space:2", "space:2"]


def test_a_surge_never_takes_a_ready_placeholder_before_a_new_one_is_ready() -> None:
    made = warm(2)
    made.set_image("op", "ph", "space:2")
    for _ in range(60):
        wait(made, SECOND)
        assert len(ready_placeholders(made)) >= 2


def test_a_deployment_reports_its_rollout() -> None:
    made = warm(2, options=NO_SURGE)
    deployment = made.world.deployments["op", "ph"]
    assert (deployment.observed_generation, deployment.updated_replicas) == (1, 2)
    made.set_image("op", "ph", "space:2")
    assert (deployment.observed_generation, deployment.updated_replicas, deployment.status_replicas) == (2, 1, 2)
    wait(made, 2 * MINUTE)
    assert (deployment.updated_replicas, deployment.ready_replicas) == (2, 2)


def test_a_paused_deployment_rolls_nothing_out_and_still_scales() -> None:
    made = warm(2)
    made.pause_deployment("op", "ph")
    made.set_image("op", "ph", "space:2")
    made.scale("op", "ph", 3)
    wait(made, MINUTE)
    assert len(ready_placeholders(made)) == 3
    assert "space:2" not in _images(made)


def test_resuming_lets_the_rollout_happen() -> None:
    made = warm(2, options=NO_SURGE)
    made.pause_deployment("op", "ph")
    made.set_image("op", "ph", "space:2")
    made.pause_deployment("op", "ph", paused=False)
    wait(made, 2 * MINUTE)
    assert _images(made) == ["space:2", "space:2"]


def test_scaling_while_it_rolls_out_ends_at_the_new_number() -> None:
    made = warm(2, options=NO_SURGE)
    made.set_image("op", "ph", "space:2")
    made.scale("op", "ph", 4)
    wait(made, 3 * MINUTE)
    assert _images(made) == ["space:2"] * 4


def test_setting_the_same_image_changes_nothing() -> None:
    made = warm(2)
    made.set_image("op", "ph", placeholders(made)[0].template.init_images[0])
    assert made.world.deployments["op", "ph"].generation == 1


def test_a_deleted_deployment_is_not_brought_back_by_pods_that_take_their_time() -> None:
    made = warm(1, preemption_grace=20 * SECOND)
    made.delete_deployment("op", "ph")
    assert [pod.deleting_at for pod in placeholders(made)] == [made.now]
    wait(made, MINUTE)
    assert placeholders(made) == []
    assert made.objects("deployments") == made.objects("replicasets") == []


def test_a_deleted_deployment_takes_its_pods_along() -> None:
    made = warm(2)
    made.delete_deployment("op", "ph")
    assert placeholders(made) == []
    wait(made, 2 * MINUTE)
    assert nodes(made) == []
    assert len(happened(made, "node-removed")) == 2
