"""What every Configuration does, in memory and on SSM alike."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.adapters.aws.faults import Faults
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.configuration import SsmConfiguration
from warmpool.adapters.memory import FixedBudget, MemoryConfiguration, RecordingTelemetry, UnlimitedBudget
from warmpool.app.errors import ConfigUnreadable
from warmpool.app.ports import Configuration, Documents


@dataclass(frozen=True)
class Store:
    """One Configuration with the hands of its operators."""

    configuration: Configuration
    put: Callable[[str, str], None]
    break_down: Callable[[], object]

    def read(self) -> Documents:
        return self.configuration.read(UnlimitedBudget())


def memory_store() -> Store:
    memory = MemoryConfiguration()

    def put(name: str, text: str) -> None:
        match name.split("/"):
            case [pool, "spec"]:
                memory.specs[pool] = text
            case [pool, "override"]:
                memory.overrides[pool] = text
            case _:
                memory.stop = text

    def break_down() -> None:
        memory.failure = "told to"

    return Store(memory, put, break_down)


def ssm_store(clients: AwsClients, faults: Faults) -> Store:
    client = clients.client("ssm", UnlimitedBudget())

    def put(name: str, text: str) -> None:
        client.put_parameter(Name=f"/warmpool/ml/{name}", Value=text, Type="String", Overwrite=True, Tier="Advanced")

    return Store(
        SsmConfiguration(clients, prefix="/warmpool/ml", telemetry=RecordingTelemetry()),
        put,
        lambda: faults.refuse("GetParametersByPath", "AccessDeniedException"),
    )


@pytest.fixture(params=["memory", "ssm"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "memory":
        return memory_store()
    return ssm_store(request.getfixturevalue("clients"), request.getfixturevalue("faults"))


def test_an_empty_store_is_readable_and_empty(store: Store) -> None:
    assert store.read() == Documents(specs={}, overrides={}, stop=None)


def test_documents_are_told_apart_by_their_names(store: Store) -> None:
    store.put("cpu/spec", "spec of cpu")
    store.put("gpu/spec", "spec of gpu")
    store.put("gpu/override", "override of gpu")
    store.put("stop", "stop!")

    assert store.read() == Documents(
        specs={"cpu": "spec of cpu", "gpu": "spec of gpu"}, overrides={"gpu": "override of gpu"}, stop="stop!"
    )


def test_a_change_is_seen_by_the_next_read(store: Store) -> None:
    store.put("cpu/spec", "old")
    before = store.read()
    store.put("cpu/spec", "new")

    assert (before.specs["cpu"], store.read().specs["cpu"]) == ("old", "new")


def test_a_document_comes_back_to_the_letter(store: Store) -> None:
    text = "{" + "ä😀\n\t " * 1000 + "\\ud800"
    store.put("cpu/spec", text)

    assert store.read().specs["cpu"] == text


def test_a_broken_store_raises_instead_of_looking_empty(store: Store) -> None:
    store.put("cpu/spec", "spec")
    store.break_down()

    with pytest.raises(ConfigUnreadable, match="told to"):
        store.read()


def test_without_time_nothing_is_read(store: Store) -> None:
    with pytest.raises(ConfigUnreadable, match="s are left"):
        store.configuration.read(FixedBudget(0))
