# ruff: noqa: S106 - these keys are made up
"""EKS tokens: made locally, exactly as the aws-iam-authenticator checks them, and kept no longer than they are good."""

import base64
import hashlib
import hmac
import logging
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from botocore.credentials import RefreshableCredentials
from botocore.exceptions import CredentialRetrievalError
from botocore.session import Session

from warmpool.adapters.aws.eks_token import BotoKeys, SigningKeys, TokenProvider, make_token, sts_host
from warmpool.app.errors import ClusterUnavailable, NotPermitted

NOW = datetime(2026, 12, 1, 2, 3, 4, tzinfo=UTC)
KEYS = SigningKeys(
    access_key="AKIDEXAMPLE", secret_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", session_token="session/token+=="
)
GOLDEN = "4880c127e8fdc6a043308ff4470d15946581297197ea655afe9306b091da7061"


def token(region: str = "eu-central-1", keys: SigningKeys = KEYS, now: datetime = NOW) -> str:
    return make_token(cluster_name="ml-research", region=region, keys=keys, now=now)


def url_in(text: str) -> str:
    prefix, _, payload = text.partition(".")
    assert prefix == "k8s-aws-v1"
    return base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()


def query_of(text: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url_in(text)).query, strict_parsing=True))


def sign_again(text: str, secret: str, cluster: str = "ml-research") -> str:
    """Sign the URL by the words of AWS' documentation of Signature Version 4, without botocore."""
    parts = urlsplit(url_in(text))
    query = dict(parse_qsl(parts.query))
    query.pop("X-Amz-Signature")
    canonical = "\n".join(
        [
            "GET",
            "/",
            "&".join(f"{quote(key, safe='-_.~')}={quote(query[key], safe='-_.~')}" for key in sorted(query)),
            f"host:{parts.netloc}",
            f"x-k8s-aws-id:{cluster}",
            "",
            "host;x-k8s-aws-id",
            hashlib.sha256(b"").hexdigest(),
        ]
    )
    _, *scope = query["X-Amz-Credential"].split("/")
    to_sign = "\n".join(
        ["AWS4-HMAC-SHA256", query["X-Amz-Date"], "/".join(scope), hashlib.sha256(canonical.encode()).hexdigest()]
    )
    key = f"AWS4{secret}".encode()
    for each in scope:
        key = hmac.new(key, each.encode(), "sha256").digest()
    return hmac.new(key, to_sign.encode(), "sha256").hexdigest()


def test_the_token_is_this_one_at_this_time_with_these_keys() -> None:
    query = query_of(token())

    assert query.pop("X-Amz-Signature") == GOLDEN
    assert query == {
        "Action": "GetCallerIdentity",
        "Version": "2011-06-15",
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": "AKIDEXAMPLE/20261201/eu-central-1/sts/aws4_request",
        "X-Amz-Date": "20261201T020304Z",
        "X-Amz-Expires": "60",
        "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
        "X-Amz-Security-Token": "session/token+==",
    }


def test_the_url_is_that_of_regional_sts_and_nothing_is_encoded_twice() -> None:
    url = url_in(token())

    assert url.startswith("https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&")
    assert "X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&" in url
    assert "%25" not in url


@pytest.mark.parametrize("session_token", ["s" * length for length in range(900, 904)])
def test_the_token_has_no_padding_and_fits_into_what_the_server_reads(session_token: str) -> None:
    text = token(keys=SigningKeys(access_key="A", secret_key="B", session_token=session_token))

    assert re.fullmatch(r"k8s-aws-v1\.[A-Za-z0-9_-]+", text)
    assert len(text) <= 4096


@pytest.mark.parametrize("region", ["eu-central-1", "us-gov-west-1", "cn-north-1"])
@pytest.mark.parametrize("session_token", [None, "session/token+=="])
def test_the_signature_is_what_an_independent_reckoning_gives(region: str, session_token: str | None) -> None:
    keys = SigningKeys(access_key="AKID", secret_key="se/cret+", session_token=session_token)
    text = token(region=region, keys=keys)

    assert query_of(text)["X-Amz-Signature"] == sign_again(text, "se/cret+")
    assert ("X-Amz-Security-Token" in query_of(text)) == (session_token is not None)


def test_a_time_in_another_zone_is_signed_as_utc() -> None:
    assert token(now=NOW.astimezone(timezone(timedelta(hours=5)))) == token()


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("us-east-1", "sts.us-east-1.amazonaws.com"),
        ("us-gov-west-1", "sts.us-gov-west-1.amazonaws.com"),
        ("cn-north-1", "sts.cn-north-1.amazonaws.com.cn"),
        ("us-iso-east-1", "sts.us-iso-east-1.c2s.ic.gov"),
        ("zz-unheard-1", "sts.zz-unheard-1.amazonaws.com"),
    ],
)
def test_the_host_has_the_dns_suffix_of_its_partition(region: str, host: str) -> None:
    assert sts_host(region) == host


def test_secrets_are_in_no_log_and_no_repr(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    signature = query_of(token())["X-Amz-Signature"]

    told = caplog.text + repr(KEYS)
    assert not any(secret in told for secret in (signature, KEYS.secret_key, str(KEYS.session_token)))


@dataclass(slots=True)
class Hand:
    """A clock that a test moves."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at


@dataclass(slots=True)
class Ring:
    """A KeySource whose keys a test changes."""

    keys: SigningKeys = KEYS

    def current(self) -> SigningKeys:
        return self.keys


@dataclass(slots=True)
class World:
    clock: Hand = field(default_factory=Hand)
    ring: Ring = field(default_factory=Ring)
    asked: list[str] = field(default_factory=list)

    def name(self) -> str:
        self.asked.append("name")
        return "ml-research"

    def provider(self) -> TokenProvider:
        return TokenProvider(cluster_name=self.name, region="eu-central-1", keys=self.ring, clock=self.clock)


@pytest.fixture
def world() -> World:
    return World()


def dated(text: str) -> str:
    return query_of(text)["X-Amz-Date"]


def test_nothing_is_made_before_it_is_needed(world: World) -> None:
    world.provider()

    assert world.asked == []


def test_a_token_is_kept_for_ten_minutes_and_no_longer(world: World) -> None:
    provider = world.provider()
    first = provider.token()

    world.clock.at = NOW + timedelta(minutes=10) - timedelta(microseconds=1)
    assert provider.token() == first
    world.clock.at = NOW + timedelta(minutes=10)
    assert dated(provider.token()) == "20261201T021304Z"
    assert len(world.asked) == 2


def test_a_token_is_not_kept_past_the_expiry_of_its_credentials(world: World) -> None:
    world.ring.keys = SigningKeys(access_key="A", secret_key="B", expires=NOW + timedelta(minutes=3))
    provider = world.provider()
    provider.token()

    world.clock.at = NOW + timedelta(minutes=3)

    assert dated(provider.token()) == "20261201T020604Z"


def test_new_credentials_end_a_token(world: World) -> None:
    provider = world.provider()
    first = provider.token()

    world.ring.keys = SigningKeys(access_key="AKIDNEXT", secret_key="B")

    assert query_of(provider.token())["X-Amz-Credential"].startswith("AKIDNEXT/")
    assert provider.token() != first


def test_a_refused_token_is_made_anew(world: World) -> None:
    provider = world.provider()
    provider.token()
    world.clock.at = NOW + timedelta(seconds=1)

    provider.renew()

    assert dated(provider.token()) == "20261201T020305Z"


def test_a_clock_that_was_set_back_makes_a_new_token(world: World) -> None:
    provider = world.provider()
    provider.token()

    world.clock.at = NOW - timedelta(hours=1)

    assert dated(provider.token()) == "20261201T010304Z"


class TestBotoKeys:
    def test_keys_of_a_session_are_signed_with(self) -> None:
        session = Session()
        session.set_credentials("AKID", "secret", "token")

        assert BotoKeys(session).current() == SigningKeys(access_key="AKID", secret_key="secret", session_token="token")

    def test_the_expiry_of_credentials_that_renew_themselves_is_known(self) -> None:
        expires = datetime(2049, 1, 1, tzinfo=UTC)
        session = Session()
        session._credentials = RefreshableCredentials(  # type: ignore[attr-defined]  # noqa: SLF001
            "AKID", "secret", "token", expires, dict, "test"
        )

        assert BotoKeys(session).current().expires == expires

    def test_a_session_without_credentials_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            monkeypatch.delenv(name)

        with pytest.raises(NotPermitted, match="run with the function's role or a profile"):
            BotoKeys(Session()).current()

    def test_credentials_that_cannot_be_fetched_are_an_outage(self) -> None:
        def fail() -> dict[str, str]:
            raise CredentialRetrievalError(provider="test", error_msg="no answer")

        session = Session()
        session._credentials = RefreshableCredentials(  # type: ignore[attr-defined]  # noqa: SLF001
            "AKID", "secret", "token", datetime(2020, 1, 1, tzinfo=UTC), fail, "test"
        )

        with pytest.raises(ClusterUnavailable, match=r"no AWS credentials to sign the EKS token with: .*no answer"):
            BotoKeys(session).current()
