"""Build the programs of the real control plane once: `python -m tests.cluster.build`."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
MODULES: Final = HERE / "go"
CACHE: Final = ROOT / "build" / "cluster-bin"
LEAST_GO: Final = (1, 26)
_STRIP: Final = "-s -w"
"""Without symbols a program is a third smaller."""


class BuildFailed(Exception):
    """A program could not be built; the text says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program: the folder of its Go module, its main package, and the module that the version is read from."""

    name: str
    module: str
    package: str


PROGRAMS: Final = (
    Program(name="etcd", module="etcd", package="go.etcd.io/etcd/server/v3"),
    Program(name="kube-apiserver", module="kubernetes", package="k8s.io/kubernetes/cmd/kube-apiserver"),
    Program(
        name="aws-iam-authenticator",
        module="aws-iam-authenticator",
        package="sigs.k8s.io/aws-iam-authenticator/cmd/aws-iam-authenticator",
    ),
    Program(
        name="kube-controller-manager", module="kubernetes", package="k8s.io/kubernetes/cmd/kube-controller-manager"
    ),
    Program(name="kube-scheduler", module="kubernetes", package="k8s.io/kubernetes/cmd/kube-scheduler"),
    Program(name="kwok", module="kwok", package="sigs.k8s.io/kwok/cmd/kwok"),
    Program(name="karpenter", module="karpenter", package="sigs.k8s.io/karpenter/kwok"),
)


def folder() -> Path:
    """Return the folder of the programs that the committed modules describe; it may not be there yet."""
    digest = hashlib.sha256()
    for each in sorted(MODULES.glob("*/go.*")):
        digest.update(each.relative_to(MODULES).as_posix().encode())
        digest.update(each.read_bytes())
    return CACHE / digest.hexdigest()[:16]


def missing() -> list[str]:
    """Return the programs that have not been built yet."""
    place = folder()
    return [each.name for each in PROGRAMS if not (place / each.name).is_file()]


def build(say: Callable[[str], None]) -> Path:
    """Build what is missing and return the folder; a second builder waits for the first. Raises BuildFailed."""
    place = folder()
    if not missing():
        return place
    _check_go()
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build_all([each for each in PROGRAMS if each.name in set(missing())], place, say)
    return place


def _build_all(wanted: Sequence[Program], place: Path, say: Callable[[str], None]) -> None:
    for number, program in enumerate(wanted, start=1):
        say(f"[{number}/{len(wanted)}] building {program.name} ...")
        began = time.monotonic()
        _build_one(program, place)
        size = (place / program.name).stat().st_size / 2**20
        say(f"[{number}/{len(wanted)}] {program.name}: {time.monotonic() - began:.0f} s, {size:.0f} MB")


def module_folder(module: str, path: str) -> Path:
    """Return where Go keeps the sources of one module, for the CRDs and stages that come with it.

    Raises BuildFailed where it cannot be downloaded.
    """
    command = ("go", "mod", "download", "-json", path)
    done = subprocess.run(  # noqa: S603 - our own words only
        command, cwd=MODULES / module, env=go_environment(), capture_output=True, text=True, check=False
    )
    found = re.search(r'"Dir": "([^"]+)"', done.stdout)
    if done.returncode or found is None:
        raise BuildFailed(f"{' '.join(command)} in {MODULES / module}: {(done.stderr or done.stdout).strip()}")
    return Path(found[1])


def version_of(module: str, path: str) -> str:
    """Return the version that a module's go.mod requires of `path`, such as v1.36.3."""
    text = (MODULES / module / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"^(?:require |\t){re.escape(path)} (v[^\s]+)", text, re.MULTILINE)
    if found is None:
        raise BuildFailed(f"tests/cluster/go/{module}/go.mod requires no {path}")
    return found[1]


def go_environment() -> Mapping[str, str]:
    """Return the environment for Go: this toolchain and no other, whatever a module would like."""
    return {**os.environ, "GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false"}


def _build_one(program: Program, place: Path) -> None:
    unfinished = place / f"{program.name}.part"
    command = ("go", "build", "-trimpath", "-ldflags", _link_flags(program), "-o", str(unfinished), program.package)
    done = subprocess.run(  # noqa: S603 - our own words only
        command, cwd=MODULES / program.module, env=go_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildFailed(f"{program.name}: go build failed in {MODULES / program.module}:\n{done.stderr.strip()}")
    unfinished.rename(place / program.name)


def _link_flags(program: Program) -> str:
    """Strip the program; Kubernetes also has to be told its version, or it calls itself v0.0.0-master."""
    if program.module != "kubernetes":
        return _STRIP
    version = version_of("kubernetes", "k8s.io/kubernetes")
    major, minor, _ = version.removeprefix("v").split(".")
    at = "k8s.io/component-base/version"
    return f"{_STRIP} -X {at}.gitVersion={version} -X {at}.gitMajor={major} -X {at}.gitMinor={minor}"


def _check_go() -> None:
    wanted = ".".join(map(str, LEAST_GO))
    if shutil.which("go") is None:
        raise BuildFailed(f"Go >= {wanted} builds the real control plane, and there is no `go` on the PATH: install it")
    done = subprocess.run(
        ("go", "env", "GOVERSION"),  # noqa: S607 - Go is where the PATH says
        env=go_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.match(r"go(\d+)\.(\d+)", done.stdout)
    if found is None or (int(found[1]), int(found[2])) < LEAST_GO:
        raise BuildFailed(
            f"Go >= {wanted} builds the real control plane; `go env GOVERSION` says {done.stdout.strip()!r}: "
            "install a newer one (https://go.dev/dl)"
        )


def say(line: str) -> None:
    """Print one line at once, also where stdout is a pipe."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Build everything, with a line per program; 1 where that failed."""
    began = time.monotonic()
    try:
        place = build(say)
    except BuildFailed as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    say(f"{len(PROGRAMS)} programs in {place.relative_to(ROOT)} ({time.monotonic() - began:.0f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
