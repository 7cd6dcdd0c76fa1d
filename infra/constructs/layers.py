"""The two layers: the package as it lies in the repository, and what it depends on."""

from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType, BundlingOptions, DockerImage
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.dependencies import UvBundling, layer_hash

RUNTIME: Final = lambda_.Runtime.PYTHON_3_13
"""The newest runtime on which the layer's wheels are imported before a release; infra.dependencies builds for it."""
ARCHITECTURE: Final = lambda_.Architecture.ARM_64

NOT_SHIPPED: Final = (
    "pyproject.toml",
    "python/warmpool/sim",
    "python/warmpool/cli",
    "python/warmpool/views",
    "**/__pycache__",
    "**/.*",
    "**/*.egg-info",
)
"""Simulator, command line and their views stay at home; caches would change the asset's hash with every test run."""


class Layers(Construct):
    """Both layers, in the order in which a function takes them."""

    def __init__(self, scope: Construct, construct_id: str, *, root: Path) -> None:
        super().__init__(scope, construct_id)
        self.package = lambda_.LayerVersion(
            self,
            "Package",
            description="The package warmpool",
            code=lambda_.Code.from_asset(str(root / "layers/warmpool"), exclude=list(NOT_SHIPPED)),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[ARCHITECTURE],
        )
        self.dependencies = lambda_.LayerVersion(
            self,
            "Dependencies",
            description="What warmpool depends on, as locked",
            code=lambda_.Code.from_asset(
                str(root / "layers/warmpool"),
                asset_hash=layer_hash(root),
                asset_hash_type=AssetHashType.CUSTOM,
                bundling=BundlingOptions(
                    image=DockerImage.from_registry("unused: the layer is built on this machine"),
                    local=UvBundling(root),
                ),
            ),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[ARCHITECTURE],
        )
        self.versions: list[lambda_.ILayerVersion] = [self.package, self.dependencies]
