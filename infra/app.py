"""CDK's entry point: the context describes one deployment, and nothing here asks network, git or clock."""

import sys
from pathlib import Path

from aws_cdk import App

from infra.config import load_deployment
from infra.nag import acknowledge_findings, add_checks
from infra.stack import WarmpoolStack
from warmpool.app.errors import WarmpoolError

ROOT = Path(__file__).resolve().parent.parent


def build(app: App, root: Path = ROOT) -> WarmpoolStack:
    """Build the stack that the app's context describes. Raises ConfigInvalid or ConfigUnreadable."""
    deployment = load_deployment(app.node.try_get_context, root)
    stack = WarmpoolStack(app, deployment.stack_name, deployment=deployment, root=root)
    acknowledge_findings(stack)
    add_checks(app)
    return stack


def main() -> None:
    """Synthesise for the CDK CLI, which names the output folder in the environment."""
    app = App()
    try:
        build(app)
    except WarmpoolError as error:
        sys.exit(f"error: {error}")
    app.synth()


if __name__ == "__main__":
    main()
