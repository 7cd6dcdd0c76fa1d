"""When something ends, as people write it."""

from datetime import UTC, datetime

import pytest

from warmpool.cli.errors import CliError
from warmpool.cli.until import parse_until, until_text

NOW = datetime(2026, 12, 14, 8, 0, tzinfo=UTC)
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("18:00", BERLIN, "2026-12-14T18:00:00+01:00"),
        ("18:00", None, "2026-12-14T18:00:00+00:00"),
        ("09:01", BERLIN, "2026-12-14T09:01:00+01:00"),
        ("09:00", BERLIN, "2026-12-15T09:00:00+01:00"),
        ("08:00", BERLIN, "2026-12-15T08:00:00+01:00"),
        ("00:00", BERLIN, "2026-12-15T00:00:00+01:00"),
        ("24:00", BERLIN, "2026-12-15T00:00:00+01:00"),
        ("18:00", "Pacific/Auckland", "2026-12-15T18:00:00+13:00"),
        ("2026-12-14T18:00Z", BERLIN, "2026-12-14T19:00:00+01:00"),
        ("2026-12-14T18:00:30+05:30", None, "2026-12-14T12:30:30+00:00"),
        ("forever", BERLIN, "forever"),
    ],
)
def test_a_time_of_day_is_the_next_one_in_the_zone(text: str, zone: str | None, expected: str) -> None:
    assert until_text(parse_until(text, zone, NOW)) == expected


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        # 02:00-03:00 comes twice on 2026-10-25: first in summer time, then in winter time.
        (datetime(2026, 10, 24, 22, 0, tzinfo=UTC), "02:30", "2026-10-25T02:30:00+02:00"),
        (datetime(2026, 10, 25, 0, 45, tzinfo=UTC), "02:30", "2026-10-25T02:30:00+01:00"),
        (datetime(2026, 10, 25, 1, 45, tzinfo=UTC), "02:30", "2026-10-26T02:30:00+01:00"),
        # 02:00-03:00 does not come on 2027-03-28.
        (datetime(2027, 3, 28, 0, 0, tzinfo=UTC), "02:30", "2027-03-28T03:30:00+02:00"),
        (datetime(2027, 3, 28, 2, 0, tzinfo=UTC), "02:30", "2027-03-29T02:30:00+02:00"),
    ],
)
def test_where_clocks_change_it_is_still_the_next_one(now: datetime, text: str, expected: str) -> None:
    assert until_text(parse_until(text, BERLIN, now)) == expected


@pytest.mark.parametrize("text", ["", "25:00", "8:00", "18.00", "tomorrow", "2026-12-14", "2026-12-14T18:00", "24:01"])
def test_anything_else_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(CliError, match=r"none of these: a time of day such as 18:00 \(Europe/Berlin\)") as caught:
        parse_until(text, BERLIN, NOW)
    assert (caught.value.path, repr(text) in caught.value.message) == ("--until", True)


@pytest.mark.parametrize("text", ["2026-12-14T08:00Z", "2026-12-14T08:59+01:00", "2020-01-01T00:00Z"])
def test_an_instant_that_is_past_is_refused(text: str) -> None:
    with pytest.raises(CliError, match=r"is past: now is 2026-12-14T09:00\+01:00"):
        parse_until(text, BERLIN, NOW)
