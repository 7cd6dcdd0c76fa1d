"""The pod that keeps one node warm."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from warmpool.app.errors import ConfigInvalid
from warmpool.core.model import WARM_LABEL, Toleration
from warmpool.core.quantity import NANO, Amounts, format_quantity, parse_quantity
from warmpool.core.spec import DoNotDisrupt, PoolSpec

POOL_LABEL: Final = "warmpool.spaces.aws/pool"
SELECTED_NAME: Final = "spaces-placeholder"
DO_NOT_DISRUPT: Final = "karpenter.sh/do-not-disrupt"

PODS: Final = "pods"
"""Every pod takes one; the API server refuses a container that asks for it."""

_MARGIN_PERCENT: Final = 5
_LEAST_MARGIN: Final[Amounts] = {"cpu": parse_quantity("250m"), "memory": parse_quantity("1Gi")}
_STEP: Final[Amounts] = {"cpu": parse_quantity("1m"), "memory": parse_quantity("1Mi")}
_PULLS_WITH: Final[Amounts] = {"cpu": parse_quantity("10m"), "memory": parse_quantity("64Mi")}
_PULLS_WITHIN: Final[Amounts] = {"cpu": parse_quantity("500m"), "memory": parse_quantity("128Mi")}
"""A limit as low as the request would throttle the start of a shell for seconds."""

_NOBODY: Final = 65532
"""A number: the kubelet cannot tell whether an image's user is root where the image only names it."""


def pod_template(pool: PoolSpec, priority_class: str, *, protected: bool) -> dict[str, Any]:
    """Return the template of a pool's placeholders, fit for the Pod Security level `restricted`.

    `protected` says that the NodePool consolidates nodes that are in use, which `doNotDisrupt: auto` asks. Raises
    ConfigInvalid where the placeholder fills its node and the spec does not say how large that is.
    """
    selected = {"app.kubernetes.io/name": SELECTED_NAME, POOL_LABEL: pool.name}
    return {
        # The warm label is not in the selector: a pass changes it (design section 6.5).
        "metadata": {"labels": {**selected, WARM_LABEL: "false"}, **_annotations(pool, protected=protected)},
        "spec": {
            "priorityClassName": priority_class,
            "terminationGracePeriodSeconds": 0,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": _NOBODY,
                "runAsGroup": _NOBODY,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "affinity": _affinity(pool, selected),
            **_optional(pool),
            "containers": [_container("pause", pool.pause_image, requests(pool), limits=requests(pool))],
        },
    }


def _optional(pool: PoolSpec) -> dict[str, Any]:
    lists: dict[str, list[Any]] = {
        "tolerations": [_toleration(each) for each in pool.tolerations],
        "imagePullSecrets": [{"name": name} for name in pool.image_pull_secrets],
        "initContainers": [*_pulls(pool)],
    }
    return {name: each for name, each in lists.items() if each}


def requests(pool: PoolSpec) -> Amounts:
    """Return what one placeholder asks for, in nano-units.

    One that fills its node takes the node's allocatable less 5 %, at least 250m and 1Gi, which is room for DaemonSets;
    devices are whole and all taken. Raises ConfigInvalid where the size of a node is not known.
    """
    if pool.placeholder is not None:
        return {name: amount for name, amount in pool.placeholder.items() if name != PODS}
    if pool.node_allocatable is None:
        raise ConfigInvalid(
            f"pools.{pool.name}.nodeAllocatable",
            "is absent, and `placeholder: node` fills a node of that size; say what an empty node offers, for instance"
            " {cpu: 47810m, memory: 188520Mi}",
        )
    filled = {name: _filled(name, amount) for name, amount in pool.node_allocatable.items() if name != PODS}
    for name, amount in filled.items():
        if amount <= 0:
            whole = format_quantity(pool.node_allocatable[name], binary=True)
            raise ConfigInvalid(
                f"pools.{pool.name}.nodeAllocatable.{name}", f"is {whole}, which leaves nothing beside the margin"
            )
    return filled


def _filled(name: str, amount: int) -> int:
    if "/" in name:  # an extended resource cannot be split
        return amount
    margin = max(amount * _MARGIN_PERCENT // 100, _LEAST_MARGIN.get(name, 0))
    step = _STEP.get(name, NANO)
    return (amount - margin) // step * step


def _pulls(pool: PoolSpec) -> Iterator[dict[str, Any]]:
    """Pull each image by starting it with a command that every image with a shell has, and that does nothing."""
    fits = {name: min(amount, requests(pool).get(name, amount)) for name, amount in _PULLS_WITH.items()}
    for number, image in enumerate(pool.images, start=1):
        yield {**_container(f"pull-{number}", image, fits, limits=_PULLS_WITHIN), "command": ["sh", "-c", "exit 0"]}


def _container(name: str, image: str, amounts: Amounts, *, limits: Amounts) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "resources": {"requests": _quantities(amounts), "limits": _quantities(limits)},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }


def _quantities(amounts: Amounts) -> dict[str, str]:
    return {name: format_quantity(amount, binary=name != "cpu") for name, amount in amounts.items()}


def _affinity(pool: PoolSpec, selected: Mapping[str, str]) -> dict[str, Any]:
    """Keep to the pool's nodes, one on each; nothing against workspaces, which would forbid them to join."""
    terms = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.node_selector.items())]
    apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": dict(selected)}}
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": terms}]}
        },
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]},
    }


def _annotations(pool: PoolSpec, *, protected: bool) -> dict[str, Any]:
    match pool.do_not_disrupt:
        case DoNotDisrupt.ALWAYS:
            wanted = True
        case DoNotDisrupt.NEVER:
            wanted = False
        case DoNotDisrupt.AUTO:
            wanted = protected
    return {"annotations": {DO_NOT_DISRUPT: "true"}} if wanted else {}


def _toleration(toleration: Toleration) -> dict[str, str]:
    written = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value,
        "effect": toleration.effect,
    }
    return {name: value for name, value in written.items() if value}
