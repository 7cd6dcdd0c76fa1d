"""The report of what was measured: one page that needs no network, says what is not known, and is legible."""

import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.views.measured import GRID, NAMES, START, answers, query
from warmpool.app.measured import Points, Query, Statistic
from warmpool.sim.measured_report import Measured, pool_row, render_measured, write_measured
from warmpool.sim.measured_words import NO_DATA, Card, cards, length, percent, seconds, usd
from warmpool.views.engineer import POOL, STACK
from warmpool.views.numbers import Numbers, Read
from warmpool.views.queries import queries_of
from warmpool.views.summary import SIDE_BY_SIDE

DAY = timedelta(days=1)
OF_POOL = sum(len(group.charts) for group in POOL)
OF_STACK = sum(len(group.charts) for group in STACK)
FULL = Numbers(
    pool="spaces",
    measured=DAY,
    kept=True,
    kept_at=START,
    kept_share=0.9996,
    warm=411,
    launches=420,
    unseen=3,
    wait_p50_seconds=18,
    wait_p99_seconds=312,
    idle_node_hours=79.1,
    idle_cost_usd=218.4,
    causes={"none-free": 5, "stock-out": 4},
    warm_priced=411,
)


def told(numbers: Numbers, target: float | None = None) -> dict[str, Card]:
    return {each.title: each for each in cards(numbers, DAY, target)}


class TestCards:
    def test_everything_is_said_in_sentences_with_units(self) -> None:
        found = told(FULL, 0.99)
        why = "9 did not (5 x no warm node was free, 4 x AWS had no instance)"
        assert {title: each.value for title, each in found.items()} == {
            "Is the promise kept?": "yes",
            "Fast starts": "97.9 %",
            "Waiting": "18 s",
            "Idle cost": "$218.40 a day",
            "One avoided cold start": "$0.531",
        }
        assert [each.sentence for each in found.values()] == [
            "At 2026-12-01 08:00 UTC the warm room covered what is asked for. It did in 99.9 % of all passes.",
            f"411 of 420 launches found a warm node; {why}. Promised: 99.0 %. Of 3 more it is not known.",
            "Half of the launches waited at most 18 s, 99 % at most 5 min 12 s.",
            "79.1 idle node-hours cost $218.40 in 1 day.",
            "$218.40 of idle nodes for 411 warm launches.",
        ]
        assert (found["Is the promise kept?"].good, found["Fast starts"].good) == (True, False)
        assert told(FULL)["Fast starts"].good is None

    def test_what_was_not_measured_is_no_data(self) -> None:
        found = told(Numbers())
        assert {each.value for each in found.values()} == {NO_DATA}
        assert not re.search(r"\d", " ".join(each.sentence for each in found.values()))

    def test_no_launches_are_told_from_no_data(self) -> None:
        found = told(Numbers(warm=0, launches=0, unseen=0))
        assert (found["Fast starts"].value, found["Waiting"].value) == ("no launches", "no launches")

    def test_a_promise_that_is_broken_somewhere_is_broken(self) -> None:
        kept = told(Numbers(kept=False, kept_at=START))["Is the promise kept?"]
        assert (kept.value, kept.good) == ("no", False)
        assert "of some pool did not cover" in kept.sentence

    def test_pools_without_a_price_are_named_and_time_without_data_is_told(self) -> None:
        some = told(Numbers(measured=DAY / 2, idle_node_hours=2, idle_cost_usd=6, unpriced=("gpu",)))["Idle cost"]
        assert some.value == "$12.00 a day"
        hours = "2.0 idle node-hours; those with a price cost $6.00 in 1 day, of which 12 h were measured."
        assert some.sentence == f"{hours} Without a price: gpu."
        none = told(Numbers(measured=DAY, idle_node_hours=2, unpriced=("gpu",)))["Idle cost"]
        assert (none.value, "nodeHourlyPrice" in none.sentence) == (NO_DATA, True)

    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            (percent(1), "100.0 %"),
            (percent(0.99999), "99.9 %"),
            (percent(0), "0.0 %"),
            (usd(0), "$0.00"),
            (usd(0.5), "$0.500"),
            (usd(1234.5), "$1,234.50"),
            (seconds(119.4), "119 s"),
            (seconds(120), "2 min"),
            (seconds(312), "5 min 12 s"),
            (length(timedelta(0)), "0 min"),
            (length(DAY), "1 day"),
            (length(7 * DAY + timedelta(hours=2, minutes=3)), "7 days 2 h"),
            (length(timedelta(hours=1, minutes=30)), "1 h 30 min"),
        ],
    )
    def test_numbers_are_written_as_people_read_them(self, written: str, expected: str) -> None:
        assert written == expected


def everything(*pools: str) -> dict[Query, Points]:
    """Answer each query of these pools and of the stack in every second period, but for the last."""
    charts = [chart for group in (*POOL, *STACK) for chart in group.charts]
    series = [each for chart in charts for each in chart.series]
    points = [(START + number * GRID.period, float(number + 1)) for number in (0, 1, 3)]
    return {each: points for pool in pools for each in queries_of(series, NAMES, pool)}


def measured(series: dict[Query, Points], *pools: str) -> Measured:
    whole = {} if not series else answers({("RoomMissing", Statistic.SAMPLE_COUNT): 9, ("Hit", Statistic.SUM): 3})
    read = Read(grid=GRID, series=series, whole=whole, now={})
    return Measured(names=NAMES, pools=pools, read=read, source="from <somewhere>")


class Page(HTMLParser):
    """Counts tags and collects every reference that a browser would follow by itself, and every text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [value or "" for name, value in attrs if name in {"src", "href", "xlink:href", "data"}]

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def render(what: Measured) -> str:
    shares: list[float] = []
    page = render_measured(what, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    return page


@pytest.fixture(scope="module")
def page() -> str:
    """Render two pools once: drawing takes a second."""
    return render(measured(everything("spaces", "gpu"), "spaces", "gpu"))


def test_the_page_refers_to_nothing_outside_itself(page: str) -> None:
    parsed = Page(page)
    assert all(each.startswith(("#", "data:")) for each in parsed.found)
    assert not {"script", "link", "iframe", "img"} & set(parsed.tags)
    assert not re.search(r"url\((?!['\"]?#)|@import", page)


def test_every_chart_with_data_is_a_picture_with_a_name_and_its_values_in_a_table(page: str) -> None:
    drawn = len(SIDE_BY_SIDE) + 2 * OF_POOL + OF_STACK - 2
    assert page.count('<svg role="img" aria-label="') == drawn
    assert Page(page).tags.count("table") == drawn + 1


def test_colours_are_the_pages_own_so_that_dark_and_light_work(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert not re.search(r"#0102[01][0-9]", page)
    for variable in re.findall(r"var\((--[a-z0-9-]+)\)", page):
        assert page.count(f"{variable}: #") == 2, variable


def test_texts_are_escaped(page: str) -> None:
    assert "from &lt;somewhere&gt;" in page
    assert "<somewhere>" not in page


def test_a_period_without_data_is_a_gap_in_the_picture_and_in_the_table(page: str) -> None:
    assert all(f"<td>{time}</td>" in page for time in ("08:00", "08:10", "08:30"))
    assert "<td>08:20</td>" not in page


def test_the_queues_own_metrics_are_not_in_a_log_and_are_no_data(page: str) -> None:
    assert Page(page).texts.count("No data.") == 2


def test_without_any_data_nothing_is_drawn() -> None:
    page = render(measured({}, "spaces"))
    assert "<svg" not in page
    assert Page(page).texts.count("No data.") == OF_POOL + OF_STACK
    assert pool_row(Numbers(pool="spaces")) == ("spaces", *[NO_DATA] * 7)


def test_what_did_not_happen_is_told_from_what_was_not_measured() -> None:
    hours: Points = [(START, 0.5)]
    series = {query("IdleNodeHours", Statistic.SUM): hours, query("Capped", Statistic.AVERAGE): [(START, 0.0)]}
    series[query("WarmCoexist", Statistic.SUM)] = [(START, 3.0)]
    texts = Page(render(measured(series, "spaces"))).texts
    assert "None: warm, preempted, cold, not known." in texts
    # Causes, holds, waits and lead times are sparse; of the flags the one that is known is 0.
    assert texts.count("None of these occurred.") == 6


def test_writing_makes_the_folder(tmp_path: Path) -> None:
    path = write_measured(tmp_path / "new/page.html", measured({}, "spaces"), lambda _: None)
    assert path.is_absolute()
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_same_values_give_the_same_page() -> None:
    first, second = (render(measured(everything("spaces"), "spaces")) for _ in range(2))
    assert first == second
