"""An embedded AWS whose clock the test moves."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from warmpool.adapters.memory import FixedClock
from warmpool.sim.api.certificates import issue_certificates
from warmpool.sim.aws.embedded import AwsNames, EmbeddedAws

NOW = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)


class FixedEndpoint:
    """An address that nothing answers at, with a real certificate."""

    def __init__(self) -> None:
        self.url = "https://127.0.0.1:6443"
        self.ca_pem = issue_certificates().ca_pem


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def endpoint() -> FixedEndpoint:
    return FixedEndpoint()


@pytest.fixture
def aws(clock: FixedClock, endpoint: FixedEndpoint) -> Iterator[EmbeddedAws]:
    with EmbeddedAws(AwsNames(), now=clock.now, endpoint=endpoint) as embedded:
        yield embedded
