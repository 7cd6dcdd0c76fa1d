"""EKS' bearer token, checked offline as the IAM authenticator and STS would."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl, quote, urlsplit

from warmpool.sim.api.access import AUTHENTICATED, TokenRefused, User

PREFIX: Final = "k8s-aws-v1."
CLUSTER_HEADER: Final = "x-k8s-aws-id"
MAX_TOKEN_BYTES: Final = 4096
MAX_EXPIRES_SECONDS: Final = 900
# The authenticator counts 15 minutes from X-Amz-Date, whatever X-Amz-Expires says; STS allows 5 minutes of skew ahead.
VALID_FOR: Final = timedelta(minutes=15)
SKEW_AHEAD: Final = timedelta(minutes=5)

_DATE_FORMAT: Final = "%Y%m%dT%H%M%SZ"
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]+")
_WHITELIST: Final = frozenset(
    {
        "action",
        "version",
        "x-amz-algorithm",
        "x-amz-credential",
        "x-amz-date",
        "x-amz-expires",
        "x-amz-security-token",
        "x-amz-signature",
        "x-amz-signedheaders",
    }
)
_HOST: Final = re.compile(
    r"sts(?:-fips)?\.(?P<region>[a-z]{2}(?:-[a-z]+)+-[0-9]+)\.(?P<suffix>amazonaws\.com(?:\.cn)?)"
)
_GLOBAL_HOST: Final = "sts.amazonaws.com"
_EMPTY_BODY: Final = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A secret that STS would know, and whose it is (`arn` as GetCallerIdentity gives it)."""

    secret_key: str
    arn: str
    session_token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """An EKS access entry: a role, the Kubernetes user it becomes ({{SessionName}} is filled in) and its groups."""

    principal_arn: str
    groups: Sequence[str]
    username: str = "warmpool:{{SessionName}}"


def partition_of(region: str) -> str:
    """Return the region's partition, by the prefixes that AWS uses for it."""
    for prefix, partition in (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"), ("us-iso", "aws-iso")):
        if region.startswith(prefix):
            return partition
    return "aws"


@dataclass(frozen=True, slots=True, kw_only=True)
class EksTokenCheck:
    """Verifies tokens of one cluster. `now` is the time by which X-Amz-Date is judged."""

    cluster: str
    region: str
    now: Callable[[], datetime]
    credentials: Mapping[str, Credential]
    entries: Sequence[AccessEntry]

    def authenticate(self, token: str) -> User:
        """Return the access entry's user. Raises TokenRefused with the check that failed."""
        host, parameters = _read(token)
        scope_region = self._region_of(host)
        self._check_parameters(parameters)
        credential = self._check_signature(host, scope_region, parameters)
        return self._user(credential.arn)

    def _region_of(self, host: str) -> str:
        match = _HOST.fullmatch(host)
        partition = partition_of(self.region)
        if match is not None:
            suffix = "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
            if partition_of(match["region"]) == partition and match["suffix"] == suffix:
                return match["region"]
        elif host == _GLOBAL_HOST and partition == "aws":
            return "us-east-1"
        raise TokenRefused(f"unexpected hostname {host!r} in pre-signed URL")

    def _check_parameters(self, parameters: Mapping[str, str]) -> None:
        if parameters.get("action") != "GetCallerIdentity" or parameters.get("version") != "2011-06-15":
            raise TokenRefused("unexpected action or version parameter in pre-signed URL")
        if CLUSTER_HEADER not in parameters.get("x-amz-signedheaders", "").lower().split(";"):
            raise TokenRefused(f"client did not sign the {CLUSTER_HEADER} header in the pre-signed URL")
        expires = parameters.get("x-amz-expires", "")
        if not re.fullmatch(r"[0-9]{1,6}", expires) or int(expires) > MAX_EXPIRES_SECONDS:
            raise TokenRefused(f"invalid X-Amz-Expires parameter in pre-signed URL: {expires!r}")
        signed_at = _date(parameters.get("x-amz-date", ""))
        age = self.now() - signed_at
        if age > VALID_FOR:
            raise TokenRefused(f"X-Amz-Date parameter is expired (15 minute expiration): {signed_at.isoformat()}")
        if age < -SKEW_AHEAD:
            raise TokenRefused(f"signature not yet current: {signed_at.isoformat()} is more than 5 minutes ahead")

    def _check_signature(self, host: str, region: str, parameters: Mapping[str, str]) -> Credential:
        access_key, _, scope = parameters.get("x-amz-credential", "").partition("/")
        date = parameters["x-amz-date"]
        if scope != f"{date[:8]}/{region}/sts/aws4_request":
            raise TokenRefused(f"credential scope {scope!r} does not fit date and host")
        credential = self.credentials.get(access_key)
        if credential is None:
            raise TokenRefused("the security token included in the request is invalid: unknown access key")
        if parameters.get("x-amz-security-token") != credential.session_token:
            raise TokenRefused("the security token included in the request is invalid: wrong session token")
        # STS gets exactly these headers from the authenticator, with the cluster's own name in the second.
        headers = {"host": host, CLUSTER_HEADER: self.cluster}
        expected = _signature(credential.secret_key, scope, headers, parameters)
        if not hmac.compare_digest(expected, parameters.get("x-amz-signature", "")):
            raise TokenRefused(
                "the request signature does not match: wrong secret key, another cluster's name or a changed request"
            )
        return credential

    def _user(self, arn: str) -> User:
        role, session = _role_and_session(arn)
        for entry in self.entries:
            if entry.principal_arn == role:
                name = entry.username.replace("{{SessionName}}", session)
                return User(name=name, groups=(*entry.groups, AUTHENTICATED))
        raise TokenRefused(f"no access entry for {role}")


def _read(token: str) -> tuple[str, dict[str, str]]:
    if len(token) > MAX_TOKEN_BYTES:
        raise TokenRefused("token is too large")
    encoded = token.removeprefix(PREFIX)
    if encoded == token:
        raise TokenRefused(f'token is missing expected "{PREFIX}" prefix')
    if not _BASE64URL.fullmatch(encoded):
        raise TokenRefused("token is not base64url without padding")
    try:
        url = urlsplit(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
        pairs = parse_qsl(url.query, keep_blank_values=True, strict_parsing=True)
    except (binascii.Error, ValueError) as error:
        raise TokenRefused("token does not decode to a URL") from error
    if url.scheme != "https":
        raise TokenRefused(f"unexpected scheme {url.scheme!r} in pre-signed URL")
    if url.path != "/":
        raise TokenRefused("unexpected path in pre-signed URL")
    return url.netloc, _parameters(pairs)


def _parameters(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for key, value in pairs:
        if key.lower() not in _WHITELIST:
            raise TokenRefused(f"non-whitelisted query parameter {key!r}")
        if key.lower() in parameters:
            raise TokenRefused(f"query parameter {key!r} with multiple values not supported")
        parameters[key.lower()] = value
    return parameters


def _date(text: str) -> datetime:
    try:
        return datetime.strptime(text, _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        raise TokenRefused(f"error parsing X-Amz-Date parameter {text!r}") from error


_SPELLING: Final = {
    "action": "Action",
    "version": "Version",
    "x-amz-algorithm": "X-Amz-Algorithm",
    "x-amz-credential": "X-Amz-Credential",
    "x-amz-date": "X-Amz-Date",
    "x-amz-expires": "X-Amz-Expires",
    "x-amz-security-token": "X-Amz-Security-Token",
    "x-amz-signedheaders": "X-Amz-SignedHeaders",
}


def _signature(secret: str, scope: str, headers: Mapping[str, str], parameters: Mapping[str, str]) -> str:
    """Recompute a query signature (AWS Signature Version 4, "Create a signed AWS API request")."""
    query = sorted((_SPELLING[key], quote(value, safe="-_.~")) for key, value in parameters.items() if key in _SPELLING)
    signed = parameters["x-amz-signedheaders"]
    lines = [f"{name}:{headers.get(name, '')}" for name in signed.split(";")]
    request = "\n".join(
        ["GET", "/", "&".join(f"{key}={value}" for key, value in query), *lines, "", signed, _EMPTY_BODY]
    )
    digest = hashlib.sha256(request.encode()).hexdigest()
    algorithm = parameters.get("x-amz-algorithm", "")
    if algorithm != "AWS4-HMAC-SHA256":
        raise TokenRefused(f"unexpected algorithm {algorithm!r} in pre-signed URL")
    to_sign = "\n".join([algorithm, parameters["x-amz-date"], scope, digest])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()


def _role_and_session(arn: str) -> tuple[str, str]:
    """Turn an assumed role's ARN into its role's, as the authenticator does; others are taken as they are."""
    match = re.fullmatch(r"arn:([a-z-]+):sts::(\d+):assumed-role/([^/]+)/([^/]+)", arn)
    if match is None:
        return arn, arn.rpartition("/")[2]
    partition, account, role, session = match.groups()
    return f"arn:{partition}:iam::{account}:role/{role}", session
