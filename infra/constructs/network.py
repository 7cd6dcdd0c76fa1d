"""The function's place in the cluster's VPC, for clusters whose endpoint is private."""

from aws_cdk import Annotations
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.config import Network

_HTTPS = 443


class FunctionNetwork(Construct):
    """A security group that may only speak HTTPS, and the one rule that lets it reach the cluster."""

    def __init__(self, scope: Construct, construct_id: str, *, network: Network) -> None:
        super().__init__(scope, construct_id)
        self.vpc = ec2.Vpc.from_vpc_attributes(
            self,
            "Vpc",
            vpc_id=network.vpc_id,
            private_subnet_ids=list(network.subnet_ids),
            # Asked for by CDK and rendered nowhere: the subnets are named one by one.
            availability_zones=[f"zone-{number}" for number, _ in enumerate(network.subnet_ids)],
        )
        self.subnets = self.vpc.private_subnets
        for subnet in self.subnets:
            Annotations.of(subnet).acknowledge_warning(
                "@aws-cdk/aws-ec2:noSubnetRouteTableId", "A function is placed by subnet; nothing here asks for routes."
            )
        self.security_group = ec2.SecurityGroup(
            self,
            "SecurityGroup",
            vpc=self.vpc,
            description="Warm-pool controller: HTTPS to the cluster and to AWS, nothing in",
            allow_all_outbound=False,
        )
        self.security_group.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(_HTTPS), "Kubernetes and AWS APIs")
        ec2.CfnSecurityGroupIngress(
            self,
            "ClusterIngress",
            group_id=network.cluster_security_group_id,
            source_security_group_id=self.security_group.security_group_id,
            ip_protocol="tcp",
            from_port=_HTTPS,
            to_port=_HTTPS,
            description="Kubernetes API for the warm-pool controller",
        )

    def admit(self, role: iam.Role) -> None:
        """Let Lambda manage the network interfaces; AWS' managed policy for it would bring log rights too."""
        role.add_to_policy(
            iam.PolicyStatement(
                sid="NetworkInterfaces",
                actions=[
                    "ec2:AssignPrivateIpAddresses",
                    "ec2:CreateNetworkInterface",
                    "ec2:DeleteNetworkInterface",
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSubnets",
                    "ec2:UnassignPrivateIpAddresses",
                ],
                resources=["*"],
            )
        )
