"""Answers as a source gives them, by metric and statistic."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from warmpool.app.measured import Grid, Points, Query, Statistic
from warmpool.views.model import Stat
from warmpool.views.numbers import Read
from warmpool.views.queries import Names, query_of

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
GRID = Grid(start=START, end=START + 60 * MINUTE, period=10 * MINUTE)
NAMES = Names(stack="warmpool-test")

Amounts = Mapping[tuple[str, Statistic], float]


def query(metric: str, statistic: Statistic, pool: str = "spaces", value: str = "") -> Query:
    found = query_of(Stat(metric=metric, statistic=statistic), NAMES, pool, value)
    assert found is not None
    return found


def answers(amounts: Amounts, pool: str = "spaces") -> dict[Query, Points]:
    """Answer these queries of a pool with one point each; for a cause or reason the metric is `Name/value`."""
    found: dict[Query, Points] = {}
    for (name, statistic), amount in amounts.items():
        metric, _, value = name.partition("/")
        found[query(metric, statistic, pool, value)] = [(START, amount)]
    return found


def read(whole: Mapping[Query, Points], *, series: Mapping[Query, Points], now: Mapping[Query, Points]) -> Read:
    return Read(grid=GRID, series=series, whole=whole, now=now)
