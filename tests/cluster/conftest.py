"""One control plane for the whole run, and a lab of its own for each test."""

import re
from collections.abc import Callable, Generator, Iterator
from itertools import count
from typing import Any

import pytest

from tests.cluster.build import build, say
from tests.cluster.lab import Lab
from tests.cluster.plane import ControlPlane

NewLab = Callable[..., Lab]

_FAILED = pytest.StashKey[bool]()
_NUMBERS = count(1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if report.failed:
        item.session.stash[_FAILED] = True
    return report


@pytest.fixture(scope="session")
def plane(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """Run the control plane; its logs are kept where a test has failed."""
    build(say)
    with ControlPlane(say) as running:
        yield running
        running.keep_logs = request.session.stash.get(_FAILED, False)


@pytest.fixture
def new_lab(plane: ControlPlane, request: pytest.FixtureRequest) -> Iterator[NewLab]:
    """Build and install a lab named after the test; everything is removed afterwards."""
    made: list[Lab] = []

    def build_lab(**values: Any) -> Lab:
        short = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_").lower())[:36].strip("-")
        lab = Lab(plane=plane, name=f"{short}-{next(_NUMBERS)}", **values)
        made.append(lab)
        lab.install()
        return lab

    pull_seconds = plane.kubelet.pull_seconds
    yield build_lab
    plane.kubelet.pull_seconds = pull_seconds
    for each in made:
        each.remove()


@pytest.fixture
def lab(new_lab: NewLab) -> Lab:
    """Build a lab with the guide's small placeholders, min 2 and max 8."""
    return new_lab()
