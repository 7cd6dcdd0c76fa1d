"""A synthesised stack that answers tests in the words of the construct tree instead of logical ids."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aws_cdk import App

from infra.app import build

ROOT = Path(__file__).resolve().parents[2]
NETWORK = {
    "vpcId": "vpc-0123456789abcdef0",
    "subnetIds": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "clusterSecurityGroupId": "sg-0123456789abcdef0",
}


@dataclass(frozen=True)
class Synthesis:
    """The template, and the folder with the assets."""

    template: Mapping[str, Any]
    folder: Path

    @property
    def template_path(self) -> Path:
        return next(self.folder.glob("*.template.json"))

    def resources(self, kind: str) -> dict[str, Mapping[str, Any]]:
        """Return the properties of every resource of one type, by construct path within the stack."""
        return {
            self.path(logical_id): resource.get("Properties", {})
            for logical_id, resource in self.template["Resources"].items()
            if resource["Type"] == kind
        }

    def path(self, logical_id: str) -> str:
        """Return the construct path of a resource, without the stack's name and CDK's `Resource` at the end."""
        path = self.template["Resources"][logical_id]["Metadata"]["aws:cdk:path"]
        return str(path).partition("/")[2].removesuffix("/Resource")

    def resolve(self, value: Any) -> Any:
        """Replace references by `<construct path>` and joined parts by one text."""
        match value:
            case {"Ref": str(name)}:
                return f"${{{name}}}" if name.startswith("AWS::") else f"<{self.path(name)}>"
            case {"Fn::GetAtt": [str(name), str(attribute)]}:
                return f"<{self.path(name)}>.{attribute}"
            case {"Fn::Join": [str(separator), list(parts)]}:
                return separator.join(str(self.resolve(part)) for part in parts)
            case dict():
                return {key: self.resolve(item) for key, item in value.items()}
            case list():
                return [self.resolve(item) for item in value]
        return value

    def statements(self, role: str) -> Iterator[Mapping[str, Any]]:
        """Yield every statement that gives the role rights, from whatever kind of policy."""
        for path, properties in self.resources("AWS::IAM::Role").items():
            if path == role:
                for policy in properties.get("Policies", []):
                    yield from self.resolve(policy["PolicyDocument"]["Statement"])
        for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
            for properties in self.resources(kind).values():
                if f"<{role}>" in self.resolve(properties.get("Roles", [])):
                    yield from self.resolve(properties["PolicyDocument"]["Statement"])


def synthesise(folder: Path, context: Mapping[str, str] | None = None, *, root: Path = ROOT) -> Synthesis:
    """Synthesise as `cdk synth` does, with cdk.json's context, but without building the dependency layer."""
    settings = json.loads((root / "cdk.json").read_text())["context"]
    app = App(
        context={
            **settings,
            "aws:cdk:bundling-stacks": [],
            "aws:cdk:enable-path-metadata": True,
            **(context or {}),
        },
        outdir=str(folder),
    )
    stack = build(app, root)
    app.synth()
    return Synthesis(json.loads((folder / f"{stack.stack_name}.template.json").read_text()), folder)
