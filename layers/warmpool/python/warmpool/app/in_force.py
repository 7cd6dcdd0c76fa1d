"""Which spec, override and stop are in force: what the store says if it is good, else the last good one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from warmpool.app.errors import ConfigInvalid
from warmpool.app.overrides import check_first_seen
from warmpool.app.ports import Document, DocumentReader, Documents, LedgerEntry, LedgerState, Unreadable
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override, PoolSpec, Spec, Stop

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolInForce:
    """One pool's configuration. `spec` is None where no good one was ever seen."""

    name: str
    spec: PoolSpec | None
    override: Override | None = None
    entry: LedgerEntry = field(default_factory=LedgerEntry)
    """The ledger's entry with the documents now in force."""
    notes: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """The whole stack's configuration."""

    pools: Mapping[str, PoolInForce]
    stack: Spec | None = None
    """Any pool's document: they share cluster and stack-wide money."""
    stop: Stop | None = None
    good_stop: str | None = None
    notes: tuple[Reason, ...] = ()
    store_read: bool = True
    """False where the store gave nothing: a pass that misses an override is not complete."""


@dataclass(slots=True)
class _Chosen:
    """A document's value and text, with what was wrong on the way."""

    text: str | None = None
    notes: list[Reason] = field(default_factory=list)


def choose(documents: Documents | None, ledger: LedgerState, reader: DocumentReader, now: datetime) -> InForce:
    """Decode what the store holds and fall back to the ledger's last good documents, pool by pool.

    `documents` is None where the store could not be read at all. Nothing raises: what is wrong becomes a note.
    """
    store_read = documents is not None
    documents = documents or _all_unreadable(ledger)
    stopping = _Chosen()
    stop = _good(documents.stop, ledger.good_stop, "stop", stopping, lambda text: reader.stop(text, "stop"))
    pools: dict[str, PoolInForce] = {}
    stack: Spec | None = None
    for name, document in documents.specs.items():
        if document is None:
            continue
        entry = ledger.pools.get(name, LedgerEntry())
        chosen = _Chosen()
        spec = _good(document, entry.good_spec, f"{name}/spec", chosen, _spec_reader(reader, name))
        stack = stack or spec
        unknown = ledger.unreadable or name in ledger.lost
        pool = _pool(name, spec, documents.overrides.get(name), (entry, chosen, reader, now, unknown))
        # The switch is for all pools, so each of them says what is wrong with it.
        pools[name] = replace(pool, notes=(*pool.notes, *stopping.notes))
    return InForce(
        pools=pools, stack=stack, stop=stop, good_stop=stopping.text, notes=tuple(stopping.notes), store_read=store_read
    )


def _all_unreadable(ledger: LedgerState) -> Documents:
    lost = Unreadable(why="the configuration store did not answer")
    return Documents(specs=dict.fromkeys(ledger.pools, lost), overrides=dict.fromkeys(ledger.pools, lost), stop=lost)


def _spec_reader(reader: DocumentReader, name: str) -> Callable[[str], Spec]:
    def read(text: str) -> Spec:
        spec = reader.spec(text, f"{name}/spec")
        if name not in spec.pools:
            raise ConfigInvalid(
                "pools", f"holds {sorted(spec.pools)}, expected the pool {name!r}", source=f"{name}/spec"
            )
        return spec

    return read


def _pool(
    name: str,
    spec: Spec | None,
    document: Document,
    context: tuple[LedgerEntry, _Chosen, DocumentReader, datetime, bool],
) -> PoolInForce:
    entry, chosen, reader, now, unknown = context
    if spec is None:
        chosen.notes.append(Reason(Code.NO_GOOD_SPEC, f"pool {name} has no spec that was ever good; nothing is done"))
        wrong = replace(entry, config_wrong_since=entry.config_wrong_since or now)
        return PoolInForce(name=name, spec=None, entry=wrong, notes=tuple(chosen.notes))
    pool = spec.pools[name]
    over = _Chosen()
    known = entry.good_override

    def read(text: str) -> Override:
        override = reader.override(text, pool, f"{name}/override")
        if text != known and not unknown:
            check_first_seen(override, now, f"{name}/override")
        return override

    override = _good(document, known, f"{name}/override", over, read)
    notes = (*chosen.notes, *over.notes)
    kept = LedgerEntry(
        state=entry.state,
        good_spec=chosen.text,
        good_override=over.text,
        override_seen_at=entry.override_seen_at if over.text == known else now,
        config_wrong_since=(entry.config_wrong_since or now) if notes else None,
        history_key=entry.history_key,
    )
    return PoolInForce(name=name, spec=pool, override=override, entry=kept, notes=notes)


def _good(
    document: Document, last_good: str | None, source: str, chosen: _Chosen, read: Callable[[str], T]
) -> T | None:
    if document is None:
        return None
    instead = "there is no last good one" if last_good is None else "the last good one stays in force"
    if isinstance(document, Unreadable):
        text = f"{source} cannot be read ({document.why}); {instead}"
        chosen.notes.append(Reason(Code.CONFIG_UNREADABLE, text))
    else:
        try:
            value = read(document)
        except ConfigInvalid as error:
            chosen.notes.append(Reason(Code.CONFIG_INVALID, f"{error}; {instead}"))
        else:
            chosen.text = document
            return value
    return _last_good(last_good, source, chosen, read)


def _last_good(last_good: str | None, source: str, chosen: _Chosen, read: Callable[[str], T]) -> T | None:
    if last_good is None:
        return None
    try:
        value = read(last_good)
    except ConfigInvalid as error:
        chosen.notes.append(Reason(Code.CONFIG_INVALID, f"the last good {source} no longer decodes: {error}"))
        return None
    chosen.text = last_good
    return value
