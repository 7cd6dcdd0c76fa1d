"""What a spec must fulfil beyond its types: limits, windows, policies, zones and what pools may not share."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from msgspec import UNSET, UnsetType

from warmpool.adapters.config.decode import name_problems
from warmpool.adapters.config.documents import ClusterDocument, PoolDocument, SpecDocument
from warmpool.adapters.config.policies import ProportionalDocument, TolerationDocument, WindowDocument
from warmpool.adapters.config.problems import MISSING, Problem, wrong
from warmpool.adapters.config.scalar import Path
from warmpool.core.spec import Counting, Spec

T = TypeVar("T")


def spec_problems(spec: SpecDocument) -> Iterator[Problem]:
    """Say all that is wrong with a spec whose types are right."""
    yield from _cluster(spec.cluster)
    for name, pool in spec.pools.items():
        path: Path = ("pools", name)
        yield from name_problems(name, ("pools",))
        yield from limit_problems(path, {"min": pool.min}, pool.max, f"max ({pool.max})")
        yield from _windows((*path, "windows"), pool)
        yield from _proportional((*path, "proportional"), pool)
        yield from _tolerations((*path, "tolerations"), pool)
        yield from _zone(path, pool, spec)


def limit_problems(path: Path, limits: Mapping[str, int | UnsetType], high: int, ceiling: str) -> Iterator[Problem]:
    """Check that no min and no target is above a max; `ceiling` says whose max that is."""
    for key, value in limits.items():
        if value is not UNSET and value > high:
            yield wrong((*path, key), value, f"at most {ceiling}")


def _cluster(cluster: ClusterDocument) -> Iterator[Problem]:
    yield from _exactly_one(("cluster",), hyperpod=cluster.hyperpod, eks=cluster.eks)


def _exactly_one(path: Path, **values: object) -> Iterator[Problem]:
    found = [key for key, value in values.items() if value is not UNSET]
    if len(found) != 1:
        yield Problem(path, f"got {' and '.join(found) or 'none'} of {', '.join(values)}; expected exactly one")


def _at_least_one(path: Path, **values: object) -> Iterator[Problem]:
    if all(value is UNSET for value in values.values()):
        yield Problem(path, f"got none of {', '.join(values)}; expected at least one")


def _zone(path: Path, pool: PoolDocument, spec: SpecDocument) -> Iterator[Problem]:
    reason = "windows" if given(pool.windows, []) else "demand" if pool.demand is not UNSET else ""
    if reason and pool.timezone is UNSET and spec.timezone is UNSET:
        text = f"an IANA time zone such as Europe/Berlin, here or at the top of the spec, because the pool has {reason}"
        yield wrong((*path, "timezone"), MISSING, text)


def _windows(path: Path, pool: PoolDocument) -> Iterator[Problem]:
    names: set[str] = set()
    for index, window in enumerate(given(pool.windows, [])):
        here: Path = (*path, index)
        yield from _hours(here, window)
        if window.days is not UNSET and window.dates is not UNSET:
            yield Problem((*here, "dates"), "got dates beside days; expected either")
        high = given(window.max, pool.max)
        ceiling = f"{'the pool' if window.max is UNSET else 'this window'}'s max ({high})"
        yield from limit_problems(here, {"min": window.min, "target": window.target}, high, ceiling)
        name = window_name(window)
        if name in names:
            yield wrong((*here, "name"), name, "a name that no other window of the pool has")
        names.add(name)


def _hours(path: Path, window: WindowDocument) -> Iterator[Problem]:
    for key, value in (("start", window.start), ("end", window.end)):
        if window.all_day is True and value is not UNSET:
            yield wrong((*path, key), value.raw, f"no {key} beside allDay: true")
        if window.all_day is not True and value is UNSET:
            yield wrong((*path, key), MISSING, "a time of day such as 08:00, or allDay: true")
    if window.start is not UNSET and window.end is not UNSET and window.start.value == window.end.value:
        yield wrong((*path, "end"), window.end.raw, "an end other than the start; for a whole day say allDay: true")


def window_name(window: WindowDocument) -> str:
    """Return a window's name, or one made of its days and hours."""
    if window.name is not UNSET:
        return window.name.value
    days = ",".join(str(each.raw) for each in (*given(window.days, []), *given(window.dates, []))) or "daily"
    if window.start is UNSET or window.end is UNSET:
        return f"{days} all day"
    return f"{days} {window.start.raw}-{window.end.raw}"


def _proportional(path: Path, pool: PoolDocument) -> Iterator[Problem]:
    compat = pool.compat is True
    if pool.proportional is UNSET:
        if compat:
            yield wrong((*path[:-1], "compat"), compat, "true only beside `proportional`, whose numbers it computes")
        return
    policy = pool.proportional
    yield from _exactly_one(path, linear=policy.linear, ladder=policy.ladder)
    if compat and policy.counting is Counting.DEMAND:
        yield wrong((*path, "counting"), policy.counting.value, "schedulable or all beside compat: true")
    yield from _ratios(path, policy)


def _ratios(path: Path, policy: ProportionalDocument) -> Iterator[Problem]:
    if policy.linear is not UNSET:
        ratios = {
            "nodesPerReplica": policy.linear.nodes_per_replica,
            "coresPerReplica": policy.linear.cores_per_replica,
        }
        yield from _at_least_one((*path, "linear"), **ratios)
    if policy.ladder is not UNSET:
        steps = {"nodesToReplicas": policy.ladder.nodes_to_replicas, "coresToReplicas": policy.ladder.cores_to_replicas}
        yield from _at_least_one((*path, "ladder"), **steps)
        for key, each in steps.items():
            yield from _unique((*path, "ladder", key), given(each, []))


def _unique(path: Path, steps: list[tuple[int, int]]) -> Iterator[Problem]:
    seen: set[int] = set()
    for index, (threshold, _) in enumerate(steps):
        if threshold in seen:
            yield wrong((*path, index, 0), threshold, "a count that no other step has")
        seen.add(threshold)


def _tolerations(path: Path, pool: PoolDocument) -> Iterator[Problem]:
    for index, each in enumerate(given(pool.tolerations, [])):
        yield from _toleration((*path, index), each)


def _toleration(path: Path, each: TolerationDocument) -> Iterator[Problem]:
    exists = each.operator == "Exists"
    if exists and given(each.value, ""):
        yield wrong((*path, "value"), each.value, "no value with operator Exists")
    if not exists and each.key is UNSET:
        yield wrong((*path, "key"), MISSING, "a key, or operator Exists for every taint")


def shared_problems(spec: Spec) -> Iterator[Problem]:
    """Say which pools want the same nodes or the same Deployment: they would undo each other's work."""
    nodes: dict[frozenset[tuple[str, str]], str] = {}
    deployments: dict[tuple[str, str], str] = {}
    for name, pool in spec.pools.items():
        other = nodes.setdefault(frozenset(pool.node_selector.items()), name)
        if other != name:
            labels = ",".join(f"{key}={value}" for key, value in pool.node_selector.items())
            text = f"got the nodes of pool {other} ({labels}); expected nodes of its own for each pool"
            yield Problem(("pools", name, "nodeSelector"), text)
        other = deployments.setdefault((pool.namespace, pool.deployment), name)
        if other != name:
            text = (
                f"got {pool.namespace}/{pool.deployment}, which pool {other} has; expected one of its own for each pool"
            )
            yield Problem(("pools", name, "deployment"), text)


def given(value: T | UnsetType, default: T) -> T:
    """Return what a document says, else the default."""
    return default if isinstance(value, UnsetType) else value
