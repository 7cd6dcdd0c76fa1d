"""Instants and durations on the command line."""

from datetime import UTC, datetime, timedelta

import pytest

from warmpool.cli.errors import CliError
from warmpool.cli.instants import instant_text, parse_duration, parse_instant, parse_instant_or_day


@pytest.mark.parametrize(
    "text",
    ["2026-12-01T08:00:00Z", "2026-12-01T08:00Z", "2026-12-01T09:00+01:00", "2026-12-01T03:00:00.000-05:00"],
)
def test_an_instant_with_any_offset_is_read_as_utc(text: str) -> None:
    instant = parse_instant(text, "--at")
    assert instant == datetime(2026, 12, 1, 8, tzinfo=UTC)
    assert instant.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    ["2026-12-01T08:00:00", "2026-12-01", "yesterday", "", "2026-13-01T08:00Z", "0001-01-01T00:00+14:00", "08:00"],
)
def test_what_is_no_instant_with_an_offset_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(CliError, match="expected an instant") as caught:
        parse_instant(text, "--at")
    assert caught.value.path == "--at"
    assert repr(text) in caught.value.message


def test_a_day_alone_begins_at_midnight_in_the_pools_zone() -> None:
    assert parse_instant_or_day("2026-12-01", "--from", "Europe/Berlin") == datetime(2026, 11, 30, 23, tzinfo=UTC)
    assert parse_instant_or_day("2026-12-01", "--from", None) == datetime(2026, 12, 1, tzinfo=UTC)
    assert parse_instant_or_day("2026-12-01T05:00Z", "--from", "Europe/Berlin") == datetime(2026, 12, 1, 5, tzinfo=UTC)


def test_instants_are_written_in_utc() -> None:
    assert instant_text(parse_instant("2026-12-01T09:00+01:00", "--at")) == "2026-12-01T08:00:00Z"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30s", timedelta(seconds=30)),
        ("10m", timedelta(minutes=10)),
        ("2h", timedelta(hours=2)),
        ("7d", timedelta(days=7)),
    ],
)
def test_durations_carry_their_unit(text: str, expected: timedelta) -> None:
    assert parse_duration(text, "--x") == expected


@pytest.mark.parametrize("text", ["30", "s", "-1s", "1.5h", "9999999d", "1 h", "٣s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(CliError, match="no duration"):
        parse_duration(text, "--x")
