"""`warmpool manifests`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML

from warmpool.cli.errors import CliError
from warmpool.cli.main import build

SPEC = """\
version: 1
cluster: {hyperpod: ml-research}
pools:
  one: {deployment: ph-one, nodeSelector: {pool: one}, placeholder: {cpu: "2", memory: 8Gi}, min: 2, max: 8}
  two: {deployment: ph-two, nodeSelector: {pool: two}, placeholder: {cpu: "2", memory: 8Gi}, min: 2, max: 8}
"""

Printed = Callable[..., str]


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    """Run `warmpool manifests` on the spec above and return its stdout."""
    spec = tmp_path / "pools.yaml"
    spec.write_text(SPEC, encoding="utf-8")

    def run(*words: str) -> str:
        command = typer.main.get_command(build(("manifests",)))
        command.main(["manifests", "--spec", str(spec), *words], standalone_mode=False)
        return capsys.readouterr().out

    return run


def names(objects: list[dict[str, Any]], kind: str) -> list[str]:
    return [each["metadata"]["name"] for each in objects if each["kind"] == kind]


def test_yaml_documents_hold_every_pool(printed: Printed) -> None:
    objects = list(YAML(typ="safe", pure=True).load_all(printed()))

    assert names(objects, "Deployment") == ["ph-one", "ph-two"]


def test_the_label_false_stays_a_text_in_yaml(printed: Printed) -> None:
    budget = next(
        each for each in YAML(typ="safe", pure=True).load_all(printed()) if each["kind"] == "PodDisruptionBudget"
    )

    assert budget["spec"]["selector"]["matchLabels"]["warmpool.spaces.aws/warm"] == "false"


def test_json_is_one_list_with_the_same_objects(printed: Printed) -> None:
    document = json.loads(printed("--output", "json"))

    assert document["kind"] == "List"
    assert document["items"] == list(YAML(typ="safe", pure=True).load_all(printed()))


def test_one_pool_can_be_asked_for(printed: Printed) -> None:
    objects = json.loads(printed("--pool", "two", "--output", "json"))["items"]

    assert names(objects, "Deployment") == ["ph-two"]


def test_initial_replicas_are_written_on_demand(printed: Printed) -> None:
    objects = json.loads(printed("--pool", "one", "--initial-replicas", "0", "--output", "json"))["items"]

    assert [each["spec"]["replicas"] for each in objects if each["kind"] == "Deployment"] == [0]


def test_an_unknown_pool_is_named(printed: Printed) -> None:
    with pytest.raises(CliError, match="'three' is not in the spec; its pools are one, two"):
        printed("--underutilised", "three")
