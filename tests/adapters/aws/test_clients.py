"""Which client a call gets, by the time that is left."""

from typing import Any

import pytest
from botocore.session import Session

from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.memory import FixedBudget, UnlimitedBudget


def test_making_the_clients_needs_no_credentials() -> None:
    AwsClients(Session(), region="eu-central-1").client("ssm", UnlimitedBudget())


def test_a_call_with_plenty_of_time_is_patient(clients: AwsClients) -> None:
    config: Any = clients.client("ssm", FixedBudget(28)).meta.config

    assert (config.connect_timeout, config.read_timeout) == (2, 5)
    assert config.retries == {"mode": "standard", "total_max_attempts": 2}


def test_a_late_call_gets_one_short_attempt(clients: AwsClients) -> None:
    config: Any = clients.client("ssm", FixedBudget(14.9)).meta.config

    assert (config.connect_timeout, config.read_timeout) == (1, 2)
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}


@pytest.mark.parametrize("seconds", [3, 14.9, 15, 28, float("inf")])
def test_every_attempt_ends_within_the_time_left(clients: AwsClients, seconds: float) -> None:
    config: Any = clients.client("dynamodb", FixedBudget(seconds)).meta.config

    attempts = config.retries["total_max_attempts"]
    assert attempts * (config.connect_timeout + config.read_timeout) <= seconds


@pytest.mark.parametrize("seconds", [2.9, 0, -1])
def test_no_call_starts_that_could_not_end_in_time(clients: AwsClients, seconds: float) -> None:
    with pytest.raises(TimeoutError, match=r"are left, and a call to ssm may take 3 s"):
        clients.client("ssm", FixedBudget(seconds))


def test_a_client_is_made_once(clients: AwsClients) -> None:
    assert clients.client("sqs", FixedBudget(28)) is clients.client("sqs", FixedBudget(20))


def test_clients_are_of_the_region_given(clients: AwsClients) -> None:
    assert clients.client("sqs", FixedBudget(28)).meta.region_name == "eu-central-1"
