"""EKS tokens, made by botocore and judged by the door's own recomputation."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import botocore.auth
import pytest
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from warmpool.sim.api.access import TokenRefused
from warmpool.sim.api.token_check import AccessEntry, Credential, EksTokenCheck, partition_of

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
KEY, SECRET, SESSION = "ASIAEXAMPLE", "wJalrXUtnFEMI/K7MDENG", "a+session/token=="
ROLE = "arn:aws:iam::123456789012:role/warmpool-reconcile"
ASSUMED = "arn:aws:sts::123456789012:assumed-role/warmpool-reconcile/tick"
STS = "https://sts.us-west-2.amazonaws.com/"
IDENTITY = "?Action=GetCallerIdentity&Version=2011-06-15"
Presign = Callable[..., str]


def encoded(url: str) -> str:
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


@pytest.fixture
def presign(monkeypatch: pytest.MonkeyPatch) -> Presign:
    """Presign as botocore does, at the time and with the parts given."""

    def signed(  # noqa: PLR0913 - each part of a URL can be wrong by itself
        *,
        at: datetime = NOW,
        url: str = STS + IDENTITY,
        cluster: str | None = "spaces",
        region: str = "us-west-2",
        secret: str = SECRET,
        session: str | None = SESSION,
        expires: int = 60,
    ) -> str:
        monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: at)
        headers = {} if cluster is None else {"x-k8s-aws-id": cluster}
        request = AWSRequest(method="GET", url=url, headers=headers)
        SigV4QueryAuth(Credentials(KEY, secret, session), "sts", region, expires=expires).add_auth(request)
        return str(request.url)

    return signed


def check(
    *, region: str = "us-west-2", session: str | None = SESSION, arn: str = ASSUMED, role: str = ROLE
) -> EksTokenCheck:
    return EksTokenCheck(
        cluster="spaces",
        region=region,
        now=lambda: NOW,
        credentials={KEY: Credential(secret_key=SECRET, session_token=session, arn=arn)},
        entries=[AccessEntry(principal_arn=role, groups=["warmpool-controller"])],
    )


def refusal(token: str, the_check: EksTokenCheck | None = None) -> str:
    with pytest.raises(TokenRefused) as refused:
        (the_check or check()).authenticate(token)
    assert token not in str(refused.value)
    return str(refused.value)


def test_a_good_token_becomes_the_access_entrys_user(presign: Presign) -> None:
    user = check().authenticate(encoded(presign()))
    assert user.name == "warmpool:tick"
    assert user.groups == ("warmpool-controller", "system:authenticated")


def test_a_token_of_long_lived_keys_has_no_session_token(presign: Presign) -> None:
    assert check(session=None).authenticate(encoded(presign(session=None))).name == "warmpool:tick"
    assert "wrong session token" in refusal(encoded(presign(session=None)))
    assert "wrong session token" in refusal(encoded(presign()), check(session=None))


@pytest.mark.parametrize("region", ["us-gov-west-1", "cn-north-1"])
def test_other_partitions_have_their_own_hosts(presign: Presign, region: str) -> None:
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    token = encoded(presign(url=f"https://sts.{region}.{suffix}/{IDENTITY}", region=region))
    assert check(region=region).authenticate(token).name == "warmpool:tick"
    assert "unexpected hostname" in refusal(token)


def test_another_region_of_the_partition_and_the_global_host_are_accepted_as_eks_does(presign: Presign) -> None:
    elsewhere = presign(url=f"https://sts.eu-central-1.amazonaws.com/{IDENTITY}", region="eu-central-1")
    worldwide = presign(url=f"https://sts.amazonaws.com/{IDENTITY}", region="us-east-1")
    for url in (elsewhere, worldwide):
        assert check().authenticate(encoded(url)).name == "warmpool:tick"


@pytest.mark.parametrize(
    ("age", "accepted"),
    [
        (timedelta(0), True),
        (timedelta(minutes=15), True),
        (timedelta(minutes=15, seconds=1), False),
        (timedelta(minutes=-5), True),
        (timedelta(minutes=-5, seconds=-1), False),
    ],
)
def test_a_token_holds_for_15_minutes_whatever_it_says_itself(
    presign: Presign,
    age: timedelta,
    accepted: bool,  # noqa: FBT001
) -> None:
    token = encoded(presign(at=NOW - age, expires=60))
    if accepted:
        assert check().authenticate(token).name == "warmpool:tick"
    else:
        assert "expired" in refusal(token) or "not yet current" in refusal(token)


@pytest.mark.parametrize(("expires", "accepted"), [(0, True), (900, True), (901, False)])
def test_x_amz_expires_lies_between_0_and_900(presign: Presign, expires: int, accepted: bool) -> None:  # noqa: FBT001
    token = encoded(presign(expires=expires))
    if accepted:
        assert check().authenticate(token).name == "warmpool:tick"
    else:
        assert "invalid X-Amz-Expires" in refusal(token)


def test_the_clusters_name_must_be_signed_and_be_this_ones(presign: Presign) -> None:
    assert "did not sign the x-k8s-aws-id header" in refusal(encoded(presign(cluster=None)))
    assert "signature does not match" in refusal(encoded(presign(cluster="another")))


def test_a_wrong_secret_or_an_unknown_key_is_refused(presign: Presign) -> None:
    assert "signature does not match" in refusal(encoded(presign(secret=SECRET.lower())))
    url = presign()
    assert "unknown access key" in refusal(encoded(url.replace(KEY, "ASIAOTHER")))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("https://", "http://", "unexpected scheme"),
        ("amazonaws.com/", "amazonaws.com/other", "unexpected path"),
        ("sts.us-west-2.amazonaws.com", "sts.us-west-2.amazonaws.com.evil.example", "unexpected hostname"),
        ("sts.us-west-2.amazonaws.com", "me@sts.us-west-2.amazonaws.com", "unexpected hostname"),
        ("sts.us-west-2.amazonaws.com", "sts.us-west-2.amazonaws.com:8443", "unexpected hostname"),
        ("sts.us-west-2.amazonaws.com", "sts.us-west-2.amazonaws.com.cn", "unexpected hostname"),
        ("GetCallerIdentity", "AssumeRole", "unexpected action"),
        ("Version=2011-06-15", "Version=2012", "unexpected action or version"),
        ("Action=", "Evil=1&Action=", "non-whitelisted query parameter 'Evil'"),
        ("Action=", "action=GetCallerIdentity&Action=", "multiple values not supported"),
        ("Action=", "&&Action=", "does not decode to a URL"),
        ("X-Amz-Date=2", "X-Amz-Date=x", "error parsing X-Amz-Date"),
        ("X-Amz-Date=20261201T080000Z", "X-Amz-Date=20261201T080001Z", "signature does not match"),
        ("X-Amz-Expires=60", "X-Amz-Expires=61", "signature does not match"),
        ("X-Amz-Expires=60", "X-Amz-Expires=-1", "invalid X-Amz-Expires"),
        ("us-west-2%2Fsts", "us-east-1%2Fsts", "credential scope"),
        ("%2Fsts%2F", "%2Fiam%2F", "credential scope"),
        ("X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Algorithm=NONE", "unexpected algorithm"),
        ("X-Amz-SignedHeaders=host%3B", "X-Amz-SignedHeaders=host%3Bother%3B", "signature does not match"),
    ],
)
def test_a_changed_url_is_refused_with_the_check_that_failed(presign: Presign, old: str, new: str, said: str) -> None:
    url = presign()
    assert old in url
    assert said in refusal(encoded(url.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "missing expected"),
        ("k8s-aws-v2.abc", "missing expected"),
        ("k8s-aws-v1.", "not base64url"),
        ("k8s-aws-v1.ab=d", "not base64url"),
        ("k8s-aws-v1.ab+d", "not base64url"),
        ("k8s-aws-v1.a", "does not decode"),
        ("k8s-aws-v1._w", "does not decode"),
        ("k8s-aws-v1." + "a" * 4096, "too large"),
    ],
)
def test_a_token_of_the_wrong_form_is_refused(token: str, said: str) -> None:
    with pytest.raises(TokenRefused, match=said):
        check().authenticate(token)


def test_a_padded_token_is_refused(presign: Presign) -> None:
    assert "not base64url" in refusal(encoded(presign()) + "=")


def test_a_role_without_an_access_entry_is_nobody(presign: Presign) -> None:
    token = encoded(presign())
    assert refusal(token, check(role="arn:aws:iam::123456789012:role/other")) == f"no access entry for {ROLE}"


def test_a_user_is_taken_by_its_own_arn(presign: Presign) -> None:
    user = "arn:aws:iam::123456789012:user/ops"
    assert check(arn=user, role=user).authenticate(encoded(presign())).name == "warmpool:ops"


def test_partitions_follow_the_regions_prefix() -> None:
    regions = ("eu-central-1", "cn-northwest-1", "us-gov-east-1", "us-iso-east-1")
    assert [partition_of(region) for region in regions] == ["aws", "aws-cn", "aws-us-gov", "aws-iso"]
