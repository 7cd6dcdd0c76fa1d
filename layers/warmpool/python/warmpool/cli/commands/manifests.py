"""`warmpool manifests`: everything that the cluster needs for the pools, for its owner to apply."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from warmpool.adapters.kubernetes.manifests import ClusterWide, Manifest
from warmpool.adapters.kubernetes.manifests import manifests as manifests_of
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import choose_pools, spec_of
from warmpool.cli.options import PoolOption, SpecOption
from warmpool.cli.printing import print_json
from warmpool.core.spec import Spec


class Format(StrEnum):
    """How objects are written; kubectl reads both."""

    YAML = "yaml"
    JSON = "json"


def manifests(
    spec: SpecOption,
    pool: PoolOption = None,
    initial_replicas: Annotated[
        int | None,
        typer.Option(
            "--initial-replicas",
            min=0,
            help="Write `replicas`, for the first time only. Default: leave it out, so that applying again does not"
            " undo what the controller has set; a new Deployment then begins with 1.",
        ),
    ] = None,
    underutilised: Annotated[
        list[str] | None,
        typer.Option(
            "--underutilised",
            metavar="POOL",
            help="A pool whose NodePool consolidates nodes in use: `doNotDisrupt: auto` protects its placeholders.",
        ),
    ] = None,
    output: Annotated[Format, typer.Option("--output", "-o", help="YAML documents, or one JSON List.")] = Format.YAML,
) -> None:
    """Print namespace, PriorityClass, RBAC, placeholder Deployment and PodDisruptionBudget for kubectl or GitOps.

    A pod of a new Deployment holds a node until the first pass decides; `--initial-replicas 0` begins with none.

    Examples:
    warmpool manifests -f pools.yaml | kubectl apply --server-side -f -

    warmpool manifests -f pools.yaml --initial-replicas 0 | kubectl create -f -

    """
    loaded = spec_of(spec)
    wide = ClusterWide(initial_replicas=initial_replicas, underutilised=_known(loaded, underutilised or ()))
    made = manifests_of(choose_pools(loaded, pool), wide)
    if output is Format.JSON:
        print_json({"apiVersion": "v1", "kind": "List", "items": made})
    else:
        _print_yaml(made)


def _known(spec: Spec, names: Sequence[str]) -> frozenset[str]:
    for name in names:
        if name not in spec.pools:
            pools = ", ".join(sorted(spec.pools))
            raise CliError("UnknownPool", "--underutilised", f"{name!r} is not in the spec; its pools are {pools}")
    return frozenset(names)


def _print_yaml(objects: Sequence[Manifest]) -> None:
    from ruamel.yaml import YAML  # noqa: PLC0415 - only this format needs it, and it takes long to import

    writer: Any = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False
    writer.width = 120
    writer.explicit_start = True
    writer.dump_all(objects, sys.stdout)
