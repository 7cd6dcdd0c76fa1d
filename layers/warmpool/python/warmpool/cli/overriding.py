"""What a change of an override does, and what overrides there are: for scripts and for people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from warmpool.adapters.aws.operator_parameters import override_of
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable, NotPermitted
from warmpool.app.overrides import limits_in_force
from warmpool.app.ports import Documents
from warmpool.app.said import Written
from warmpool.cli.controls import (
    LIMIT_COLUMNS,
    in_a_line,
    limit_cells,
    limits_document,
    limits_in_short,
    override_document,
    printable,
    stop_document,
    stop_in_a_line,
    written_document,
)
from warmpool.cli.deployed import DeployedPool, Present, chosen_name, present, stop_of
from warmpool.cli.instants import instant_text
from warmpool.cli.live import LiveStack, deployed_pools
from warmpool.cli.printing import print_json, print_line, print_table, warn
from warmpool.core.decision import Limits
from warmpool.core.limits import override_in_force, stop_in_force
from warmpool.core.reasons import Code
from warmpool.core.spec import Override, PoolSpec, Stop

_WHEN: Final = "in force with the next pass, within a minute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One write or deletion of an override. `deployed` is None where nothing is known of the pool."""

    pool: str
    parameter: str
    now: datetime
    deployed: DeployedPool | None
    override: Override | None = None
    done: bool = True

    @property
    def replaced(self) -> Present:
        """What was there before."""
        return self.deployed.present if self.deployed else Present()

    def before(self) -> Limits | None:
        """Return the limits before it; None where what was there is rejected or unknown."""
        if self.deployed is None or self.replaced.wrong:
            return None
        return self.deployed.limits(self.replaced.override, self.now)

    def after(self) -> Limits | None:
        """Return the limits from now on."""
        return self.deployed.limits(self.override, self.now) if self.deployed else None


def print_change(change: Change, *, as_json: bool) -> None:
    """Tell what has changed, before and after."""
    if as_json:
        print_json(_change_document(change))
        return
    print_line(printable(_headline(change)))
    rows = (("before", change.before()), ("after", change.after()))
    cells = [(name, *limit_cells(limits)) for name, limits in rows if limits is not None]
    if cells:
        print_table(f"{change.pool}, limits in force", ("", *LIMIT_COLUMNS), cells, right=LIMIT_COLUMNS[:3])
    for line in _remarks(change):
        print_line(line)


def _headline(change: Change) -> str:
    if change.override is not None:
        return f"Written to {change.parameter} - {_WHEN}."
    if change.done:
        return f"Deleted {change.parameter} - {_WHEN}."
    return f"There was no {change.parameter}, so nothing has changed."


def _remarks(change: Change) -> Iterator[str]:
    if change.override is not None:
        yield f"New: {in_a_line(change.override)}"
    if change.replaced.override is not None and (change.override is not None or change.done):
        yield f"Replaced: {in_a_line(change.replaced.override)}"
    if change.replaced.wrong:
        yield printable(f"What was there before was not in force: {change.replaced.wrong}")
    stop = stop_in_force(change.deployed.stop, change.now) if change.deployed else None
    if stop is not None:
        yield f"The stop switch is in force for all pools and goes first: {stop_in_a_line(stop)}"
    after = change.after()
    for reason in after.reasons if after else ():
        if reason.code is not Code.OVERRIDE:  # which is what `New` says
            yield printable(f"{reason.code.value}: {reason.text}")


def _change_document(change: Change) -> dict[str, Any]:
    before, after, replaced = change.before(), change.after(), change.replaced
    was = override_in_force(replaced.override, change.now)
    stop = stop_in_force(change.deployed.stop, change.now) if change.deployed else None
    return {
        "pool": change.pool,
        "parameter": change.parameter,
        "written": change.override is not None,
        "cleared": change.override is None and change.done,
        "override": None if change.override is None else override_document(change.override),
        "replaced": None if replaced.override is None else override_document(replaced.override),
        "replaced_text": replaced.text,
        "replaced_problem": replaced.wrong,
        "before": None if before is None else limits_document(before, was),
        "after": None if after is None else limits_document(after, change.override),
        "stop": None if stop is None else stop_document(stop),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One pool's override as it stands in the store."""

    pool: str
    parameter: str
    now: datetime
    present: Present
    limits: Limits | None
    written: Written | None

    @property
    def in_force(self) -> bool:
        """True where the text in the store is good and its `until` has not passed."""
        return override_in_force(self.present.override, self.now) is not None


def shown(there: LiveStack, pool: str | None) -> Sequence[Shown]:
    """Read the override of every pool, or of the named one. Raises CliError or ConfigUnreadable."""
    documents, now = there.documents(), there.now()
    names = sorted(documents.specs) if pool is None else [chosen_name(documents, pool)]
    specs, stop, written = deployed_pools(documents), stop_of(documents), _written(there)
    found = []
    for name in names:
        here, limits = _meaning(documents, (name, specs[name]), stop, now)
        document = override_of(name)
        found.append(
            Shown(
                pool=name,
                parameter=there.parameters.name(document),
                now=now,
                present=here,
                limits=limits,
                written=written.get(document),
            )
        )
    return found


def _meaning(
    documents: Documents, pool: tuple[str, PoolSpec | ConfigInvalid | None], stop: Stop | None, now: datetime
) -> tuple[Present, Limits | None]:
    name, spec = pool
    if isinstance(spec, PoolSpec):
        here = present(documents, spec)
        return here, None if here.wrong else limits_in_force(spec, now, here.override, stop)
    text = documents.overrides.get(name)
    why = f"the pool's spec is of no use: {spec or 'it cannot be read'}"
    return Present(text=text if isinstance(text, str) else None, wrong=why), None


def _written(there: LiveStack) -> Mapping[str, Written]:
    try:
        return there.parameters.written(there.budget)
    except (ConfigUnreadable, NotPermitted) as error:
        warn(f"who wrote what is left out: {error}")
        return {}


def print_shown(found: Sequence[Shown], *, as_json: bool) -> None:
    """Print a row for each pool, and below it what is wrong."""
    if as_json:
        print_json([_shown_document(each) for each in found])
        return
    columns = ("pool", "override", "limits", "window", "written", "by")
    print_table(f"Overrides as of {instant_text(found[0].now)}", columns, [_cells(each) for each in found])
    for each in found:
        if each.present.override is not None:
            print_line(f"{each.pool}: {in_a_line(each.present.override)}")
        if each.present.wrong:
            print_line(printable(f"{each.pool}: {each.present.wrong}"))


def _state(each: Shown) -> str:
    if each.present.wrong:
        return "rejected" if each.present.text is not None else "unknown"
    if each.present.text is None:
        return "none"
    return "in force" if each.in_force else "ended"


def _cells(each: Shown) -> tuple[str, ...]:
    limits = limits_in_short(each.limits) if each.limits else "-"
    window = (each.limits.window if each.limits else None) or "-"
    at = instant_text(each.written.at) if each.written else "-"
    return (each.pool, _state(each), limits, printable(window), at, printable(_by(each) or "-"))


def _by(each: Shown) -> str:
    """Return who wrote it: by SSM's books, else by the document's own word."""
    by_books = each.written.by if each.written else ""
    return by_books or (each.present.override.by if each.present.override else "")


def _shown_document(each: Shown) -> dict[str, Any]:
    here = each.present
    return {
        "pool": each.pool,
        "parameter": each.parameter,
        "text": here.text,
        "state": _state(each),
        "valid": None if here.text is None else here.override is not None,
        "in_force": each.in_force,
        "problem": here.wrong,
        "override": None if here.override is None else override_document(here.override),
        "limits": None
        if each.limits is None
        else limits_document(each.limits, override_in_force(here.override, each.now)),
        "written": written_document(each.written),
    }
