"""`warmpool schema`: the published JSON Schemas."""

import pytest

from .conftest import Warmpool


@pytest.mark.parametrize("document", ["spec", "override", "stop"])
def test_each_document_has_a_schema_that_names_itself(warmpool: Warmpool, document: str) -> None:
    result = warmpool("schema", document)
    assert result.code == 0
    assert result.document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document in result.document["title"]


def test_without_a_name_it_is_the_specs_and_json_is_the_default(warmpool: Warmpool) -> None:
    assert warmpool("schema").document == warmpool("schema", "spec", "--output", "json").document


def test_the_table_lists_every_key_with_its_meaning(warmpool: Warmpool) -> None:
    result = warmpool("schema", "--output", "table")
    assert result.code == 0
    for key in ("nodeSelector", "scaleDown", "targetHitRate", "required"):
        assert key in result.out


def test_an_unknown_document_is_an_error(warmpool: Warmpool) -> None:
    assert warmpool("schema", "pools", "--output", "json").error["code"] == "Usage"
