"""The ledger as a live status reads it: its state, and each pool's last decision."""

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger import DynamoDbLedger
from warmpool.adapters.aws.ledger_history import LedgerHistory
from warmpool.adapters.kept_decision import Damaged, Span
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
        history = LedgerHistory(self._clients, table=self._table, budget=budget)
        for each in history.newest(pool, Span(), 1, with_inputs=False):
            if isinstance(each, Damaged):
                raise LedgerUnavailable(f"the last decision kept of pool {pool} is damaged: {each.why}")
            return each.decision
        return None
