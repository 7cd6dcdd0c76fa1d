"""The ledger as operators read it: its state and the decisions that it keeps. The function itself only writes those."""

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.failures import AWS_FAILURES, describe
from warmpool.adapters.aws.ledger import PARTITION_KEY, SORT_KEY, DynamoDbLedger
from warmpool.adapters.aws.records import decode_decision
from warmpool.app.errors import LedgerUnavailable
from warmpool.app.ports import Budget, LedgerState, Telemetry
from warmpool.core.decision import Decision


class LedgerRecords:
    """Implements warmpool.app.live_status.Records on the ledger's table."""

    def __init__(self, clients: AwsClients, *, table: str, telemetry: Telemetry) -> None:
        self._clients = clients
        self._table = table
        self._ledger = DynamoDbLedger(clients, table=table, telemetry=telemetry)

    def read(self, budget: Budget) -> LedgerState:
        """Read all entries. Raises LedgerUnavailable."""
        return self._ledger.read(budget)

    def latest(self, pool: str, budget: Budget) -> Decision | None:
        """Return the last changed decision of a pool, None where none is kept. Raises LedgerUnavailable."""
        try:
            answer = self._clients.client("dynamodb", budget).query(
                TableName=self._table,
                KeyConditionExpression="#pk = :pool AND begins_with(#sk, :history)",
                ExpressionAttributeNames={"#pk": PARTITION_KEY, "#sk": SORT_KEY},
                ExpressionAttributeValues={":pool": {"S": f"pool#{pool}"}, ":history": {"S": "history#"}},
                ScanIndexForward=False,
                Limit=1,
            )
        except AWS_FAILURES as error:
            raise LedgerUnavailable(describe(error, action="dynamodb:Query", resource=self._table)) from error
        try:
            return next((decode_decision(item["decision"]["B"]) for item in answer["Items"]), None)
        except (KeyError, ValueError) as error:
            raise LedgerUnavailable(f"the last decision kept of pool {pool} is damaged: {error}") from error
