"""Hit rate, causes, waits and idle cost from the printed metrics are those of what really happened."""

import io
import math
from collections.abc import Sequence
from datetime import timedelta

import pytest

from tests.scenarios.judging import TRUE_CAUSES
from tests.scenarios.test_books import STACK, Ragged, run
from warmpool.adapters.emf_log import EmfLog
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.app.measured import Grid
from warmpool.core.watch import Cause, Outcome
from warmpool.views.numbers import Numbers, Read, numbers_of, whole_queries
from warmpool.views.queries import Names

RAGGED = pytest.mark.parametrize(
    ("minimum", "seed", "off_by"),
    [
        pytest.param(4, None, 0.005, marks=pytest.mark.slow),
        pytest.param(1, None, 0.01, marks=pytest.mark.slow),
        (1, 5, 0.06),
    ],
)


def numbers(ragged: Ragged, lines: Sequence[str]) -> Numbers:
    """Work out what `warmpool report` would tell of a log."""
    log, names = EmfLog(lines), Names(stack=STACK)
    assert log.span is not None
    first, last = log.span
    grid = Grid(start=first, end=last + timedelta(minutes=1), period=last + timedelta(minutes=1) - first)
    whole = log.read(list(whole_queries(names, [ragged.pool.name])), grid, UnlimitedBudget(), lambda _: None)
    return numbers_of(ragged.pool.name, Read(grid=grid, series={}, whole=whole, now={}), names)


def nearest_rank(values: Sequence[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


@RAGGED
def test_the_metrics_tell_what_really_happened(minimum: int, seed: int | None, off_by: float) -> None:
    log = io.StringIO()
    ragged = run(minimum, days=1, seed=seed, log=log)
    told = numbers(ragged, log.getvalue().splitlines())

    # A pass that is killed between its books and its print has them in the ledger alone.
    lost = {each.uid for tally in ragged.ledger.untold for each in tally.launches}
    seen = {uid: each for uid, each in ragged.counted().items() if uid not in lost}
    truth = {each.pod: each for each in ragged.cluster.launches}
    known = [truth[uid] for uid, each in seen.items() if each.found.outcome is not Outcome.UNKNOWN]
    cold = [each for each in known if str(each.outcome) == "cold"]
    assert (told.launches, told.cold) == (len(known), len(cold))
    assert told.hit_rate == pytest.approx(1 - len(cold) / len(known))
    assert sum(told.causes.values()) == len(cold)
    assert all(any(cause in TRUE_CAUSES[each.cause] for each in cold) for cause in map(Cause, told.causes))
    gone = sum(tally.abandoned for tally in ragged.ledger.books[ragged.pool.name])
    assert told.unseen == len(seen) - len(known) + gone

    waits = [each.waited.total_seconds() for uid in seen for each in [truth[uid]] if each.waited]
    assert told.wait_p50_seconds == pytest.approx(nearest_rank(waits, 0.5), abs=1)
    assert told.wait_p99_seconds == pytest.approx(nearest_rank(waits, 0.99), abs=1)

    untold_hours = sum(tally.idle_node_hours for tally in ragged.ledger.untold)
    assert told.idle_node_hours == pytest.approx(ragged.cluster.books.idle_node_hours - untold_hours, rel=off_by)
    price = float(next(iter(ragged.pool.node_hourly_price.values())))
    assert told.idle_cost_usd == pytest.approx((told.idle_node_hours or 0) * price)
