"""docs/configuration.md is what the types say."""

from pathlib import Path

import msgspec
import pytest

from warmpool.adapters.config.controls import OverrideDocument, StopDocument
from warmpool.adapters.config.documents import SpecDocument
from warmpool.adapters.config.reference import SMALLEST, main, reference
from warmpool.adapters.config.schema import structs_of
from warmpool.adapters.config.spec_file import load_spec_file

DOCUMENT = Path(__file__).parents[3] / "docs" / "configuration.md"


def test_the_committed_reference_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(DOCUMENT), "--check"]) == 0, capsys.readouterr().out


def test_a_stale_reference_is_shown_as_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "configuration.md"
    assert main([str(file), "--check"]) == 1
    assert main([str(file)]) == 0
    assert main([str(file), "--check"]) == 0
    capsys.readouterr()
    file.write_text(file.read_text().replace("| `min` |", "| `mim` |"))
    assert main([str(file), "--check"]) == 1
    assert "-| `mim` |" in capsys.readouterr().out


def test_every_key_of_every_document_is_listed() -> None:
    text = reference()
    for document in (SpecDocument, OverrideDocument, StopDocument):
        for kind in structs_of(document):
            for field in msgspec.structs.fields(kind):
                assert f"| `{field.encode_name}` |" in text


def test_every_link_has_its_heading() -> None:
    text = reference()
    headings = {line.lstrip("# ").lower() for line in text.splitlines() if line.startswith("##")}
    links = {part.partition(")")[0] for part in text.split("](#")[1:]}
    assert links <= headings
    assert len(links) >= 9


def test_the_smallest_spec_of_the_reference_is_one() -> None:
    assert SMALLEST in reference()
    assert list(load_spec_file(SMALLEST).spec.pools) == ["spaces-cpu"]
