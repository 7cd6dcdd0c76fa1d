"""The table in docs/metrics.md is the catalogue."""

from pathlib import Path

import pytest

from warmpool.metrics import METRICS
from warmpool.views.engineer import POOL, STACK
from warmpool.views.metrics_page import main, with_tables
from warmpool.views.summary import SIDE_BY_SIDE

PAGE = Path(__file__).resolve().parents[2] / "docs/metrics.md"


def test_every_metric_is_in_the_page_once() -> None:
    text = PAGE.read_text()

    assert [name for name in METRICS if text.count(f"\n| `{name}` |") != 1] == []


def test_charts_use_the_statistics_that_the_page_names() -> None:
    charts = [*SIDE_BY_SIDE, *(chart for group in (*POOL, *STACK) for chart in group.charts)]
    used = {stat for chart in charts for series in chart.series for stat in series.stats if stat.of is None}

    assert {each.metric for each in used} == set(METRICS)
    assert [each for each in used if each.statistic not in METRICS[each.metric].read] == []


def test_the_page_is_up_to_date_and_one_that_is_not_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(PAGE), "--check"]) == 0

    old = tmp_path / "metrics.md"
    old.write_text(PAGE.read_text().replace("| `Target` |", "| `Aim` |"))
    assert main([str(old), "--check"]) == 1
    assert "run `make docs`" in capsys.readouterr().err
    assert main([str(old)]) == 0
    assert old.read_text() == PAGE.read_text()


def test_a_page_without_its_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match="<!-- metrics -->"):
        with_tables("# Metrics\n")
