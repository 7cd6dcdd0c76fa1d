"""What passes remember of nodes, and what they learn of orders."""

from typing import Any

from tests.builders import LONG_AGO, NODE, NOW, SMALL, node, placeholder, pool
from tests.core.following import BEFORE, MINUTE, SECOND, WARM, answer, launch, passed, watch
from warmpool.core.model import PodPhase
from warmpool.core.quantity import subtract
from warmpool.core.watch import LeadSample, PoolWatch, WarmNode, Watch


class TestMemory:
    def test_a_node_stays_warm_when_its_placeholder_is_gone(self) -> None:
        after, _ = passed(watch(n1=WARM), node())
        assert after.pools["spaces"].nodes == {"n1": WarmNode(since=LONG_AGO)}

    def test_a_node_is_warm_from_its_first_readiness_on(self) -> None:
        after, _ = passed(watch(), node(), placeholder(on="n1", ready_changed=NOW - MINUTE))
        room = subtract(NODE, SMALL)
        assert after.pools["spaces"].nodes == {
            "n1": WarmNode(since=NOW - MINUTE, placeholder="uid-ph-1", room_beside=room)
        }

    def test_a_launch_with_an_image_of_its_own_does_not_make_a_node_warm(self) -> None:
        spec = pool(images=("jupyter:1",))
        after, _ = passed(watch(), node(), launch(images=("mine:7",)), spec=spec)
        assert after.pools["spaces"].nodes == {}

    def test_nothing_fits_beside_a_placeholder_of_unreadable_size(self) -> None:
        after, _ = passed(watch(), node(), placeholder(on="n1", requests=None))
        assert after.pools["spaces"].nodes["n1"].room_beside == {}

    def test_a_pool_that_this_pass_did_not_have_keeps_what_was_known(self) -> None:
        before = Watch(began=BEFORE, pools={"gpu": PoolWatch(idle_nodes=3)})
        after, _ = passed(before, node())
        assert after.pools["gpu"] == PoolWatch(idle_nodes=3)


class TestOrders:
    ORDERED = NOW - 8 * MINUTE

    def fresh(self, **overrides: Any) -> tuple[object, object]:
        joined = self.ORDERED + 4 * MINUTE
        new = node(created=self.ORDERED + 3 * MINUTE, ready_changed=joined)
        values = {"created": self.ORDERED, "ready_changed": NOW - 30 * SECOND, **overrides}
        return new, placeholder(on="n1", **values)

    def test_an_order_on_a_new_node_is_a_sample_in_three_parts(self) -> None:
        after, tally = passed(watch(), *self.fresh())
        sample = LeadSample(node=3 * MINUTE, join=MINUTE, pull=3.5 * MINUTE)
        assert (tally.lead, after.pools["spaces"].lead) == ((sample,), (sample,))
        assert sample.total == 7.5 * MINUTE

    def test_it_is_a_sample_once(self) -> None:
        after, _ = passed(watch(), *self.fresh())
        assert passed(after, *self.fresh(), at=NOW + MINUTE)[1].lead == ()

    def test_a_placeholder_on_a_node_that_was_there_is_none(self) -> None:
        assert passed(watch(), node(), placeholder(on="n1", ready_changed=NOW))[1].lead == ()

    def test_nor_is_one_that_was_ready_before_anybody_looked(self) -> None:
        assert passed(Watch(), *self.fresh())[1].lead == ()

    def test_nor_is_one_whose_node_is_not_the_pools(self) -> None:
        _, ordered = self.fresh()
        assert passed(watch(), ordered)[1].lead == ()

    def test_a_replacement_is_timed_from_the_preemption_until_it_is_ready(self) -> None:
        after, tally = passed(watch(n1=WARM), node(), launch(), answer())
        assert tally.replacements == ()
        heir = answer(node="n2", ready=True, ready_changed=NOW + 5 * MINUTE, phase=PodPhase.RUNNING)
        _, tally = passed(after, node(), launch(), node("n2"), heir, at=NOW + 6 * MINUTE)
        assert tally.replacements == (5.5 * MINUTE,)

    def test_one_placeholder_stands_in_for_one_preempted_only(self) -> None:
        second = launch("ws-2", on="n2", asked=NOW - 29 * SECOND)
        other = WarmNode(since=LONG_AGO, placeholder="uid-ph-2")
        after, _ = passed(watch(n1=WARM, n2=other), node(), node("n2"), launch(), second, answer())
        assert after.pools["spaces"].replacing == {"uid-ph-9": NOW - 30 * SECOND}

    def test_a_replacement_that_is_gone_is_forgotten(self) -> None:
        after, _ = passed(watch(n1=WARM), node(), launch(), answer())
        assert after.pools["spaces"].replacing == {"uid-ph-9": NOW - 30 * SECOND}
        after, _ = passed(after, node(), launch(), at=NOW + MINUTE)
        assert after.pools["spaces"].replacing == {}
