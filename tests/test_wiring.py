"""The composition root connects, and does nothing else."""

from typing import Any

import pytest
from botocore.session import Session

from tests.adapters.aws.builders import AT
from warmpool import wiring
from warmpool.adapters.memory import FixedClock, RecordingTelemetry
from warmpool.app.errors import ConfigInvalid
from warmpool.settings import Settings
from warmpool.wiring import application, build


class Untouched(Session):
    """A session that nobody may use yet."""

    def create_client(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a client was made")

    def get_credentials(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("credentials were asked for")


SETTINGS = Settings(
    stack="ml",
    region="eu-central-1",
    table="ledger",
    dead_letter_queue_url="https://sqs.eu-central-1.amazonaws.com/123456789012/dead.fifo",
    hyperpod_cluster="ml",
)


@pytest.fixture(autouse=True)
def a_cold_start() -> None:
    application.cache_clear()


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        Settings(
            stack="ml",
            region="cn-north-1",
            table="ledger",
            dead_letter_queue_url="https://sqs.cn-north-1.amazonaws.com.cn/123456789012/dead.fifo",
            eks_cluster="eks-ml",
            endpoint="https://k8s.example",
            certificate_authority="LS0t",
        ),
    ],
)
def test_building_makes_no_client_and_asks_for_no_credentials(settings: Settings) -> None:
    app = build(settings, clock=FixedClock(AT), session=Untouched(), telemetry=RecordingTelemetry())

    assert app.settings == settings


def test_the_app_is_built_once_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.environment().items():
        monkeypatch.setenv(name, value)
    app = application()

    assert app.settings == SETTINGS
    assert application() is app


def test_a_wrong_environment_is_an_error_and_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigInvalid, match="WARMPOOL_STACK: is not set"):
        application()
    for name, value in SETTINGS.environment().items():
        monkeypatch.setenv(name, value)

    assert wiring.application().settings == SETTINGS
