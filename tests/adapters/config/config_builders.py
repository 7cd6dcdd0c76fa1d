"""Builders for the configuration's tests: documents as plain values, with overrides."""

import json
from typing import Any

from warmpool.adapters.config.spec_file import LoadedSpec, load_spec_file
from warmpool.app.errors import ConfigInvalid

ZONE = "Europe/Berlin"


def pool_document(**changes: Any) -> dict[str, Any]:
    """Build a pool of the four required keys; a change of ... takes a key away."""
    fields = {"deployment": "ph", "nodeSelector": {"pool": "cpu"}, "min": 1, "max": 8} | changes
    return {key: value for key, value in fields.items() if value is not ...}


def spec_document(pools: dict[str, Any] | None = None, /, **changes: Any) -> dict[str, Any]:
    """Build a spec of one pool, in Berlin."""
    fields = {"cluster": {"hyperpod": "ml"}, "timezone": ZONE, "pools": pools or {"cpu": pool_document()}} | changes
    return {key: value for key, value in fields.items() if value is not ...}


def window_document(**changes: Any) -> dict[str, Any]:
    """Build an office window."""
    fields = {"name": "office", "days": ["mon-fri"], "start": "08:00", "end": "18:00", "min": 3} | changes
    return {key: value for key, value in fields.items() if value is not ...}


def loaded(**pool: Any) -> LoadedSpec:
    """Load a spec of one pool, written as JSON, which is YAML too."""
    return load_spec_file(json.dumps(spec_document({"cpu": pool_document(**pool)})))


def rejected(document: Any) -> ConfigInvalid:
    """Return the error of a spec that is wrong."""
    try:
        load_spec_file(json.dumps(document))
    except ConfigInvalid as error:
        return error
    raise AssertionError("the document was accepted")
