"""Whom a launch pushes out (kube-scheduler's ranking, tried on a real one: samples/README.md)."""

from tests.sim.cluster.builders import (
    FILLING,
    MINUTE,
    SECOND,
    burst,
    cluster,
    happened,
    nodes,
    pending_placeholders,
    placeholder_on,
    placeholders,
    wait,
    warm,
)
from warmpool.core.model import WARM_LABEL
from warmpool.sim.cluster import EmbeddedCluster, Outcome, amounts

BORN_COLD = {"app": "ph", WARM_LABEL: "false"}


def _old_and_new(*, steered: bool) -> tuple[EmbeddedCluster, str, str]:
    """Build two filled nodes, one warm for minutes, one that still pulls; then let a launch come."""
    made = cluster(image_pull_time=2 * MINUTE)
    made.create_placeholders("op", "ph", replicas=1, requests=FILLING, labels=BORN_COLD)
    if steered:
        made.add_disruption_budget("op", "ph-pulling", {WARM_LABEL: "false"})
    wait(made, 5 * MINUTE)
    made.patch_pod("op", placeholders(made)[0].name, labels={WARM_LABEL: "true"})
    made.scale("op", "ph", 2)
    wait(made, 30 * SECOND)
    old, new = nodes(made)
    assert not placeholder_on(made, new.name).ready
    return made, old.name, new.name


def test_by_itself_a_launch_preempts_the_placeholder_that_started_last_and_finds_no_image() -> None:
    made, _, new = _old_and_new(steered=False)
    burst(made, 1)
    assert made.launches[0].node == new
    assert (made.launches[0].outcome, made.launches[0].cause) == (Outcome.COLD, "still pulling")


def test_a_budget_on_cold_placeholders_steers_a_launch_to_the_warm_one() -> None:
    made, old, _ = _old_and_new(steered=True)
    burst(made, 1)
    assert made.launches[0].node == old
    assert made.launches[0].outcome is Outcome.WARM_PREEMPT


def test_the_budget_does_not_protect_the_cold_one_where_there_is_no_other() -> None:
    made, _, new = _old_and_new(steered=True)
    burst(made, 1)
    burst(made, 1, requests=FILLING)
    assert made.launches[1].node == new
    assert len(happened(made, "pod-preempted")) == 2


def test_two_warm_placeholders_lose_the_younger_one() -> None:
    made = warm(1, requests=FILLING)
    made.scale("op", "ph", 2)
    wait(made, MINUTE)
    burst(made, 1)
    assert made.launches[0].node == nodes(made)[1].name


def test_the_victim_goes_at_once_and_the_launch_is_bound_within_a_second() -> None:
    made = warm(1, requests=FILLING)
    made.launch("w")
    assert happened(made, "pod-preempted") == happened(made, "pod-deleted")
    wait(made, SECOND)
    assert made.launches[0].node == nodes(made)[0].name


def test_until_then_the_launch_holds_a_nomination_that_keeps_placeholders_away() -> None:
    made = warm(1, requests=FILLING)
    made.launch("w")
    pod = next(each for each in made.objects("pods") if each["metadata"]["namespace"] == "default")
    assert pod["status"]["nominatedNodeName"] == nodes(made)[0].name
    assert "nodeName" not in pod["spec"]
    assert len(pending_placeholders(made)) == 1


def test_a_victim_with_a_grace_keeps_its_room_until_it_is_over() -> None:
    made = warm(1, requests=FILLING, preemption_grace=20 * SECOND, registration_delay=30 * SECOND)
    made.launch("w")
    wait(made, 19 * SECOND)
    assert made.launches[0].node is None
    assert [pod.deleting_at is not None for pod in placeholders(made)] == [True, False]
    wait(made, 3 * SECOND)
    assert made.launches[0].node is not None


def test_a_launch_whose_victim_is_slow_takes_the_new_node_that_comes_first() -> None:
    made = warm(1, requests=FILLING, preemption_grace=30 * SECOND)
    old = nodes(made)[0].name
    made.launch("w")
    wait(made, MINUTE)
    assert made.launches[0].node != old
    assert (made.launches[0].outcome, made.launches[0].cause) == (Outcome.COLD, "new node")


def test_the_replacement_orders_its_own_node_and_is_warm_after_lead_time_and_pull() -> None:
    made = warm(1, requests=FILLING)
    burst(made, 1, apart=30 * SECOND)
    old, new = nodes(made)
    assert placeholder_on(made, new.name).ready
    assert made.launches[0].node == old.name


def test_a_launch_that_preempts_orders_no_node_for_itself() -> None:
    made = warm(1, requests=FILLING)
    burst(made, 1, apart=MINUTE)
    assert len(happened(made, "claim-created")) == 2


def test_a_launch_never_preempts_another_launch() -> None:
    made = warm(1, requests=FILLING, limits=amounts(cpu="48"))
    burst(made, 2, requests=FILLING, apart=MINUTE)
    assert [each.node is not None for each in made.launches] == [True, False]


def test_a_node_where_fewer_must_leave_is_preferred() -> None:
    made = warm(2)
    half = amounts(cpu="20", memory="80Gi")
    made.create_placeholders("op", "more", replicas=2, requests=half)
    wait(made, MINUTE)
    made.scale("op", "more", 1)
    wait(made, MINUTE)
    lone = next(node for node in nodes(made) if len(node.pods) == 1)
    made.launch("big", requests=FILLING)
    wait(made, 2 * SECOND)
    assert made.launches[0].node == lone.name


def test_who_still_fits_beside_the_launch_may_stay() -> None:
    made = warm(1)
    made.create_placeholders("op", "more", replicas=1, requests=amounts(cpu="20", memory="80Gi"))
    wait(made, MINUTE)
    made.launch("w", requests=amounts(cpu="30", memory="16Gi"))
    assert [name.rsplit("-", 2)[0] for name in happened(made, "pod-preempted")] == ["more"]


def test_preempting_a_warm_placeholder_takes_30_to_40_seconds_and_coexisting_15() -> None:
    filled, roomy = warm(1, requests=FILLING), warm(1)
    for made in (filled, roomy):
        burst(made, 1, apart=MINUTE)
    preempted, beside = filled.launches[0].waited, roomy.launches[0].waited
    assert preempted is not None
    assert beside is not None
    assert 30 * SECOND <= preempted <= 40 * SECOND
    assert 10 * SECOND <= beside <= 15 * SECOND
