"""Files and values that commands read: spec, snapshot, pool and instant, each with a clear error."""

import gc
import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from warmpool.adapters.config.spec_file import LoadedSpec, load_spec_file
from warmpool.adapters.kubernetes.snapshot_file import read_snapshot
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable
from warmpool.cli.errors import CliError
from warmpool.cli.instants import parse_instant
from warmpool.cli.printing import warn
from warmpool.core.model import Snapshot
from warmpool.core.spec import PoolSpec, Spec

STDIN: Final = "-"
_GZIP: Final = b"\x1f\x8b"


def read_file(name: str, option: str) -> bytes:
    """Read a file, or stdin for `-`. Raises CliError naming the option and what is wrong with the file."""
    try:
        return sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(name, option, error) from error


def unreadable(name: str, option: str, error: Exception) -> CliError:
    """Say why a file could not be read."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return CliError("FileUnreadable", option, f"cannot read {name!r}: {why}")


def loaded_spec(name: str) -> LoadedSpec:
    """Load the spec file and say its lints on stderr. Raises CliError or ConfigInvalid."""
    try:
        loaded = load_spec_file(Path(name))
    except ConfigUnreadable as error:
        raise CliError("FileUnreadable", "--spec", str(error)) from error
    except (OSError, ValueError) as error:
        raise unreadable(name, "--spec", error) from error
    for lint in loaded.lints:
        warn(f"{lint.path}: {lint.text}")
    return loaded


def spec_of(name: str) -> Spec:
    """Load the spec alone. Raises CliError or ConfigInvalid."""
    return loaded_spec(name).spec


def load_snapshot(name: str) -> Snapshot:
    """Read what kubectl printed, gzip'ed or not. Raises CliError naming the place in the document."""
    raw = read_file(name, "--snapshot")
    source = "stdin" if name == STDIN else name
    try:
        with _no_garbage_collection():
            return read_snapshot(_unpacked(raw))
    except ConfigInvalid as error:
        raise CliError("SnapshotInvalid", error.path, f"{source}: {error.message}") from error
    except RecursionError as error:
        raise CliError("SnapshotInvalid", "$", f"{source}: is nested too deeply to be what kubectl prints") from error


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    # Tens of thousands of objects come and none goes: looking for cycles among them takes a quarter of the time.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _unpacked(raw: bytes) -> bytes:
    if not raw.startswith(_GZIP):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigInvalid("$", f"begins like a gzip'ed file and is none that is whole: {error}") from error


def choose_pools(spec: Spec, name: str | None) -> Sequence[PoolSpec]:
    """Return the named pool, or all where none is named. Raises CliError listing the pools."""
    if name is None:
        return tuple(spec.pools.values())
    if name not in spec.pools:
        raise CliError("UnknownPool", "--pool", f"{name!r} is not in the spec; its pools are {_listed(spec)}")
    return (spec.pools[name],)


def choose_pool(spec: Spec, name: str | None) -> PoolSpec:
    """Return the named pool, or the only one. Raises CliError listing the pools."""
    pools = choose_pools(spec, name)
    if len(pools) != 1:
        raise CliError("Usage", "--pool", f"the spec has {len(pools)} pools, name one of them: {_listed(spec)}")
    return pools[0]


def instant_or_now(text: str | None, option: str = "--at") -> datetime:
    """Read the option; the real clock is asked only where it is absent."""
    return datetime.now(UTC) if text is None else parse_instant(text, option)


def _listed(spec: Spec) -> str:
    return ", ".join(sorted(spec.pools))
