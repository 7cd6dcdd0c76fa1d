"""A pool's spec as an embedded cluster: nodes, placeholders and what a launch asks for."""

from datetime import timedelta
from typing import Final

from warmpool.core.model import NODEPOOL_LABEL, WARM_LABEL
from warmpool.core.quantity import NANO, Amounts, add, subtract, whole_units
from warmpool.core.spec import PoolSpec
from warmpool.sim.cluster import ClusterSettings, EmbeddedCluster, amounts

_MARGIN_SHARE: Final = 20
"""A placeholder that fills its node leaves a twentieth, so that a DaemonSet may grow."""
_LEAST_MARGIN: Final = amounts(cpu="250m", memory="1Gi")
_PODS: Final[Amounts] = {"pods": 110 * NANO}
_JITTER: Final = 0.15


def settings_of(pool: PoolSpec, *, seed: int) -> ClusterSettings:
    """Describe a cluster in which the pool lives: its nodes, launches and prices, and the model's usual delays."""
    usual = ClusterSettings()
    size = usual.allocatable if pool.node_allocatable is None else {**_PODS, **pool.node_allocatable}
    kind, price = _instance(pool, usual)
    return ClusterSettings(
        nodepool=pool.node_selector.get(NODEPOOL_LABEL, usual.nodepool),
        node_labels=dict(pool.node_selector),
        instance_type=kind,
        allocatable=size,
        capacity=usual.capacity if pool.node_allocatable is None else _whole_cores(size),
        hourly_price=price,
        launch_requests=_without_pods(pool.shape),
        launch_image=pool.images[0] if pool.images else usual.launch_image,
        jitter="lognormal",
        jitter_spread=_JITTER,
        seed=seed,
    )


def lead_time(settings: ClusterSettings) -> timedelta:
    """Return how long an order takes on average, from the pending placeholder to its readiness."""
    joining = settings.launch_time + settings.registration_delay + settings.initialisation_delay
    return settings.batch_idle + joining + settings.image_pull_time + settings.placeholder_start_time


def placeholder_requests(pool: PoolSpec, settings: ClusterSettings) -> Amounts:
    """Return what one placeholder asks for; `placeholder: node` is the node less DaemonSets and a margin."""
    if pool.placeholder is not None:
        return _without_pods(pool.placeholder)
    free = _without_pods(subtract(settings.allocatable, add(settings.daemonsets.values())))
    margins = {name: max(amount // _MARGIN_SHARE, _LEAST_MARGIN.get(name, 0)) for name, amount in free.items()}
    return {name: amount - margins[name] for name, amount in free.items() if name in _LEAST_MARGIN}


def install_placeholders(cluster: EmbeddedCluster, pool: PoolSpec, *, replicas: int, requests: Amounts) -> None:
    """Create the pool's placeholder Deployment as an ordinary one, without our labels."""
    cluster.create_placeholders(
        pool.namespace,
        pool.deployment,
        replicas=replicas,
        requests=requests,
        images=pool.images,
        max_surge=0,
        max_unavailable=1,
    )


def install_ours(cluster: EmbeddedCluster, pool: PoolSpec, *, replicas: int) -> None:
    """Create the placeholder Deployment and the disruption budget that lets the warm ones be preempted first."""
    cluster.create_placeholders(
        pool.namespace,
        pool.deployment,
        replicas=replicas,
        requests=placeholder_requests(pool, cluster.settings),
        images=pool.images,
        labels={"app": pool.deployment, WARM_LABEL: "false"},
        max_surge=0,
        max_unavailable=1,
    )
    cluster.add_disruption_budget(pool.namespace, f"{pool.deployment}-cold", {WARM_LABEL: "false"})


def _without_pods(requests: Amounts) -> dict[str, int]:
    return {name: amount for name, amount in requests.items() if name != "pods"}


def _whole_cores(allocatable: Amounts) -> Amounts:
    """Guess an instance's size from what it leaves for pods: kubelet and system take less than a core."""
    return {**allocatable, "cpu": whole_units(allocatable.get("cpu", 0)) * NANO}


def _instance(pool: PoolSpec, usual: ClusterSettings) -> tuple[str, float]:
    prices = {kind: float(price) for kind, price in pool.node_hourly_price.items()}
    if not prices:
        return usual.instance_type, usual.hourly_price
    kind = next(iter(prices))
    return kind or usual.instance_type, prices[kind]
