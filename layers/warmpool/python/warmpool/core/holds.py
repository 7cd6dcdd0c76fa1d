"""When a pass must not act, and why. Design section 6 item 6."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.counting import PoolView
from warmpool.core.decision import PoolState
from warmpool.core.limits import in_words
from warmpool.core.model import FIELD_MANAGER, Condition, Deployment, FieldOwner, Snapshot
from warmpool.core.reasons import Code, Reason
from warmpool.core.spec import Override, PoolSpec, Stop, StopMode

GITOPS: Final = ("argocd", "kustomize-controller", "helm-controller", "flux", "fleet", "configsync", "config-sync")
"""Field managers that put their own replicas back; matched by the start of the name."""

PEOPLE: Final = ("kubectl", "k9s", "lens", "openlens", "headlamp", "mozilla")
"""Field managers behind which a person sits; matched by the start of the name, any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One reason to change nothing. `silent` also forbids to enforce a ceiling that has fallen."""

    reason: Reason
    silent: bool = False
    since: datetime | None = None
    """Since when, where that is not the first pass that saw it."""


def operator_hold(override: Override | None, stop: Stop | None) -> Hold | None:
    """Hold where an operator said so: freeze for all pools, pause for one."""
    if stop is not None and stop.mode is StopMode.FREEZE:
        text = f"the stop switch freezes all pools{in_words(stop)}"
        return Hold(reason=Reason(Code.FROZEN, text), silent=True)
    if override is not None and override.pause:
        text = f"an override pauses this pool{in_words(override)}"
        return Hold(reason=Reason(Code.PAUSED_BY_OVERRIDE, text), silent=True)
    return None


def partial_view(spec: PoolSpec, snapshot: Snapshot) -> Hold | None:
    """Hold where a read that this pool needs has failed; `missing` entries start with the pool's name, or `*`."""
    mine = [text for text in snapshot.missing if text.split(":", 1)[0] in {spec.name, "*"}]
    if not mine:
        return None
    told = [text.split(":", 1)[1].strip() for text in mine]
    forbidden = any("forbidden" in text or "403" in text for text in told)
    code = Code.NOT_PERMITTED if forbidden else Code.PARTIAL_VIEW
    return Hold(reason=Reason(code, f"the view of the cluster is partial, so nothing is raised: {'; '.join(told)}"))


def missing_deployment(spec: PoolSpec) -> Hold:
    """Hold where there is no placeholder Deployment."""
    text = f"there is no Deployment {spec.namespace}/{spec.deployment} - apply the pool's manifests"
    return Hold(reason=Reason(Code.DEPLOYMENT_MISSING, text), silent=True)


def deployment_hold(deployment: Deployment) -> Hold | None:
    """Hold where the placeholder Deployment is paused or in the middle of a rollout (so no marks are made then)."""
    where = f"Deployment {deployment.namespace}/{deployment.name}"
    if deployment.paused:
        text = f"{where} is paused - `kubectl rollout resume` to go on"
        return Hold(reason=Reason(Code.DEPLOYMENT_PAUSED, text))
    if deployment.observed_generation < deployment.generation:
        return Hold(reason=Reason(Code.ROLLOUT, f"{where} has just changed and its controller has not looked yet"))
    if deployment.rolling_out:
        text = f"{where} is rolling out ({deployment.updated_replicas} of {deployment.status_replicas} pods are new)"
        return Hold(reason=Reason(Code.ROLLOUT, text))
    return None


def mostly_not_ready(view: PoolView) -> Hold | None:
    """Hold where more than half of the pool's nodes are NotReady: rather the network than the nodes."""
    settled = [each.node for each in view.nodes.values() if not each.coming]
    away = sum(node.ready is not Condition.TRUE for node in settled)
    if 2 * away <= len(settled):
        return None
    return Hold(reason=Reason(Code.MOSTLY_NOT_READY, f"{away} of {len(settled)} pool nodes are NotReady"))


def autoscaling_hold(in_service: bool | None, text: str) -> Hold | None:  # noqa: FBT001 - three states, not a switch
    """Hold where AWS says that node autoscaling does not work; unknown is not a hold."""
    if in_service is False:
        return Hold(reason=Reason(Code.AUTOSCALING_NOT_IN_SERVICE, f"node autoscaling is not InService: {text}"))
    return None


def foreign_writer(deployment: Deployment, snapshot: Snapshot, state: PoolState) -> Hold | None:
    """Hold for good where something else owns the replicas, with its name."""
    for each in snapshot.scalers:
        if each.namespace == deployment.namespace and each.target == deployment.name:
            who = f"{each.kind} {each.namespace}/{each.name}"
            text = f"{who} sets the replicas of {deployment.name} - remove one of the two"
            return Hold(reason=Reason(Code.FOREIGN_WRITER, text), silent=True)
    for owner in deployment.replica_owners:
        if _is_gitops(owner) or _wrote_after_us(owner, deployment, state):
            text = f"{owner.manager} owns the replicas of {deployment.name} - leave `replicas` out of what it applies"
            return Hold(reason=Reason(Code.FOREIGN_WRITER, text), silent=True)
    return None


def _is_gitops(owner: FieldOwner) -> bool:
    return owner.manager.lower().startswith(GITOPS)


def _is_person(owner: FieldOwner) -> bool:
    return owner.manager.lower().startswith(PEOPLE)


def _last_written(deployment: Deployment, state: PoolState) -> int | None:
    """Return what our last pass left; None where there was none, or for another Deployment of the same name."""
    if state.deployment_uid and state.deployment_uid != deployment.uid:
        return None
    return state.last_written


def _wrote_after_us(owner: FieldOwner, deployment: Deployment, state: PoolState) -> bool:
    """Tell whether an unknown program changed what we left; who only created the Deployment is no writer.

    The API server gives a write through the scale subresource no time (seen on 1.36), so there the name must do.
    """
    left = _last_written(deployment, state)
    if owner.manager == FIELD_MANAGER or _is_person(owner) or left is None or deployment.replicas == left:
        return False
    if owner.time is None or state.last_written_at is None:
        return owner.subresource == "scale"
    return owner.time > state.last_written_at


def manual_scale(deployment: Deployment, state: PoolState, hold_for: timedelta, now: datetime) -> Hold | None:
    """Honour a person's `kubectl scale` for `hold_for`, from when it was made or, where nothing tells, first seen.

    Replicas that differ from what we left, and that no field manager explains, are a person's: a scale of a Deployment
    that was applied without `replicas` leaves no trace in the managed fields (seen on 1.36).
    """
    left = _last_written(deployment, state)
    if left is None or deployment.replicas == left or _all_ours(deployment):
        return None
    since = _scaled_since(deployment, state, now)
    if now - since >= hold_for:
        return None
    until = (since + hold_for).isoformat(timespec="minutes")
    text = f"somebody scaled {deployment.name} to {deployment.replicas} by hand; honoured until {until}"
    return Hold(reason=Reason(Code.MANUAL_SCALE, text), since=since)


def _all_ours(deployment: Deployment) -> bool:
    """Tell whether the managed fields name us alone: then it was a write of ours that the ledger missed."""
    owners = deployment.replica_owners
    return bool(owners) and all(each.manager == FIELD_MANAGER for each in owners)


def _scaled_since(deployment: Deployment, state: PoolState, now: datetime) -> datetime:
    written = state.last_written_at
    people = [each.time for each in deployment.replica_owners if _is_person(each) and each.time is not None]
    told = [at for at in people if written is None or at >= written]
    if told:
        return max(told)
    same = state.manual_since is not None and state.manual_replicas == deployment.replicas
    return state.manual_since if same and state.manual_since is not None else now
