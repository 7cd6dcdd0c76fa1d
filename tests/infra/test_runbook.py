"""The runbook: one section an alarm, and what it names exists in the stack, on the dashboard and in the log."""

import json
import re
from io import StringIO
from typing import Any

import pytest

from tests.builders import NOW
from tests.infra.synthesis import ROOT, Synthesis
from tests.infra.test_alarms import COMPOSITE, OF_NODES, OF_SETTINGS, OF_STACK, PROMISE
from warmpool.app.ports import PassReport
from warmpool.core.decision import Action, Decision
from warmpool.core.reasons import Code
from warmpool.core.watch import Cause
from warmpool.telemetry import PowertoolsTelemetry

TEXT = (ROOT / "docs/runbook.md").read_text()
PARTS = ("Means", "See", "Do", "Try")
"""What each alarm's section answers, in this order."""


def sections() -> dict[str, str]:
    """Return the alarms' sections by heading; the headings of the others have capitals or spaces."""
    found = re.split(r"(?m)^## ([a-z-]+)$", TEXT)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


def prose() -> str:
    """Return the text without blocks and spans of code."""
    return re.sub(r"`[^`]*`", "", re.sub(r"(?ms)^```.*?^```$", "", TEXT))


def test_every_alarm_has_its_section_and_every_section_is_an_alarms() -> None:
    headings = re.findall(r"(?m)^## ([a-z-]+)$", TEXT)

    assert len(headings) == len(set(headings))
    assert set(headings) == {*OF_STACK, *PROMISE, *OF_NODES, *OF_SETTINGS, COMPOSITE, "audit-errors"}


@pytest.mark.parametrize("name", sections())
def test_a_section_says_what_it_means_how_to_see_it_what_to_do_and_how_to_try_it(name: str) -> None:
    parts = re.split(r"(?m)^\*\*([A-Z][a-z]+)\*\*", sections()[name])[1:]

    assert tuple(parts[::2]) == PARTS
    texts = dict(zip(parts[::2], (re.sub(r"\s+", " ", each) for each in parts[1::2]), strict=True))
    assert [part for part in PARTS if not re.match(r"(: |, by the \w+: )\S.{20,}", texts[part])] == []
    assert re.match(rf": `make alarm NAME={name}`[:;] \S", texts["Try"])


def test_links_lead_to_a_heading() -> None:
    headings = {
        re.sub(r"[^a-z0-9-]", "", each.lower().replace(" ", "-")) for each in re.findall(r"(?m)^## (.*)$", TEXT)
    }

    linked = set(re.findall(r"\]\(#([^)]*)\)", TEXT))
    assert linked
    assert linked <= headings


def test_what_it_says_is_on_the_dashboard_is_there(synthesis: Synthesis) -> None:
    [dashboard] = synthesis.resources("AWS::CloudWatch::Dashboard").values()
    body = json.loads(synthesis.resolve(dashboard["DashboardBody"]))
    titles = [each["properties"].get("title", "") for each in body["widgets"]]

    named = [re.sub(r"\s+", " ", each) for each in re.findall(r'"([A-Z][^"]*)"', prose())]
    assert len(named) > 10
    patterns = {each: re.escape(each).replace(re.escape("..."), ".*") for each in named}
    assert [each for each in named if not any(re.fullmatch(patterns[each], title) for title in titles)] == []


def bullets(name: str) -> set[str]:
    """Return the words of code that a section's list has an answer to."""
    heads = re.findall(r"(?m)^- (.*?): ", sections()[name])
    return {word for head in heads for word in re.findall(r"`([^`]*)`", head)}


def test_there_is_an_answer_to_every_cause_of_a_cold_launch() -> None:
    assert bullets("promise-not-kept") == {each.value for each in Cause}


def test_there_is_an_answer_to_every_reason_that_holds_a_pool_and_that_nobody_chose() -> None:
    """Codes are what `core/holds.py` and `app/steps.py` hold with; freeze and pause raise no alarm."""
    package = ROOT / "layers/warmpool/python/warmpool"
    source = (package / "core/holds.py").read_text() + (package / "app/steps.py").read_text()
    holds = {Code[each] for each in re.findall(r"\bCode\.([A-Z_]+)", source)} | {Code.NO_GOOD_SPEC}

    assert bullets("held-long") == holds - {Code.FROZEN, Code.PAUSED_BY_OVERRIDE}


@pytest.mark.parametrize("name", ["heartbeat-lost", "held-long"])
def test_reasons_are_named_as_the_log_names_them(name: str) -> None:
    assert bullets(name) <= {each.value for each in Code}


def record() -> dict[str, Any]:
    """Return what a pass writes into the log."""
    stream = StringIO()
    decision = Decision(pool="spaces-cpu", at=NOW, current=1, target=1, action=Action.NONE, reasons=())
    report = PassReport(decisions=[decision], failures={"spaces-cpu": "Conflict"}, complete=False, took_seconds=1)
    PowertoolsTelemetry(stack="stack", stream=stream).publish(report)
    [found] = [each for each in map(json.loads, stream.getvalue().splitlines()) if each.get("message") == "pass"]
    return dict(found)


def test_its_filters_of_the_log_ask_for_what_a_pass_writes() -> None:
    found = record()
    asked = set(re.findall(r"\$\.(\w+)", TEXT))

    assert {"message", "complete", "level", "took_ms"} == asked
    assert asked <= found.keys()
    assert (found["complete"], found["level"], found["took_ms"]) == (False, "WARNING", 1000)
