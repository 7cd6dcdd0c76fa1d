"""AWS for these tests: moto in process, no sockets."""

from collections.abc import Iterator

import pytest
from botocore.session import Session
from moto import mock_aws

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.memory import RecordingTelemetry
from warmpool.sim.aws.session import quick_session

REGION = "eu-central-1"


@pytest.fixture
def session() -> Iterator[Session]:
    with mock_aws():
        yield quick_session()


@pytest.fixture
def faults(session: Session) -> Faults:
    return Faults().install(session)


@pytest.fixture
def clients(session: Session, faults: Faults) -> AwsClients:
    del faults  # a client takes the session's listeners with it, so they come first
    return AwsClients(session, region=REGION)


@pytest.fixture
def telemetry() -> RecordingTelemetry:
    return RecordingTelemetry()
