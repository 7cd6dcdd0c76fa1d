"""A running stack as an operator reaches it, under their own AWS identity: the composition root of live commands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from warmpool.adapters.aws.clients import AwsClients, Session
from warmpool.adapters.aws.clock import Deadline, SystemClock
from warmpool.adapters.aws.configuration import SsmConfiguration
from warmpool.adapters.aws.operator_parameters import OperatorParameters
from warmpool.adapters.config.reader import Reader
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable, NotPermitted
from warmpool.app.ports import Clock, Documents, PassReport
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import spec_of
from warmpool.cli.printing import warn
from warmpool.core.spec import PoolSpec, Spec
from warmpool.settings import parameter_prefix_of, stack_name_of

_SECONDS: Final = 40.0
"""What all calls of one command may take together."""
_STACK: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*", re.ASCII)


class OnStderr:
    """Implements warmpool.app.ports.Telemetry for a person: warnings on stderr, no metrics."""

    def publish(self, report: PassReport) -> None:
        """Tell nothing: a command runs no pass."""

    def warn(self, text: str, **fields: object) -> None:
        """Write one warning with its fields."""
        told = ", ".join(f"{key}: {value}" for key, value in fields.items())
        warn(f"{text} ({told})" if told else text)


@dataclass(frozen=True, kw_only=True)
class LiveStack:
    """One deployed stack; nothing is sent before something is asked for."""

    name: str
    region: str
    session: Session
    spec: Spec | None = None
    """The spec file's, where one was given; what is deployed may differ."""

    @cached_property
    def clock(self) -> Clock:
        """The operator's clock."""
        return SystemClock()

    @cached_property
    def clients(self) -> AwsClients:
        """The operator's AWS clients."""
        return AwsClients(self.session, region=self.region)

    @cached_property
    def budget(self) -> Deadline:
        """The time that is left for this command."""
        return Deadline(_SECONDS)

    @property
    def prefix(self) -> str:
        """The path of the stack's parameters."""
        return parameter_prefix_of(self.name)

    @cached_property
    def parameters(self) -> OperatorParameters:
        """The documents that belong to operators."""
        return OperatorParameters(self.clients, prefix=self.prefix)

    @cached_property
    def configuration(self) -> SsmConfiguration:
        """All documents, as the controller reads them."""
        return SsmConfiguration(self.clients, prefix=self.prefix, telemetry=OnStderr())

    def documents(self) -> Documents:
        """Read all documents. Raises ConfigUnreadable, or CliError where the stack has none."""
        found = self.configuration.read(self.budget)
        if not found.specs:
            raise self.unknown()
        return found

    def unknown(self) -> CliError:
        """Say that the stack has no pool, which a deployed one always has."""
        text = f"there is no spec below {self.prefix} in {self.region}; is the stack deployed, and is this its name?"
        return CliError("UnknownStack", "--stack", text)

    def now(self) -> datetime:
        """Return the present instant."""
        return self.clock.now()

    def caller(self) -> str | None:
        """Return who runs this; None, with a warning, where AWS does not tell: SSM's own books still will."""
        try:
            return self.parameters.caller(self.budget)
        except (ConfigUnreadable, NotPermitted) as error:
            warn(f"who you are is left out: {error}")
            return None


def open_stack(stack: str | None, region: str | None, spec_file: str | None) -> LiveStack:
    """Find out which stack is meant: the named one, or the one that the spec file's cluster has by default.

    Raises CliError or ConfigInvalid.
    """
    spec = spec_of(spec_file) if spec_file else None
    name = stack or (stack_name_of(spec.cluster) if spec else None)
    if name is None:
        raise CliError("Usage", "--stack", "which stack? Give --stack, WARMPOOL_STACK, or the --spec it is made of")
    if _STACK.fullmatch(name) is None:
        raise CliError("Usage", "--stack", f"{name!r} is no stack's name: letters, digits and hyphens")
    session = Session()
    place = region or session.get_config_variable("region")
    if not isinstance(place, str):
        raise CliError("Usage", "--region", "which AWS region? Give --region, AWS_REGION, or set it in your profile")
    return LiveStack(name=name, region=place, session=session, spec=spec)


def deployed_pools(documents: Documents) -> Mapping[str, PoolSpec | ConfigInvalid | None]:
    """Read each pool's deployed spec: the pool, what is wrong with it, or None where it cannot be read."""
    return {name: _pool(name, text) for name, text in documents.specs.items()}


def _pool(name: str, text: object) -> PoolSpec | ConfigInvalid | None:
    if not isinstance(text, str):
        return None
    try:
        pools = Reader().spec(text, f"{name}/spec").pools
    except ConfigInvalid as error:
        return error
    return pools.get(name)
