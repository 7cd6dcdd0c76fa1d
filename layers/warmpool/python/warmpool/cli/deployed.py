"""What is deployed for one pool: its spec and the override and stop switch that are in the store."""

from dataclasses import dataclass
from datetime import datetime

from warmpool.adapters.aws.operator_parameters import override_of
from warmpool.adapters.config.reader import Reader
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable
from warmpool.app.overrides import limits_in_force
from warmpool.app.ports import Document, Documents, Unreadable
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import choose_pool
from warmpool.cli.live import LiveStack, deployed_pools
from warmpool.cli.printing import warn
from warmpool.core.decision import Limits
from warmpool.core.spec import Override, PoolSpec, Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """A control as it stands in the store: its text, what that means, or why it means nothing."""

    text: str | None = None
    override: Override | None = None
    wrong: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedPool:
    """One pool with the controls that it meets."""

    spec: PoolSpec
    present: Present
    stop: Stop | None

    def limits(self, override: Override | None, now: datetime) -> Limits:
        """Return the limits that are in force with an override, or without one."""
        return limits_in_force(self.spec, now, override, self.stop)


def deployed_pool(stack: LiveStack, name: str | None) -> DeployedPool:
    """Find a pool as it is deployed; the spec file stands in where nothing deployed can be read, with a warning.

    Raises CliError, ConfigInvalid, ConfigUnreadable.
    """
    try:
        documents = stack.documents()
    except ConfigUnreadable as error:
        if stack.spec is None:
            raise
        warn(f"what is deployed cannot be read, so the spec file counts: {error}")
        unseen = Present(wrong="what is in the store cannot be read")
        return DeployedPool(spec=choose_pool(stack.spec, name), present=unseen, stop=None)
    chosen = chosen_name(documents, name)
    spec = _spec(stack, documents, chosen)
    return DeployedPool(spec=spec, present=present(documents, spec), stop=stop_of(documents))


def chosen_name(documents: Documents, name: str | None) -> str:
    """Return the named pool, or the only one. Raises CliError listing the pools."""
    pools = ", ".join(sorted(documents.specs))
    if name is None and len(documents.specs) == 1:
        return next(iter(documents.specs))
    if name is None:
        raise CliError("Usage", "--pool", f"the stack has {len(documents.specs)} pools, name one of them: {pools}")
    if name not in documents.specs:
        raise CliError("UnknownPool", "--pool", f"{name!r} is not deployed; the stack's pools are {pools}")
    return name


def present(documents: Documents, spec: PoolSpec) -> Present:
    """Read the pool's override in the store."""
    document = documents.overrides.get(spec.name)
    if not isinstance(document, str):
        return Present(wrong=document.why if isinstance(document, Unreadable) else None)
    try:
        return Present(text=document, override=Reader().override(document, spec, override_of(spec.name)))
    except ConfigInvalid as error:
        return Present(text=document, wrong=str(error))


def stop_of(documents: Documents) -> Stop | None:
    """Read the stop switch in the store; one that is wrong counts as none, with a warning."""
    return _read_stop(documents.stop)


def _read_stop(document: Document) -> Stop | None:
    if isinstance(document, Unreadable):
        warn(f"the stop switch cannot be read: {document.why}")
        return None
    try:
        return None if document is None else Reader().stop(document, "stop")
    except ConfigInvalid as error:
        warn(f"the stop switch is rejected, and the last good one stays in force: {error}")
        return None


def _spec(stack: LiveStack, documents: Documents, name: str) -> PoolSpec:
    found = deployed_pools(documents)[name]
    if isinstance(found, PoolSpec):
        return found
    why = str(found) if found else f"{name}/spec cannot be read"
    if stack.spec is None or name not in stack.spec.pools:
        raise CliError("SpecInvalid", "--pool", f"the deployed spec of {name} is of no use ({why}); deploy it again")
    warn(f"the deployed spec is of no use, so the spec file counts: {why}")
    return stack.spec.pools[name]
