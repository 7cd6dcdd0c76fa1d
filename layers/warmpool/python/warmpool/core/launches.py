"""Following launches from pass to pass: each is classified once, when it is Ready. Design section 7."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from warmpool.core.assess import Assessment, Inputs
from warmpool.core.followed import Followed, followed
from warmpool.core.found import PREEMPT, found_by_wait, found_on, passed_over
from warmpool.core.idle import idle_now, idle_time
from warmpool.core.matching import selects
from warmpool.core.model import Pod, PodPhase, Snapshot
from warmpool.core.orders import follow_orders
from warmpool.core.watch import Launch, PoolWatch, Tally, Waiting, Watch

SKEW: Final = timedelta(minutes=5)
"""How far the clocks of the cluster and of Lambda may differ, a slow list included."""

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_OVER: Final = frozenset({PodPhase.SUCCEEDED, PodPhase.FAILED})


def follow(
    watch: Watch, assessed: Mapping[str, tuple[Inputs, Assessment]], now: datetime
) -> tuple[Watch, Mapping[str, Tally]]:
    """Return what to remember after a complete pass and, by pool, what it adds to the books.

    `watch` is what the last complete pass left; `assessed` are all pools of this one, over one snapshot. The very first
    pass only remembers: what is Ready by then was launched before anybody looked. A launch counts when it is Ready; one
    that ended before is abandoned. Where no complete pass saw what its node was like, it is UNKNOWN.
    """
    if not assessed:
        return replace(watch, began=now), {}
    snapshot = next(iter(assessed.values()))[0].snapshot
    pools = {name: followed(watch.pools.get(name, PoolWatch()), *each) for name, each in assessed.items()}
    young = _NEVER if watch.began is None else watch.began - SKEW
    ours = sorted(_launches(snapshot, pools, watch, young), key=lambda each: _order(each[1]))
    waiting: dict[str, Waiting] = {}
    recent: set[str] = set()
    for pool, pod in ours:
        old = watch.waiting.get(pod.uid)
        done = pod.uid in watch.recent or (watch.began is None and pod.ready)
        after = None if done else _step(pool, pod, old or Waiting(pool=pool.name), (watch.began or _NEVER, now))
        if after is not None:
            waiting[pod.uid] = after
        elif pod.created >= now - SKEW:
            recent.add(pod.uid)
    seen = {pod.uid for _, pod in ours}
    for uid, old in watch.waiting.items():
        if uid not in seen and old.pool in pools:
            pools[old.pool].abandoned += 1
    return _settled(watch, pools, (waiting, recent), now)


def _order(pod: Pod) -> tuple[datetime, float, str]:
    """Order as launches asked; of one second the one that took longer to its place first: it made the room."""
    return pod.created, -(pod.started or pod.created).timestamp(), pod.name


def _launches(
    snapshot: Snapshot, pools: Mapping[str, Followed], watch: Watch, young: datetime
) -> Iterator[tuple[Followed, Pod]]:
    """Yield launches not classified yet, or too young to tell, and note those on nodes of unknown warmth."""
    home = {node: pool for pool in pools.values() for node in pool.view.nodes}
    unknown = {node for pool in pools.values() for node in pool.view.nodes if pool.known(node) is None}
    for pod in snapshot.pods:
        open_ = pod.created >= young or pod.uid in watch.waiting
        if not (open_ or pod.node in unknown) or pod.phase in _OVER:
            continue
        pool = _pool_of(pod, pools, home)
        if pool is None or not selects(pool.selector, pod.labels):
            continue
        if pod.node in unknown:
            pool.launches_on.setdefault(pod.node or "", []).append(pod)
        if open_:
            yield pool, pod


def _pool_of(pod: Pod, pools: Mapping[str, Followed], home: Mapping[str, Followed]) -> Followed | None:
    """Return the pool of the pod's node, or for a pod without one the first pool that admits it (design section 5)."""
    if pod.node is not None:
        return home.get(pod.node)
    return next((pool for pool in pools.values() if pool.admits(pod)), None)


def _step(pool: Followed, pod: Pod, waiting: Waiting, passes: tuple[datetime, datetime]) -> Waiting | None:
    """Follow one launch through this pass; None once it is classified, which is added to the pool's."""
    if pod.node is None:
        return _pending(pool, pod, waiting)
    if not waiting.placed:
        if pod.ready and pool.ready_again(pod):
            pool.abandoned += 1  # when it was Ready for the first time nobody saw
            return None
        found = found_on(pod, waiting, pool.scene(pod, passes))
        pool.arrived(pod, preempted=found is PREEMPT)
        waiting = replace(waiting, pool=pool.name, placed=True, found=found)
    if not pod.ready:
        return waiting
    ready = pod.ready_changed or passes[1]
    found = waiting.found or found_by_wait(pod, waiting, pool.spec, ready)
    pool.done.append(Launch(uid=pod.uid, created=pod.created, ready=ready, found=found))
    return None


def _pending(pool: Followed, pod: Pod, waiting: Waiting) -> Waiting:
    if pod.gated:
        return replace(waiting, gated=True)
    waiting = replace(waiting, pool=pool.name, stock_out=waiting.stock_out or pool.stock_out)
    if waiting.stranded or pod.nominated_node or not pod.refused:
        return waiting
    zones, too_big = passed_over(pod, pool.spec, pool.view.nodes.values())
    return replace(waiting, stranded=True, room_zones=zones, too_big=too_big)


def _settled(
    watch: Watch, pools: Mapping[str, Followed], launches: tuple[dict[str, Waiting], set[str]], now: datetime
) -> tuple[Watch, Mapping[str, Tally]]:
    after, tallies = {}, {}
    since = None if watch.began is None else watch.began - SKEW
    for name, pool in pools.items():
        orders = follow_orders(pool.before, pool.view, pool.preemptors, since)
        idle = idle_now(pool.spec, pool.view, pool.claims)
        time = idle_time(pool.before, idle, watch.began, now)
        after[name] = pool.remembered(orders, idle)
        tallies[name] = Tally(
            launches=tuple(pool.done),
            abandoned=pool.abandoned,
            lead=orders.lead,
            replacements=orders.replacements,
            idle_node_hours=time.node_hours,
            idle_usd=time.usd,
        )
    waiting, recent = launches
    # A pool that this pass did not have (its spec is gone or unreadable) keeps what was known of it.
    return Watch(began=now, pools={**watch.pools, **after}, waiting=waiting, recent=frozenset(recent)), tallies
