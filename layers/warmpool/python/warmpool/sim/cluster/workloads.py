"""What people and operators put into the cluster: placeholder Deployments and Workspaces."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict

from warmpool.core.model import WARM_LABEL, Toleration
from warmpool.core.quantity import Amounts
from warmpool.sim.cluster import deployments
from warmpool.sim.cluster.settings import PAUSE_IMAGE, POD_SLOT, ClusterSettings
from warmpool.sim.cluster.state import (
    DO_NOT_DISRUPT,
    WORKSPACE_LABEL,
    NotFound,
    PodTemplate,
    Role,
    Rollout,
    WorkspaceState,
)
from warmpool.sim.cluster.world import World

PLACEHOLDER_PRIORITY: Final = -1000


class PlaceholderOptions(TypedDict, total=False):
    """What a placeholder Deployment may be told; absent keys take the guide's values."""

    replicas: int
    requests: Amounts
    images: Sequence[str]
    node_selector: Mapping[str, str]
    tolerations: Sequence[Toleration]
    labels: Mapping[str, str]
    """Of its pods, `app: NAME` by default; the Deployment selects by all but the warm label."""
    max_surge: int | str
    max_unavailable: int | str
    do_not_disrupt: bool


class LaunchOptions(TypedDict, total=False):
    """What a launch may be told; absent keys take the settings' values."""

    requests: Amounts | None
    image: str | None
    namespace: str
    node_selector: Mapping[str, str] | None
    tolerations: Sequence[Toleration]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def create_placeholders(world: World, namespace: str, name: str, options: PlaceholderOptions) -> None:
    """Create a placeholder Deployment. Raises ValueError where there is one of that name."""
    labels = dict(options.get("labels", {"app": name}))
    selector = {key: value for key, value in labels.items() if key != WARM_LABEL}
    requests = options.get("requests", {})
    template = PodTemplate(
        role=Role.PLACEHOLDER,
        requests={**requests, **POD_SLOT},
        labels=labels,
        annotations={DO_NOT_DISRUPT: "true"} if options.get("do_not_disrupt") else {},
        init_images=tuple(options.get("images", (world.settings.launch_image,))),
        images=(PAUSE_IMAGE,),
        node_selector=options.get("node_selector", world.settings.node_labels),
        tolerations=tuple(options.get("tolerations", ())),
        priority=PLACEHOLDER_PRIORITY,
        priority_class="overprovisioning-placeholder",
        preempts=False,
        anti_affinity=selector,
        grace=world.settings.preemption_grace,
    )
    rollout = Rollout(max_surge=options.get("max_surge", "25%"), max_unavailable=options.get("max_unavailable", "25%"))
    plan = deployments.Plan(template=template, selector=selector, replicas=options.get("replicas", 1), rollout=rollout)
    deployments.create(world, namespace, name, plan)


def launch(world: World, name: str, options: LaunchOptions) -> None:
    """Create a Workspace; its operator makes the Deployment at once. Raises ValueError where it exists."""
    namespace = options.get("namespace", "default")
    if (namespace, name) in world.workspaces:
        msg = f"workspace {namespace}/{name} exists already"
        raise ValueError(msg)
    names = {"app": "jupyter", "workspace.jupyter.org/component": "workspace", WORKSPACE_LABEL: name}
    template = _workspace_template(world.settings, names, options)
    plan = deployments.Plan(template=template, selector=names, replicas=1, rollout=Rollout(strategy="Recreate"))
    deployment = deployments.create(world, namespace, f"workspace-{name}", plan)
    workspace = WorkspaceState(
        name=name,
        uid=world.new_uid("workspace"),
        created=world.now,
        namespace=namespace,
        deployment=deployment,
        image=template.images[0],
    )
    world.workspaces[namespace, name] = workspace
    world.touch(workspace)


def _workspace_template(settings: ClusterSettings, names: Mapping[str, str], options: LaunchOptions) -> PodTemplate:
    requests, selector = options.get("requests"), options.get("node_selector")
    if selector is None:
        selector = settings.launch_node_selector
    return PodTemplate(
        role=Role.WORKSPACE,
        requests={**(settings.launch_requests if requests is None else requests), **POD_SLOT},
        labels={
            **options.get("labels", {}),
            **names,
            "workspace.jupyter.org/template-name": "basic",
            "workspace.jupyter.org/template-namespace": options.get("namespace", "default"),
        },
        annotations=dict(options.get("annotations", {})),
        images=(options.get("image") or settings.launch_image,),
        node_selector=settings.node_labels if selector is None else selector,
        tolerations=tuple(options.get("tolerations", ())),
        grace=settings.workspace_grace,
    )


def end(world: World, name: str, namespace: str) -> None:
    """Delete a Workspace with all that belongs to it. Raises NotFound."""
    workspace = world.workspaces.pop((namespace, name), None)
    if workspace is None:
        msg = f'workspaces.workspace.jupyter.org "{name}" not found in namespace {namespace}'
        raise NotFound(msg)
    deployments.delete(world, workspace.deployment)
    world.resource_version += 1
