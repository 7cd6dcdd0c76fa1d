"""Who may do what: users, RBAC rules, and the wording of a refusal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from warmpool.sim.api.resources import Target
from warmpool.sim.api.status import ApiError, object_details

CONTROLLER_GROUP = "warmpool-controller"
AUTHENTICATED = "system:authenticated"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An authenticated caller."""

    name: str
    groups: tuple[str, ...] = ()


class TokenRefused(Exception):
    """A bearer token that is no good; the text says why and never holds the token."""


class Authenticator(Protocol):
    """Turns a bearer token into a user."""

    def authenticate(self, token: str) -> User:
        """Return the user. Raises TokenRefused with the reason."""
        ...


@dataclass(frozen=True, slots=True)
class StaticTokens:
    """Fixed tokens, for tests that are not about AWS."""

    users: Mapping[str, User]

    def authenticate(self, token: str) -> User:
        """Return the token's user. Raises TokenRefused for any other token."""
        try:
            return self.users[token]
        except KeyError:
            raise TokenRefused("unknown static token") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What one group may do. `namespace` None is the whole cluster; empty `names` are all objects."""

    subject: str
    api_groups: frozenset[str]
    resources: frozenset[str]
    verbs: frozenset[str]
    namespace: str | None = None
    names: frozenset[str] = frozenset()

    def permits(self, user: User, target: Target) -> bool:
        """Tell whether this rule lets the user do that."""
        return (
            self.subject in user.groups
            and target.verb in self.verbs
            and target.resource in self.resources
            and target.type.group in self.api_groups
            and self.namespace in {None, target.namespace}
            and (not self.names or target.name in self.names)
        )


def rule(resources: str, verbs: str, *, api_group: str = "", namespace: str | None = None) -> Rule:
    """Build a rule for the controller's group from words separated by spaces."""
    return Rule(
        subject=CONTROLLER_GROUP,
        api_groups=frozenset({api_group}),
        resources=frozenset(resources.split()),
        verbs=frozenset(verbs.split()),
        namespace=namespace,
    )


def controller_rules(namespaces: Sequence[str]) -> tuple[Rule, ...]:
    """Return what the reconciler uses, and nothing else; `namespaces` are those of the placeholders.

    Workspaces may be in any namespace, so pods are listed in all.
    """
    everywhere = (rule("nodes pods", "list"), rule("nodeclaims nodepools", "list", api_group="karpenter.sh"))
    inside = [
        each
        for namespace in namespaces
        for each in (
            rule("pods", "patch", namespace=namespace),
            rule("horizontalpodautoscalers", "list", api_group="autoscaling", namespace=namespace),
            rule("scaledobjects", "list", api_group="keda.sh", namespace=namespace),
            rule("deployments", "get list", api_group="apps", namespace=namespace),
            rule("deployments/scale", "get patch", api_group="apps", namespace=namespace),
        )
    ]
    return (*everywhere, *inside)


def rules_from_manifests(documents: Iterable[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """Read the rules that Role, ClusterRole and their bindings to groups grant, as `kubectl apply` would."""
    documents = list(documents)
    roles = {_identity(each): each for each in documents if each["kind"] in {"Role", "ClusterRole"}}
    granted: list[Rule] = []
    for binding in documents:
        if binding["kind"] not in {"RoleBinding", "ClusterRoleBinding"}:
            continue
        namespace = binding["metadata"].get("namespace") if binding["kind"] == "RoleBinding" else None
        reference = binding["roleRef"]
        role_namespace = namespace if reference["kind"] == "Role" else None
        role = roles[(reference["kind"], role_namespace, reference["name"])]
        groups = [subject["name"] for subject in binding["subjects"] if subject["kind"] == "Group"]
        granted += [_granted(group, policy, namespace) for group in groups for policy in role["rules"]]
    return tuple(granted)


def _identity(role: Mapping[str, Any]) -> tuple[str, str | None, str]:
    return role["kind"], role["metadata"].get("namespace"), role["metadata"]["name"]


def _granted(group: str, policy: Mapping[str, Any], namespace: str | None) -> Rule:
    return Rule(
        subject=group,
        api_groups=frozenset(policy["apiGroups"]),
        resources=frozenset(policy["resources"]),
        verbs=frozenset(policy["verbs"]),
        namespace=namespace,
        names=frozenset(policy.get("resourceNames", ())),
    )


def authorize(rules: Iterable[Rule], user: User, target: Target) -> None:
    """Let the request pass, or raise the 403 that the real server answers."""
    if not any(each.permits(user, target) for each in rules):
        raise forbidden(user, target)


def forbidden(user: User, target: Target) -> ApiError:
    """Return the refusal in the API server's words."""
    kind = target.type
    subject = f'{kind.qualified} "{target.name}"' if target.name else kind.qualified
    where = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
    return ApiError(
        403,
        f'{subject} is forbidden: User "{user.name}" cannot {target.verb} resource "{target.resource}" '
        f'in API group "{kind.group}" {where}',
        details=object_details(target.name or "", kind.group, kind.plural),
    )
