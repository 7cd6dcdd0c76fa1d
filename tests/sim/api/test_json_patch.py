"""JSON patch and merge patch as the API server applies them."""

from typing import Any

import pytest

from warmpool.sim.api.json_patch import apply_patch, merge_patch
from warmpool.sim.api.status import PATCH_REFUSED, ApiError

TWO = {"spec": {"replicas": 2}}
ZERO: dict[str, Any] = {"spec": {}}


def replicas(*operations: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"op": op, "path": "/spec/replicas", "value": value} for op, value in operations]


def test_a_test_that_holds_lets_the_replacement_through() -> None:
    assert apply_patch(TWO, replicas(("test", 2), ("replace", 5))) == {"spec": {"replicas": 5}}
    assert TWO == {"spec": {"replicas": 2}}, "the original is left alone"


def test_at_zero_the_field_is_absent_so_null_is_tested_and_the_value_added() -> None:
    assert apply_patch(ZERO, replicas(("test", None), ("add", 3))) == {"spec": {"replicas": 3}}


@pytest.mark.parametrize(
    ("document", "operations"),
    [
        (TWO, replicas(("test", 3), ("replace", 5))),
        (TWO, replicas(("test", None), ("add", 5))),
        (TWO, replicas(("test", True))),
        (ZERO, replicas(("test", 0), ("replace", 5))),
        (ZERO, replicas(("replace", 5))),
        (ZERO, [{"op": "remove", "path": "/spec/replicas"}]),
        (TWO, [{"op": "add", "path": "/status/deep/er", "value": 1}]),
        (TWO, [{"op": "add", "path": "spec", "value": 1}]),
    ],
)
def test_what_does_not_apply_is_422_invalid_in_the_servers_words(
    document: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    with pytest.raises(ApiError) as refusal:
        apply_patch(document, operations)
    assert (refusal.value.code, refusal.value.message) == (422, PATCH_REFUSED)
    assert refusal.value.body()["reason"] == "Invalid"


@pytest.mark.parametrize("operations", [["text"], [{"op": "add"}], [{"op": "dance", "path": "/spec"}]])
def test_what_is_no_patch_is_a_bad_request(operations: list[Any]) -> None:
    with pytest.raises(ApiError) as refusal:
        apply_patch(TWO, operations)
    assert refusal.value.code == 400


def test_a_path_may_hold_escaped_slashes() -> None:
    patched = apply_patch({"labels": {}}, [{"op": "add", "path": "/labels/a.b~1c~0d", "value": "x"}])
    assert patched == {"labels": {"a.b/c~d": "x"}}


def test_a_merge_patch_sets_and_removes() -> None:
    present = {"metadata": {"labels": {"a": "1", "b": "2"}}}
    patched = merge_patch(present, {"metadata": {"labels": {"a": None, "c": "3"}, "annotations": {"x": "y"}}})
    assert patched == {"metadata": {"labels": {"b": "2", "c": "3"}, "annotations": {"x": "y"}}}
