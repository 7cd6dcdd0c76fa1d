"""The alarms, synthesised once a session: CDK's own start takes longer than the situations."""

import pytest

from tests.alarms.synthesised import synthesised_alarms
from warmpool.sim.alarms.watch import Alarms


@pytest.fixture(scope="session")
def alarms(tmp_path_factory: pytest.TempPathFactory) -> Alarms:
    """Give the alarms of pools.yaml."""
    return synthesised_alarms(tmp_path_factory.mktemp("cdk-alarms"))
