"""What is kept of decisions and launches: which history is meant, of which pools, and from when until when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from warmpool.adapters.history_file import read_history
from warmpool.adapters.kept_decision import History, KeptDecision, Span
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable, NotPermitted
from warmpool.cli.controls import printable
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import STDIN, read_file
from warmpool.cli.instants import instant_text, parse_instant_or_day

if TYPE_CHECKING:
    from warmpool.cli.live import LiveStack

_SECONDS: Final = 900.0
"""A month of a large cluster's decisions with their inputs may take minutes to read."""

FileOption = Annotated[
    str | None,
    typer.Option("--file", metavar="FILE", help="What warmpool history --export wrote, or - for stdin; needs no AWS."),
]
FromOption = Annotated[
    str | None,
    typer.Option("--from", metavar="WHEN", help="From this instant or day (UTC) on, e.g. 2026-12-14T08:00:00Z."),
]
ToOption = Annotated[
    str | None, typer.Option("--to", metavar="WHEN", help="Up to this instant, or until this day (UTC) begins.")
]
HistoryPoolOption = Annotated[
    str | None, typer.Option("--pool", "-p", metavar="NAME", help="Which pool. Default: all of them.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a history is, as the options say it: in a file, or in the ledger of a deployed stack."""

    file: str | None = None
    spec: str | None = None
    stack: str | None = None
    region: str | None = None
    table: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A history, what it is called in sentences, and the present where there is one."""

    history: History
    name: str
    now: datetime | None = None

    def pools(self, name: str | None) -> Sequence[str]:
        """Return the named pool, or all. Raises CliError listing them, LedgerUnavailable."""
        known = self.history.pools()
        if not known:
            raise CliError("NothingKept", "", f"{self.name} has no pool yet: no pass has written to it")
        if name is None:
            return known
        if name not in known:
            raise CliError("UnknownPool", "--pool", f"{name!r} is not in {self.name}; its pools are {', '.join(known)}")
        return (name,)

    def pool(self, name: str | None) -> str:
        """Return the named pool, or the only one. Raises CliError listing them, LedgerUnavailable."""
        found = self.pools(name)
        if len(found) != 1:
            text = f"{self.name} has {len(found)} pools, name one of them: {', '.join(found)}"
            raise CliError("Usage", "--pool", text)
        return found[0]

    def until(self, pool: str, at: datetime | None) -> datetime:
        """Return the instant that is meant: by default the present, or the end of a file. Raises CliError."""
        if at is None:
            newest = self.history.newest(pool, Span(), 1, with_inputs=False)
            last = max((each.decision.at for each in newest if isinstance(each, KeptDecision)), default=None)
            at = self.now or last
        if at is None:
            raise CliError("NothingKept", "", f"{self.name} keeps no decision of {pool}")
        if self.now is not None and at > self.now:
            raise CliError("Usage", "--at", f"{instant_text(at)} is yet to come: now is {instant_text(self.now)}")
        return at


def open_history(place: Place) -> Opened:
    """Open the file, or find the ledger of the stack. Raises CliError, ConfigInvalid."""
    return _live(place) if place.file is None else _file(place.file)


def _file(name: str) -> Opened:
    source = "stdin" if name == STDIN else Path(name).name
    try:
        return Opened(history=read_history(read_file(name, "--file"), source), name=source)
    except ConfigInvalid as error:
        raise CliError("HistoryInvalid", error.path or "--file", f"{error.source}: {error.message}") from error


def _live(place: Place) -> Opened:
    # The AWS libraries take longer to import than a file to read.
    from warmpool.adapters.aws.clock import Deadline  # noqa: PLC0415
    from warmpool.adapters.aws.ledger_history import LedgerHistory  # noqa: PLC0415
    from warmpool.cli.live import open_stack  # noqa: PLC0415

    there = open_stack(place.stack, place.region, place.spec)
    table = place.table or _table_of(there)
    history = LedgerHistory(there.clients, table=table, budget=Deadline(_SECONDS))
    return Opened(history=history, name=f"the ledger {table}", now=there.now())


def _table_of(there: "LiveStack") -> str:
    from warmpool.adapters.aws.stack_outputs import LEDGER_TABLE, outputs  # noqa: PLC0415 - see _live

    try:
        table = outputs(there.clients, there.name, there.budget).get(LEDGER_TABLE)
    except (ConfigUnreadable, NotPermitted) as error:
        raise CliError("UnknownTable", "--table", f"the ledger's table is unknown, give --table: {error}") from error
    if table is None:
        text = f"the ledger's table is unknown, give --table: stack {there.name} has no output {LEDGER_TABLE}"
        raise CliError("UnknownTable", "--table", text)
    return table


def span_of(since: str | None, until: str | None) -> Span:
    """Read --from and --to. Raises CliError."""
    first = None if since is None else parse_instant_or_day(since, "--from", None)
    last = None if until is None else parse_instant_or_day(until, "--to", None)
    if first is not None and last is not None and last < first:
        raise CliError("Usage", "--to", f"{until!r} is before --from {since!r}; expected an instant after it")
    return Span(since=first, until=last)


def span_text(span: Span) -> str:
    """Say from when until when, for a sentence that ends with it."""
    parts = (("from", span.since), ("until", span.until))
    told = " ".join(f"{word} {at.isoformat(timespec='seconds')}" for word, at in parts if at is not None)
    return told or "at any time"


def why(kept: KeptDecision) -> str:
    """Give the reason that settled a decision: of a hold or a failure that is its first, else its last."""
    reasons = kept.decision.reasons
    if not reasons:
        return "-"
    settled = reasons[0] if kept.decision.held else reasons[-1]
    return printable(f"{settled.code.value}: {settled.text}")
