"""The parts of Karpenter's NodeClaims and NodePools that a pass needs."""

from warmpool.adapters.kubernetes.wire import Quantities, StatusCondition, ToldCondition, Wire


class NodeClaimSpec(Wire):
    """A NodeClaim's spec."""

    expire_after: str | None = None


class NodeClaimStatus(Wire):
    """A NodeClaim's status."""

    node_name: str | None = None
    capacity: Quantities | None = None
    conditions: list[ToldCondition] | None = None


class Requirement(Wire):
    """One requirement on nodes."""

    key: str | None = None
    operator: str | None = None
    values: list[str] | None = None


class TemplateLabels(Wire):
    """The metadata of a NodePool's template."""

    labels: dict[str, str] | None = None


class NodePoolTemplateSpec(Wire):
    """The spec of a NodePool's template."""

    requirements: list[Requirement] | None = None


class NodePoolTemplate(Wire):
    """A NodePool's template."""

    metadata: TemplateLabels | None = None
    spec: NodePoolTemplateSpec | None = None


class Disruption(Wire):
    """A NodePool's disruption rules."""

    consolidation_policy: str | None = None


class NodePoolSpec(Wire):
    """A NodePool's spec."""

    template: NodePoolTemplate | None = None
    limits: Quantities | None = None
    disruption: Disruption | None = None


class NodePoolStatus(Wire):
    """A NodePool's status, of which only the conditions are trusted: its counts drift."""

    conditions: list[StatusCondition] | None = None
