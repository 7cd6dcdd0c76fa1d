"""Measured values out of a log: lines in CloudWatch's embedded metric format (EMF), as the functions print them."""

import json
import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from warmpool.app.measured import Grid, Points, Progress, Query, Statistic
from warmpool.app.ports import Budget

_HOUR: Final = 3600
_MARK: Final = '"_aws"'
_LATEST: Final = datetime.max.replace(tzinfo=UTC).timestamp() * 1000
_DECODER: Final = json.JSONDecoder()
_SHARES: Final[Mapping[Statistic, float]] = {Statistic.P50: 0.5, Statistic.P90: 0.9, Statistic.P99: 0.99}

Key = tuple[str, str, tuple[tuple[str, str], ...]]
"""Namespace, name and sorted dimensions."""


@dataclass(slots=True)
class _Values:
    """Every value of one metric, with when it was written in seconds since 1970."""

    at: "array[float]" = field(default_factory=lambda: array("d"))
    amounts: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(slots=True)
class Lines:
    """How many lines of a log were what; empty ones do not count."""

    metrics: int = 0
    other: int = 0
    """The passes' records, and what Lambda says by itself."""
    broken: int = 0
    """Begun as EMF and not whole, as by a process that was killed, or by a reader that cuts long lines."""


class EmfLog:
    """Implements warmpool.app.measured.Measurements on the lines of a log.

    A line may be the plain document, or have something before and after it as `aws logs tail` prints it; the whole may
    be what `aws logs filter-log-events` prints. Lines that are no EMF (the passes' records, a killed pass' half line)
    are passed over and counted. Statistics are CloudWatch's, except that percentiles are the nearest rank.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        """Read all lines."""
        self.lines: Final = Lines()
        self._metrics: dict[Key, _Values] = {}
        for text in _texts(lines):
            self._read(text)
        for values in self._metrics.values():
            _sort(values)

    @property
    def span(self) -> tuple[datetime, datetime] | None:
        """The first and the last instant of which anything was written; None where nothing was."""
        if not self._metrics:
            return None
        first = min(each.at[0] for each in self._metrics.values())
        last = max(each.at[-1] for each in self._metrics.values())
        return _instant(first), _instant(last)

    def hours(self, namespace: str, **within: str) -> Mapping[Key, frozenset[int]]:
        """Return in which hours (since 1970) each metric with these dimensions was written: AWS charges by the hour."""
        return {
            key: frozenset(int(at // _HOUR) for at in values.at)
            for key, values in self._metrics.items()
            if key[0] == namespace and set(within.items()) <= set(key[2])
        }

    def named(self, dimension: str, namespace: str, **within: str) -> tuple[str, ...]:
        """Return what a dimension is in the log, where the others are as given, in the order of the log."""
        found = dict.fromkeys(
            dict(dimensions)[dimension]
            for space, _, dimensions in self._metrics
            if space == namespace and dimension in dict(dimensions) and set(within.items()) <= set(dimensions)
        )
        return tuple(found)

    def read(self, queries: Sequence[Query], grid: Grid, budget: Budget, progress: Progress) -> Mapping[Query, Points]:
        """Answer every query."""
        del budget  # the log is read already
        answers: dict[Query, Points] = {}
        for number, query in enumerate(queries, start=1):
            values = self._metrics.get((query.namespace, query.metric, query.dimensions))
            answers[query] = [] if values is None else list(_points(values, grid, query.statistic))
            progress(number / len(queries))
        return answers

    def _read(self, text: str) -> None:
        document = _document(text)
        if document is not None:
            self.lines.metrics += 1
            self._take(document)
        elif _MARK in text:
            self.lines.broken += 1
        elif text.strip():
            self.lines.other += 1

    def _take(self, document: Mapping[str, Any]) -> None:
        about = document["_aws"]
        at = about["Timestamp"] / 1000
        for directive in about["CloudWatchMetrics"]:
            for names in directive["Dimensions"]:
                dimensions = tuple(sorted((name, str(document[name])) for name in names))
                for metric in directive["Metrics"]:
                    written = document[metric["Name"]]
                    amounts = written if isinstance(written, list) else [written]
                    values = self._metrics.setdefault((directive["Namespace"], metric["Name"], dimensions), _Values())
                    values.amounts.extend(float(each) for each in amounts)
                    values.at.extend([at] * len(amounts))


def _texts(lines: Iterable[str]) -> Iterator[str]:
    rest = iter(lines)
    first = next(rest, "")
    if first.strip() in {"{", "["}:
        yield from _messages("".join([first, *rest]))
        return
    yield first
    yield from rest


def _messages(text: str) -> Iterator[str]:
    """Take the messages out of what `aws logs filter-log-events` or `get-log-events` prints."""
    try:
        printed = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        yield from text.splitlines()
        return
    events = printed.get("events") if isinstance(printed, dict) else printed
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict) and isinstance(event.get("message"), str):
            yield event["message"]


def _document(line: str) -> Mapping[str, Any] | None:
    """Find the EMF document in a line; None where there is none that is whole."""
    begin = line.find("{")
    if begin < 0 or _MARK not in line:
        return None
    try:
        document, _ = _DECODER.raw_decode(line, begin)
    except (json.JSONDecodeError, RecursionError):
        return None
    return document if _whole(document) else None


def _whole(document: Any) -> bool:
    """See whether a document has everything that its directives name (EMF specification, "Embedded metric format")."""
    about = document.get("_aws") if isinstance(document, dict) else None
    if not isinstance(about, dict) or not _number(about.get("Timestamp")) or not 0 <= about["Timestamp"] < _LATEST:
        return False
    directives = about.get("CloudWatchMetrics")
    return isinstance(directives, list) and all(_directive(each, document) for each in directives)


def _directive(directive: Any, document: Mapping[str, Any]) -> bool:
    try:
        names = [name for each in directive["Dimensions"] for name in each]
        metrics = [document[each["Name"]] for each in directive["Metrics"]]
        known = isinstance(directive["Namespace"], str) and all(isinstance(document[name], str) for name in names)
    except (KeyError, TypeError):
        return False
    amounts = [each for written in metrics for each in (written if isinstance(written, list) else [written])]
    return known and all(_number(each) for each in amounts)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _sort(values: _Values) -> None:
    """Put values into the order of their instants: a log is nearly so, and several streams together are not."""
    order = sorted(range(len(values.at)), key=values.at.__getitem__)
    values.at = array("d", (values.at[each] for each in order))
    values.amounts = array("d", (values.amounts[each] for each in order))


def _points(values: _Values, grid: Grid, statistic: Statistic) -> Iterator[tuple[datetime, float]]:
    begin = bisect_left(values.at, grid.start.timestamp())
    end = bisect_left(values.at, grid.end.timestamp())
    start = grid.start
    while begin < end:
        start += grid.period * ((_instant(values.at[begin]) - start) // grid.period)
        after = bisect_left(values.at, (start + grid.period).timestamp(), begin, end)
        yield start, _statistic(values.amounts[begin:after], statistic)
        begin = after


def _statistic(amounts: Sequence[float], statistic: Statistic) -> float:
    if statistic in _SHARES:
        return sorted(amounts)[math.ceil(_SHARES[statistic] * len(amounts)) - 1]
    match statistic:
        case Statistic.SAMPLE_COUNT:
            return float(len(amounts))
        case Statistic.MINIMUM:
            return min(amounts)
        case Statistic.MAXIMUM:
            return max(amounts)
        case Statistic.SUM:
            return math.fsum(amounts)
    return math.fsum(amounts) / len(amounts)


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
