"""Who the reconciler is in the embedded AWS, and how the cluster knows it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from warmpool.sim.api.access import CONTROLLER_GROUP
from warmpool.sim.api.token_check import AccessEntry, Credential, EksTokenCheck, partition_of

ACCOUNT = "123456789012"
"""The account that moto lives in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsIdentity:
    """The function's role session and its temporary keys, which open nothing anywhere."""

    access_key: str = "ASIAEMBEDDEDWARMPOOL"
    secret_key: str = "embedded/secret+of/the+warmpool/function"  # noqa: S105 - opens nothing
    session_token: str = "embedded-session-token//+=="  # noqa: S105 - opens nothing
    role: str = "warmpool-reconcile"
    session: str = "reconcile"

    def role_arn(self, region: str) -> str:
        """Return the role, as the access entry names it."""
        return f"arn:{partition_of(region)}:iam::{ACCOUNT}:role/{self.role}"

    def token_check(self, *, cluster: str, region: str, now: Callable[[], datetime]) -> EksTokenCheck:
        """Build the check of an EKS cluster that has an access entry for the role."""
        arn = f"arn:{partition_of(region)}:sts::{ACCOUNT}:assumed-role/{self.role}/{self.session}"
        credential = Credential(secret_key=self.secret_key, session_token=self.session_token, arn=arn)
        entry = AccessEntry(principal_arn=self.role_arn(region), groups=(CONTROLLER_GROUP,))
        return EksTokenCheck(
            cluster=cluster, region=region, now=now, credentials={self.access_key: credential}, entries=(entry,)
        )

    def environment(self) -> dict[str, str]:
        """Return the variables by which the SDK finds the keys, and nothing else of this machine."""
        return {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_SESSION_TOKEN": self.session_token,
        }
