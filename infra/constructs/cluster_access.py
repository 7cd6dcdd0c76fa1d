"""The EKS access entry: it turns the function's role into a Kubernetes group, which RBAC then gives its verbs."""

from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct

from warmpool.adapters.kubernetes.manifests import CONTROLLER_GROUP


class ClusterAccess(Construct):
    """One access entry without access policies: the built-in ones grant secrets and more, or no nodes at all.

    The group is bound in the manifests that the cluster's owner applies; the stack never holds rights to create RBAC.
    """

    def __init__(self, scope: Construct, construct_id: str, *, eks_cluster: str, role: iam.IRole) -> None:
        super().__init__(scope, construct_id)
        eks.CfnAccessEntry(
            self,
            "Entry",
            cluster_name=eks_cluster,
            principal_arn=role.role_arn,
            kubernetes_groups=[CONTROLLER_GROUP],
            type="STANDARD",
        )
