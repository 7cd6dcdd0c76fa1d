"""The report is one file that shows every run and needs no network."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.sim.runs import START, launch, run, sample
from warmpool.sim.outcome import Change, Run
from warmpool.sim.report import Story, render_report, write_report

STORY = Story(title="A <day>", assumptions={"Seed & more": "42"})


def day(policy: str, *, launches: int = 40) -> Run:
    """Build a run with everything that a report shows."""
    return run(
        policy,
        about="how it <works>",
        samples=[sample(minute) for minute in range(0, 600, 10)],
        launches=[launch(15 + number, minute=number) for number in range(launches)],
        changes=[Change(at=START, before=1, after=2, why="Short: <script>alert(1)</script>")],
    )


@pytest.fixture(scope="module")
def report() -> str:
    """Render three policies' runs once: drawing takes a second."""
    return render_report(STORY, [day("ours"), day("cpa"), day("fixed")])


class References(HTMLParser):
    """Collects every reference that a browser would follow by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [value or "" for name, value in attrs if name in {"src", "href", "xlink:href", "data"}]


def test_the_report_refers_to_nothing_outside_itself(report: str) -> None:
    references = References()
    references.feed(report)
    assert all(each.startswith(("#", "data:")) for each in references.found)
    assert not {"script", "link", "iframe", "img"} & set(references.tags)
    assert not re.search(r"url\((?!['\"]?#)|@import", report)


def test_the_report_shows_four_pictures_and_every_policy(report: str) -> None:
    assert report.count("<svg ") == 4
    for policy in ("ours", "cpa", "fixed"):
        assert report.count(policy) >= 3
    assert "100.0%" in report


def test_pictures_take_their_colours_from_the_page_so_that_dark_and_light_work(report: str) -> None:
    assert "prefers-color-scheme: dark" in report
    assert not re.search(r"#0102[01][0-9]", report)
    for variable in re.findall(r"var\((--[a-z0-9-]+)\)", report):
        assert f"{variable}: #" in report


def test_texts_are_escaped(report: str) -> None:
    assert "<script>" not in report
    assert "&lt;script&gt;" in report
    assert "A &lt;day&gt;" in report


def test_a_run_without_launches_still_has_a_report() -> None:
    assert "<svg " in render_report(STORY, [day("ours", launches=0)])


def test_the_same_runs_give_the_same_report() -> None:
    first, second = (render_report(STORY, [day("ours")]) for _ in range(2))
    assert first == second


def test_writing_makes_the_folder(tmp_path: Path) -> None:
    written = write_report(tmp_path / "new" / "report.html", STORY, [day("ours")])
    assert written.is_absolute()
    assert written.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
