"""The rights that `warmpool manifests` gives: enough for every pass, and not one verb more."""

import json

import pytest

from tests.cluster.access import client_of
from tests.cluster.api import Object
from tests.cluster.lab import Lab
from tests.cluster.plane import ControlPlane
from tests.cluster.settings import CONTROLLER
from warmpool.adapters.kubernetes.manifests import manifests
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.memory import FixedBudget
from warmpool.app.errors import NotPermitted

Right = tuple[str, str, str]
"""API group, resource (with subresource) and verb."""

USER = CONTROLLER.session_arn


def granted(lab: Lab) -> set[Right]:
    rules = [
        rule for each in manifests([lab.pool]) if each["kind"] in {"ClusterRole", "Role"} for rule in each["rules"]
    ]
    return {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def records(plane: ControlPlane, start: int) -> list[Object]:
    """Return what the controller has asked for since the audit log was `start` bytes long."""
    lines = plane.audit_log.read_bytes()[start:].splitlines()
    found = [json.loads(line) for line in lines]
    return [each for each in found if each["user"]["username"] == USER and each["stage"] == "ResponseComplete"]


def right(record: Object) -> Right:
    target = record["objectRef"]
    subresource = f"/{target['subresource']}" if "subresource" in target else ""
    return target.get("apiGroup", ""), f"{target['resource']}{subresource}", record["verb"]


def test_passes_use_every_verb_that_is_granted_and_no_other(lab: Lab, plane: ControlPlane) -> None:
    start = plane.audit_log.stat().st_size

    lab.warm(2)
    lab.change(min=1)
    lab.until("one placeholder has gone", lambda: lab.replicas() == 1)

    asked = records(plane, start)
    assert {right(each) for each in asked} == granted(lab)
    assert {each["responseStatus"]["code"] for each in asked} <= {200, 404}, "404 is KEDA, which is not installed"


FORBIDDEN = [
    pytest.param("GET", "/api/v1/namespaces/{op}/secrets", id="list secrets"),
    pytest.param("GET", "/api/v1/secrets", id="list secrets everywhere"),
    pytest.param("GET", "/api/v1/namespaces/kube-system/configmaps", id="list configmaps"),
    pytest.param("GET", "/api/v1/namespaces/{op}/pods/any/log", id="read logs"),
    pytest.param("POST", "/api/v1/namespaces/{op}/pods/any/exec?command=id", id="exec"),
    pytest.param("POST", "/api/v1/namespaces/{op}/pods", id="create pods"),
    pytest.param("DELETE", "/api/v1/namespaces/{op}/pods/any", id="delete placeholders"),
    pytest.param("PATCH", "/api/v1/namespaces/{users}/pods/any", id="patch other pods"),
    pytest.param("DELETE", "/api/v1/namespaces/{users}/pods/any", id="delete other pods"),
    pytest.param("PATCH", "/apis/apps/v1/namespaces/{op}/deployments/other/scale", id="scale another Deployment"),
    pytest.param("PATCH", "/apis/apps/v1/namespaces/{users}/deployments/ph/scale", id="scale in another namespace"),
    pytest.param("PATCH", "/apis/apps/v1/namespaces/{op}/deployments/ph", id="change the Deployment itself"),
    pytest.param("PUT", "/apis/apps/v1/namespaces/{op}/deployments/ph/scale", id="replace the scale"),
    pytest.param("GET", "/apis/apps/v1/namespaces/{op}/deployments/other", id="get another Deployment"),
    pytest.param("GET", "/apis/apps/v1/deployments", id="list Deployments everywhere"),
    pytest.param("DELETE", "/api/v1/nodes/any", id="delete nodes"),
    pytest.param("PATCH", "/api/v1/nodes/any", id="patch nodes"),
    pytest.param("DELETE", "/apis/karpenter.sh/v1/nodeclaims/any", id="delete NodeClaims"),
    pytest.param("PATCH", "/apis/karpenter.sh/v1/nodepools/any", id="patch NodePools"),
    pytest.param("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", id="grant rights"),
]


@pytest.mark.parametrize(("method", "path"), FORBIDDEN)
def test_what_the_controller_does_not_need_is_refused(lab: Lab, plane: ControlPlane, method: str, path: str) -> None:
    where = path.format(op=lab.namespace, users=lab.users)
    call = Call(does=f"{method} {where}", path=where, method=method, body={}, content_type=_type_of(method))

    with pytest.raises(NotPermitted, match="forbidden"):
        client_of(plane).send(call, FixedBudget(20))


def _type_of(method: str) -> str:
    return "application/merge-patch+json" if method == "PATCH" else "application/json"
