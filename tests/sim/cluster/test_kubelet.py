"""Images and starts on a node, and nodes that lose touch."""

from tests.sim.cluster.builders import (
    FILLING,
    MINUTE,
    SECOND,
    burst,
    cluster,
    happened,
    nodes,
    placeholder_on,
    placeholders,
    ready_placeholders,
    wait,
    warm,
)
from warmpool.core.model import Condition
from warmpool.sim.cluster import Outcome

PULL = 3 * MINUTE


def test_a_ready_node_is_cold_until_its_image_is_pulled() -> None:
    made = cluster(image_pull_time=PULL)
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, MINUTE)
    assert nodes(made)[0].ready is Condition.TRUE
    assert not ready_placeholders(made)
    burst(made, 1)
    wait(made, PULL)
    launch = made.launches[0]
    assert (launch.outcome, launch.cause) == (Outcome.COLD, "still pulling")
    assert launch.waited is not None
    assert 2 * MINUTE < launch.waited < PULL


def test_a_placeholder_is_pending_until_the_pull_is_done_then_running() -> None:
    made = cluster(image_pull_time=PULL)
    made.create_placeholders("op", "ph", replicas=1)
    wait(made, MINUTE)
    pod = made.objects("pods")[0]
    assert pod["status"]["phase"] == "Pending"
    assert {each["type"]: each["status"] for each in pod["status"]["conditions"]}["Initialized"] == "False"
    wait(made, PULL)
    assert made.objects("pods")[0]["status"]["phase"] == "Running"


def test_an_image_is_pulled_once_a_node() -> None:
    made = warm(1, image_pull_time=PULL / 6)
    burst(made, 3, apart=MINUTE)
    assert len(happened(made, "image-pulled")) == 1
    assert {each.waited for each in made.launches} == {13 * SECOND}


def test_a_launch_with_an_image_of_its_own_pulls_it_on_a_warm_node() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE, image="own:1")
    launch = made.launches[0]
    assert (launch.outcome, launch.cause) == (Outcome.COLD, "no image")
    assert launch.waited == 18 * SECOND


def test_a_node_pulls_one_image_after_the_other() -> None:
    made = cluster(image_pull_times={"a": MINUTE, "b": 2 * MINUTE})
    made.create_placeholders("op", "ph", replicas=1, images=["a", "b"])
    wait(made, 3 * MINUTE)
    assert not ready_placeholders(made)
    wait(made, 20 * SECOND)
    assert len(ready_placeholders(made)) == 1


def test_a_pull_goes_on_when_its_placeholder_is_preempted() -> None:
    made = cluster(image_pull_time=MINUTE)
    made.create_placeholders("op", "ph", replicas=1, requests=FILLING)
    wait(made, 40 * SECOND)
    node = nodes(made)[0].name
    burst(made, 1, apart=MINUTE)
    assert made.launches[0].node == node
    assert happened(made, "image-pulled")[0] == node
    assert made.launches[0].ready_at is not None


def test_a_node_that_comes_back_in_time_keeps_its_pods() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE)
    node = nodes(made)[0]
    made.set_ready(node.name, ready=False)
    assert not any(pod.ready for pod in node.pods.values())
    wait(made, 4 * MINUTE)
    made.set_ready(node.name, ready=True)
    wait(made, MINUTE)
    assert all(pod.ready for pod in node.pods.values())
    assert not happened(made, "pod-evicted")


def test_a_node_that_stays_away_loses_its_pods_after_five_minutes() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE)
    node = nodes(made)[0]
    made.set_ready(node.name, ready=False)
    wait(made, 5 * MINUTE)
    assert len(happened(made, "pod-evicted")) == 2
    wait(made, MINUTE)
    assert len(ready_placeholders(made)) == 1
    assert placeholders(made)[0].node is not node
    assert [each.node == node.name for each in made.launches] == [True, False]


def test_a_pod_that_was_starting_when_its_node_failed_starts_again() -> None:
    made = warm(1)
    made.launch("w")
    wait(made, 5 * SECOND)
    made.set_ready(nodes(made)[0].name, ready=False)
    wait(made, MINUTE)
    assert made.launches[0].ready_at is None
    made.set_ready(nodes(made)[0].name, ready=True)
    wait(made, 13 * SECOND)
    assert made.launches[0].ready_at == made.now


def test_an_ended_workspace_frees_its_room() -> None:
    made = warm(1)
    burst(made, 1, apart=MINUTE)
    node = nodes(made)[0]
    made.end("w0")
    assert list(node.pods.values()) == [placeholder_on(made, node.name)]
    assert made.objects("workspaces") == []
