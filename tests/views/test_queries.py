"""From series to queries and back."""

from tests.views.measured import MINUTE, NAMES, START, answers, query
from warmpool.app.measured import Statistic
from warmpool.core.reasons import Code
from warmpool.metrics import NAMESPACE
from warmpool.views.engineer import STACK
from warmpool.views.model import Chart, Resource, Series, Stat, Tone
from warmpool.views.queries import HOLDS, Names, lines_of, points_of, queries_of, query_of
from warmpool.views.series import COLD_CAUSES, COST_PER_WARM, HELD_REASONS, HIT_RATE

SUM, COUNT = Statistic.SUM, Statistic.SAMPLE_COUNT
CAUSES = Chart(title="Cold", about="Cold", unit="launches", series=(COLD_CAUSES,))


def test_a_query_has_the_dimensions_of_its_level() -> None:
    stack, pool, reason = (("stack", "warmpool-test"), ("pool", "spaces"), ("reason", "Frozen"))
    service = ("service", "warmpool")
    assert query("Heartbeat", SUM).dimensions == (service, stack)
    assert query("Hit", SUM).dimensions == (pool, service, stack)
    assert query("HeldFor", SUM, value="Frozen").dimensions == (pool, reason, service, stack)
    assert query("Hit", SUM).namespace == NAMESPACE


def test_a_metric_of_awss_own_names_its_resource_and_is_left_out_where_the_name_is_unknown() -> None:
    errors = Stat(metric="Errors", statistic=SUM, of=Resource.FUNCTION)
    found = query_of(errors, Names(stack="s", resources={Resource.FUNCTION: "f"}))
    assert found is not None
    assert (found.namespace, found.dimensions) == ("AWS/Lambda", (("FunctionName", "f"),))
    assert query_of(errors, NAMES) is None
    assert list(queries_of([Series(label="", stat=errors)], NAMES)) == []
    assert points_of(Series(label="", stat=errors), {}, NAMES) == []
    assert Resource.QUEUE.dimension == "QueueName"


def test_every_reason_and_cause_is_asked_for() -> None:
    assert len(list(queries_of([HELD_REASONS], NAMES, "spaces"))) == len(HOLDS)
    assert len(list(queries_of([HIT_RATE], NAMES, "spaces"))) == 2


def test_a_rate_is_a_quotient_where_there_is_something_to_divide_by() -> None:
    known = answers({("Hit", SUM): 3, ("Hit", COUNT): 4})
    assert points_of(HIT_RATE, known, NAMES, "spaces") == [(START, 75.0)]
    assert points_of(HIT_RATE, known, NAMES, "other") == []
    without = answers({("IdleCostUsd", SUM): 3, ("Hit", SUM): 0})
    assert points_of(COST_PER_WARM, without, NAMES, "spaces") == []
    late = {**known, query("Hit", COUNT): [(START + MINUTE, 4.0)]}
    assert points_of(HIT_RATE, late, NAMES, "spaces") == []


def test_of_causes_only_those_that_occurred_are_drawn() -> None:
    known = answers({("ColdFor/none-free", SUM): 2, ("ColdFor/gated", SUM): 1})
    lines = lines_of(CAUSES, known, NAMES, "spaces")
    assert [(each.label, each.tone) for each in lines] == [("none-free", Tone.COLD), ("gated", Tone.FIRST)]
    assert lines_of(CAUSES, {}, NAMES, "spaces") == ()


def test_a_series_without_data_is_a_line_without_points() -> None:
    passes = STACK[0].charts[0]
    lines = lines_of(passes, answers({("Heartbeat", SUM): 9}), NAMES)
    assert [(each.label, each.points) for each in lines] == [
        ("complete", [(START, 9.0)]),
        ("failed", []),
        ("conflicts", []),
    ]
    assert [each.sparse for each in lines] == [True, False, False]


def test_whatever_a_pass_can_hold_for_is_known_here() -> None:
    assert set(HOLDS) <= set(Code)
