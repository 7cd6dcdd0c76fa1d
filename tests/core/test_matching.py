"""Label selectors and tolerations."""

import pytest

from warmpool.core.matching import SelectorError, parse_selector, selects, tolerates, untolerated
from warmpool.core.model import Selector, Taint, Toleration

GPU = Taint(key="nvidia.com/gpu", effect="NoSchedule", value="present")


@pytest.mark.parametrize(
    ("text", "labels", "selected"),
    [
        ("app", {"app": ""}, True),
        ("app", {}, False),
        ("!app", {}, True),
        ("!app", {"app": "x"}, False),
        ("app=x", {"app": "x"}, True),
        ("app==x", {"app": "y"}, False),
        ("app!=x", {"app": "y"}, True),
        ("app!=x", {}, True),
        ("app!=x", {"app": "x"}, False),
        ("app in (x, y),tier", {"app": "y", "tier": "1"}, True),
        ("app in (x,y),tier", {"app": "y"}, False),
        ("app notin (x,y)", {"app": "z"}, True),
        ("app notin (x,y)", {"app": "x"}, False),
        ("workspace.jupyter.org/workspace-name", {"workspace.jupyter.org/workspace-name": "a"}, True),
    ],
)
def test_a_selector_reads_as_kubectl_reads_it(text: str, labels: dict[str, str], *, selected: bool) -> None:
    assert selects(parse_selector(text), labels) is selected


@pytest.mark.parametrize("text", ["", "a in x", "a=b=c", "a b", "a,", ",a", "in (a)x"])
def test_a_text_that_is_no_selector_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(SelectorError, match="expected"):
        parse_selector(text)


def test_an_empty_selector_selects_nothing() -> None:
    assert not selects(Selector(), {"app": "x"})


@pytest.mark.parametrize(
    ("toleration", "covers"),
    [
        (Toleration(key="nvidia.com/gpu", operator="Exists"), True),
        (Toleration(operator="Exists"), True),
        (Toleration(key="nvidia.com/gpu", value="present"), True),
        (Toleration(key="nvidia.com/gpu", value="other"), False),
        (Toleration(key="other", operator="Exists"), False),
        (Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoExecute"), False),
        (Toleration(value="present"), False),
    ],
)
def test_a_toleration_covers_a_taint_by_kubernetes_rules(toleration: Toleration, *, covers: bool) -> None:
    assert tolerates(toleration, GPU) is covers


def test_a_preferred_taint_keeps_nobody_away() -> None:
    soft = Taint(key="soft", effect="PreferNoSchedule")
    assert untolerated([soft, GPU], []) == GPU
    assert untolerated([soft], []) is None
