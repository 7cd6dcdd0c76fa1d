"""`warmpool plan`: what a pass would decide for a cluster, without touching it."""

from collections.abc import Sequence
from typing import Final

from warmpool.cli.documents import decision_document
from warmpool.cli.instants import instant_text
from warmpool.cli.options import AtOption, Output, OutputOption, PoolOption, SnapshotOption, SpecOption
from warmpool.cli.previewing import preview_all, preview_one
from warmpool.cli.printing import print_json, print_line, print_table
from warmpool.core.decision import Decision

_COLUMNS: Final = (
    "pool",
    "placeholders",
    "wanted",
    "action",
    "idle nodes wanted",
    "busy nodes",
    "warm slots",
    "window",
)


def plan(
    spec: SpecOption,
    snapshot: SnapshotOption,
    pool: PoolOption = None,
    at: AtOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Say how many placeholders there should be, and why. Touches no cluster.

    The cluster is what kubectl printed. There is no history, so the answer is the one before stabilisation.

    Examples:
    ```
    kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json | warmpool plan -f pools.yaml -s -
    warmpool plan -f pools.yaml -p spaces-cpu -s cluster.json.gz --at 2026-12-01T08:00:00Z -o json
    ```

    """
    if output is Output.JSON:
        print_json(decision_document(preview_one(spec, snapshot, pool, at)))
    else:
        _print_plan(preview_all(spec, snapshot, pool, at))


def _print_plan(decisions: Sequence[Decision]) -> None:
    title = f"Plan as of {instant_text(decisions[0].at)}"
    print_table(title, _COLUMNS, [_cells(each) for each in decisions], right=_COLUMNS[1:3] + _COLUMNS[4:7])
    for each in decisions:
        for reason in each.reasons:
            print_line(f"{each.pool}: {reason.code.value}: {reason.text}")


def _cells(decision: Decision) -> Sequence[str]:
    return (
        decision.pool,
        _number(decision.current),
        _number(decision.target),
        decision.action.value,
        str(decision.idle_nodes_wanted),
        str(decision.busy_nodes),
        str(decision.warm_slots),
        (decision.limits.window if decision.limits else None) or "-",
    )


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)
