"""Gaps of moto's CloudFormation: outputs of a stack that a change set made, layers, a table's expiry."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from warmpool.sim.aws.gaps.replacing import replaced


@contextmanager
def filled_gaps() -> Iterator[None]:
    """Let stacks have their outputs, and functions their layers. Raises AttributeError where moto has changed."""
    with ExitStack() as stack:
        # These import every other service's models, so not before they are needed.
        stack.enter_context(_outputs(import_module("moto.cloudformation.models").CloudFormationBackend))
        functions = import_module("moto.awslambda.models")
        stack.enter_context(_layers(functions.LambdaFunction))
        stack.enter_context(_layers_go(functions))
        stack.enter_context(_expiry(import_module("moto.dynamodb.models.table").Table))
        yield


@contextmanager
def _outputs(backends: Any) -> Iterator[None]:
    """Read outputs again: the CDK CLI makes every stack by a change set, and moto then reads no outputs."""

    def execute_change_set(backend: Any, change_set_name: str, stack_name: str | None = None) -> None:
        original(backend, change_set_name, stack_name)
        for stack in backend.stacks.values():
            stack._parse_template()  # noqa: SLF001 - moto has no public way
            stack.output_map = stack._create_output_map()  # noqa: SLF001

    with replaced(backends, "execute_change_set", execute_change_set) as original:
        yield


@contextmanager
def _layers(functions: Any) -> Iterator[None]:
    """Moto creates a function without its property Layers."""

    def create(resource_name: str, cloudformation_json: Any, *place: Any, **more: Any) -> Any:
        function = original(resource_name, cloudformation_json, *place, **more)
        # A reference to a layer gives moto's own object.
        layers = [getattr(each, "arn", each) for each in cloudformation_json["Properties"]["Layers"]]
        function.update_configuration({"Layers": layers})
        return function

    with replaced(functions, "create_from_cloudformation_json", staticmethod(create)) as original:
        yield


@contextmanager
def _layers_go(functions: Any) -> Iterator[None]:
    """Moto leaves a layer where it is when its stack goes."""

    def delete(layer: Any, account: str, region: str) -> None:
        functions.get_backend(account, region).delete_layer_version(layer.name, layer.version)

    if hasattr(functions.LayerVersion, "delete"):
        raise AttributeError("moto's layers can be deleted by now: take this out")
    functions.LayerVersion.delete = delete
    try:
        yield
    finally:
        del functions.LayerVersion.delete


@contextmanager
def _expiry(tables: Any) -> Iterator[None]:
    """Moto creates a table without its property TimeToLiveSpecification."""

    def create(resource_name: str, cloudformation_json: Any, *place: Any, **more: Any) -> Any:
        table = original(resource_name, cloudformation_json, *place, **more)
        given = cloudformation_json["Properties"].get("TimeToLiveSpecification")
        if given is not None:
            status = "ENABLED" if given["Enabled"] else "DISABLED"
            table.ttl = {"TimeToLiveStatus": status, "AttributeName": given["AttributeName"]}
        return table

    with replaced(tables, "create_from_cloudformation_json", staticmethod(create)) as original:
        yield
