"""Hypothesis strategies for a decision's inputs: small clusters in which everything that deciding looks at happens."""

from datetime import date, timedelta, timezone
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from tests.builders import NODE, NOW, SHAPE, SMALL, amounts, claim, deployment, node, nodepool, placeholder, workspace
from tests.builders import pool as a_pool
from warmpool.core.assess import Inputs
from warmpool.core.ceilings import INSTANCE_TYPE_LABEL
from warmpool.core.counting import HEALTH_LABEL, INITIALIZED_LABEL, REGISTERED_LABEL
from warmpool.core.decision import PoolState
from warmpool.core.model import (
    NODEPOOL_LABEL,
    WARM_LABEL,
    ClaimCondition,
    Condition,
    FieldOwner,
    Node,
    NodeClaim,
    Pod,
    PodPhase,
    Scaler,
    Selector,
    Snapshot,
    Taint,
    Toleration,
)
from warmpool.core.placement import VICTIM_COST
from warmpool.core.quantity import Amounts
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import (
    Counting,
    Demand,
    Ladder,
    Linear,
    Mode,
    Override,
    PoolSpec,
    Proportional,
    ScaleDown,
    Stop,
    StopMode,
    Templates,
    Window,
)

NAMES = ("n1", "n2", "n3", "n4")
SIZES: tuple[Amounts | None, ...] = (
    NODE,
    MappingProxyType(NODE),
    amounts(cpu="3900m", memory="12Gi", pods="20"),
    {},
    None,
)

ago = st.builds(
    lambda minutes, micros: NOW - timedelta(minutes=minutes, microseconds=micros),
    st.sampled_from((0, 1, 4, 6, 20, 31, 60 * 30)),
    st.sampled_from((0, 1, 123456)),
)
rarely = st.sampled_from((False, False, False, True))
very_rarely = st.integers(0, 9).map(lambda number: number == 7)
mostly_ready = st.sampled_from((Condition.TRUE,) * 6 + (Condition.FALSE, Condition.UNKNOWN))


def mostly_none(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw it one time in ten: what stops everything else must not be drawn every other time."""
    return st.integers(0, 9).flatmap(lambda number: st.none() if number else strategy)


def some(*labels: tuple[str, str]) -> st.SearchStrategy[dict[str, str]]:
    """Draw some of these labels; of those with one key the last one drawn counts."""
    return st.lists(st.sampled_from(labels), max_size=len(labels)).map(dict)


MINE = st.sampled_from(
    ({"pool": "spaces", NODEPOOL_LABEL: "spaces"},) * 4
    + ({"pool": "spaces"}, {"pool": "other", NODEPOOL_LABEL: "spaces"}, {NODEPOOL_LABEL: "other"}, {})
)
LABELS = some(
    (HEALTH_LABEL, "Schedulable"),
    (HEALTH_LABEL, "Unschedulable"),
    (REGISTERED_LABEL, "true"),
    (INITIALIZED_LABEL, "true"),
    (INITIALIZED_LABEL, "true"),
    (INSTANCE_TYPE_LABEL, "ml.m5.12xlarge"),
    (INSTANCE_TYPE_LABEL, "ml.g5.xlarge"),
    ("feature.node.kubernetes.io/cpu", "avx"),
)
TAINTS = st.lists(
    st.sampled_from(
        (
            Taint(key="karpenter.sh/disrupted", effect="NoSchedule"),
            Taint(key="karpenter.sh/unregistered", effect="NoExecute"),
            Taint(key="team", effect="NoSchedule", value="a"),
            Taint(key="node.kubernetes.io/not-ready", effect="NoSchedule"),
        )
    ),
    max_size=1,
).map(tuple)


def nodes(name: str) -> st.SearchStrategy[Node]:
    """Draw a node of the pool, or of another."""
    return st.builds(
        node,
        st.just(name),
        created=ago,
        labels=st.builds(lambda one, other: {**one, **other}, MINE, LABELS),
        taints=st.just(()) | st.just(()) | TAINTS,
        unschedulable=rarely,
        deleting=rarely,
        ready=mostly_ready,
        ready_changed=st.none() | ago,
        allocatable=st.sampled_from((NODE, *SIZES)),
        capacity=st.sampled_from((NODE, *SIZES)),
    )


PLACES = st.sampled_from((*NAMES, None, "elsewhere"))
PHASES = st.sampled_from((PodPhase.RUNNING,) * 4 + tuple(PodPhase))


def placeholders(number: int) -> st.SearchStrategy[Pod]:
    """Draw a placeholder, or what looks like one."""
    return st.builds(
        placeholder,
        st.just(f"ph-{number}"),
        on=PLACES,
        created=ago,
        namespace=st.sampled_from(("op", "op", "op", "default")),
        labels=some(("app", "ph"), ("app", "ph"), (WARM_LABEL, "false"), (WARM_LABEL, "true"), ("tier", "x")),
        phase=PHASES,
        ready=st.booleans(),
        ready_changed=st.none() | ago,
        started=st.none() | ago,
        priority=st.sampled_from((-1000, 0)),
        requests=st.sampled_from((SMALL, MappingProxyType(SMALL), None)),
        deleting=rarely,
        deletion_cost=st.sampled_from((None, VICTIM_COST, 7)),
        images=st.just(("pause:3",)),
    )


def others(number: int) -> st.SearchStrategy[Pod]:
    """Draw a pod that is none of ours."""
    return st.builds(
        workspace,
        st.just(f"ws-{number}"),
        on=PLACES,
        created=ago,
        namespace=st.sampled_from(("default", "op")),
        phase=PHASES,
        ready=st.booleans(),
        priority=st.sampled_from((0, 0, 5, -1000, -2000)),
        requests=st.sampled_from((SHAPE, SHAPE, SMALL, {}, {"cpu": 10**20}, None)),
        owner_kind=st.sampled_from(("ReplicaSet", "DaemonSet", "Node", "")),
        deleting=rarely,
    )


CONDITIONS = st.dictionaries(
    st.sampled_from(("Launched", "Registered", "Initialized", "Ready", "Drifted")),
    st.builds(
        ClaimCondition,
        status=st.sampled_from((Condition.TRUE, Condition.TRUE, Condition.FALSE, Condition.ABSENT)),
        reason=st.sampled_from(("", "InsufficientCapacity")),
        message=st.sampled_from(("", "no ml.m5.12xlarge")),
        changed=st.none() | ago,
    ),
    max_size=5,
)


def claims(number: int) -> st.SearchStrategy[NodeClaim]:
    """Draw a NodeClaim of the pool, or of another."""
    return st.builds(
        claim,
        st.just(f"c{number}"),
        created=ago,
        nodepool=st.sampled_from(("spaces", "spaces", "other")),
        node=PLACES,
        labels=st.builds(lambda one, other: {**one, **other}, MINE, LABELS),
        capacity=st.sampled_from(SIZES),
        conditions=CONDITIONS,
        deleting=rarely,
        expires=st.none() | st.sampled_from((NOW + timedelta(hours=3), NOW + timedelta(days=3))),
    )


NODEPOOLS = st.lists(
    st.builds(
        nodepool,
        name=st.sampled_from(("spaces", "other")),
        labels=st.sampled_from(({"pool": "spaces"}, {})),
        limits=st.sampled_from(({}, amounts(cpu="200"), amounts(cpu="100", nodes="3"), None)),
    ),
    max_size=2,
    unique_by=lambda each: each.name,
).map(tuple)
OWNERS = st.lists(
    st.builds(
        FieldOwner,
        manager=st.sampled_from(("kubectl-client-side-apply", "warmpool-controller", "argocd", "some-operator")),
        operation=st.just("Update"),
        subresource=st.sampled_from(("", "scale")),
        time=st.none() | ago,
    ),
    max_size=2,
).map(tuple)
DEPLOYMENTS = st.lists(
    st.builds(
        deployment,
        st.integers(0, 6),
        name=st.sampled_from(("ph", "ph", "ph", "another")),
        uid=st.sampled_from(("", "uid-d")),
        selector=st.sampled_from(
            (
                Selector(labels={"app": "ph"}),
                Selector(labels={"app": "ph"}),
                Selector(expressions=(("app", "In", ("ph",)), ("tier", "DoesNotExist", ()))),
                Selector(),
            )
        ),
        requests=st.sampled_from((SMALL, SMALL, amounts(cpu="1"), None)),
        paused=very_rarely,
        deleting=very_rarely,
        generation=very_rarely.map(lambda changed: 2 if changed else 1),
        status_replicas=st.just(3),
        updated_replicas=very_rarely.map(lambda rolling: 1 if rolling else 3),
        replica_owners=mostly_none(OWNERS).map(lambda owners: owners or ()),
    ),
    min_size=1,
    max_size=2,
).map(tuple)
SCALERS = st.builds(
    Scaler,
    kind=st.just("HorizontalPodAutoscaler"),
    namespace=st.sampled_from(("op", "default")),
    name=st.just("h"),
    target=st.sampled_from(("ph", "another")),
)
MISSING = st.sampled_from(("*: pods: 500", "spaces: pods: 403 forbidden", "gpu: pods", "spaces-2: nodes: 500"))


def each(make: Any, keys: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    """Draw some of many, in their order."""
    return st.tuples(*(st.none() | make(key) for key in keys)).map(
        lambda drawn: tuple(one for one in drawn if one is not None)
    )


snapshots = st.builds(
    Snapshot,
    nodes=each(nodes, NAMES),
    pods=st.tuples(each(placeholders, range(5)), each(others, range(6))).map(lambda both: (*both[0], *both[1])),
    claims=each(claims, range(4)),
    nodepools=NODEPOOLS,
    deployments=DEPLOYMENTS,
    scalers=mostly_none(st.lists(SCALERS, max_size=2).map(tuple)).map(lambda scalers: scalers or ()),
    all_pods=st.booleans(),
    missing=mostly_none(st.lists(MISSING, max_size=2).map(tuple)).map(lambda missing: missing or ()),
    overheads=st.sampled_from(({}, {"spaces": amounts(cpu="300m")}, {"gpu": amounts(cpu="9"), "spaces": {}})),
)

WINDOW = Window(
    name="rush",
    start=timedelta(hours=8, microseconds=1),
    end=timedelta(hours=20),
    days=frozenset({0, 1}),
    dates=((date(2026, 12, 1), date(2026, 12, 3)),),
    min=3,
    max=4,
)
PROPORTIONAL = (
    None,
    Proportional(counting=Counting.DEMAND, linear=Linear(nodes_per_replica=Fraction(1, 3))),
    Proportional(counting=Counting.ALL, ladder=Ladder(cores_to_replicas=((0, 1), (64, 3)))),
)
specs: st.SearchStrategy[PoolSpec] = st.builds(
    a_pool,
    node_selector=st.sampled_from((MappingProxyType({"pool": "spaces"}), {NODEPOOL_LABEL: "spaces"})),
    min=st.integers(0, 3),
    max=st.integers(0, 5),
    placeholder=st.sampled_from((SMALL, None)),
    tolerations=st.sampled_from(((), (Toleration(key="team", operator="Exists"),))),
    windows=st.sampled_from(((), (WINDOW,))),
    timezone=st.just("Europe/Berlin"),
    proportional=st.sampled_from(PROPORTIONAL),
    demand=st.sampled_from((None, Demand(target_hit_rate=Fraction(995, 1000)))),
    templates=st.sampled_from((None, Templates(cold_start=timedelta(minutes=2), max_burst_cap=5))),
    scale_down=st.sampled_from((ScaleDown(), ScaleDown(after=timedelta(minutes=5), step=2))),
    max_hourly_cost=st.sampled_from((None, Fraction(10, 3))),
    node_hourly_price=st.sampled_from(({}, {"": Fraction(276, 100)}, {"ml.m5.12xlarge": Fraction(1, 3)})),
    compat=rarely,
    mode=st.sampled_from((Mode.ACTIVE, Mode.ACTIVE, Mode.SHADOW)),
)
counts = st.integers(0, 6)
states = st.builds(
    PoolState,
    surplus_seen=st.sampled_from(((), ((NOW - timedelta(minutes=11), 1), (NOW - timedelta(minutes=3), 2)))),
    surplus_since=st.none() | ago,
    last_step_at=st.none() | ago,
    last_written=st.none() | counts,
    last_written_at=st.none() | ago,
    last_h=st.none() | counts,
    last_max=st.none() | counts,
    deployment_uid=st.sampled_from(("", "uid-d")),
    hold_since=st.none() | ago,
    hold_code=st.none() | st.just(Code.FROZEN),
    overhead=st.none() | st.just(amounts(cpu="200m")),
)
AN_HOUR_AGO = (NOW - timedelta(hours=1)).astimezone(timezone(timedelta(hours=2)))
UNTIL = st.sampled_from((None, NOW + timedelta(hours=1), AN_HOUR_AGO))
overrides = st.builds(
    Override,
    min=st.none() | counts,
    max=st.none() | counts,
    target=st.none() | counts,
    pause=rarely,
    until=UNTIL,
    reason=st.just("exam"),
)
stops = st.builds(Stop, mode=st.sampled_from(StopMode), until=UNTIL)
inputs: st.SearchStrategy[Inputs] = st.builds(
    Inputs,
    spec=specs,
    snapshot=snapshots,
    now=st.just(NOW),
    state=st.just(PoolState()) | states,
    lead=st.sampled_from((None, timedelta(seconds=301.5))),
    override=st.none() | st.none() | overrides,
    stop=mostly_none(stops),
    autoscaling_in_service=st.sampled_from((True,) * 8 + (None, False)),
    autoscaling_text=st.just("Failed: no role"),
    ledger_readable=st.sampled_from((True, True, False)),
    share=st.none() | counts,
    notes=st.sampled_from(((), (Reason(Code.CONFIG_INVALID, "spaces/override: min: got text"),))),
)
"""Seen as a whole: one spec over one cluster."""
