"""What the resources that we model for moto's CloudFormation share."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import moto.backends

Properties = Mapping[str, Any]


class Place:
    """One account and region."""

    def __init__(self, account: str, region: str) -> None:
        self.account = account
        self.region = region

    def backend(self, service: Any) -> Any:
        """Return moto's backend of a service."""
        return moto.backends.get_backend(service)[self.account][self.region]


class Resource:
    """What all of these share: made from its properties by `make`, taken away by `remove`."""

    TYPE: ClassVar[str]
    NAME: ClassVar[str] = ""
    """Which property names it, where one does."""

    def __init__(self, name: str, properties: Properties, place: Place) -> None:
        self.name = name
        self.properties = properties
        self.place = place

    @property
    def physical_resource_id(self) -> str:
        """What `Ref` gives."""
        return self.name

    @abstractmethod
    def make(self) -> None:
        """Create it in the account."""

    @abstractmethod
    def remove(self) -> None:
        """Take it out of the account."""

    def delete(self, account_id: str, region_name: str) -> None:
        self.remove()

    def is_created(self) -> bool:
        return True

    def get_cfn_attribute(self, attribute: str) -> str:
        raise KeyError(f"{self.TYPE} has no attribute {attribute}")

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return attr == "Arn"

    @classmethod
    def cloudformation_type(cls) -> str:
        return cls.TYPE

    @classmethod
    def cloudformation_name_type(cls) -> str:
        return cls.NAME

    @classmethod
    def create_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **_: Any
    ) -> Self:
        made = cls(resource_name, cloudformation_json["Properties"], Place(account_id, region_name))
        made.make()
        return made
