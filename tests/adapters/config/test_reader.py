"""Documents of the parameter store: JSON only, as strict as the spec."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.config.config_builders import pool_document, spec_document, window_document
from warmpool.adapters.config.documents import PoolDocument
from warmpool.adapters.config.reader import LONGEST, Reader
from warmpool.app.errors import ConfigInvalid
from warmpool.app.ports import DocumentReader
from warmpool.core.spec import Override, PoolSpec, Stop, StopMode

READER: DocumentReader = Reader()
POOL = PoolSpec(name="cpu", deployment="ph", node_selector={"pool": "cpu"}, min=1, max=8)
UNTIL = "2026-12-14T18:00+01:00"
INSTANT = datetime(2026, 12, 14, 17, tzinfo=UTC)


def override(**keys: Any) -> Override:
    return READER.override(json.dumps({"until": UNTIL} | keys), POOL, "o")


def wrong_override(text: str) -> ConfigInvalid:
    with pytest.raises(ConfigInvalid) as caught:
        READER.override(text, POOL, "/warmpool/s/cpu/override")
    assert caught.value.source == "/warmpool/s/cpu/override"
    return caught.value


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("2026-12-14T18:00+01:00", INSTANT),
        ("2026-12-14T17:00Z", INSTANT),
        ("2026-12-14T17:00:00Z", INSTANT),
        ("2026-12-14T22:30:00.000+05:30", INSTANT),
        ("forever", None),
    ],
)
def test_until_is_an_instant_with_offset_or_for_ever(text: str, until: datetime | None) -> None:
    assert override(min=3, until=text) == Override(min=3, until=until)


def test_every_key_of_an_override_is_read() -> None:
    found = override(min=2, max=12, target=6, pause=True, reason="workshop")
    assert found == Override(min=2, max=12, target=6, pause=True, until=INSTANT, reason="workshop")


def test_an_override_may_raise_the_max_above_the_pools() -> None:
    assert override(min=20, max=20, target=20).max == 20


def test_across_layers_nothing_is_an_error() -> None:
    assert override(max=0) == Override(max=0, until=INSTANT)


OVERRIDES: list[tuple[Any, str, str]] = [
    ({"min": 3}, "until", "missing; expected an instant with its offset"),
    (
        {"min": 3, "until": "2026-12-14T18:00"},
        "until",
        'got text "2026-12-14T18:00"; expected an instant with its offset',
    ),
    ({"min": 3, "until": "2026-12-14"}, "until", "expected an instant with its offset"),
    ({"min": 3, "until": "18:00"}, "until", "expected an instant with its offset"),
    ({"min": 3, "until": "2026-12-14 18:00Z"}, "until", "expected an instant with its offset"),
    ({"min": 3, "until": "2026-13-14T18:00Z"}, "until", "expected an instant with its offset"),
    ({"min": 3, "until": "2026-12-14T18:00+99:00"}, "until", "expected an instant with its offset"),
    ({"min": 3, "until": "0001-01-01T00:00+10:00"}, "until", "expected an instant with its offset"),
    ({"min": 3, "until": "Forever"}, "until", 'or "forever"'),
    ({"min": 3, "until": 1765731600}, "until", "got number 1765731600"),
    ({"min": 3, "until": None}, "until", "got null"),
    ({"until": UNTIL}, "", "got none of min, max, target, pause; expected at least one"),
    ({"until": UNTIL, "min": "3"}, "min", 'got text "3"; expected a whole number'),
    ({"until": UNTIL, "min": True}, "min", "got true; expected a whole number"),
    ({"until": UNTIL, "max": 3.0}, "max", "got number 3.0; expected a whole number"),
    ({"until": UNTIL, "max": -1}, "max", "got number -1; expected a whole number, 0 or more"),
    ({"until": UNTIL, "target": 2**40}, "target", "expected a whole number, at most 2147483647"),
    ({"until": UNTIL, "min": None}, "min", "got null; expected a whole number"),
    ({"until": UNTIL, "pause": 1}, "pause", "got number 1; expected true or false"),
    ({"until": UNTIL, "pause": "true"}, "pause", 'got text "true"; expected true or false'),
    ({"until": UNTIL, "min": 1, "reason": 5}, "reason", "got number 5; expected text"),
    ({"until": UNTIL, "Max": 5}, "Max", "unknown key; did you mean `max`?"),
    (
        {"until": UNTIL, "replicas": 5},
        "replicas",
        "unknown key; expected one of min, max, target, pause, until, reason",
    ),
    ({"until": UNTIL, "min": 5, "max": 2}, "min", "got number 5; expected at most max (2)"),
    ({"until": UNTIL, "target": 5, "max": 2}, "target", "got number 5; expected at most max (2)"),
    ({"until": UNTIL, "min": 9}, "min", "got number 9; expected at most the pool's max (8), as there is no max here"),
    ({"until": UNTIL, "target": 9}, "target", "expected at most the pool's max (8), as there is no max here"),
    ([], "", "got an empty list; expected a mapping with until"),
    (None, "", "got null"),
    ("pause", "", 'got text "pause"'),
]


@pytest.mark.parametrize(("document", "path", "piece"), OVERRIDES, ids=range(len(OVERRIDES)))
def test_a_wrong_override_is_rejected_whole(document: Any, path: str, piece: str) -> None:
    error = wrong_override(json.dumps(document))
    assert error.path == path
    assert piece in error.message


TEXTS = [
    ("", "", "this is not JSON"),
    ("{", "", "this is not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    ('{"min": 3,}', "", "this is not JSON"),
    ("min: 3\nuntil: forever\n", "", "this is not JSON"),
    ('{"min": 1, "min": 2, "until": "forever"}', "min", "this key is given twice"),
    ('{"min": NaN, "until": "forever"}', "min", "got number NaN; expected a whole number"),
    ('{"min": 1e999999999999999, "until": "forever"}', "min", "got number 1e999999999999999"),
    (f'{{"min": {"9" * 5000}, "until": "forever"}}', "min", "expected a whole number"),
    ("[" * (LONGEST - 1), "", "nested too deeply"),
    ('{"min": 1, "until": "forever", "reason": "\\ud800"}', "reason", "not valid Unicode"),
    ('{"min": 1, "until": "forever", "\\ud800": "x"}', "", "a key that is not valid Unicode"),
    (json.dumps({"min": 1, "until": "forever", "reason": "x" * LONGEST}), "", f"expected at most {LONGEST}"),
    ("ü" * (LONGEST // 2 + 1), "", f"got {LONGEST + 2} bytes; expected at most {LONGEST}"),
    ("x" * 1_000_000, "", "got 1000000 bytes"),
]


@pytest.mark.parametrize(("text", "path", "piece"), TEXTS, ids=range(len(TEXTS)))
def test_text_that_is_no_good_json_is_rejected(text: str, path: str, piece: str) -> None:
    error = wrong_override(text)
    assert error.path == path
    assert piece in error.message


def test_the_stop_switch_is_read() -> None:
    found = READER.stop(json.dumps({"mode": "freeze", "until": UNTIL, "reason": "incident"}), "stop")
    assert found == Stop(mode=StopMode.FREEZE, until=INSTANT, reason="incident")
    assert READER.stop('{"mode": "drain", "until": "forever"}', "stop") == Stop(mode=StopMode.DRAIN)


def test_in_an_incident_the_mode_alone_stops_for_ever() -> None:
    assert READER.stop('{"mode": "freeze"}', "stop") == Stop(mode=StopMode.FREEZE, until=None)


@pytest.mark.parametrize(
    ("text", "path", "piece"),
    [
        ('{"mode": "stop"}', "mode", 'got text "stop"; expected one of freeze, drain'),
        ('{"mode": true}', "mode", "got true; expected one of freeze, drain"),
        ("{}", "mode", "missing; expected one of freeze, drain"),
        ('{"mode": "drain", "util": "forever"}', "util", "did you mean `until`?"),
        ('{"mode": "drain", "until": "tomorrow"}', "until", 'got text "tomorrow"'),
        ("freeze", "", "this is not JSON"),
    ],
)
def test_a_wrong_stop_switch_is_rejected(text: str, path: str, piece: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        READER.stop(text, "stop")
    assert caught.value.path == path
    assert piece in caught.value.message


def test_a_specs_error_names_source_and_path() -> None:
    document = spec_document({"cpu": pool_document(windows=[window_document(end="25:00")])})
    with pytest.raises(ConfigInvalid) as caught:
        READER.spec(json.dumps(document), "/warmpool/s/cpu/spec")
    assert str(caught.value).startswith('/warmpool/s/cpu/spec: pools.cpu.windows[0].end: got text "25:00"')


def test_a_key_given_twice_deep_inside_is_named() -> None:
    text = json.dumps(spec_document({"cpu": pool_document(windows=[window_document(), window_document(name="b")])}))
    with pytest.raises(ConfigInvalid) as caught:
        READER.spec(text.replace('"name": "b"', '"name": "b", "name": "c"'), "s")
    assert caught.value.path == "pools.cpu.windows[1].name"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ["version", "cluster", "timezone", "maxHourlyCost", "pools"]
POOL_KEYS = [*(field.encode_name for field in msgspec.structs.fields(PoolDocument)), "other"]


@given(st.text() | anything.map(json.dumps))
def test_whatever_comes_is_read_or_explained(text: str) -> None:
    for read in (
        lambda: READER.spec(text, "s"),
        lambda: READER.stop(text, "s"),
        lambda: READER.override(text, POOL, "s"),
    ):
        try:
            read()
        except ConfigInvalid as error:
            assert error.message  # noqa: PT017  most inputs are wrong, a few may be right


@given(st.sampled_from(KEYS), st.sampled_from(POOL_KEYS), anything, st.booleans())
def test_whatever_stands_at_a_key_is_read_or_explained_there(key: str, pool_key: str, value: Any, inside: bool) -> None:  # noqa: FBT001
    changes = {"cpu": pool_document(**{pool_key: value})} if inside else None
    document = spec_document(changes) if inside else spec_document(**{key: value})
    try:
        READER.spec(json.dumps(document), "s")
    except ConfigInvalid as error:
        assert error.path.startswith("pools.cpu" if inside else key) or "timezone" in error.path  # noqa: PT017


def test_reading_at_run_time_needs_no_yaml() -> None:
    code = "import sys, warmpool.adapters.config.reader; print([each for each in sys.modules if 'ruamel' in each])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  our own code
    assert shown.stdout.strip() == "[]"
