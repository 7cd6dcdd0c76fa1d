"""Hypothesis strategies for the ledger's values."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from warmpool.app.ports import LedgerEntry
from warmpool.core.decision import Action, Contribution, Decision, Groups, Limits, Mark, PoolState
from warmpool.core.reasons import Code, Exclusion, Reason
from warmpool.core.watch import Cause, Found, LeadSample, Outcome, PoolWatch, Waiting, WarmNode, Watch

zones = st.builds(lambda minutes: timezone(timedelta(minutes=minutes)), st.integers(-14 * 60, 14 * 60))
instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=zones | st.just(UTC))  # noqa: DTZ001 - the zone is drawn
amounts = st.dictionaries(st.text(), st.integers(-(2**100), 2**100), max_size=4)
counts = st.integers(0, 10**6)
durations = st.timedeltas(timedelta(0), timedelta(days=9))
maybe_count = st.none() | st.integers(-(2**70), 2**70)
texts = st.text(max_size=40)
reasons = st.builds(Reason, st.sampled_from(Code), texts)

STATE_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "surplus_seen": st.lists(st.tuples(instants, counts), max_size=4).map(tuple),
    "surplus_since": st.none() | instants,
    "last_step_at": st.none() | instants,
    "last_written": maybe_count,
    "last_written_at": st.none() | instants,
    "last_h": maybe_count,
    "last_max": maybe_count,
    "deployment_uid": st.text(max_size=40),
    "manual_since": st.none() | instants,
    "manual_replicas": maybe_count,
    "hold_since": st.none() | instants,
    "hold_code": st.none() | st.sampled_from(Code),
    "known_nodes": counts,
    "overhead": st.none() | amounts,
    "overhead_read_at": st.none() | instants,
}
states = st.builds(PoolState, **STATE_FIELDS)

ENTRY_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "state": states,
    "good_spec": st.none() | texts,
    "good_override": st.none() | texts,
    "override_seen_at": st.none() | instants,
    "config_wrong_since": st.none() | instants,
    "history_key": texts,
}
entries = st.builds(LedgerEntry, **ENTRY_FIELDS)

limits = st.builds(
    Limits,
    min=counts,
    max=counts,
    window=st.none() | texts,
    target=st.none() | counts,
    override=st.booleans(),
    capped=st.booleans(),
    reasons=st.lists(reasons, max_size=2).map(tuple),
)

marks = st.builds(
    Mark,
    namespace=texts,
    pod=texts,
    uid=texts,
    set_deletion_cost=st.booleans(),
    deletion_cost=maybe_count,
    warm=st.none() | st.booleans(),
)

DECISION_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "pool": texts,
    "at": instants,
    "current": maybe_count,
    "target": maybe_count,
    "action": st.sampled_from(Action),
    "reasons": st.lists(reasons, max_size=3).map(tuple),
    "contributions": st.lists(
        st.builds(Contribution, policy=texts, text=texts, nodes=maybe_count, slots=maybe_count), max_size=2
    ).map(tuple),
    "limits": st.none() | limits,
    "groups": st.builds(Groups, h=counts, i=counts, x=counts, r=counts),
    "counted_nodes": counts,
    "busy_nodes": counts,
    "idle_nodes_wanted": counts,
    "warm_slots": counts,
    "warm_nodes": counts,
    "need_slots": counts,
    "floor_slots": counts,
    "lead_time": st.none() | durations,
    "ready_placeholders": counts,
    "pending_placeholders": counts,
    "excluded": st.dictionaries(texts, st.sampled_from(Exclusion), max_size=3),
    "capped": st.booleans(),
    "marks": st.lists(marks, max_size=2).map(tuple),
    "hold": st.none() | st.sampled_from(Code),
    "dry_run": st.booleans(),
    "state": states,
}
decisions = st.builds(Decision, **DECISION_FIELDS)

samples = st.builds(LeadSample, node=durations, join=durations, pull=durations)
founds = st.builds(Found, outcome=st.sampled_from(Outcome), cause=st.none() | st.sampled_from(Cause))
NODE_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "since": instants,
    "placeholder": texts,
    "room_beside": st.dictionaries(texts, st.integers(min_value=-(2**70), max_value=2**70), max_size=4),
}
WAITING_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "pool": texts,
    "stranded": st.booleans(),
    "gated": st.booleans(),
    "stock_out": st.booleans(),
    "room_zones": st.lists(texts, max_size=3).map(tuple),
    "too_big": st.booleans(),
    "placed": st.booleans(),
    "found": st.none() | founds,
}
POOL_WATCH_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "nodes": st.dictionaries(texts, st.builds(WarmNode, **NODE_FIELDS), max_size=3),
    "lead": st.lists(samples, max_size=3).map(tuple),
    "replacing": st.dictionaries(texts, instants, max_size=3),
    "idle_nodes": st.none() | counts,
    "idle_usd_per_hour": st.none() | st.floats(0, 1e9),
}
WATCH_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "began": st.none() | instants,
    "pools": st.dictionaries(texts, st.builds(PoolWatch, **POOL_WATCH_FIELDS), max_size=3),
    "waiting": st.dictionaries(texts, st.builds(Waiting, **WAITING_FIELDS), max_size=3),
    "recent": st.frozensets(texts, max_size=3),
}
watches = st.builds(Watch, **WATCH_FIELDS)
