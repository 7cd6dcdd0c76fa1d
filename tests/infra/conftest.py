"""Templates, synthesised once a session: CDK's own start takes longer than all the tests."""

import os
import sys
from pathlib import Path

import pytest

# Before the imports below, since jsii starts when it is imported, with whatever `node` comes first on the PATH.
os.environ["JSII_NODE"] = str(Path(sys.executable).parent / "node")

from tests.infra.synthesis import NETWORK, Synthesis, synthesise


@pytest.fixture(scope="session")
def synthesis(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """Give the stack of infra/pools.yaml and cdk.json, as a newcomer deploys it."""
    return synthesise(tmp_path_factory.mktemp("cdk"))


@pytest.fixture(scope="session")
def private_synthesis(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """Give the same stack for a cluster with a private endpoint, with an address for alarms."""
    return synthesise(tmp_path_factory.mktemp("cdk-private"), {**NETWORK, "alarmEmail": "ops@example.com"})


@pytest.fixture(scope="session")
def audit_synthesis(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """Give the same stack with the audit log subscribed to."""
    return synthesise(tmp_path_factory.mktemp("cdk-audit"), {"auditEvents": "true"})
