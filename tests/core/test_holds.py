"""When a pass changes nothing, and the one thing that it still enforces."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.builders import (
    LONG_AGO,
    NOW,
    deployment,
    inputs,
    node,
    not_ready,
    pair,
    placeholder,
    pool,
    snapshot,
    workspace,
)
from warmpool.core.decide import decide, preview
from warmpool.core.decision import Action, PoolState
from warmpool.core.model import FieldOwner, Scaler, Taint
from warmpool.core.reasons import Code
from warmpool.core.spec import Mode, Override, Stop, StopMode

MINUTE = timedelta(minutes=1)


def owner(manager: str, at: datetime | None = NOW - MINUTE, **overrides: Any) -> FieldOwner:
    return FieldOwner(**{"manager": manager, "operation": "Update", "time": at, **overrides})


def owned(*owners: FieldOwner, replicas: int = 5) -> Any:
    return deployment(replicas, replica_owners=owners)


WRITTEN = PoolState(last_written=2, last_written_at=NOW - 10 * MINUTE, last_max=8, last_h=0)
LONG_WRITTEN = PoolState(last_written=2, last_written_at=NOW - 60 * MINUTE)
FOUR = [thing for name in "abcd" for thing in pair(name)]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"stop": Stop(mode=StopMode.FREEZE)}, Code.FROZEN),
        ({"override": Override(pause=True, reason="maintenance")}, Code.PAUSED_BY_OVERRIDE),
        ({"snapshot": snapshot(missing=("spaces: pods timed out",))}, Code.PARTIAL_VIEW),
        ({"snapshot": snapshot(missing=("*: list nodes is forbidden",))}, Code.NOT_PERMITTED),
        ({"snapshot": snapshot(deployments=())}, Code.DEPLOYMENT_MISSING),
        ({"snapshot": snapshot(deployments=(), missing=("spaces: get deployments timed out",))}, Code.PARTIAL_VIEW),
        ({"snapshot": snapshot(deployment(0, paused=True))}, Code.DEPLOYMENT_PAUSED),
        ({"snapshot": snapshot(deployment(0, generation=2))}, Code.ROLLOUT),
        ({"snapshot": snapshot(deployment(3, updated_replicas=1))}, Code.ROLLOUT),
        (
            {"snapshot": snapshot(node("a", **not_ready(1)), node("b", **not_ready(1)), node("c"))},
            Code.MOSTLY_NOT_READY,
        ),
        ({"autoscaling_in_service": False, "autoscaling_text": "Failed"}, Code.AUTOSCALING_NOT_IN_SERVICE),
        (
            {"snapshot": snapshot(scalers=(Scaler(kind="HPA", namespace="op", name="h", target="ph"),))},
            Code.FOREIGN_WRITER,
        ),
        ({"snapshot": snapshot(owned(owner("argocd-controller", operation="Apply")))}, Code.FOREIGN_WRITER),
        ({"snapshot": snapshot(owned(owner("some-operator"))), "state": WRITTEN}, Code.FOREIGN_WRITER),
        ({"snapshot": snapshot(owned(owner("kubectl", subresource="scale"))), "state": WRITTEN}, Code.MANUAL_SCALE),
    ],
)
def test_a_pass_holds_and_says_why(changes: dict[str, Any], code: Code) -> None:
    decision = decide(inputs(**{"replicas": 0, **changes}, spec=pool(min=2)))
    assert (decision.action, decision.hold, decision.held) == (Action.HOLD, code, True)
    assert decision.target == decision.current
    assert decision.marks == ()
    assert code in {reason.code for reason in decision.reasons}
    assert decision.state.hold_since == NOW
    shown = preview(inputs(**{"replicas": 0, **changes}, spec=pool(min=2)))
    assert (shown.action, shown.hold) == (Action.HOLD, code)


@pytest.mark.parametrize(
    "changes",
    [
        {"snapshot": snapshot(missing=("other: pods timed out",))},
        {"snapshot": snapshot(scalers=(Scaler(kind="HPA", namespace="op", name="h", target="other"),), replicas=0)},
        {"snapshot": snapshot(scalers=(Scaler(kind="HPA", namespace="elsewhere", name="h", target="ph"),), replicas=0)},
        {"autoscaling_in_service": None, "autoscaling_text": "throttled"},
        {"override": Override(pause=True, until=NOW)},
        {"stop": Stop(mode=StopMode.FREEZE, until=NOW - MINUTE)},
        {"snapshot": snapshot(owned(owner("some-operator"), replicas=0))},
        {"snapshot": snapshot(owned(owner("warmpool-controller"), replicas=0)), "state": WRITTEN},
        {"snapshot": snapshot(owned(owner("kubectl", at=NOW - 31 * MINUTE), replicas=0)), "state": LONG_WRITTEN},
        {"snapshot": snapshot(owned(owner("kubectl-client-side-apply"), replicas=0))},
    ],
)
def test_a_pass_does_not_hold_for(changes: dict[str, Any]) -> None:
    decision = decide(inputs(**{"replicas": 0, **changes}))
    assert (decision.target, decision.hold) == (2, None)


def test_unknown_autoscaling_is_reported() -> None:
    decision = decide(inputs(autoscaling_in_service=None, autoscaling_text="throttled", replicas=0))
    assert Code.AUTOSCALING_UNKNOWN in {reason.code for reason in decision.reasons}


def test_nodes_that_are_still_coming_do_not_make_a_pool_mostly_not_ready() -> None:
    coming = {"taints": (Taint(key="karpenter.sh/unregistered", effect="NoExecute"),), **not_ready(1)}
    things = [node("a", **coming), node("b", **coming), *pair("c")]
    assert decide(inputs(*things)).hold is None


def test_shadow_reports_a_foreign_writer_and_decides_all_the_same() -> None:
    seen = snapshot(replicas=0, scalers=(Scaler(kind="HPA", namespace="op", name="h", target="ph"),))
    decision = decide(inputs(snapshot=seen, spec=pool(mode=Mode.SHADOW)))
    assert (decision.target, decision.hold, decision.dry_run) == (2, None, True)
    assert Code.FOREIGN_WRITER in {reason.code for reason in decision.reasons}


def test_shadow_without_a_deployment_holds_too() -> None:
    decision = decide(inputs(snapshot=snapshot(deployments=()), spec=pool(mode=Mode.SHADOW)))
    assert decision.hold is Code.DEPLOYMENT_MISSING


class TestManualScale:
    """A write through the scale subresource has no time, and of some there is no trace at all (seen on 1.36)."""

    @pytest.mark.parametrize(
        "owners", [(), (owner("kubectl", at=None, subresource="scale"),), (owner("helm", at=None),)]
    )
    def test_replicas_that_nothing_explains_are_a_persons_from_when_they_were_first_seen(self, owners: Any) -> None:
        seen = snapshot(owned(*owners))
        first = decide(inputs(snapshot=seen, state=WRITTEN))
        assert (first.hold, first.state.manual_since, first.state.manual_replicas) == (Code.MANUAL_SCALE, NOW, 5)
        later = decide(inputs(snapshot=seen, state=first.state, now=NOW + 29 * MINUTE))
        assert later.hold is Code.MANUAL_SCALE
        over = decide(inputs(snapshot=seen, state=later.state, now=NOW + 30 * MINUTE))
        assert (over.hold, over.state.manual_since) == (None, None)

    def test_another_number_is_another_scale(self) -> None:
        state = replace(WRITTEN, manual_since=NOW - 29 * MINUTE, manual_replicas=4)
        assert decide(inputs(snapshot=snapshot(owned()), state=state)).state.manual_since == NOW

    def test_a_program_that_wrote_through_the_scale_owns_the_replicas(self) -> None:
        seen = snapshot(owned(owner("some-operator", at=None, subresource="scale")))
        assert decide(inputs(snapshot=seen, state=WRITTEN)).hold is Code.FOREIGN_WRITER

    def test_a_write_of_ours_that_the_ledger_missed_is_nobody_elses(self) -> None:
        seen = snapshot(owned(owner("warmpool-controller", at=None, subresource="scale")))
        assert decide(inputs(snapshot=seen, state=WRITTEN)).hold is None

    def test_a_new_deployment_of_the_same_name_was_not_scaled_by_hand(self) -> None:
        state = replace(WRITTEN, deployment_uid="the old one")
        seen = snapshot(deployment(1, uid="the new one"))
        assert decide(inputs(snapshot=seen, state=state)).hold is None


class TestFallenCeiling:
    def partial(self, replicas: int = 6) -> Any:
        return snapshot(replicas=replicas, missing=("*: pods timed out",))

    def test_a_hold_still_enforces_max_with_the_last_known_h(self) -> None:
        state = PoolState(last_h=1, last_max=8)
        decision = decide(inputs(snapshot=self.partial(), spec=pool(min=1, max=3), state=state))
        assert (decision.target, decision.action, decision.hold) == (4, Action.DOWN, Code.PARTIAL_VIEW)
        assert Code.CEILING_FELL in {reason.code for reason in decision.reasons}
        assert (decision.state.last_written, decision.state.last_written_at) == (4, NOW)

    def test_an_unknown_h_enforces_nothing(self) -> None:
        assert decide(inputs(snapshot=self.partial(), spec=pool(max=3))).target == 6

    def test_a_complete_view_knows_h_itself(self) -> None:
        busy = [node("e"), workspace("w", on="e"), placeholder("ph-e", on="e")]
        decision = decide(inputs(*FOUR, *busy, spec=pool(min=1, max=3), autoscaling_in_service=False))
        assert decision.target == 4

    def test_nothing_above_the_ceiling_is_left_alone(self) -> None:
        assert decide(inputs(*FOUR, autoscaling_in_service=False)).target == 4

    @pytest.mark.parametrize(
        "changes",
        [
            {"stop": Stop(mode=StopMode.FREEZE)},
            {"override": Override(pause=True)},
            {"snapshot": snapshot(*FOUR, scalers=(Scaler(kind="HPA", namespace="op", name="h", target="ph"),))},
        ],
    )
    def test_freeze_pause_and_a_foreign_owner_are_left_alone(self, changes: dict[str, Any]) -> None:
        things = [] if "snapshot" in changes else FOUR
        assert decide(inputs(*things, spec=pool(min=1, max=1), **changes)).target == 4

    def test_a_person_may_go_above_max_until_the_max_itself_falls(self) -> None:
        seen = snapshot(*FOUR, owned(owner("kubectl", subresource="scale"), replicas=4))
        state = PoolState(last_written=1, last_written_at=NOW - 10 * MINUTE, last_max=2)
        assert decide(inputs(snapshot=seen, spec=pool(min=1, max=2), state=state)).target == 4
        assert decide(inputs(snapshot=seen, spec=pool(min=1, max=1), state=state)).target == 1
        unknown = PoolState(last_written=1, last_written_at=NOW - 10 * MINUTE)
        assert decide(inputs(snapshot=seen, spec=pool(min=1, max=1), state=unknown)).target == 4

    def test_shadow_writes_nothing_down(self) -> None:
        state = PoolState(last_h=0)
        spec = pool(min=1, max=3, mode=Mode.SHADOW)
        decision = decide(inputs(snapshot=self.partial(), spec=spec, state=state))
        assert (decision.target, decision.state.last_written) == (3, None)


class TestHoldState:
    def test_a_long_hold_says_so(self) -> None:
        state = PoolState(hold_since=NOW - 31 * MINUTE, hold_code=Code.PARTIAL_VIEW)
        decision = decide(inputs(stop=Stop(mode=StopMode.FREEZE), state=state, replicas=0))
        assert Code.HELD_LONG in {reason.code for reason in decision.reasons}
        assert decision.state.hold_since == NOW - 31 * MINUTE

    def test_a_pass_that_acts_ends_the_hold_and_remembers_what_it_saw(self) -> None:
        state = PoolState(hold_since=LONG_AGO, hold_code=Code.ROLLOUT)
        decision = decide(inputs(*pair("a"), state=state))
        kept = decision.state
        assert (kept.hold_since, kept.hold_code, kept.last_written, kept.last_h) == (None, None, 2, 0)
        assert (kept.last_max, kept.known_nodes, kept.last_written_at) == (8, 1, NOW)

    def test_a_steady_pass_leaves_the_state_as_it_was(self) -> None:
        first = decide(inputs(*pair("a"), *pair("b"))).state
        again = decide(inputs(*pair("a"), *pair("b"), state=first, now=NOW + MINUTE))
        assert again.state == first

    def test_daemonset_requests_are_remembered_when_they_were_read(self) -> None:
        seen = snapshot(*pair("a"), overheads={"spaces": {"cpu": 5}}, all_pods=False)
        kept = decide(inputs(snapshot=seen)).state
        assert (kept.overhead, kept.overhead_read_at) == ({"cpu": 5}, NOW)
        again = decide(inputs(*pair("a"), state=kept)).state
        assert (again.overhead, again.overhead_read_at) == ({"cpu": 5}, NOW)
