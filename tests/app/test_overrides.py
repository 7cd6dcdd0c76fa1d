"""What is in force at an instant: window, then override, then the stop switch."""

from datetime import timedelta

import pytest

from tests.builders import NOW, pool
from warmpool.app.errors import ConfigInvalid
from warmpool.app.overrides import check_first_seen, limits_in_force
from warmpool.core.spec import Override, Stop, StopMode, Window

MINUTE = timedelta(minutes=1)
ALWAYS = Window(name="always", start=timedelta(0), end=timedelta(days=1), all_day=True, min=3, max=4)


def test_an_overrides_keys_replace_the_windows() -> None:
    limits = limits_in_force(pool(windows=(ALWAYS,)), NOW, Override(min=1, max=12))
    assert (limits.min, limits.max, limits.target, limits.window, limits.override) == (1, 12, None, "always", True)


def test_without_a_max_of_its_own_the_max_in_force_cuts_it() -> None:
    limits = limits_in_force(pool(windows=(ALWAYS,)), NOW, Override(target=6))
    assert (limits.target, limits.max, limits.capped) == (4, 4, True)


def test_an_emergency_max_below_the_windows_min_wins() -> None:
    limits = limits_in_force(pool(windows=(ALWAYS,)), NOW, Override(max=2))
    assert (limits.min, limits.max, limits.capped) == (2, 2, True)


def test_one_whose_until_has_passed_counts_as_none() -> None:
    limits = limits_in_force(pool(), NOW, Override(max=2, until=NOW))
    assert (limits.max, limits.override) == (8, False)


def test_the_stop_switch_drains_whatever_the_override_says() -> None:
    stop = Stop(mode=StopMode.DRAIN, until=NOW + MINUTE)
    assert limits_in_force(pool(), NOW, Override(min=5), stop).target == 0
    assert limits_in_force(pool(), NOW + MINUTE, Override(min=5), stop).target is None


def test_one_that_was_past_when_first_seen_is_rejected_with_value_and_what_was_expected() -> None:
    with pytest.raises(ConfigInvalid) as caught:
        check_first_seen(Override(max=2, until=NOW), NOW, "spaces/override")
    assert caught.value.path == "until"
    assert caught.value.message == (
        "got 2026-12-01T09:00+00:00, which was past when first seen; expected an instant after 2026-12-01T09:00+00:00"
    )


@pytest.mark.parametrize("until", [None, NOW + MINUTE])
def test_one_that_ends_later_or_never_is_fine(until: object) -> None:
    check_first_seen(Override(max=2, until=until), NOW, "spaces/override")  # type: ignore[arg-type]  # parametrized
