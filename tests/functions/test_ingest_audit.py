"""The audit log's whole way: CloudWatch's filter, the delivery, the handler, and one nudge or none."""

import json
from collections import Counter
from typing import Any

import pytest

from functions.ingest_audit.handler import handler
from infra.audit_filter import LONGEST_PATTERN, filter_pattern
from tests.app.ingest_builders import DEPLOYMENT, NAMESPACE, Ingesting
from tests.events.audit_log import delivery, subscribed
from tests.events.cloudwatch_filter import compile_pattern
from tests.events.samples import FOLDER, names, sample, spoilt
from warmpool.app.errors import ConfigInvalid, NudgeNotSent
from warmpool.app.nudges import Message, ServeNudges
from warmpool.ingest_wiring import IngestApp
from warmpool.settings import IngestSettings

SETTINGS = IngestSettings(
    stack="warmpool-ml-research",
    region="eu-central-1",
    queue_url="https://sqs.eu-central-1.amazonaws.com/123456789012/warmpool-ml-research-reconcile.fifo",
    controller_role="warmpool-reconciler",
    placeholders=frozenset({(NAMESPACE, DEPLOYMENT)}),
)
PASSES = compile_pattern(filter_pattern([NAMESPACE]))

MATTER = {
    "audit-nodeclaim-created",
    "audit-nodeclaim-deleted",
    "audit-placeholder-created",
    "audit-placeholder-evicted",
    "audit-placeholder-preempted",
    "audit-workspace-created",
    "audit-workspace-deleted",
    "audit-workspace-pod-bound",
    "audit-workspace-stopped",
}
OURS = {"audit-own-pod-deleted"}
"""Passes the filter, whose language cannot look through a list of groups, and is dropped by the code."""

SAYS_SOMETHING_ELSE = {
    "audit-own-pod-deleted": "user",
    "audit-delete-refused": "responseStatus.code is number",
    "audit-placeholder-bound": "objectRef.subresource is missing",
}
"""Where spoiling makes another record of it: one of an unknown user, an accepted one, a created pod."""


class Context:
    """A few seconds, as Lambda gives them."""

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


def taken(here: Ingesting, event: Any) -> dict[str, int]:
    return handler(event, Context(), IngestApp(settings=SETTINGS, use_case=here.use_case()))


@pytest.mark.parametrize("name", names("audit"))
def test_the_filter_drops_what_does_not_matter_before_any_code_runs(name: str) -> None:
    assert PASSES(sample(name)) is (name in MATTER | OURS)


@pytest.mark.parametrize("name", names("audit"))
def test_the_code_drops_it_too_where_somebody_widens_the_filter(name: str) -> None:
    here = Ingesting()

    assert taken(here, delivery([sample(name)])) == {"matter": int(name in MATTER)}
    assert len(here.queue.bodies) == int(name in MATTER)
    assert here.telemetry.warnings == []


def test_of_7303_real_records_105_reach_the_code() -> None:
    """The census has what the filter looks at; the operator's status updates alone are 3,499."""
    rows: list[list[Any]] = json.loads((FOLDER / "audit-census.json").read_text())
    through: Counter[str] = Counter()
    for count, stage, code, verb, group, resource, subresource, namespace, name in rows:
        reference = {
            "apiGroup": group,
            "resource": resource,
            "subresource": subresource,
            "namespace": namespace,
            "name": name,
        }
        record = {
            "stage": stage,
            "verb": verb,
            "responseStatus": {"code": code},
            "objectRef": {key: value for key, value in reference.items() if value is not None},
        }
        if PASSES(record):
            through[f"{verb} {resource}/{subresource or ''}"] += count

    assert sum(row[0] for row in rows) == 7303
    assert sum(row[0] for row in rows if row[5:7] == ["workspaces", "status"]) == 3499
    assert through == {
        "create workspaces/": 31,
        "delete workspaces/": 31,
        "create pods/binding": 31,
        "create nodeclaims/": 4,
        "delete nodeclaims/": 6,
        "create pods/": 2,
    }


def test_a_burst_is_one_nudge_for_each_delivery() -> None:
    here = Ingesting()
    created = sample("audit-workspace-created")
    noise = sample("audit-workspace-status-updated")
    records = [{**(noise if number % 50 else created), "auditID": str(number)} for number in range(10_000)]
    for event in subscribed(records, PASSES):
        taken(here, event)

    assert len(here.queue.bodies) == len(set(here.queue.bodies)) == 4
    assert here.queue.last["changes"] == {"create workspaces": 50}


@pytest.mark.parametrize("name", names("audit"))
def test_a_spoilt_record_is_a_nudge_or_a_drop_and_never_a_crash(name: str) -> None:
    for how, document in spoilt(sample(name)):
        here = Ingesting()
        matter = taken(here, delivery([document]))["matter"] if PASSES(document) else 0

        assert len(here.queue.bodies) == matter, how
        assert all(len(body) < 300 and _is_nudge(body) for body in here.queue.bodies), how
        if name not in MATTER and matter:
            assert how.startswith(SAYS_SOMETHING_ELSE[name]), how


@pytest.mark.parametrize("name", sorted(MATTER | OURS))
def test_a_spoilt_record_that_comes_through_a_widened_filter_is_told_where_it_cannot_be_read(name: str) -> None:
    for how, document in spoilt(sample(name)):
        here = Ingesting()
        matter = taken(here, delivery([document, sample("audit-nodeclaim-created")]))["matter"]

        assert len(here.queue.bodies) == 1, how
        assert len(here.telemetry.warnings) <= 1, how
        assert matter in {1, 2}, how


@pytest.mark.parametrize("event", [None, {}, {"awslogs": {"data": "x"}}, {"Records": []}, delivery([])])
def test_an_event_that_is_no_delivery_is_acknowledged(event: object) -> None:
    here = Ingesting()

    assert taken(here, event) == {"matter": 0}
    assert here.queue.bodies == []


def test_a_queue_that_refuses_fails_the_invocation() -> None:
    here = Ingesting()
    here.queue.failure = "AccessDenied"

    with pytest.raises(NudgeNotSent):
        taken(here, delivery([sample("audit-placeholder-preempted")]))


def test_what_it_sends_is_what_the_reconciler_reads() -> None:
    here = Ingesting()
    taken(here, delivery([sample("audit-placeholder-preempted")]))

    assert here.queue.last["kind"] == "audit"
    assert here.queue.last["changes"] == {"delete pods": 1}
    assert _is_nudge(here.queue.bodies[0])


def test_the_pattern_is_refused_where_cloudwatch_would_refuse_it() -> None:
    assert len(filter_pattern([NAMESPACE])) < LONGEST_PATTERN

    with pytest.raises(ConfigInvalid, match=r"auditEvents: needs a filter of \d+ characters"):
        filter_pattern([f"{'team' * 12}-{number}" for number in range(9)])


def test_every_namespace_of_placeholders_is_watched() -> None:
    condition = compile_pattern(filter_pattern(["a", "b"]))
    record = sample("audit-placeholder-preempted")

    for namespace, met in (("a", True), ("b", True), ("c", False)):
        record["objectRef"]["namespace"] = namespace
        assert condition(record) is met


def _is_nudge(body: str) -> bool:
    """Ask the reader itself: what it cannot read it gives to the dead letters."""
    refused: list[str] = []

    class Letters:
        def send(self, body: str, why: str) -> None:
            refused.append(why)

    class Stale:
        def run(self, *_: object) -> None:
            return None

    here = Ingesting()
    nudges = ServeNudges(Stale(), Letters(), here.telemetry)  # type: ignore[arg-type] # no pass is needed
    nudges.serve([Message(body=body)], Context())  # type: ignore[arg-type] # nor time
    return not refused
