"""Lists through the door: scope, selectors, pages, encodings."""

import pytest

from tests.sim.api.standin import StandIn, deployment, door, get, names, node, nodeclaim, pod, read


def test_a_list_comes_sorted_with_its_own_kind_and_version() -> None:
    answer = get(door(StandIn(nodes=[node("b"), node("a")])), "/api/v1/nodes")
    body = read(answer)
    assert (body["kind"], body["apiVersion"]) == ("NodeList", "v1")
    assert body["metadata"] == {"resourceVersion": "7"}
    assert names(answer) == ["a", "b"]


def test_items_of_built_in_lists_have_no_kind_and_those_of_custom_resources_have_one() -> None:
    the_door = door(StandIn(nodes=[node("a")], nodeclaims=[nodeclaim("c")]))
    assert "kind" not in read(get(the_door, "/api/v1/nodes"))["items"][0]
    assert read(get(the_door, "/apis/karpenter.sh/v1/nodeclaims"))["items"][0]["kind"] == "NodeClaim"


def test_pods_are_listed_everywhere_or_in_one_namespace() -> None:
    the_door = door(StandIn(pods=[pod("w", "team"), pod("p", "op")]))
    assert names(get(the_door, "/api/v1/pods")) == ["p", "w"]
    assert names(get(the_door, "/api/v1/namespaces/op/pods")) == ["p"]


def test_selectors_choose_by_label_and_by_field() -> None:
    the_door = door(StandIn(pods=[pod("a", on="n1", app="ph"), pod("b", on="n1"), pod("c", on="n2", app="ph")]))
    assert names(get(the_door, "/api/v1/pods?labelSelector=app%3Dph&fieldSelector=spec.nodeName%3Dn1")) == ["a"]
    assert get(the_door, "/api/v1/pods?labelSelector=%3D").status == 400


def test_pages_show_the_list_as_it_was_when_the_first_was_read() -> None:
    cluster = StandIn(nodes=[node(f"n{index}") for index in range(5)])
    the_door = door(cluster)
    first = read(get(the_door, "/api/v1/nodes?limit=2"))
    assert first["metadata"]["remainingItemCount"] == 3
    cluster.held["nodes"] = [node("late")]
    seen = [item["metadata"]["name"] for item in first["items"]]
    token = first["metadata"]["continue"]
    while token:
        page = read(get(the_door, f"/api/v1/nodes?limit=2&continue={token}"))
        assert page["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        seen += [item["metadata"]["name"] for item in page["items"]]
        token = page["metadata"].get("continue")
    assert seen == ["n0", "n1", "n2", "n3", "n4"]


def test_a_page_can_be_read_again_with_the_same_token() -> None:
    the_door = door(StandIn(nodes=[node("a"), node("b")]))
    token = read(get(the_door, "/api/v1/nodes?limit=1"))["metadata"]["continue"]
    target = f"/api/v1/nodes?limit=1&continue={token}"
    assert names(get(the_door, target)) == names(get(the_door, target)) == ["b"]


def test_what_remains_is_not_counted_under_a_selector() -> None:
    the_door = door(StandIn(nodes=[node("a", x="1"), node("b", x="1")]))
    metadata = read(get(the_door, "/api/v1/nodes?limit=1&labelSelector=x"))["metadata"]
    assert "continue" in metadata
    assert "remainingItemCount" not in metadata


def test_an_expired_page_is_410_and_a_broken_token_400() -> None:
    the_door = door(StandIn(nodes=[node("a"), node("b")]))
    token = read(get(the_door, "/api/v1/nodes?limit=1"))["metadata"]["continue"]
    the_door.lists.expire_pages()
    answer = get(the_door, f"/api/v1/nodes?limit=1&continue={token}")
    assert (answer.status, read(answer)["reason"]) == (410, "Expired")
    assert get(the_door, "/api/v1/nodes?continue=%21%21").status == 400
    assert get(the_door, "/api/v1/nodes?limit=some").status == 400


def test_only_so_many_lists_may_be_under_way() -> None:
    the_door = door(StandIn(nodes=[node("a"), node("b")]))
    tokens = [read(get(the_door, "/api/v1/nodes?limit=1"))["metadata"]["continue"] for _ in range(65)]
    assert get(the_door, f"/api/v1/nodes?continue={tokens[0]}").status == 410
    assert get(the_door, f"/api/v1/nodes?continue={tokens[-1]}").status == 200


def test_a_changed_object_is_encoded_anew_and_its_list_has_a_new_version() -> None:
    cluster = StandIn(pods=[pod("a"), pod("b")])
    the_door = door(cluster)
    before = read(get(the_door, "/api/v1/pods"))
    cluster.patch_pod("op", "a", labels={"warm": "true"})
    after = read(get(the_door, "/api/v1/pods"))
    assert after["items"][0]["metadata"]["labels"] == {"warm": "true"}
    assert int(after["metadata"]["resourceVersion"]) > int(before["metadata"]["resourceVersion"])


def test_a_new_object_in_the_place_of_a_removed_one_is_never_served_from_its_encoding() -> None:
    cluster = StandIn(nodes=[])
    the_door = door(cluster)
    for index in range(200):
        cluster.held["nodes"] = [node(f"n{index}")]
        assert names(get(the_door, "/api/v1/nodes")) == [f"n{index}"]


def test_one_object_is_read_by_name_and_a_missing_one_is_404() -> None:
    the_door = door(StandIn(deployments=[deployment()]))
    assert read(get(the_door, "/apis/apps/v1/namespaces/op/deployments/ph"))["kind"] == "Deployment"
    answer = get(the_door, "/apis/apps/v1/namespaces/op/deployments/other")
    body = read(answer)
    assert (answer.status, body["reason"]) == (404, "NotFound")
    assert body["message"] == 'deployments.apps "other" not found'
    assert body["details"] == {"name": "other", "group": "apps", "kind": "deployments"}


def test_a_name_in_a_path_may_be_escaped() -> None:
    the_door = door(StandIn(deployments=[deployment("ph.1")]))
    answer = get(the_door, "/apis/apps/v1/namespaces/%6Fp/deployments/ph%2E1")
    assert read(answer)["metadata"]["name"] == "ph.1"


@pytest.mark.parametrize(
    "target",
    [
        "/apis/karpenter.sh/v1beta1/nodeclaims",
        "/apis/example.com/v1/things",
        "/api/v1",
        "/healthz",
        "/api/v1/namespaces/op/nodes",
        "/api/v1/nodes/a/b/c",
    ],
)
def test_a_path_that_is_not_served_is_answered_in_plain_text(target: str) -> None:
    answer = get(door(StandIn()), target)
    assert (answer.status, answer.body) == (404, b"404 page not found\n")
    assert answer.content_type.startswith("text/plain")


def test_a_custom_resource_can_be_switched_off_and_on() -> None:
    the_door = door(StandIn(nodeclaims=[nodeclaim("c")]))
    the_door.absent.add("nodeclaims")
    assert get(the_door, "/apis/karpenter.sh/v1/nodeclaims").status == 404
    the_door.absent.clear()
    assert names(get(the_door, "/apis/karpenter.sh/v1/nodeclaims")) == ["c"]


def test_watching_is_refused() -> None:
    assert get(door(StandIn()), "/api/v1/nodes?watch=true").status == 400
