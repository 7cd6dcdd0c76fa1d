"""Quantities of nodes and pods as exact amounts, by Kubernetes' own rule for what a pod requests."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from warmpool.adapters.kubernetes.wire import (
    Container,
    PodSpec,
    Quantities,
    Requests,
    Resources,
    TemplateContainer,
    TemplateSpec,
)
from warmpool.core.quantity import NANO, Amounts, QuantityError, add, parse_quantity

_SIDECAR: Final = "Always"
_POD_LEVEL: Final = ("cpu", "memory")
_POD_LEVEL_PREFIX: Final = "hugepages-"


def read_amounts(quantities: Quantities | None) -> dict[str, int]:
    """Turn quantities into nano-units. Raises QuantityError naming the resource."""
    amounts: dict[str, int] = {}
    for resource, quantity in (quantities or {}).items():
        try:
            amounts[resource] = parse_quantity(quantity if isinstance(quantity, str) else str(quantity))
        except QuantityError as error:
            raise QuantityError(f"{resource}: {error}") from error
    return amounts


def amounts_or_unknown(quantities: Quantities | None) -> Amounts | None:
    """Turn quantities into nano-units, or None where one of them cannot be read."""
    try:
        return read_amounts(quantities)
    except QuantityError:
        return None


def pod_requests(spec: PodSpec | TemplateSpec) -> Amounts | None:
    """Return what a pod takes from its node, `pods: 1` included, or None where a quantity cannot be read.

    The rule is the scheduler's: containers and sidecars run together; an init container runs alone beside the sidecars
    that started before it; the larger counts, resource by resource; pod-level requests replace both; overhead comes on
    top. (k8s.io/component-helpers/resource PodRequests, Kubernetes 1.34 on.)
    """
    containers = spec.containers or ()
    if len(containers) == 1 and not (spec.init_containers or spec.resources or spec.overhead):
        resources = containers[0].resources
        if resources is not None and not isinstance(resources, Resources):
            return _of_one(tuple((resources.requests or {}).items()))
    return _counted(spec)


@lru_cache(maxsize=4096)
def _of_one(requests: tuple[tuple[str, str | int | float], ...]) -> Amounts | None:
    """Return the requests of a pod with one container: thousands of pods share a handful, and the memory for them."""
    return _counted(PodSpec(containers=[Container(resources=Requests(requests=dict(requests)))]))


def _counted(spec: PodSpec | TemplateSpec) -> Amounts | None:
    try:
        total = _requests(spec)
    except QuantityError:
        return None
    total["pods"] = NANO
    return total


def _requests(spec: PodSpec | TemplateSpec) -> dict[str, int]:
    running = add([_of(each.resources) for each in spec.containers or ()])
    if spec.init_containers:
        running = _with_init_containers(running, spec.init_containers)
    if spec.resources is not None:
        running.update(_pod_level(spec.resources))
    if spec.overhead:
        running = add((running, read_amounts(spec.overhead)))
    return running


def _with_init_containers(
    running: dict[str, int], init_containers: Iterable[Container | TemplateContainer]
) -> dict[str, int]:
    sidecars: dict[str, int] = {}
    starting: dict[str, int] = {}
    for each in init_containers:
        own = _of(each.resources)
        if not own:
            continue
        if each.restart_policy == _SIDECAR:
            sidecars = add((sidecars, own))
            now = sidecars
        else:
            now = add((sidecars, own))
        starting = _larger(starting, now)
    return _larger(add((running, sidecars)), starting) if starting else running


def _of(resources: Requests | None) -> dict[str, int]:
    """Return requests; in a template a limit without a request is one, as it will be in the pod."""
    if resources is None:
        return {}
    if isinstance(resources, Resources) and resources.limits:
        return read_amounts({**resources.limits, **(resources.requests or {})})
    return read_amounts(resources.requests)


def _pod_level(resources: Requests) -> dict[str, int]:
    return {
        resource: amount
        for resource, amount in _of(resources).items()
        if resource in _POD_LEVEL or resource.startswith(_POD_LEVEL_PREFIX)
    }


def largest(several: Iterable[Amounts]) -> dict[str, int]:
    """Return the largest of each resource."""
    most: dict[str, int] = {}
    for each in several:
        most = _larger(most, each)
    return most


def _larger(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {resource: max(left.get(resource, 0), right.get(resource, 0)) for resource in left.keys() | right.keys()}
