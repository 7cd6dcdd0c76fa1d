"""The Deployment controller: scale, rollout with surge, status."""

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import ceil

from warmpool.core.model import FieldOwner
from warmpool.sim.cluster import identity, pods, replicaset
from warmpool.sim.cluster.state import DeploymentState, NotFound, PodTemplate, ReplicaSetState, Rollout
from warmpool.sim.cluster.world import World

CREATOR = "kubectl-client-side-apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a Deployment is created from."""

    template: PodTemplate
    selector: dict[str, str]
    replicas: int
    rollout: Rollout = field(default_factory=Rollout)


def create(world: World, namespace: str, name: str, plan: Plan) -> DeploymentState:
    """Create a Deployment, as `kubectl apply` would. Raises ValueError where there is one of that name."""
    if (namespace, name) in world.deployments:
        msg = f"deployment {namespace}/{name} exists already"
        raise ValueError(msg)
    deployment = DeploymentState(
        name=name,
        uid=world.new_uid("deployment"),
        created=world.now,
        namespace=namespace,
        selector=plan.selector,
        template=plan.template,
        replicas=plan.replicas,
        rollout=plan.rollout,
        owners={(CREATOR, ""): FieldOwner(manager=CREATOR, operation="Update", time=world.now)},
        available_changed=world.now,
        progressed_at=world.now,
    )
    world.deployments[namespace, name] = deployment
    world.touch(deployment)
    world.make_dirty(deployment)
    return deployment


def find(world: World, namespace: str, name: str) -> DeploymentState:
    """Return a Deployment. Raises NotFound."""
    try:
        return world.deployments[namespace, name]
    except KeyError:
        msg = f'deployments.apps "{name}" not found in namespace {namespace}'
        raise NotFound(msg) from None


def set_replicas(world: World, deployment: DeploymentState, replicas: int, owner: FieldOwner) -> None:
    """Write spec.replicas; whoever changes the value owns the field from then on."""
    if replicas < 0:
        msg = f"replicas of {deployment.namespace}/{deployment.name} are {replicas}; expected 0 or more"
        raise ValueError(msg)
    if replicas == deployment.replicas:
        return
    world.note("scaled", deployment.name, f"{deployment.replicas} -> {replicas} by {owner.manager}")
    deployment.replicas = replicas
    deployment.owners = {(owner.manager, owner.subresource): owner}
    _spec_changed(world, deployment)


def set_template(world: World, deployment: DeploymentState, template: PodTemplate) -> None:
    """Write the pod template; a rollout follows where it differs."""
    if template != deployment.template:
        deployment.template = template
        _spec_changed(world, deployment)


def set_paused(world: World, deployment: DeploymentState, *, paused: bool) -> None:
    """Pause or resume rollouts; scaling goes on."""
    if paused != deployment.paused:
        deployment.paused = paused
        _spec_changed(world, deployment)


def _spec_changed(world: World, deployment: DeploymentState) -> None:
    deployment.generation += 1
    world.touch(deployment)
    world.make_dirty(deployment)


def delete(world: World, deployment: DeploymentState) -> None:
    """Delete a Deployment with its ReplicaSets and pods."""
    del world.deployments[deployment.namespace, deployment.name]
    world.dirty.pop((deployment.namespace, deployment.name), None)
    for each in deployment.replicasets:
        world.replicasets.pop((each.namespace, each.name), None)
        for pod in list(each.pods.values()):
            pods.delete(world, pod, "ended")
    world.dirty.pop((deployment.namespace, deployment.name), None)
    world.resource_version += 1


def sync(world: World, deployment: DeploymentState) -> None:
    """Bring a Deployment one step nearer to its spec, and write its status."""
    if world.deployments.get((deployment.namespace, deployment.name)) is not deployment:
        return
    before = [each.replicas for each in deployment.replicasets]
    current = _current(world, deployment)
    _reconcile(deployment, current)
    for each in deployment.replicasets:
        replicaset.manage(world, each)
    after = [each.replicas for each in deployment.replicasets]
    _write_status(world, deployment, current)
    if before != after:
        for each in deployment.replicasets:
            world.touch(each)
        world.make_dirty(deployment)


def _current(world: World, deployment: DeploymentState) -> ReplicaSetState:
    """Return the ReplicaSet to scale: that of the present template or, while paused, the one that is in use."""
    for each in deployment.replicasets:
        if each.template == deployment.template:
            return each
    if deployment.paused and deployment.replicasets:
        return max(deployment.replicasets, key=lambda each: (each.replicas > 0, each.revision))
    deployment.revision += 1
    digest = blake2b(f"{deployment.template!r}".encode(), digest_size=8).hexdigest()
    short = identity.suffix(world.settings.seed, f"hash/{digest}", 0, 9)
    made = ReplicaSetState(
        name=f"{deployment.name}-{short}",
        uid=world.new_uid("replicaset"),
        created=world.now,
        namespace=deployment.namespace,
        deployment=deployment,
        template=deployment.template,
        hash=short,
        revision=deployment.revision,
    )
    deployment.replicasets.append(made)
    world.replicasets[made.namespace, made.name] = made
    world.touch(made)
    return made


def _reconcile(deployment: DeploymentState, current: ReplicaSetState) -> None:
    """Share the replicas out between the new ReplicaSet and the old ones (deployment/rolling.go and sync.go)."""
    old = [each for each in deployment.replicasets if each is not current and each.replicas > 0]
    before, deployment.shared_out = deployment.shared_out, deployment.replicas
    if not old:
        current.replicas = deployment.replicas
    elif before != deployment.replicas:
        _share_out(deployment, [current, *old], before)
    if not old or deployment.paused:
        return
    surge, unavailable = _allowances(deployment)
    total = current.replicas + sum(each.replicas for each in old)
    room = max(0, deployment.replicas + surge - total)
    current.replicas = min(current.replicas + room, deployment.replicas)
    _shrink(current, old, deployment.replicas - unavailable)


def _share_out(deployment: DeploymentState, parts: list[ReplicaSetState], before: int) -> None:
    """Scale in the middle of a rollout: each ReplicaSet in proportion, what rounding leaves to the largest."""
    surge = _allowances(deployment)[0]
    allowed = deployment.replicas + surge if deployment.replicas else 0
    change = allowed - sum(each.replicas for each in parts)
    newest_first = -1 if change > 0 else 1
    left = change
    ordered = sorted(parts, key=lambda each: (-each.replicas, newest_first * each.revision))
    for each in ordered:
        share = round(each.replicas * allowed / max(1, before + surge)) - each.replicas
        share = max(0, min(share, left)) if change > 0 else min(0, max(share, left))
        each.replicas += share
        left -= share
    ordered[0].replicas = max(0, ordered[0].replicas + left)


def _shrink(current: ReplicaSetState, old: list[ReplicaSetState], least: int) -> None:
    """Take from the old ReplicaSets: first what is not Ready anyway, then what `least` available pods allow."""
    ready = {each.name: sum(pod.ready for pod in each.active_pods()) for each in (current, *old)}
    total = current.replicas + sum(each.replicas for each in old)
    spare = total - least - (current.replicas - ready[current.name])
    for each in old:
        unhealthy = max(0, min(each.replicas - ready[each.name], spare))
        each.replicas -= unhealthy
        spare -= unhealthy
    surplus = min(spare, sum(ready.values()) - least)
    for each in old:
        taken = max(0, min(each.replicas, surplus))
        each.replicas -= taken
        surplus -= taken


def _allowances(deployment: DeploymentState) -> tuple[int, int]:
    """Resolve surge (rounded up) and unavailable (rounded down); both 0 would never move, so then 1 may be missing."""
    surge = _resolve(deployment.rollout.max_surge, deployment.replicas, up=True)
    unavailable = _resolve(deployment.rollout.max_unavailable, deployment.replicas, up=False)
    return surge, unavailable if surge or unavailable else 1


def _resolve(value: int | str, replicas: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    exact = int(value.removesuffix("%")) * replicas / 100
    return ceil(exact) if up else int(exact)


def _write_status(world: World, deployment: DeploymentState, current: ReplicaSetState) -> None:
    active = [pod for each in deployment.replicasets for pod in each.active_pods()]
    ready = sum(pod.ready for pod in active)
    updated = len(current.active_pods()) if current.template == deployment.template else 0
    available = ready >= deployment.replicas - _allowances(deployment)[1]
    status = (deployment.generation, len(active), updated, ready, available)
    if status == _status(deployment):
        return
    if available != deployment.available:
        deployment.available, deployment.available_changed = available, world.now
    deployment.observed_generation = deployment.generation
    deployment.status_replicas, deployment.updated_replicas, deployment.ready_replicas = len(active), updated, ready
    deployment.progressed_at = world.now
    world.touch(deployment)
    for each in deployment.replicasets:
        world.touch(each)


def _status(deployment: DeploymentState) -> tuple[int, int, int, int, bool]:
    return (
        deployment.observed_generation,
        deployment.status_replicas,
        deployment.updated_replicas,
        deployment.ready_replicas,
        deployment.available,
    )


def with_first_image(template: PodTemplate, image: str) -> PodTemplate:
    """Return the template with another image to pull, as `kubectl set image` on the first initContainer does."""
    return replace(template, init_images=(image, *template.init_images[1:]))


def written_by(manager: str) -> FieldOwner:
    """Return the managed-fields entry of a write to the scale subresource; the real API server gives it no time."""
    return FieldOwner(manager=manager, operation="Update", subresource="scale")
