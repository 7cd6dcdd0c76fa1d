"""The garbage collector comes back, whatever happens meanwhile."""

import gc
from collections.abc import Iterator

import pytest

from warmpool.adapters.kubernetes.collector import collector_paused


@pytest.fixture(autouse=True)
def _enabled_afterwards() -> Iterator[None]:
    yield
    gc.enable()


def test_the_collector_is_off_inside_and_on_afterwards() -> None:
    with collector_paused():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_the_collector_comes_back_after_a_failure() -> None:
    with pytest.raises(ValueError, match="broken"), collector_paused():
        raise ValueError("broken")

    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()

    with collector_paused():
        pass

    assert not gc.isenabled()
