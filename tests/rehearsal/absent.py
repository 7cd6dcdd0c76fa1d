"""What moto's CloudFormation imports and never uses here: a library of API Gateway that is no dependency of ours."""

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

_LIBRARY: Final = "openapi_spec_validator"


def fill_in() -> None:
    """Put a stand-in where the library is not installed; using it (an API Gateway from a document) raises."""
    if find_spec(_LIBRARY) is not None:
        return
    _put(_LIBRARY, validate=_refuse)
    _put(f"{_LIBRARY}.validation")
    _put(f"{_LIBRARY}.validation.exceptions", OpenAPIValidationError=ValueError)


def _put(name: str, **content: Any) -> None:
    module = ModuleType(name)
    vars(module).update(content, __path__=[])
    sys.modules[name] = module


def _refuse(*_: Any, **__: Any) -> None:
    raise NotImplementedError(f"{_LIBRARY} is not installed: the stack has no API Gateway")
