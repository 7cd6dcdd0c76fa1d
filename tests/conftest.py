"""What every test starts from: no network, no AWS account, no clock of its own, warnings as errors.

Sockets are off by pytest-socket's options in pyproject.toml; a test that needs loopback says so with
`@pytest.mark.enable_socket` or `@pytest.mark.allow_hosts(["127.0.0.1"])`.
"""

import os
import zlib

from hypothesis import HealthCheck, settings

_AWS_PREFIXES = ("AWS_", "POWERTOOLS_", "WARMPOOL_", "LAMBDA_")

_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_SESSION_TOKEN": "testing",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_REGION": "eu-central-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_XRAY_CONTEXT_MISSING": "IGNORE_ERROR",
    "POWERTOOLS_TRACE_DISABLED": "1",
    "POWERTOOLS_SERVICE_NAME": "warmpool",
    "POWERTOOLS_METRICS_NAMESPACE": "Warmpool",
}


def _isolate_environment() -> None:
    """Replace whatever account this machine is logged in to, before a test module is imported.

    Powertools reads its variables when a module-level logger is built, which is too early for a fixture.
    """
    for name in [name for name in os.environ if name.startswith(_AWS_PREFIXES)]:
        del os.environ[name]
    os.environ.update(_ENVIRONMENT)


def _choose_hypothesis_profile() -> None:
    """CI draws the same examples in every run; a developer's machine draws new ones and remembers failures.

    No deadline in any: on a shared two-core machine it would assert on timing. `make check` draws four times as many.
    """
    base = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("dev", base, max_examples=50)
    settings.register_profile("ci", base, max_examples=50, derandomize=True, print_blob=True)
    settings.register_profile("thorough", base, max_examples=200, print_blob=True)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by what they say: gzip writes the time into its header, and xdist's workers must agree on names."""
    if not isinstance(val, bytes):
        return None
    timeless = val[:4] + b"\0" * 4 + val[8:] if val.startswith(b"\x1f\x8b") else val
    return f"{argname}-{zlib.crc32(timeless):08x}"


_isolate_environment()
_choose_hypothesis_profile()
