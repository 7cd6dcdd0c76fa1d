"""Who gets in, who may do what, and the real server's wording."""

import pytest

from tests.sim.api.standin import CONTROLLER, STRANGER, StandIn, deployment, door, get, node, patch, pod, read
from warmpool.sim.api.access import Rule, controller_rules, rules_from_manifests
from warmpool.sim.api.door import Request
from warmpool.sim.api.resources import read_target


def test_without_a_token_or_with_a_bad_one_everything_is_401() -> None:
    the_door = door(StandIn(nodes=[node("a")]))
    for headers in ({}, {"authorization": "Basic Zm9v"}, {"authorization": "Bearer "}, {"authorization": "Bearer x"}):
        answer = the_door.handle(Request(method="GET", target="/api/v1/nodes", headers=headers))
        assert (answer.status, read(answer)["message"]) == (401, "Unauthorized")
    assert list(the_door.refused_tokens) == ["no bearer token"] * 3 + ["unknown static token"]


@pytest.mark.parametrize(
    ("method", "target", "message"),
    [
        (
            "GET",
            "/api/v1/nodes",
            'nodes is forbidden: User "stranger" cannot list resource "nodes" in API group "" at the cluster scope',
        ),
        (
            "GET",
            "/apis/karpenter.sh/v1/nodeclaims",
            (
                'nodeclaims.karpenter.sh is forbidden: User "stranger" cannot list resource "nodeclaims" '
                'in API group "karpenter.sh" at the cluster scope'
            ),
        ),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/op/deployments/ph/scale",
            (
                'deployments.apps "ph" is forbidden: User "stranger" cannot patch resource "deployments/scale" '
                'in API group "apps" in the namespace "op"'
            ),
        ),
        (
            "DELETE",
            "/api/v1/namespaces/op/pods",
            (
                'pods is forbidden: User "stranger" cannot deletecollection resource "pods" in API group "" '
                'in the namespace "op"'
            ),
        ),
    ],
)
def test_a_refusal_has_the_servers_own_words(method: str, target: str, message: str) -> None:
    headers = {"authorization": "Bearer strange"}
    answer = door(StandIn()).handle(Request(method=method, target=target, headers=headers))
    body = read(answer)
    assert (answer.status, body["reason"], body["message"]) == (403, "Forbidden", message)


def test_the_controller_may_not_write_outside_its_namespaces_nor_anything_else() -> None:
    the_door = door(StandIn(pods=[pod("w", "team")], deployments=[deployment()]))
    assert patch(the_door, "/api/v1/namespaces/team/pods/w", {"metadata": {}}).status == 403
    assert patch(the_door, "/apis/apps/v1/namespaces/op/deployments/ph", {}).status == 403
    for method in ("PUT", "POST", "DELETE"):
        request = Request(method=method, target="/api/v1/nodes/a", headers={"authorization": "Bearer good"})
        assert the_door.handle(request).status == 403


def test_what_is_permitted_but_not_built_is_405() -> None:
    the_door = door(StandIn())
    every_verb = frozenset({"update"})
    the_door.rules = (
        Rule(subject="somebody", api_groups=frozenset({""}), resources=frozenset({"nodes"}), verbs=every_verb),
    )
    request = Request(method="PUT", target="/api/v1/nodes/a", headers={"authorization": "Bearer strange"})
    assert the_door.handle(request).status == 405


def test_rules_read_from_manifests_permit_what_their_bindings_say() -> None:
    documents = [
        {
            "kind": "ClusterRole",
            "metadata": {"name": "reader"},
            "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}],
        },
        {
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "reader"},
            "roleRef": {"kind": "ClusterRole", "name": "reader"},
            "subjects": [{"kind": "Group", "name": "warmpool-controller"}, {"kind": "User", "name": "somebody"}],
        },
        {
            "kind": "Role",
            "metadata": {"name": "scaler", "namespace": "op"},
            "rules": [
                {
                    "apiGroups": ["apps"],
                    "resources": ["deployments/scale"],
                    "verbs": ["patch"],
                    "resourceNames": ["ph"],
                }
            ],
        },
        {
            "kind": "RoleBinding",
            "metadata": {"name": "scaler", "namespace": "op"},
            "roleRef": {"kind": "Role", "name": "scaler"},
            "subjects": [{"kind": "Group", "name": "warmpool-controller"}],
        },
    ]
    rules = rules_from_manifests(documents)
    scale = "/apis/apps/v1/namespaces/{}/deployments/{}/scale"

    def may(method: str, path: str) -> bool:
        return any(rule.permits(CONTROLLER, read_target(method, path)) for rule in rules)

    assert may("GET", "/api/v1/nodes")
    assert not may("GET", "/api/v1/nodes/one")
    assert may("PATCH", scale.format("op", "ph"))
    assert not may("PATCH", scale.format("op", "other"))
    assert not may("PATCH", scale.format("team", "ph"))


def test_the_controllers_rules_are_nobody_elses() -> None:
    target = read_target("GET", "/api/v1/nodes")
    assert any(rule.permits(CONTROLLER, target) for rule in controller_rules(["op"]))
    assert not any(rule.permits(STRANGER, target) for rule in controller_rules(["op"]))


def test_every_request_is_recorded_without_its_token() -> None:
    the_door = door(StandIn(nodes=[node("a")]))
    get(the_door, "/api/v1/nodes?limit=5")
    record = the_door.records[-1]
    assert (record.verb, record.resource, record.query, record.status) == ("list", "nodes", "limit=5", 200)
    assert "good" not in str(record)
