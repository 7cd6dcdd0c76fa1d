"""`warmpool explain`: the decision of `plan` in words, with its arithmetic."""

from warmpool.cli.documents import decision_document
from warmpool.cli.explaining import explain_decision
from warmpool.cli.instants import instant_text
from warmpool.cli.options import AtOption, Output, OutputOption, PoolOption, SnapshotOption, SpecOption
from warmpool.cli.previewing import inputs_of_one
from warmpool.cli.printing import print_json, print_line
from warmpool.core.assess import assess
from warmpool.core.decide import preview


def explain(
    spec: SpecOption,
    snapshot: SnapshotOption,
    pool: PoolOption = None,
    at: AtOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Tell in words what is there, what is wanted and why, and what would go first.

    Examples:
    ```
    warmpool explain -f pools.yaml -s cluster.json
    kubectl get nodes,pods,deployments,nodeclaims,nodepools -A -o json | warmpool explain -f pools.yaml -s -
    ```

    """
    inputs = inputs_of_one(spec, snapshot, pool, at)
    decision = preview(inputs)
    sections = explain_decision(inputs, assess(inputs), decision)
    if output is Output.JSON:
        told = [{"heading": each.heading, "lines": list(each.lines)} for each in sections]
        print_json({**decision_document(decision), "explanation": told})
        return
    print_line(f"Pool {decision.pool} as of {instant_text(decision.at)}", bold=True)
    for section in sections:
        print_line()
        print_line(section.heading, bold=True)
        for line in section.lines:
            print_line(f"  {line}")
