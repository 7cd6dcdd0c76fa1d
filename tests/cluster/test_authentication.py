"""Our tokens, checked by the authenticator that EKS uses, whose STS recomputes every signature."""

import base64
import json
from datetime import timedelta
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import pytest

from tests.cluster.access import GivenToken, ShiftedClock, client_of, keys_of, token_source
from tests.cluster.api import Object
from tests.cluster.conftest import NewLab
from tests.cluster.lab import Lab, codes
from tests.cluster.plane import ControlPlane
from tests.cluster.settings import CONTROLLER, STRANGER
from warmpool.adapters.aws.eks_token import PREFIX, TokenProvider
from warmpool.adapters.kubernetes.failures import Unauthorized
from warmpool.adapters.kubernetes.observe import KubernetesCluster
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.memory import FixedBudget
from warmpool.core.decision import Action
from warmpool.core.reasons import Code

WHO_AM_I = Call(
    does="create selfsubjectreviews.authentication.k8s.io",
    path="/apis/authentication.k8s.io/v1/selfsubjectreviews",
    method="POST",
    body={"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
    content_type="application/json",
)


def who_am_i(plane: ControlPlane, tokens: TokenProvider | GivenToken) -> Object:
    review: Object = json.loads(client_of(plane, tokens).send(WHO_AM_I, FixedBudget(20)))
    user: Object = review["status"]["userInfo"]
    return user


def without_signed_header(token: str) -> str:
    """Take `x-k8s-aws-id` out of what a token says is signed."""
    encoded = token.removeprefix(PREFIX)
    url = urlsplit(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    query = {**dict(parse_qsl(url.query)), "X-Amz-SignedHeaders": "host"}
    changed = urlunsplit(url._replace(query=urlencode(query)))
    return PREFIX + base64.urlsafe_b64encode(changed.encode()).rstrip(b"=").decode()


def test_the_functions_role_is_the_controllers_group_and_nothing_more(plane: ControlPlane) -> None:
    user = who_am_i(plane, token_source())

    assert user["username"] == CONTROLLER.session_arn
    assert set(user["groups"]) == {"warmpool-controller", "system:authenticated"}


def refused(plane: ControlPlane, tokens: TokenProvider | GivenToken) -> str:
    with pytest.raises(Unauthorized) as raised:
        who_am_i(plane, tokens)
    return str(raised.value)


def test_a_wrong_key_is_refused_by_its_signature(plane: ControlPlane) -> None:
    assert "access entry" in refused(plane, token_source(keys_of(CONTROLLER, secret="x" * 40)))
    assert plane.sts.refusals[-1] == "SignatureDoesNotMatch"


def test_a_token_for_another_cluster_is_refused_by_its_signature(plane: ControlPlane) -> None:
    refused(plane, token_source(cluster="ml-production"))

    assert plane.sts.refusals[-1] == "SignatureDoesNotMatch"


def test_a_stale_token_is_refused(plane: ControlPlane) -> None:
    refused(plane, token_source(clock=ShiftedClock(by=timedelta(minutes=-16))))


def test_a_token_that_does_not_sign_the_clusters_name_is_refused(plane: ControlPlane) -> None:
    before = list(plane.sts.refusals)

    refused(plane, GivenToken(without_signed_header(token_source().token())))

    assert plane.sts.refusals == before, "the authenticator itself refuses it, before it asks STS"


def test_a_role_without_an_access_entry_is_refused(plane: ControlPlane) -> None:
    before = list(plane.sts.refusals)

    refused(plane, token_source(keys_of(STRANGER)))

    assert plane.sts.refusals == before, "STS knows the role; the cluster does not"


def test_unknown_keys_are_refused(plane: ControlPlane) -> None:
    refused(plane, GivenToken(token_source().token().replace("k8s-aws-v1.", "k8s-aws-v1.AAAA")))


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param(token_source(keys_of(CONTROLLER, secret="x" * 40)), id="wrong key"),
        pytest.param(token_source(keys_of(STRANGER)), id="no access entry"),
    ],
)
def test_a_pass_that_is_refused_holds_and_says_why(new_lab: NewLab, plane: ControlPlane, tokens: TokenProvider) -> None:
    lab: Lab = new_lab(cluster=KubernetesCluster(client_of(plane, tokens)))
    before = lab.replicas()

    decision = lab.tick()

    assert decision.action is Action.HOLD
    assert codes(decision) == {Code.NOT_PERMITTED}
    assert "access entry" in decision.reasons[0].text
    assert lab.replicas() == before
    assert not lab.reports[-1].complete
