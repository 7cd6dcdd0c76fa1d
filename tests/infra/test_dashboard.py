"""The dashboard: what a manager sees first, that everything on it exists, and that it fits at any number of pools."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from infra.constructs.dashboard import CHOSEN, decision_query
from tests.builders import NOW
from tests.infra.synthesis import ROOT, Synthesis, synthesise
from warmpool.app.ports import PassReport
from warmpool.core.decision import Action, Decision
from warmpool.core.reasons import Code, Reason
from warmpool.metrics import METRICS, NAMESPACE
from warmpool.telemetry import PowertoolsTelemetry
from warmpool.views.engineer import POOL, STACK
from warmpool.views.summary import MANAGER, SIDE_BY_SIDE

MOST_WIDGETS, MOST_METRICS_OF_A_WIDGET, MOST_METRICS = 500, 500, 2500
"""CloudWatch's quotas of one dashboard."""
STACK_NAME = "warmpool-ml-research"
SERVICE = ("service", "warmpool", "stack", STACK_NAME)


@dataclass(frozen=True)
class Board:
    """A dashboard's body."""

    body: Mapping[str, Any]

    def widgets(self, kind: str) -> list[Mapping[str, Any]]:
        return [each["properties"] for each in self.body["widgets"] if each["type"] == kind]

    def titled(self, title: str) -> Mapping[str, Any]:
        found: Mapping[str, Any]
        (found,) = (each["properties"] for each in self.body["widgets"] if each["properties"].get("title") == title)
        return found

    @property
    def lines(self) -> Iterator[tuple[Mapping[str, Any], list[Any]]]:
        for widget in self.widgets("metric"):
            for line in widget["metrics"]:
                yield widget, line


def board(synthesis: Synthesis) -> Board:
    (dashboard,) = synthesis.resources("AWS::CloudWatch::Dashboard").values()
    assert dashboard["DashboardName"] == STACK_NAME
    return Board(json.loads(synthesis.resolve(dashboard["DashboardBody"])))


def of_pools(folder: Path, count: int, *, runbook: str = "", **keys: Any) -> Board:
    """Synthesise the newcomer's stack with so many pools like its own; a key that is None is left out."""
    yaml = YAML()
    document = yaml.load((ROOT / "infra/pools.yaml").read_text())
    pool = document["pools"]["spaces-cpu"]
    changed = {key: value for key, value in {**pool, **keys}.items() if value is not None}
    document["pools"] = {
        f"spaces-{number:02}": {**changed, "deployment": f"ph-{number}", "nodeSelector": {"pool": f"p{number}"}}
        for number in range(count)
    }
    with (folder / "pools.yaml").open("w") as file:
        yaml.dump(document, file)
    context = {"spec": str(folder / "pools.yaml"), **({"runbook": runbook} if runbook else {})}
    return board(synthesise(folder / "cdk", context))


@pytest.fixture(scope="module")
def one(synthesis: Synthesis) -> Board:
    return board(synthesis)


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return of_pools(tmp_path_factory.mktemp("forty"), 40)


def test_the_top_row_is_the_managers(one: Board) -> None:
    first, *rest = one.body["widgets"]
    row = rest[: len(MANAGER)]
    assert first["type"] == "text"
    assert all(f"**{each.title}** ({each.unit}): {each.about}." in first["properties"]["markdown"] for each in MANAGER)
    assert [each["properties"]["title"] for each in row] == [f"{each.title} ({each.unit})" for each in MANAGER]
    assert {each["properties"]["view"] for each in row} == {"singleValue"}
    assert len({each["y"] for each in row}) == 1
    assert rest[len(MANAGER)]["type"] == "alarm"


def test_the_managers_numbers_are_these(one: Board) -> None:
    def expressions(title: str) -> list[str]:
        return [line[0]["expression"] for line in one.titled(title)["metrics"] if isinstance(line[0], dict)]

    hits = one.titled("Fast starts, last 7 days (%)")
    assert expressions("Fast starts, last 7 days (%)") == ["100 * n0a0 / n0b0"]
    assert [[*line[1:2], line[-1]["stat"]] for line in hits["metrics"][1:]] == [["Hit", "Sum"], ["Hit", "SampleCount"]]
    assert (hits["start"], hits["setPeriodToTimeRange"]) == ("-P7D", True)
    assert expressions("Cost of one avoided cold start (USD)") == ["n0a0 / n0b0"]
    waits = one.titled("Waiting, last 24 hours (seconds)")["metrics"]
    assert [(line[1], line[-1]["stat"]) for line in waits] == [("Wait", "p50"), ("Wait", "p99")]
    now = one.titled("Is the promise kept now? (pools)")
    assert (now["period"], now["setPeriodToTimeRange"], now["metrics"][0][1]) == (300, False, "RoomMissing")


def test_several_pools_are_brought_together(forty: Board) -> None:
    hits = forty.titled("Fast starts, last 24 hours (%)")["metrics"]
    assert re.fullmatch(
        r"100 \* SUM\(\[n0a0, n0a1, .*, n0a39\]\) / SUM\(\[n0b0, .*, n0b39\]\)", hits[0][0]["expression"]
    )
    waits = forty.titled("Waiting, last 24 hours (seconds)")["metrics"]
    assert waits[0][0]["expression"].startswith("MAX([n0a0, ")
    assert waits[41][0]["expression"].startswith("MAX([n1a0, ")


def test_every_metric_that_it_names_exists_with_its_dimensions(one: Board, forty: Board) -> None:
    for each in (one, forty):
        named = [line for _, line in each.lines if isinstance(line[0], str)]
        ours = [line for line in named if line[0] == NAMESPACE]
        assert {line[1] for line in ours} <= set(METRICS)
        for line in ours:
            dimensions = tuple(line[2:-1] if isinstance(line[-1], dict) else line[2:])
            assert dimensions[-4:] == SERVICE, line
            assert dimensions[:-4] in {(), *(("pool", pool) for pool in pools_of(each))}, line
        assert {line[0] for line in named} == {NAMESPACE, "AWS/SQS", "AWS/Lambda"}


def pools_of(each: Board) -> list[str]:
    return ["spaces-cpu", CHOSEN, *(f"spaces-{number:02}" for number in range(40))]


def test_every_search_is_for_a_metric_that_exists(one: Board) -> None:
    searches = [line[0]["expression"] for _, line in one.lines if "SEARCH" in str(line[0])]
    assert searches == [
        f'SEARCH(\'{{Warmpool,{last},pool,service,stack}} MetricName="{metric}" stack="{STACK_NAME}"'
        f" pool=\"spaces-cpu\"', 'Sum', 300)"
        for last, metric in (("cause", "ColdFor"), ("reason", "HeldFor"))
    ]


def test_the_whole_view_is_on_it_each_chart_with_its_unit_and_its_sentence(one: Board) -> None:
    texts = "\n".join(each["markdown"] for each in one.widgets("text"))
    for group in (*POOL, *STACK):
        assert f"### {group.title}" in texts
        for chart in group.charts:
            assert one.titled(chart.title)["yAxis"]["left"] == {"label": chart.unit, "min": 0, "showUnits": False}
            assert f"- **{chart.title}** ({chart.unit}): {chart.about}." in texts


def test_expressions_use_only_what_stands_beside_them(one: Board, forty: Board) -> None:
    for each in (one, forty):
        for widget, line in each.lines:
            if isinstance(line[0], dict) and "SEARCH" not in line[0]["expression"]:
                ids = {other[-1].get("id") for other in widget["metrics"] if isinstance(other[-1], dict)}
                assert set(re.findall(r"[a-z]\d+[ab]\d+", line[0]["expression"])) <= ids


def test_of_several_pools_one_is_chosen_at_the_top(one: Board, forty: Board) -> None:
    assert "variables" not in one.body
    assert CHOSEN not in json.dumps(one.body)
    (variable,) = forty.body["variables"]
    assert (variable["type"], variable["inputType"], variable["pattern"]) == ("pattern", "select", CHOSEN)
    assert variable["defaultValue"] == "spaces-00"
    assert [each["value"] for each in variable["values"]] == [f"spaces-{number:02}" for number in range(40)]
    assert forty.titled("Warm room")["metrics"][0][2:4] == ["pool", CHOSEN]
    for chart in SIDE_BY_SIDE:
        assert any(
            len([line for line in widget["metrics"] if "spaces-39" in str(line)])
            for widget in forty.widgets("metric")
            if widget.get("title") == chart.title
        )


@pytest.mark.parametrize("board_of", ["one", "forty"])
def test_it_stays_within_cloudwatchs_quotas(board_of: str, request: pytest.FixtureRequest) -> None:
    each: Board = request.getfixturevalue(board_of)
    metrics = [len(widget["metrics"]) for widget in each.widgets("metric")]
    assert len(each.body["widgets"]) <= MOST_WIDGETS
    assert max(metrics) <= MOST_METRICS_OF_A_WIDGET
    assert sum(metrics) <= MOST_METRICS
    assert all(len(widget["alarms"]) <= 100 for widget in each.widgets("alarm"))


def test_widgets_do_not_overlap_and_fill_no_more_than_the_width(one: Board, forty: Board) -> None:
    for each in (one, forty):
        taken: set[tuple[int, int]] = set()
        for widget in each.body["widgets"]:
            cells = {
                (widget["x"] + x, widget["y"] + y) for x in range(widget["width"]) for y in range(widget["height"])
            }
            assert not cells & taken, widget
            assert max(x for x, _ in cells) < 24
            taken |= cells


def test_every_alarm_is_shown(synthesis: Synthesis, one: Board) -> None:
    shown = [arn for widget in one.widgets("alarm") for arn in widget["alarms"]]
    alarms = {**synthesis.resources("AWS::CloudWatch::Alarm"), **synthesis.resources("AWS::CloudWatch::CompositeAlarm")}
    assert sorted(shown) == sorted(f"<{path}>.Arn" for path in alarms)


def test_runbook_links_lead_to_sections_and_are_links_where_it_is_on_the_web(one: Board, tmp_path: Path) -> None:
    texts = "\n".join(each["markdown"] for each in one.widgets("text"))
    sections = set(re.findall(r"^## ([a-z-]+)$", (ROOT / "docs/runbook.md").read_text(), re.MULTILINE))
    linked = set(re.findall(r"\(`docs/runbook\.md#([a-z-]+)`\)", texts))
    assert linked
    assert linked <= sections
    web = of_pools(tmp_path, 1, runbook="https://wiki.example/runbook")
    assert "[Runbook](https://wiki.example/runbook)" in web.widgets("text")[0]["markdown"]


def test_without_a_price_the_costs_are_said_to_be_unknown(tmp_path: Path) -> None:
    both = of_pools(tmp_path, 2, nodeHourlyPrice=None)
    texts = [each["markdown"] for each in both.widgets("text")]
    assert len([each for each in texts if "No data: no pool has a `nodeHourlyPrice`" in each]) == 2


def test_the_latest_decisions_are_found_in_what_a_pass_really_logs(one: Board) -> None:
    stream = StringIO()
    reasons = (Reason(Code.SHORT, 'asks for "2" [more]'), Reason(Code.ROLLOUT, "ph has changed"))
    first = Decision(pool="other", at=NOW, current=9, target=9, action=Action.NONE, reasons=reasons)
    mine = Decision(
        pool="spaces-cpu", at=NOW, current=1, target=3, action=Action.UP, reasons=reasons, hold=Code.ROLLOUT
    )
    report = PassReport(decisions=[first, mine], failures={}, complete=True, took_seconds=1)
    PowertoolsTelemetry(stack=STACK_NAME, stream=stream).publish(report)
    record = next(line for line in stream.getvalue().splitlines() if '"message":"pass"' in line)
    (parse,) = (line for line in decision_query("spaces-cpu") if line.startswith("parse"))
    pattern = parse.removeprefix("parse @message /").removesuffix("/").replace("(?<", "(?P<")
    found = re.search(pattern, record)
    assert found is not None
    told = found.groupdict()
    assert (told["current"], told["target"], told["action"], told["hold"]) == ("1", "3", "up", "Rollout")
    assert "Short" in told["reasons"]
    assert parse in one.titled("The latest decisions of pool spaces-cpu, with their reasons and holds")["query"]
