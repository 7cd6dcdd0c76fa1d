"""What happens to the deployed stack: enough that every right is used once, with what must come of it."""

import json
from typing import Final

from tests.events.audit_log import subscribed
from tests.events.cloudwatch_filter import compile_pattern
from tests.events.samples import sample
from tests.rehearsal.ground import AUDIT_LOG, Ground
from tests.rehearsal.lambdas import Lambdas
from tests.rehearsal.progress import check
from tests.rehearsal.schedules import Schedules
from warmpool.adapters.aws.nudge_queue import MESSAGE_GROUP
from warmpool.core.spec import Spec
from warmpool.metrics import METRICS

UNREADABLE: Final = "tick, please"
OVERRIDDEN: Final = "spaces-cpu"
"""The pool for which an operator asks for one node more."""


def first_tick(ground: Ground, lambdas: Lambdas, schedules: Schedules, spec: Spec) -> str:
    """Let the deployed schedule send its tick into an empty pool, and somebody a message that nobody can read."""
    sqs, outputs = ground.client("sqs"), lambdas.deployed.outputs
    sqs.send_message(QueueUrl=outputs["QueueUrl"], MessageBody=UNREADABLE, MessageGroupId=MESSAGE_GROUP)
    schedules.fire("tick")
    before = ground.scales(spec.pools)
    check(set(before.values()) == {0}, f"before the first tick the placeholders are {before}; expected 0")
    _complete_pass(lambdas)
    after, wanted = ground.scales(spec.pools), {name: pool.min for name, pool in spec.pools.items()}
    check(after == wanted, f"after the first tick the placeholders are {after}; expected each pool's min {wanted}")
    dead = sqs.receive_message(QueueUrl=outputs["DeadLetterQueueUrl"], MaxNumberOfMessages=10).get("Messages", [])
    bodies = [each["Body"] for each in dead]
    check(bodies == [UNREADABLE], f"the dead-letter queue holds {bodies}; expected {[UNREADABLE]}")
    return f"placeholders {before} -> {after}"


def preempted_placeholder(ground: Ground, lambdas: Lambdas, schedules: Schedules, spec: Spec) -> str:
    """Let the audit log say that a placeholder was preempted: filter, ingest function, queue, second pass."""
    del schedules, spec
    [deployed] = ground.client("logs").describe_subscription_filters(logGroupName=AUDIT_LOG)["subscriptionFilters"]
    records = [sample("audit-placeholder-preempted"), sample("audit-lease-updated")]
    [event] = subscribed(records, compile_pattern(deployed["filterPattern"]))
    taken = lambdas.invoke("ingest_audit", event).result
    check(taken == {"matter": 1}, f"the ingest function answered {taken}; expected one record that matters")
    _complete_pass(lambdas)
    return "one nudge of two records"


def override(ground: Ground, lambdas: Lambdas, schedules: Schedules, spec: Spec) -> str:
    """Let an operator raise a pool's min, and a window's edge send the nudge that finds it."""
    minimum = spec.pools[OVERRIDDEN].min + 1
    document = {"min": minimum, "until": "forever", "reason": "rehearsal"}
    name = f"{lambdas.deployed.outputs['ParameterPrefix']}/{OVERRIDDEN}/override"
    ground.client("ssm").put_parameter(Name=name, Value=json.dumps(document), Type="String")
    schedules.fire("window")
    _complete_pass(lambdas)
    after = ground.scales(spec.pools)[OVERRIDDEN]
    check(after == minimum, f"with an override to {minimum} the placeholders of {OVERRIDDEN} are {after}")
    return f"placeholders of {OVERRIDDEN} -> {after}"


SITUATIONS: Final = (first_tick, preempted_placeholder, override)
"""In this order; each is told what came of it."""


def _complete_pass(lambdas: Lambdas) -> None:
    done = lambdas.poll()
    check(
        done.metrics.get(METRICS["Heartbeat"].name) == 1,
        f"the pass was not complete; its log ends in\n{done.log[-3000:]}",
    )
