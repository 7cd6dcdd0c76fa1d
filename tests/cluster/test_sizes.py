"""Bursts and what comes after, with either kind of placeholder."""

import pytest

from tests.cluster.conftest import NewLab
from tests.cluster.lab import SMALL, Lab, codes
from warmpool.core.reasons import Code

BURST = [f"u{number}" for number in range(26)]
"""Two nodes take 22 launches of 4 CPU beside small placeholders."""


@pytest.mark.parametrize("placeholder", [pytest.param(SMALL, id="small"), pytest.param("node", id="node")])
def test_the_pool_grows_with_a_burst_and_comes_back_down(new_lab: NewLab, placeholder: object) -> None:
    lab: Lab = new_lab(spec={"placeholder": placeholder})
    lab.warm(2)

    for name in BURST:
        lab.launch(name)
    lab.until("all are available", lambda: all(lab.available(name) for name in BURST))
    decision = lab.until("room for two empty nodes", lambda: lab.tick().warm_slots >= 22)
    assert len(lab.nodes()) >= 5
    assert decision.busy_nodes >= 3

    lab.close(*BURST)
    lab.until("two nodes again", lambda: len(lab.nodes()) == 2 and lab.replicas() == 2, seconds=180)
    lab.warm(2)


def test_in_compat_the_pool_stays_up_as_with_the_guides_autoscaler(new_lab: NewLab) -> None:
    """With coresPerReplica = one node's cores: every size is a fixed point, so the burst's size stays."""
    linear = {"coresPerReplica": 48, "nodesPerReplica": 3, "preventSinglePointFailure": True}
    lab: Lab = new_lab(spec={"compat": True, "proportional": {"counting": "schedulable", "linear": linear}})
    lab.warm(2)

    for name in BURST:
        lab.launch(name)
    lab.until("all are available", lambda: all(lab.available(name) for name in BURST))
    lab.until("a third placeholder", lambda: lab.replicas() >= 3)
    lab.close(*BURST)
    lab.until("no workspace is left", lambda: not lab.workspace_pods())
    peak = lab.replicas()

    decisions = lab.for_passes(15)

    assert lab.replicas() == peak
    assert len(lab.nodes()) >= 3
    assert all(Code.COMPAT in codes(each) for each in decisions)


def six_launches(lab: Lab) -> list[str]:
    lab.warm(4)
    return [lab.launch_and_tell(f"s{number}") for number in range(6)]


def test_launches_spread_beside_small_placeholders(new_lab: NewLab) -> None:
    lab: Lab = new_lab(spec={"min": 4})

    assert six_launches(lab) == ["warm-coexist"] * 6
    assert len({each.node for each in lab.workspace_pods().values()}) == 4


def test_launches_pack_on_the_node_of_the_first_where_placeholders_fill_theirs(new_lab: NewLab) -> None:
    # The replacement's node comes late, or a launch would prefer it: it is emptier.
    lab: Lab = new_lab(spec={"min": 4, "placeholder": "node"}, registration_delay="20s")

    outcomes = six_launches(lab)

    assert outcomes == ["warm-preempt", *["warm-coexist"] * 5]
    assert len({each.node for each in lab.workspace_pods().values()}) == 1


def test_replicas_go_from_zero_to_two_and_back_twice(new_lab: NewLab) -> None:
    lab: Lab = new_lab(spec={"min": 0})
    for size in (0, 2, 0, 2):
        lab.change(min=size)
        lab.warm(size)
        lab.until(f"{size} nodes", lambda wanted=size: len(lab.nodes()) == wanted)  # type: ignore[misc]
        assert lab.replicas() == size


def test_a_big_launch_takes_the_warm_placeholder_and_not_the_one_still_pulling(new_lab: NewLab) -> None:
    lab: Lab = new_lab(spec={"min": 1})
    lab.warm(1)
    (warm,) = (each.node for each in lab.placeholders())
    lab.plane.kubelet.pull_seconds = 3600.0
    lab.change(min=2)
    lab.until("a second placeholder pulls", lambda: sum(each.node is not None for each in lab.placeholders()) == 2)
    assert {each.warm for each in lab.placeholders()} == {"true", "false"}

    assert lab.launch_and_tell("big", cpu="46") == "warm-preempt"

    assert lab.workspace_pods()["big"].node == warm
