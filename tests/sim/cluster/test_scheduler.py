"""Where pods go: the real scheduler's filters, scores and queue (samples/README.md)."""

from tests.sim.cluster.builders import (
    FILLING,
    LAUNCH,
    MINUTE,
    SECOND,
    SMALL,
    burst,
    cluster,
    launches_by_node,
    nodes,
    pending_placeholders,
    placeholder_on,
    ready_placeholders,
    wait,
    warm,
)
from warmpool.core.model import Taint, Toleration
from warmpool.sim.cluster import Outcome, amounts


def test_six_launches_beside_small_placeholders_spread_over_all_four_warm_nodes() -> None:
    made = warm(4)
    burst(made, 6)
    assert launches_by_node(made) == [2, 2, 1, 1]
    assert {each.outcome for each in made.launches} == {Outcome.WARM_COEXIST}


def test_of_six_launches_on_filled_nodes_the_first_preempts_and_five_join_it() -> None:
    made = warm(4, requests=FILLING)
    burst(made, 6)
    assert launches_by_node(made) == [6]
    assert [each.outcome for each in made.launches] == [Outcome.WARM_PREEMPT, *[Outcome.WARM_COEXIST] * 5]


def test_of_thirty_launches_at_once_22_join_two_placeholders_and_8_wait_for_one_more_node() -> None:
    made = warm(2)
    for index in range(30):
        made.launch(f"w{index}")
    assert launches_by_node(made) == [11, 11]
    wait(made, MINUTE)
    assert launches_by_node(made) == [11, 11, 8]
    assert [pod.node for pod in ready_placeholders(made)] == nodes(made)[:2]


def test_placeholders_keep_one_node_each() -> None:
    made = warm(3)
    assert len(nodes(made)) == 3
    assert {len(node.pods) for node in nodes(made)} == {1}


def test_placeholders_of_another_app_may_share_their_nodes() -> None:
    made = warm(2)
    made.create_placeholders("op", "other", replicas=2, requests=LAUNCH)
    wait(made, MINUTE)
    assert [len(node.pods) for node in nodes(made)] == [2, 2]


def test_a_cordoned_node_takes_no_launch() -> None:
    made = warm(2)
    first, second = nodes(made)
    made.cordon(first.name)
    burst(made, 3)
    assert {each.node for each in made.launches} == {second.name}


def test_an_uncordoned_node_takes_launches_again() -> None:
    made = warm(1)
    made.cordon(nodes(made)[0].name)
    made.uncordon(nodes(made)[0].name)
    burst(made, 1)
    assert made.launches[0].outcome is Outcome.WARM_COEXIST


def test_a_node_that_is_not_ready_takes_no_launch() -> None:
    made = warm(2)
    first, second = nodes(made)
    made.set_ready(first.name, ready=False)
    burst(made, 1)
    assert made.launches[0].node == second.name


def test_a_launch_that_selects_other_nodes_waits_although_there_is_room() -> None:
    made = warm(2)
    made.launch("gpu", node_selector={"pool": "gpu"})
    wait(made, MINUTE)
    pod = made.find_pod("default", made.objects("pods")[-1]["metadata"]["name"])
    assert pod.node is None
    assert pod.message == "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."


def test_only_pods_that_tolerate_a_taint_go_to_a_tainted_node() -> None:
    gpu = Taint(key="nvidia.com/gpu", effect="NoSchedule", value="present")
    made = warm(1, node_taints=(gpu,), options={"tolerations": [Toleration(key="nvidia.com/gpu", operator="Exists")]})
    made.launch("plain")
    made.launch("gpu", tolerations=[Toleration(key="nvidia.com/gpu", value="present")])
    wait(made, MINUTE)
    assert [each.node is not None for each in made.launches] == [False, True]


def test_pod_slots_are_a_resource() -> None:
    made = warm(1, allocatable=amounts(cpu="47810m", memory="180Gi", pods="3"), limits=amounts(cpu="48"))
    burst(made, 4, requests=amounts(cpu="1", memory="1Gi"))
    assert [each.outcome for each in made.launches] == [
        Outcome.WARM_COEXIST,
        Outcome.WARM_COEXIST,
        Outcome.WARM_PREEMPT,
        None,
    ]


def test_daemonsets_take_their_part_of_each_node() -> None:
    made = warm(1, daemonsets={"aws-node": amounts(cpu="2", memory="1Gi")})
    assert nodes(made)[0].used["cpu"] == amounts(cpu="4")["cpu"]
    assert nodes(made)[0].used["pods"] == amounts(pods="2")["pods"]


def test_a_resource_that_nodes_do_not_have_is_not_scored() -> None:
    made = cluster(allocatable=amounts(cpu="8", pods="10"))
    burst(made, 3, requests=amounts(cpu="4"), apart=MINUTE)
    assert launches_by_node(made) == [2, 1]


def test_a_launch_goes_before_placeholders_that_wait_longer() -> None:
    made = cluster(limits=amounts(cpu="48"))
    made.create_placeholders("op", "ph", replicas=2, requests=FILLING)
    made.launch("late", requests=FILLING)
    wait(made, MINUTE)
    assert made.launches[0].node is not None
    assert len(pending_placeholders(made)) == 2


def test_a_placeholder_never_preempts() -> None:
    made = warm(1, requests=FILLING, limits=amounts(cpu="48"))
    made.create_placeholders("op", "second", replicas=1, requests=FILLING)
    wait(made, MINUTE)
    assert [pod.labels["app"] for pod in ready_placeholders(made)] == ["ph"]


def test_a_pod_that_found_no_room_is_tried_again_after_a_pause() -> None:
    made = warm(1, requests=FILLING, limits=amounts(cpu="48"))
    burst(made, 1, requests=FILLING)
    made.launch("second", requests=FILLING)
    wait(made, MINUTE)
    freed = made.now
    made.end("w0")
    wait(made, 11 * SECOND)
    assert made.launches[1].node is not None
    assert [event.at >= freed for event in made.history if event.what == "pod-bound"][-1]


def test_launches_prefer_the_node_that_has_the_image_when_sizes_are_known() -> None:
    image = "space:1"
    settings = {"image_sizes": {image: 3_500_000_000}, "image_pull_times": {image: 3 * MINUTE}, "launch_image": image}
    made = cluster(**settings)
    made.create_placeholders("op", "ph", replicas=1, requests=SMALL)
    wait(made, 5 * MINUTE)
    made.scale("op", "ph", 2)
    wait(made, MINUTE)
    old, new = nodes(made)
    assert placeholder_on(made, new.name).ready is False
    burst(made, 2)
    assert {each.node for each in made.launches} == {old.name}


def test_a_pod_takes_one_slot_whether_or_not_its_requests_say_so() -> None:
    made = warm(1, requests={**SMALL, **amounts(pods="1")})
    burst(made, 1, requests={**LAUNCH, **amounts(pods="1")})
    assert nodes(made)[0].used["pods"] == amounts(pods="2")["pods"]
