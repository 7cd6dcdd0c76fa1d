"""The audit function's start: settings from the environment, and nothing heavier than it needs."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from botocore.session import Session

from functions.ingest_audit.handler import handler
from tests.events.audit_log import delivery
from tests.functions.test_ingest_audit import SETTINGS, Context
from warmpool.adapters.memory import RecordingTelemetry
from warmpool.app.errors import ConfigInvalid
from warmpool.ingest_wiring import build, ingest
from warmpool.settings import REGION_VARIABLE, IngestSettings


@pytest.fixture(autouse=True)
def a_cold_start() -> None:
    ingest.cache_clear()


def test_settings_go_into_the_environment_and_come_back() -> None:
    many = replace(SETTINGS, placeholders=frozenset({("a", "x"), ("a", "y"), ("b", "x")}))

    for settings in (SETTINGS, many):
        assert IngestSettings.from_env({**settings.environment(), REGION_VARIABLE: "eu-central-1"}) == settings


@pytest.mark.parametrize("missing", [*SETTINGS.environment(), REGION_VARIABLE])
def test_a_missing_variable_is_named(missing: str) -> None:
    environment = {**SETTINGS.environment(), REGION_VARIABLE: "eu-central-1"}
    del environment[missing]

    with pytest.raises(ConfigInvalid, match=f"{missing}: is not set; expected"):
        IngestSettings.from_env(environment)


@pytest.mark.parametrize("text", ["placeholder", "a/b/c", "a/", "/b", "a/b,,c/d", "a/b,"])
def test_placeholders_that_are_no_list_are_refused(text: str) -> None:
    environment = {**SETTINGS.environment(), REGION_VARIABLE: "x", "WARMPOOL_PLACEHOLDERS": text}

    with pytest.raises(ConfigInvalid, match=r"WARMPOOL_PLACEHOLDERS: .* expected NAMESPACE/DEPLOYMENT"):
        IngestSettings.from_env(environment)


def test_a_wrong_environment_fails_the_invocation() -> None:
    with pytest.raises(ConfigInvalid, match="WARMPOOL_STACK"):
        handler(delivery([]), Context())


def test_the_handler_finds_its_app_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.environment().items():
        monkeypatch.setenv(name, value)

    assert handler(delivery([]), Context()) == {"matter": 0}
    assert ingest().settings == SETTINGS


def test_building_makes_no_client() -> None:
    class Untouched(Session):
        def create_client(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("a client was made")

    app = build(SETTINGS, session=Untouched(), telemetry=RecordingTelemetry())

    assert app.take(delivery([]), Context()) == 0


def test_it_imports_neither_kubernetes_nor_the_pass() -> None:
    code = "import sys, functions.ingest_audit.handler; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - ours

    assert not {"kubernetes", "warmpool.app.reconcile", "warmpool.wiring"} & set(done.stdout.split())
