"""The deployed stack as AWS tells it: outputs, functions with their resolved environment, policies."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.rehearsal.ground import REGION, Ground
from tests.rehearsal.models import SKIPPED
from tests.rehearsal.policies import Statement, statements
from tests.rehearsal.progress import check
from tests.rehearsal.resources import Place
from warmpool.sim.aws.identity import ACCOUNT

LAYERS: Final = 2
_OURS: Final = "python/warmpool/settings.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function, with its code and our layer unpacked in `folder`."""

    name: str
    arn: str
    handler: str
    timeout_seconds: int
    memory_megabytes: int
    environment: Mapping[str, str]
    role: str
    folder: Path

    @property
    def path(self) -> str:
        """Where Python looks for its modules first: the function, then the layer."""
        return f"{self.folder / 'function'}:{self.folder / 'layer/python'}"


_NAMELESS: Final = frozenset({"AWS::Lambda::LayerVersion", "AWS::Lambda::Permission"})
"""Made by moto without an id that a stack would tell; `_function` and connections.py look whether they are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """One stack."""

    outputs: Mapping[str, str]
    functions: Mapping[str, Function]
    """By folder in functions/: reconcile, ingest_audit."""
    roles: Mapping[str, tuple[Statement, ...]]
    """By name of the role: what it may do."""
    counts: Mapping[str, int]
    """How many resources there are, by type."""


def read_stack(ground: Ground, stack: str, folder: Path) -> Deployed:
    """Read a stack and unpack its code below `folder`. Raises Failed where it is not what the rehearsal expects."""
    formation = ground.client("cloudformation")
    [found] = formation.describe_stacks(StackName=stack)["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in found["Outputs"]}
    check(found["StackStatus"] == "CREATE_COMPLETE", f"stack {stack} is {found['StackStatus']}")
    named = _named(formation, stack)
    names = named["AWS::Lambda::Function"]
    [other] = [name for name in names if name != outputs["Function"]]
    functions = {
        "reconcile": _function(ground, outputs["Function"], folder / "reconcile"),
        "ingest_audit": _function(ground, other, folder / "ingest_audit"),
    }
    return Deployed(
        outputs=outputs,
        functions=functions,
        roles={role: _statements(ground, role) for role in named["AWS::IAM::Role"]},
        counts={kind: len(found) for kind, found in named.items()},
    )


def _named(formation: Any, stack: str) -> dict[str, list[str]]:
    """Return what the stack's resources are called, by type. Raises Failed where one of the template was not made."""
    there = formation.describe_stack_resources(StackName=stack)["StackResources"]
    # A layer's entry says nothing at all.
    names = {each.get("LogicalResourceId"): each.get("PhysicalResourceId") for each in there}
    named: dict[str, list[str]] = {}
    for logical, resource in formation.get_template(StackName=stack)["TemplateBody"]["Resources"].items():
        kind, name = resource["Type"], names.get(logical)
        check(name is not None or kind in SKIPPED or kind in _NAMELESS, f"{logical}, a {kind}, was not made")
        if name is not None:
            named.setdefault(kind, []).append(name)
    return named


def _function(ground: Ground, name: str, folder: Path) -> Function:
    found: Any = ground.client("lambda").get_function_configuration(FunctionName=name)
    backend = Place(ACCOUNT, REGION).backend("lambda")
    layers = [backend.layers_versions_by_arn(each["Arn"]).code_bytes for each in found["Layers"]]
    [ours] = [archive for archive in layers if _OURS in _names(archive)]
    check(len(layers) == LAYERS, f"function {name} has {len(layers)} layers; expected our package and its dependencies")
    # The API gives addresses on S3 that moto does not serve. The dependencies are built for Lambda's processor.
    _unpack(backend.get_function(name).code_bytes, folder / "function")
    _unpack(ours, folder / "layer")
    return Function(
        name=name,
        arn=found["FunctionArn"],
        handler=found["Handler"],
        timeout_seconds=found["Timeout"],
        memory_megabytes=found["MemorySize"],
        environment=found["Environment"]["Variables"],
        role=found["Role"].rpartition("/")[2],
        folder=folder,
    )


def _names(archive: bytes) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return set(files.namelist())


def _unpack(archive: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        files.extractall(folder)


def _statements(ground: Ground, role: str) -> tuple[Statement, ...]:
    iam = ground.client("iam")
    attached = iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    check(not attached, f"role {role} has managed policies, which this cannot read: {attached}")
    names = iam.list_role_policies(RoleName=role)["PolicyNames"]
    documents = [iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"] for name in names]
    return tuple(statements(documents))
