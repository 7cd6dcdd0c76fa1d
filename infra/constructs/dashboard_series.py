"""How a view's series become CloudWatch metrics, metric math and searches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from warmpool.views.model import LAST_DIMENSION, Across, Series, Stat, Tone
from warmpool.views.queries import Names, query_of

PERIOD: Final = Duration.minutes(5)
"""Of charts; CloudWatch lengthens it by itself where a longer time is shown."""

_COST: Final = "IdleCostUsd"
_FUNCTIONS: Final[Mapping[Across, str]] = {Across.SUM: "SUM", Across.MAX: "MAX"}
_HEX: Final[Mapping[Tone, str]] = {
    Tone.WARM: "#1f9d6c",
    Tone.PREEMPTED: "#86c9ad",
    Tone.COLD: "#d8453a",
    Tone.QUIET: "#8a9099",
    Tone.FIRST: "#3b86e0",
    Tone.SECOND: "#e0662e",
    Tone.THIRD: "#1f9d6c",
    Tone.FOURTH: "#9a62dc",
    Tone.FIFTH: "#b8860b",
    Tone.SIXTH: "#cc4c80",
}
"""Legible on CloudWatch's white and on its dark background."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsOfPools:
    """The metrics of one stack; `pools` are all, `priced` those of which it is known what a node costs."""

    names: Names
    pools: Sequence[str]
    priced: Sequence[str]

    def line(self, series: Series, pool: str, name: str) -> cloudwatch.IMetric:
        """Draw one series of a pool; `name` tells it from the others of its widget."""
        if series.level in LAST_DIMENSION:
            return self._search(series, pool)
        return self._math(series, [pool], (name, series.label, _HEX[series.tone]), PERIOD)

    def by_pool(self, series: Series) -> list[cloudwatch.IMetric]:
        """Draw one series as one line for each pool, in colours of CloudWatch's choice."""
        return [
            self._math(series, [pool], (f"p{place}", pool, None), PERIOD)
            for place, pool in enumerate(self._pools(series))
        ]

    def overall(self, series: Series, across: Across, name: str, period: Duration) -> cloudwatch.IMetric | None:
        """Bring the pools together: their sum, the quotient of their sums, or the largest; None without pools."""
        pools = self._pools(series)
        if not pools:
            return None
        labelled = (name, series.label, _HEX[series.tone])
        return self._math(series, pools, labelled, period, function=_FUNCTIONS[across])

    def _pools(self, series: Series) -> Sequence[str]:
        """Leave pools out whose cost is unknown: their launches would make the others' look cheaper."""
        return self.priced if series.stat.metric == _COST else self.pools

    def _math(
        self,
        series: Series,
        pools: Sequence[str],
        labelled: tuple[str, str, str | None],
        period: Duration,
        *,
        function: str = "",
    ) -> cloudwatch.IMetric:
        """Write a formula over the pools of each of its parts, or the bare metric where it is no more than that."""
        name, label, colour = labelled
        used: dict[str, cloudwatch.IMetric] = {}
        parts = []
        for letter, stat in zip("ab", series.stats, strict=False):
            ids = [f"{name}{letter}{place}" for place, _ in enumerate(pools)]
            used |= {key: self._metric(stat, pool, period) for key, pool in zip(ids, pools, strict=True)}
            parts.append(ids[0] if len(ids) == 1 else f"{function}([{', '.join(ids)}])")
        if len(used) == 1 and series.factor == 1:
            return self._metric(series.stat, pools[0], period).with_(label=label, color=colour)
        # CloudWatch gives no point where it would divide by zero, and none where either side has none.
        formula = " / ".join(parts) if series.factor == 1 else f"{series.factor:g} * {' / '.join(parts)}"
        return cloudwatch.MathExpression(
            expression=formula, using_metrics=used, label=label, color=colour, period=period
        )

    def _search(self, series: Series, pool: str) -> cloudwatch.IMetric:
        """Find the reasons or causes that occurred; listing all would fill the legend with those that never did."""
        stat, last = series.stat, LAST_DIMENSION[series.level]
        schema = f"{{{stat.namespace},{last},pool,service,stack}}"
        where = f'MetricName="{stat.metric}" stack="{self.names.stack}" pool="{pool}"'
        return cloudwatch.MathExpression(
            expression=f"SEARCH('{schema} {where}', '{stat.statistic.value}', {PERIOD.to_seconds():.0f})",
            label=f"${{PROP('Dim.{last}')}}",
            period=PERIOD,
            using_metrics={},
        )

    def _metric(self, stat: Stat, pool: str, period: Duration) -> cloudwatch.Metric:
        query = query_of(stat, self.names, pool)
        if query is None:
            raise ValueError(f"{stat.metric}: the name of {stat.of} is not given")
        return cloudwatch.Metric(
            namespace=query.namespace,
            metric_name=query.metric,
            dimensions_map=dict(query.dimensions),
            statistic=query.statistic.value,
            period=period,
        )
