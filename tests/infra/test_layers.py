"""The layers: what is shipped, and that a new lock file brings new dependencies."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from infra.dependencies import DependencyError, build_layer, layer_hash
from tests.infra.synthesis import ROOT, Synthesis, synthesise


def shipped(synthesis: Synthesis, path: str) -> set[str]:
    """Return the files of a layer's or function's asset."""
    [folder] = (synthesis.folder / f"asset.{name}" for name in [asset_of(synthesis)[path].removesuffix(".zip")])
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def asset_of(synthesis: Synthesis) -> Mapping[str, str]:
    """Return each layer's and function's asset by construct path."""
    layers = synthesis.resources("AWS::Lambda::LayerVersion")
    functions = synthesis.resources("AWS::Lambda::Function")
    return {path: each["Content"]["S3Key"] for path, each in layers.items()} | {
        path: each["Code"]["S3Key"] for path, each in functions.items()
    }


def copy_of_repository(folder: Path) -> Path:
    """Copy what decides the assets; the rest is not looked at."""
    for name in ("functions", "layers", "infra"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".*", "__pycache__", "node_modules"))
    for name in ("uv.lock", "cdk.json"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_the_package_layer_ships_what_runs_and_nothing_else(synthesis: Synthesis) -> None:
    files = shipped(synthesis, "Layers/Package")

    assert "python/warmpool/core/decide.py" in files
    assert "python/warmpool/wiring.py" in files
    assert all(name.startswith("python/warmpool/") for name in files)
    assert not [name for name in files if name.startswith(("python/warmpool/sim/", "python/warmpool/cli/"))]
    assert {Path(name).suffix for name in files} <= {".py", ".typed"}


def test_a_function_ships_its_handler_alone(synthesis: Synthesis) -> None:
    assert shipped(synthesis, "Reconciler/Function") == {"handler.py"}


def test_layers_are_for_the_functions_runtime_and_processor(synthesis: Synthesis) -> None:
    for layer in synthesis.resources("AWS::Lambda::LayerVersion").values():
        assert layer["CompatibleRuntimes"] == ["python3.13"]
        assert layer["CompatibleArchitectures"] == ["arm64"]


def test_a_new_lock_file_brings_a_new_dependency_layer_and_only_that(tmp_path: Path) -> None:
    root = copy_of_repository(tmp_path / "repository")
    before = asset_of(synthesise(tmp_path / "before", root=root))
    with (root / "uv.lock").open("a") as lock:
        lock.write("\n# one package moved\n")

    after = asset_of(synthesise(tmp_path / "after", root=root))

    assert {path for path in before if after[path] != before[path]} == {"Layers/Dependencies"}


def test_the_same_lock_file_in_another_folder_is_the_same_layer(tmp_path: Path) -> None:
    assert layer_hash(copy_of_repository(tmp_path)) == layer_hash(ROOT)


def test_a_dependency_that_the_package_adds_is_a_new_layer(tmp_path: Path) -> None:
    root = copy_of_repository(tmp_path)
    project = root / "layers/warmpool/pyproject.toml"
    project.write_text(project.read_text().replace('"msgspec', '"httpx", "msgspec'))

    assert layer_hash(root) != layer_hash(ROOT)


def test_a_layer_that_cannot_be_built_says_what_uv_said(tmp_path: Path) -> None:
    root = copy_of_repository(tmp_path / "repository")
    (root / "uv.lock").write_text("version = 0\n")

    with pytest.raises(DependencyError, match=r"uv export .* failed on .* with exit code \d+: "):
        build_layer(root, tmp_path / "layer")
