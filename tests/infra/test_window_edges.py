"""The windows' edges as schedules: there when the calendar changes, few, and valid wherever they are deployed."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.constructs.window_edges import MOST_EDGES
from infra.edges import LONGEST_NAME, edges_of
from tests.core.schedule_builders import all_day, pool, utc, window
from tests.core.test_schedule_properties import windows
from tests.events.scheduler import fires
from tests.infra.synthesis import ROOT, Synthesis, synthesise
from warmpool.core.schedule import calendar
from warmpool.core.spec import PoolSpec

MINUTE = timedelta(minutes=1)
WITHOUT_CLOCK_CHANGES = ("UTC", "Asia/Kathmandu", "Asia/Tokyo")


def expressions(*pools: PoolSpec) -> list[str]:
    return [edge.expression for edge in edges_of(pools)]


def test_a_window_of_the_week_has_an_edge_to_order_to_start_and_to_end() -> None:
    assert expressions(pool(window("08:00", "18:30", days="mon tue wed thu fri", min=3))) == [
        "cron(45 7 ? * MON,TUE,WED,THU,FRI *)",
        "cron(0 8 ? * MON,TUE,WED,THU,FRI *)",
        "cron(30 18 ? * MON,TUE,WED,THU,FRI *)",
    ]


def test_every_day_needs_no_list_of_days() -> None:
    assert "cron(0 8 * * ? *)" in expressions(pool(window("08:00", "18:00")))


def test_what_is_ordered_before_midnight_is_ordered_on_the_day_before() -> None:
    assert expressions(pool(window("00:05", "06:00", days="mon"))) == [
        "cron(50 23 ? * SUN *)",
        "cron(5 0 ? * MON *)",
        "cron(0 6 ? * MON *)",
    ]


def test_a_window_over_midnight_ends_on_the_next_day() -> None:
    assert expressions(pool(window("22:00", "06:00", days="sun"))) == [
        "cron(45 21 ? * SUN *)",
        "cron(0 22 ? * SUN *)",
        "cron(0 6 ? * MON *)",
    ]


def test_whole_days_in_a_row_have_edges_only_at_their_ends() -> None:
    assert expressions(pool(all_day(days="sat sun"))) == [
        "cron(45 23 ? * FRI *)",
        "cron(0 0 ? * SAT *)",
        "cron(0 0 ? * MON *)",
    ]
    assert expressions(pool(all_day())) == []


def test_a_span_of_dates_is_one_expression_a_month() -> None:
    assert expressions(pool(window("09:00", "12:00", dates="2026-12-14..2026-12-18 2026-12-21 2027-01-04"))) == [
        "cron(45 8 4 1 ? *)",
        "cron(45 8 14-18,21 12 ? *)",
        "cron(0 9 4 1 ? *)",
        "cron(0 9 14-18,21 12 ? *)",
        "cron(0 12 4 1 ? *)",
        "cron(0 12 14-18,21 12 ? *)",
    ]


def test_a_date_returns_every_year_since_a_past_one_cannot_be_created() -> None:
    """A spec keeps last year's exam; Scheduler refuses `at()` in the past and would fail the whole deployment."""
    for expression in expressions(pool(window("09:00", "12:00", dates="2020-12-14"))):
        assert not expression.startswith("at(")
        assert expression.endswith("12 ? *)")


def test_after_a_window_that_holds_less_the_rest_is_ordered_early_too() -> None:
    low = all_day(dates="2026-12-24..2027-01-01", name="holidays", min=0, max=2)

    assert expressions(pool(low)) == [
        "cron(45 23 23 12 ? *)",
        "cron(0 0 24 12 ? *)",
        "cron(45 23 1 1 ? *)",
        "cron(0 0 2 1 ? *)",
    ]


def test_equal_times_of_several_pools_are_one_schedule() -> None:
    one, two = (pool(window("08:00", "18:00"), name=name) for name in ("cpu", "gpu"))
    other_zone = pool(window("08:00", "18:00"), name="far", timezone="Asia/Tokyo")

    edges = edges_of([one, two, other_zone])
    assert len(edges) == 6
    assert edges[1].what == ("cpu office starts", "gpu office starts")


def test_a_lead_time_with_seconds_is_rounded_to_the_later_minute() -> None:
    edges = expressions(pool(window("08:00", "18:00"), lead_time=timedelta(seconds=90)))

    assert edges[0] == "cron(59 7 * * ? *)"


@pytest.mark.parametrize("lead", [timedelta(hours=30), timedelta(days=8)])
def test_a_lead_time_of_days_goes_back_as_many(lead: timedelta) -> None:
    spec = pool(window("08:00", "18:00", days="wed", dates=""), lead_time=lead)
    start = utc("2026-12-09T08:00+01:00")

    assert any(fires(edge, start - lead) for edge in edges_of([spec]))


@st.composite
def quiet_scenes(draw: st.DrawFn) -> tuple[PoolSpec, datetime]:
    """Draw a pool in a zone whose clocks do not change, and a week of it."""
    start = datetime(2026, 12, 27, tzinfo=UTC) + timedelta(hours=draw(st.integers(0, 72)))
    some = draw(st.lists(windows(start), max_size=4, unique_by=lambda each: each.name))
    lead = timedelta(minutes=draw(st.integers(1, 2000)))
    return pool(*some, timezone=draw(st.sampled_from(WITHOUT_CLOCK_CHANGES)), lead_time=lead), start


@given(quiet_scenes())
def test_whenever_the_calendar_changes_an_edge_fires(scene: tuple[PoolSpec, datetime]) -> None:
    spec, start = scene
    edges = edges_of([spec])
    for entry in calendar(spec, start, 6, spec.lead_time)[1:]:
        for at in filter(None, (entry.start, entry.order_at)):
            assert any(fires(edge, at) for edge in edges), (at, spec.windows, edges)


@given(quiet_scenes())
def test_names_fit_and_are_unlike(scene: tuple[PoolSpec, datetime]) -> None:
    spec, _ = scene
    names = [edge.name for edge in edges_of([spec])]

    assert len(set(names)) == len(names)
    assert all(len(name) <= LONGEST_NAME and re.fullmatch(r"[0-9a-zA-Z_.-]+", name) for name in names)


def test_a_name_is_cut_where_pool_and_window_have_long_ones() -> None:
    [edge, *_] = edges_of([pool(window(name="w" * 63), name="p" * 63)])

    assert len(edge.name) == LONGEST_NAME


def test_the_stack_deploys_them_with_the_ticks_role_and_patience(synthesis: Synthesis) -> None:
    schedules = synthesis.resolve(synthesis.resources("AWS::Scheduler::Schedule"))
    tick = schedules.pop("Tick/EveryMinute")
    found = {(each["ScheduleExpression"], each["ScheduleExpressionTimezone"]) for each in schedules.values()}

    assert len(schedules) == 11
    assert ("cron(45 7 ? * MON,TUE,WED,THU,FRI *)", "Europe/Berlin") in found
    for each in schedules.values():
        assert json.loads(each["Target"]["Input"]) == {
            "kind": "window",
            "scheduled": "<aws.scheduler.scheduled-time>",
            "execution": "<aws.scheduler.execution-id>",
        }
        assert {**each["Target"], "Input": ""} == {**tick["Target"], "Input": ""}
        assert each["FlexibleTimeWindow"] == {"Mode": "OFF"}
        assert len(each["Description"]) <= 512


def test_more_edges_than_a_template_holds_are_left_to_the_tick_and_said(tmp_path: Path) -> None:
    pools = (ROOT / "infra/pools.yaml").read_text()
    head, tail = pools.split("    windows:\n")
    many = "".join(
        f'      - {{name: w{number}, start: "{number // 5:02}:{number % 5 * 11:02}", end: "23:59", min: 2}}\n'
        for number in range(92)
    )
    (tmp_path / "pools.yaml").write_text(head + "    windows:\n" + many + tail)

    synthesis = synthesise(tmp_path / "cdk", {"spec": str(tmp_path / "pools.yaml")})

    assert len(synthesis.resources("AWS::Scheduler::Schedule")) == MOST_EDGES + 1
    assert len(synthesis.template["Resources"]) < 500
    report = (synthesis.folder / "validation-report.json").read_text()
    assert "warmpool:WindowEdgesLeftOut" in report
