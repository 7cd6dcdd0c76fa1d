"""Runs the command line in process and gives what it printed."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from warmpool.cli.main import main

SPEC = """\
version: 1
cluster: {hyperpod: ml-research}
pools:
  spaces:
    namespace: op
    deployment: ph
    nodeSelector: {pool: spaces}
    shape: {cpu: "4", memory: 16Gi}
    placeholder: {cpu: "2", memory: 8Gi}
    min: 2
    max: 8
"""


@dataclass(frozen=True)
class Result:
    """One command's exit code and output."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document that all of stdout is."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error that all of stdout tells, with an exit code of 2."""
        assert self.code == 2, self
        assert set(self.document) == {"error"}
        error: dict[str, str] = self.document["error"]
        assert set(error) == {"code", "path", "message"}
        assert all(isinstance(value, str) for value in error.values())
        return error


Warmpool = Callable[..., Result]


class _Stdin(io.TextIOWrapper):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))


@pytest.fixture
def warmpool(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Warmpool:
    """Return a function that runs `warmpool` with these words and this stdin."""
    # Rich breaks lines at the terminal's width; a wide one keeps sentences whole.
    monkeypatch.setenv("COLUMNS", "300")

    def run(*words: str | Path, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", _Stdin(stdin))
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return run


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    """Write the spec that the samples in tests/samples belong to."""
    path = tmp_path / "pools.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path
