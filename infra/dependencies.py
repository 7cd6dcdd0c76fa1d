"""Builds the dependency layer with uv, without Docker: locked wheels for Lambda's processor, trimmed."""

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import jsii
import uv
from aws_cdk import BundlingOptions, ILocalBundling

PYTHON_VERSION: Final = "3.13"
"""Of the Lambda runtime; the wheels are chosen for it whatever Python runs CDK."""
PYTHON_PLATFORM: Final = "aarch64-manylinux2014"
MAX_BYTES: Final = 150 * 2**20
"""Lambda takes 250 MB unzipped for all layers and the function; far below it, so that growth is noticed early."""

_UNUSED_PACKAGES: Final = (
    "aiohappyeyeballs",
    "aiohttp",
    "aiohttp-retry",
    "aiosignal",
    "attrs",
    "frozenlist",
    "multidict",
    "propcache",
    "yarl",
)
"""What only the Kubernetes client's asyncio half needs; that half goes too."""
_UNUSED_PATHS: Final = ("bin", ".lock", "kubernetes/aio", "kubernetes/e2e_test", "**/tests", "**/__pycache__")


class DependencyError(Exception):
    """The dependency layer could not be built; the message says what uv said."""


def layer_hash(root: Path) -> str:
    """Fingerprint of everything that decides the layer's content.

    CDK's own hash covers the source folder only: a new lock file would leave the old layer in place.
    """
    digest = hashlib.sha256()
    for path in (root / "uv.lock", root / "layers/warmpool/pyproject.toml"):
        digest.update(path.read_bytes())
    digest.update(repr((PYTHON_VERSION, PYTHON_PLATFORM, _UNUSED_PACKAGES, _UNUSED_PATHS)).encode())
    return digest.hexdigest()


def build_layer(root: Path, target: Path, python_platform: str = PYTHON_PLATFORM) -> int:
    """Install the locked runtime dependencies under `target`/python and return their size in bytes.

    Raises DependencyError where uv fails or the result outgrows MAX_BYTES.
    """
    packages = target / "python"
    requirements = _requirements(root, target / "requirements.txt")
    _uv(
        root,
        *("pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"),
        *("--python-platform", python_platform, "--python-version", PYTHON_VERSION),
        *("--python", sys.executable, "--link-mode", "copy"),
        *("--target", str(packages), "--requirement", str(requirements)),
    )
    requirements.unlink()
    _trim(packages)
    size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())
    if size > MAX_BYTES:
        raise DependencyError(
            f"the dependency layer has {size / 2**20:.0f} MiB, more than the {MAX_BYTES / 2**20:.0f} MiB that are"
            " expected; see what grew, then trim it or raise infra.dependencies.MAX_BYTES"
        )
    return size


@jsii.implements(ILocalBundling)
class UvBundling:
    """CDK's hook for bundling on this machine. It never answers "no": Docker is no way out, an error is."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def try_bundle(self, output_dir: str, options: BundlingOptions | None = None, **_: Any) -> bool:
        """Fill the folder that CDK turns into the layer."""
        del options
        build_layer(self._root, Path(output_dir))
        return True


def _requirements(root: Path, path: Path) -> Path:
    unused = [argument for name in _UNUSED_PACKAGES for argument in ("--no-emit-package", name)]
    _uv(
        root,
        *("export", "--quiet", "--frozen", "--package", "warmpool", "--no-dev", "--no-emit-workspace"),
        *("--no-header", "--format", "requirements.txt", "--output-file", str(path), *unused),
    )
    return path


def _uv(root: Path, *arguments: str) -> None:
    """Run the uv of this environment; its version is locked like everything else's."""
    command = (uv.find_uv_bin(), *arguments)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 own words only
    if done.returncode != 0:
        raise DependencyError(
            f"`{' '.join(command)}` failed on {platform.machine()} with exit code {done.returncode}:"
            f" {done.stderr.strip()}"
        )


def _trim(packages: Path) -> None:
    for pattern in _UNUSED_PATHS:
        for path in sorted(packages.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
