"""AWS behind the ports: configuration, ledger, metrics, queue, cluster lookup."""
