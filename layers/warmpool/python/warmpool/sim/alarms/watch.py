"""A template's alarms over a log: minute by minute, which are in which state."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from warmpool.adapters.emf_log import EmfLog
from warmpool.adapters.memory import UnlimitedBudget
from warmpool.app.measured import Grid, Query
from warmpool.sim.alarms.definitions import (
    CompositeAlarm,
    MetricAlarm,
    State,
    composite_alarm,
    metric_alarm,
)
from warmpool.sim.alarms.evaluation import evaluate
from warmpool.sim.alarms.expressions import Math, in_alarm, parse

EVERY: Final = timedelta(minutes=1)
"""CloudWatch evaluates every alarm of standard resolution once a minute, over a window that slides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What CloudWatch leaves open: how far back it looks beside N, how late metrics of a log come, what FILL fills.

    The defaults are the example of its User Guide (5 periods for N = 3) and no delay.
    """

    periods_more: int = 2
    delay: timedelta = timedelta(0)
    fills_empty: bool = True


USUAL: Final = Behaviour()
AT_WORST: Final = Behaviour(periods_more=5, delay=timedelta(seconds=90), fills_empty=False)
"""A range of 6 minutes was measured for N = 1, and metrics of a log come within two minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One alarm changed its state."""

    at: datetime
    alarm: str
    before: State
    after: State


class Alarms:
    """The alarms of one template."""

    def __init__(self, metric: Sequence[Mapping[str, Any]], composite: Sequence[Mapping[str, Any]] = ()) -> None:
        """Take the properties of AWS::CloudWatch::Alarm and of CompositeAlarm, references resolved."""
        self.metric: tuple[MetricAlarm, ...] = tuple(metric_alarm(each) for each in metric)
        self.composite: tuple[CompositeAlarm, ...] = tuple(composite_alarm(each) for each in composite)
        self._expressions = {each.name: parse(each.expression) for each in self.metric}
        self._rules = {each.name: parse(each.rule) for each in self.composite}

    def changes(self, log: EmfLog, start: datetime, end: datetime, behaviour: Behaviour = USUAL) -> Iterator[Change]:
        """Yield every change of a state in (start, end], evaluated each minute. All begin without data."""
        values = _Values(log, behaviour)
        states = dict.fromkeys([*self._expressions, *self._rules], State.INSUFFICIENT_DATA)
        at = start + EVERY
        while at <= end:
            before = dict(states)
            for alarm in self.metric:
                column = values.of(alarm, self._expressions[alarm.name], at)
                states[alarm.name] = evaluate(alarm, column, states[alarm.name])
            for name, rule in self._rules.items():
                states[name] = State.ALARM if in_alarm(rule, states) else State.OK
            yield from (
                Change(at=at, alarm=name, before=before[name], after=state)
                for name, state in states.items()
                if state is not before[name]
            )
            at += EVERY

    def values(self, log: EmfLog, name: str, at: datetime, behaviour: Behaviour = USUAL) -> list[float | None]:
        """Return what one alarm looks at, the newest period first. Raises KeyError for an alarm that is not there."""
        alarm = {each.name: each for each in self.metric}[name]
        return _Values(log, behaviour).of(alarm, self._expressions[name], at)


class _Values:
    """What alarms see of a log; a period is worked out once, though several evaluations look at it."""

    def __init__(self, log: EmfLog, behaviour: Behaviour) -> None:
        self._log = log
        self._behaviour = behaviour
        self._math = Math(fills_empty=behaviour.fills_empty)
        self._known: dict[Query, dict[tuple[datetime, datetime], float | None]] = {}

    def of(self, alarm: MetricAlarm, expression: ast.expr, at: datetime) -> list[float | None]:
        count = alarm.periods + self._behaviour.periods_more
        columns = {name: self._column(query, alarm.period, at, count) for name, query in alarm.metrics.items()}
        return self._math.column(expression, columns, count)

    def _column(self, query: Query, period: timedelta, at: datetime, count: int) -> list[float | None]:
        known = self._known.setdefault(query, {})
        seen_until, end = at - self._behaviour.delay, at
        values: list[float | None] = []
        for _ in range(count):
            start = end - period
            span = (start, min(end, seen_until))
            if span not in known:
                known[span] = self._value(query, *span)
            values.append(known[span])
            end = start
        return values

    def _value(self, query: Query, start: datetime, end: datetime) -> float | None:
        if end <= start:
            return None
        points = self._log.read([query], Grid(start=start, end=end, period=end - start), UnlimitedBudget(), _silent)
        return points[query][0][1] if points[query] else None


def _silent(share: float) -> None:
    del share
