"""What an operator can do about each reason that says that something is wrong."""

from collections.abc import Mapping
from typing import Final

from warmpool.core.reasons import Code, Exclusion

_CLEAR: Final = "`warmpool override clear --pool {pool}` ends it before its `until`"
_START: Final = "`warmpool stop --clear` ends it before its `until`"
_SEE_TEXT: Final = "do what the text says"

FIXES: Final[Mapping[Code, str]] = {
    Code.ROOM_MISSING: "the next pass orders what is missing; the pool's other problems say what is in the way",
    Code.PASSES_LATE: "look at the alarms heartbeat-lost and function-errors (docs/runbook.md)",
    Code.CAPPED_BY_MAX: "raise max, in the spec or with `warmpool override set --pool {pool} --max N ...`",
    Code.CAPPED_BY_NODEPOOL: "raise the NodePool's spec.limits",
    Code.CAPPED_BY_COST: "raise maxHourlyCost in the spec, or lower what is asked for",
    Code.UNKNOWN_CAPACITY: "correct the NodePool's spec.limits, or wait until its nodes tell their capacity",
    Code.UNKNOWN_PRICE: "give nodeHourlyPrice in the spec",
    Code.SHAPE_TOO_BIG: "correct `shape` in the spec, or choose a larger instance type",
    Code.PLACEHOLDER_DIFFERS: "apply what `warmpool manifests` prints",
    Code.CAPACITY_STUCK: "read the NodeClaim's message; try another instance type or zone, or ask for capacity",
    Code.IMAGE_PULL_STUCK: "`kubectl describe pod` of the placeholders tells why: image name, registry, pull secret",
    Code.PAUSED_BY_OVERRIDE: _CLEAR,
    Code.FROZEN: _START,
    Code.DRAINING: _START,
    Code.PARTIAL_VIEW: "read again; where it stays, see why that list fails",
    Code.NOT_PERMITTED: _SEE_TEXT,
    Code.CLUSTER_UNAVAILABLE: "see whether the cluster's endpoint can be reached from here",
    Code.MOSTLY_NOT_READY: "look at the nodes' kubelets and network: this is the cluster's trouble, not the pool's",
    Code.ROLLOUT: "wait until `kubectl rollout status` is done",
    Code.AUTOSCALING_NOT_IN_SERVICE: "`aws sagemaker describe-cluster` tells why; enable AutoScaling",
    Code.AUTOSCALING_UNKNOWN: _SEE_TEXT,
    Code.FOREIGN_WRITER: _SEE_TEXT,
    Code.MANUAL_SCALE: "wait until then, or scale it back",
    Code.LEDGER_UNREADABLE: "see why the ledger's table does not answer; until then nothing is lowered",
    Code.DEPLOYMENT_MISSING: "apply what `warmpool manifests` prints",
    Code.DEPLOYMENT_PAUSED: "`kubectl rollout resume` it",
    Code.CONFIG_INVALID: "write a right one, or delete it; `warmpool override check` tries one without writing",
    Code.CONFIG_UNREADABLE: "allow ssm:GetParametersByPath on the stack's parameters; throttling goes by itself",
    Code.NO_GOOD_SPEC: "deploy the stack again",
    Code.HELD_LONG: "mend what holds it: the reason before this one",
    Code.CONFLICT: "find out who else writes the replicas",
    Code.FAILED: "read the controller's log; an error that stays is a defect",
}
"""By code; a code that is not here is a reason and no problem. `{pool}` stands for the pool's name."""

NODE_FIXES: Final[Mapping[Exclusion, str]] = {
    Exclusion.NOT_READY: "`kubectl describe node` tells why; after 5 min it is replaced",
    Exclusion.CORDONED: "`kubectl uncordon` it, or let it go: it is replaced meanwhile",
    Exclusion.UNHEALTHY: "HyperPod repairs or replaces it: `aws sagemaker list-cluster-nodes`",
    Exclusion.UNTOLERATED_TAINT: "remove the taint, or add it to the pool's tolerations",
    Exclusion.UNREADABLE_QUANTITY: "look at the node's allocatable and its pods' requests: one is no quantity",
}
"""By what keeps a node from taking launches; those that only come or go on their way are no problem."""
