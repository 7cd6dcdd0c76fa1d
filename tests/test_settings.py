"""What the functions are told through their environment."""

import dataclasses
import inspect
from typing import Any

import pytest

from warmpool.app.errors import ConfigInvalid
from warmpool.core.spec import ClusterRef
from warmpool.settings import IngestSettings, Settings

ENVIRONMENT = {
    "AWS_REGION": "eu-central-1",
    "WARMPOOL_STACK": "warmpool-ml",
    "WARMPOOL_TABLE": "ledger",
    "WARMPOOL_DEAD_LETTER_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/dead.fifo",
    "WARMPOOL_HYPERPOD_CLUSTER": "ml",
}


def settings(**changes: Any) -> Settings:
    values: dict[str, Any] = {
        "stack": "warmpool-ml",
        "region": "eu-central-1",
        "table": "ledger",
        "dead_letter_queue_url": "https://sqs.eu-central-1.amazonaws.com/123456789012/dead.fifo",
        "hyperpod_cluster": "ml",
    }
    return Settings(**{**values, **changes})


def test_the_least_environment_is_enough() -> None:
    assert Settings.from_env(ENVIRONMENT) == settings()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"hyperpod_cluster": None, "eks_cluster": "eks-ml"},
        {"eks_cluster": "eks-ml", "endpoint": "https://k8s.example", "certificate_authority": "LS0t"},
        {"prefix": "/other/path", "margin_seconds": 3.5},
    ],
)
def test_a_function_reads_back_what_the_stack_gave_it(changes: dict[str, Any]) -> None:
    given = settings(**changes)

    assert Settings.from_env({**given.environment(), "AWS_REGION": given.region}) == given


def test_the_stack_sets_no_variable_that_lambda_reserves() -> None:
    assert all(name.startswith("WARMPOOL_") for name in settings().environment())


@pytest.mark.parametrize("variable", sorted(ENVIRONMENT))
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_variable_is_named_with_what_was_expected(variable: str, value: str | None) -> None:
    environ = {name: each for name, each in ENVIRONMENT.items() if name != variable}
    if value is not None:
        environ[variable] = value

    with pytest.raises(ConfigInvalid, match=rf"^environment: {variable}: is not set.* expected ") as caught:
        Settings.from_env(environ)
    assert caught.value.path == variable


@pytest.mark.parametrize("text", ["-1", "soon", "nan", "inf", "2s"])
def test_a_margin_that_is_no_time_is_refused_with_its_value(text: str) -> None:
    with pytest.raises(ConfigInvalid, match=rf"WARMPOOL_MARGIN_SECONDS: '{text}' is not a time"):
        Settings.from_env({**ENVIRONMENT, "WARMPOOL_MARGIN_SECONDS": text})


@pytest.mark.parametrize("text", ["warmpool", "/", "//"])
def test_a_prefix_that_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ConfigInvalid, match=f"WARMPOOL_PARAMETER_PREFIX: '{text}' is not a path"):
        Settings.from_env({**ENVIRONMENT, "WARMPOOL_PARAMETER_PREFIX": text})


@pytest.mark.parametrize(
    "environ",
    [
        {"WARMPOOL_ENDPOINT": "https://k8s.example"},
        {"WARMPOOL_CERTIFICATE_AUTHORITY": "LS0t"},
    ],
)
def test_endpoint_and_ca_come_together(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigInvalid, match="expected both or none"):
        Settings.from_env({**ENVIRONMENT, **environ})


def test_an_endpoint_without_tls_is_refused() -> None:
    environ = {"WARMPOOL_ENDPOINT": "http://k8s.example", "WARMPOOL_CERTIFICATE_AUTHORITY": "LS0t"}

    with pytest.raises(ConfigInvalid, match=r"'http://k8s\.example' is not an https:// URL"):
        Settings.from_env({**ENVIRONMENT, **environ})


def test_parameters_lie_under_the_stack_unless_told_otherwise() -> None:
    assert settings().parameter_prefix == "/warmpool/warmpool-ml"
    assert Settings.from_env({**ENVIRONMENT, "WARMPOOL_PARAMETER_PREFIX": "/a/b/"}).parameter_prefix == "/a/b"


@pytest.mark.parametrize(
    ("changes", "cluster"),
    [
        ({}, ClusterRef(hyperpod="ml")),
        ({"eks_cluster": "eks-ml"}, ClusterRef(hyperpod="ml")),
        ({"hyperpod_cluster": None, "eks_cluster": "eks-ml"}, ClusterRef(eks="eks-ml")),
    ],
)
def test_the_cluster_is_named_as_in_a_spec(changes: dict[str, Any], cluster: ClusterRef) -> None:
    assert settings(**changes).cluster == cluster


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    assert Settings.from_env() == settings()


@pytest.mark.parametrize("kind", [Settings, IngestSettings])
def test_every_field_says_what_it_means(kind: type[Settings | IngestSettings]) -> None:
    lines = inspect.getsource(kind).splitlines()

    for field in dataclasses.fields(kind):
        [number] = [index for index, line in enumerate(lines) if line.startswith(f"    {field.name}: ")]
        assert lines[number + 1].strip().startswith('"""'), field.name
