"""Bearer tokens for EKS: a presigned STS request, made locally, that the cluster's authenticator sends by itself."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from botocore.auth import SIGV4_TIMESTAMP, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError
from botocore.loaders import create_loader

from warmpool.app.errors import ClusterUnavailable, NotPermitted
from warmpool.app.ports import Clock

if TYPE_CHECKING:
    from botocore.session import Session

PREFIX: Final = "k8s-aws-v1."
CLUSTER_HEADER: Final = "x-k8s-aws-id"
LIFETIME: Final = timedelta(minutes=10)
"""The server takes a token for 15 minutes from its date; the rest is for clocks that differ and a pass under way."""
URL_LIFETIME_SECONDS: Final = 60
"""What the signed URL says of itself; the authenticator reads it, and allows 15 minutes all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKeys:
    """AWS credentials at one moment; `expires` None is unknown."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
    expires: datetime | None = None


class KeySource(Protocol):
    """Knows the credentials of the function's role."""

    def current(self) -> SigningKeys:
        """Return the credentials as they are now. Raises NotPermitted or ClusterUnavailable where there are none."""
        ...


class BotoKeys:
    """The credentials of a botocore session, which renews them by itself before they expire."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    def current(self) -> SigningKeys:
        """Return the credentials as they are now. Raises NotPermitted or ClusterUnavailable where there are none."""
        try:
            credentials = self._session.get_credentials()
            frozen = credentials.get_frozen_credentials() if credentials else None
        except BotoCoreError as error:
            raise ClusterUnavailable(f"no AWS credentials to sign the EKS token with: {error}") from error
        if frozen is None or not frozen.access_key or not frozen.secret_key:
            raise NotPermitted(
                "no AWS credentials to sign the EKS token with; run with the function's role or a profile"
            )
        # botocore keeps the expiry to itself; where it is not told, a change of keys still ends a token.
        expires = getattr(credentials, "_expiry_time", None)
        return SigningKeys(
            access_key=frozen.access_key,
            secret_key=frozen.secret_key,
            session_token=frozen.token,
            expires=expires if isinstance(expires, datetime) else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    token: str = field(repr=False)
    access_key: str
    made: datetime
    until: datetime

    def good(self, keys: SigningKeys, now: datetime) -> bool:
        """Tell whether the token is still good; a clock that was set back makes its date a guess."""
        return keys.access_key == self.access_key and self.made <= now < self.until


class TokenProvider:
    """Makes tokens for one EKS cluster and keeps each at most 10 minutes, never past its credentials' expiry.

    `cluster_name` is asked when a token is made: it is the EKS name, not HyperPod's, and may have to be looked up.
    """

    def __init__(self, *, cluster_name: Callable[[], str], region: str, keys: KeySource, clock: Clock) -> None:
        self._cluster_name = cluster_name
        self._region = region
        self._keys = keys
        self._clock = clock
        self._kept: _Kept | None = None

    def token(self) -> str:
        """Return a token that is still good. Raises NotPermitted or ClusterUnavailable where none can be made."""
        now = self._clock.now()
        keys = self._keys.current()
        if self._kept is not None and self._kept.good(keys, now):
            return self._kept.token
        token = make_token(cluster_name=self._cluster_name(), region=self._region, keys=keys, now=now)
        until = now + LIFETIME if keys.expires is None else min(now + LIFETIME, keys.expires)
        self._kept = _Kept(token=token, access_key=keys.access_key, made=now, until=until)
        return token

    def renew(self) -> None:
        """Forget the token: the server has refused it."""
        self._kept = None


def make_token(*, cluster_name: str, region: str, keys: SigningKeys, now: datetime) -> str:
    """Sign GetCallerIdentity for the cluster and pack the URL as the aws-iam-authenticator reads it.

    Form: `k8s-aws-v1.` and the URL in unpadded base64url (kubernetes-sigs/aws-iam-authenticator, pkg/token).
    """
    request = AWSRequest(
        method="GET",
        url=f"https://{sts_host(region)}/?Action=GetCallerIdentity&Version=2011-06-15",
        headers={CLUSTER_HEADER: cluster_name},
    )
    credentials = ReadOnlyCredentials(keys.access_key, keys.secret_key, keys.session_token)
    _DatedQueryAuth(credentials, region, now).add_auth(request)
    return PREFIX + base64.urlsafe_b64encode(str(request.url).encode()).rstrip(b"=").decode()


@lru_cache(maxsize=8)
def sts_host(region: str) -> str:
    """Return the regional STS host; the DNS suffix is the partition's."""
    partitions = cast("Any", create_loader().load_data("partitions"))["partitions"]
    mine = (each for each in partitions if re.match(each["regionRegex"], region))
    return f"sts.{region}.{next(mine, partitions[0])['outputs']['dnsSuffix']}"


class _DatedQueryAuth(SigV4QueryAuth):
    """botocore's presigner with a given time; it logs nothing, where botocore logs the signature at debug level."""

    def __init__(self, credentials: ReadOnlyCredentials, region: str, now: datetime) -> None:
        super().__init__(credentials, "sts", region, expires=URL_LIFETIME_SECONDS)
        self._now = now

    def add_auth(self, request: AWSRequest) -> None:
        """Sign the request, its URL now holding the signature."""
        # The two steps that botocore's own signers override are not in its stubs.
        request.context["timestamp"] = self._now.astimezone(UTC).strftime(SIGV4_TIMESTAMP)
        self._modify_request_before_signing(request)  # type: ignore[attr-defined]
        signature = self.signature(self.string_to_sign(request, self.canonical_request(request)), request)
        self._inject_signature_to_request(request, signature)  # type: ignore[attr-defined]
