"""The grammar of label and field selectors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sim.api.standin import node, pod
from warmpool.sim.api.resources import RESOURCE_TYPES
from warmpool.sim.api.selectors import field_test, label_test
from warmpool.sim.api.status import ApiError

TYPES = {kind.plural: kind for kind in RESOURCE_TYPES}
LABELS = {"pool": "spaces", "tier": "", "example.com/gen": "3"}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("", True),
        ("pool=spaces", True),
        ("pool==spaces", True),
        (" pool = spaces ", True),
        ("pool=other", False),
        ("pool!=other", True),
        ("absent!=anything", True),
        ("pool", True),
        ("absent", False),
        ("!absent", True),
        ("! pool", False),
        ("tier=", True),
        ("pool in (a, spaces)", True),
        ("pool in (a,b)", False),
        ("pool notin (a,b)", True),
        ("absent notin (a)", True),
        ("absent in (a)", False),
        ("tier in (,a)", True),
        ("example.com/gen>2", True),
        ("example.com/gen<3", False),
        ("pool>2", False),
        ("pool in (a,spaces),tier,!absent,example.com/gen=3", True),
        ("pool in (a,spaces),absent", False),
    ],
)
def test_a_label_selector_matches_as_kubernetes_reads_it(selector: str, matches: bool) -> None:  # noqa: FBT001
    assert label_test(selector)(LABELS) is matches


@pytest.mark.parametrize("selector", ["=a", "pool in", "pool in (a", "pool=a b", "a,,b", "pool>x", "pool in (a b)"])
def test_a_selector_that_cannot_be_read_is_a_bad_request(selector: str) -> None:
    with pytest.raises(ApiError) as refusal:
        label_test(selector)
    assert refusal.value.code == 400
    assert "unable to parse requirement" in refusal.value.message


@given(st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz")), st.sets(st.sampled_from("xyz"), min_size=1))
def test_notin_is_everything_that_in_is_not(labels: dict[str, str], values: set[str]) -> None:
    listed = ",".join(sorted(values))
    assert label_test(f"a in ({listed})")(labels) is not label_test(f"a notin ({listed})")(labels)


def test_field_selectors_know_the_node_of_a_pod_and_names() -> None:
    placed, pending = pod("a", on="n1"), pod("b")
    assert field_test("spec.nodeName=n1", TYPES["pods"])(placed)
    assert not field_test("spec.nodeName=n1", TYPES["pods"])(pending)
    assert field_test("spec.nodeName=", TYPES["pods"])(pending)
    assert field_test("metadata.name==a,status.phase!=Failed", TYPES["pods"])(placed)
    assert field_test("spec.unschedulable=false", TYPES["nodes"])(node("n"))


@pytest.mark.parametrize(("selector", "said"), [("spec.nodeName=n1", "not supported"), ("nonsense", "invalid field")])
def test_a_field_that_is_not_indexed_is_a_bad_request(selector: str, said: str) -> None:
    with pytest.raises(ApiError, match=said) as refusal:
        field_test(selector, TYPES["deployments"])
    assert refusal.value.code == 400
