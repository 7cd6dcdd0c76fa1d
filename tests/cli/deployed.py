"""A deployed stack for the commands that talk to AWS: moto in process, at a fixed time."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.session import Session
from moto import mock_aws

from tests.adapters.aws.faults import Faults
from warmpool.adapters.memory import FixedClock
from warmpool.sim.aws.session import quick_session

NOW = datetime(2026, 12, 14, 8, 0, tzinfo=UTC)
STACK = "warmpool-ml-research"
CALLER = "arn:aws:sts::123456789012:user/moto"
"""Who moto says that we are."""


def spec(pool: str = "spaces", **changes: Any) -> str:
    """Return a pool's runtime document: min 2, max 8, on weekdays from 8 to 18:30 in Berlin min 3."""
    keys: dict[str, Any] = {
        "namespace": "op",
        "deployment": f"ph-{pool}",
        "nodeSelector": {"pool": pool},
        "timezone": "Europe/Berlin",
        "min": 2,
        "max": 8,
        "windows": [{"name": "office", "days": ["mon-fri"], "start": "08:00", "end": "18:30", "min": 3}],
        **changes,
    }
    return json.dumps({"version": 1, "cluster": {"hyperpod": "ml-research"}, "pools": {pool: keys}})


@dataclass(slots=True)
class Deployed:
    """The parameters of a stack, the faults of its AWS, and the time."""

    ssm: Any
    faults: Faults
    clock: FixedClock

    def put(self, document: str, text: str, stack: str = STACK) -> None:
        """Write a parameter below the stack's path, as anybody may who has the right."""
        self.ssm.put_parameter(Name=f"/warmpool/{stack}/{document}", Value=text, Type="String", Overwrite=True)

    def text(self, document: str, stack: str = STACK) -> str | None:
        """Return a parameter's text, None where it is not there."""
        found = self.ssm.get_parameters_by_path(Path=f"/warmpool/{stack}", Recursive=True, MaxResults=10)
        texts = {each["Name"]: each["Value"] for each in found["Parameters"]}
        text: str | None = texts.get(f"/warmpool/{stack}/{document}")
        return text

    def document(self, document: str) -> Any:
        """Return a parameter's JSON."""
        text = self.text(document)
        return None if text is None else json.loads(text)


@contextmanager
def deployed_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    """Deploy one pool, `spaces`; the commands' sessions run into the same faults."""
    faults, clock = Faults(), FixedClock(NOW)

    def session() -> Session:
        new = quick_session()
        faults.install(new)
        return new

    monkeypatch.setattr("warmpool.cli.live.Session", session)
    monkeypatch.setattr("warmpool.cli.live.SystemClock", lambda: clock)
    with mock_aws():
        ssm = quick_session().create_client("ssm", region_name="eu-central-1")
        here = Deployed(ssm=ssm, faults=faults, clock=clock)
        here.put("spaces/spec", spec())
        yield here
