"""The runtime copy of the spec in SSM, one parameter a pool, owned by CDK.

Overrides and the stop switch live beside them and belong to the operators: CDK never creates those, or a
deployment would undo what somebody set in an incident.
"""

from collections.abc import Mapping
from typing import Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_ssm as ssm
from constructs import Construct

_STANDARD_BYTES: Final = 4096
"""What a standard parameter holds; an advanced one holds twice that, which loading the spec has checked."""


class SpecParameters(Construct):
    """`<prefix>/<pool>/spec` for every pool."""

    def __init__(self, scope: Construct, construct_id: str, *, prefix: str, documents: Mapping[str, str]) -> None:
        super().__init__(scope, construct_id)
        for pool, document in documents.items():
            parameter = ssm.StringParameter(
                self,
                pool,
                parameter_name=f"{prefix}/{pool}/spec",
                description=f"Spec of warm pool {pool}; written by every deployment, do not edit here",
                string_value=document,
                tier=_tier(document),
            )
            parameter.apply_removal_policy(RemovalPolicy.DESTROY)


def _tier(document: str) -> ssm.ParameterTier:
    """Choose the cheaper tier where it suffices: an advanced parameter costs 0.05 USD a month."""
    return ssm.ParameterTier.STANDARD if len(document.encode()) <= _STANDARD_BYTES else ssm.ParameterTier.ADVANCED
