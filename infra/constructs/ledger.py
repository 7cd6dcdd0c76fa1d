"""The ledger's DynamoDB table: what the controller remembers between passes."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from warmpool.adapters.aws.ledger import EXPIRES, PARTITION_KEY, SORT_KEY


class LedgerTable(Construct):
    """One table, one partition a pool; kept when the stack goes, since a lost ledger starts learning afresh."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        self.table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name=PARTITION_KEY, type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name=SORT_KEY, type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute=EXPIRES,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            encryption=dynamodb.TableEncryption.DEFAULT,
            removal_policy=RemovalPolicy.RETAIN,
        )
