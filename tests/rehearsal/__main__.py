"""`python -m tests.rehearsal`: deploy with the real CDK CLI, run what was deployed, and take it away again.

AWS is moto's server, the cluster is the embedded one, both on loopback; the logs are in build/rehearsal.
"""

import os
import shutil
import signal
import sys
from types import FrameType
from typing import Final

from tests.rehearsal import commands, models
from tests.rehearsal.connections import check_connections, check_skipped
from tests.rehearsal.deployed import Deployed, read_stack
from tests.rehearsal.drift import compare
from tests.rehearsal.ground import Ground, ground
from tests.rehearsal.inventory import Found, inventory
from tests.rehearsal.lambdas import Lambdas
from tests.rehearsal.progress import Failed, Progress, check
from tests.rehearsal.rights import check_rights
from tests.rehearsal.schedules import schedules
from tests.rehearsal.situations import OVERRIDDEN, SITUATIONS
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.core.spec import Spec

SPEC: Final = "tests/rehearsal/pools.yaml"
STACK: Final = "warmpool-rehearsal"
CDK: Final = commands.ROOT / "infra/cli/node_modules/.bin/cdk"
FOLDER: Final = commands.ROOT / "build/rehearsal"
LIMIT_SECONDS: Final = 240.0
"""For one run of the CDK CLI, which on a clean machine downloads the dependency layer."""


def cdk(here: Ground, command: str, *options: str) -> None:
    """Run the CDK CLI on the rehearsal's deployment. Raises Failed."""
    context = {"spec": SPEC, "stackName": STACK, "auditEvents": "true"}
    given = [word for key, value in context.items() for word in ("--context", f"{key}={value}")]
    commands.run(
        f"cdk-{command}",
        [str(CDK), command, *options, *given, "--output", str(FOLDER / "cdk.out")],
        environment={**commands.surroundings(), **here.environment(), "CDK_DISABLE_CLI_TELEMETRY": "true"},
        folder=FOLDER,
        limit_seconds=LIMIT_SECONDS,
    )
    check(not here.broken, f"moto failed during cdk {command}: {here.broken}")


def rehearse(progress: Progress, here: Ground, spec: Spec) -> None:
    """Do it all. Raises Failed at the first thing that is not as it should be."""
    with progress.step("cdk bootstrap"):
        cdk(here, "bootstrap")
    before = inventory(here)
    with progress.step("cdk deploy") as results:
        cdk(here, "deploy", "--require-approval", "never")
        here.stop_motos_own_polling()
        check_skipped(here)
        results.append(f"{len(inventory(here) - before)} things new")
        results.append(f"skipped by moto: {', '.join(sorted(models.SKIPPED))}")
    with progress.step("the deployed stack, and the embedded run's resources against it"):
        deployed = read_stack(here, STACK, FOLDER / "code")
        check_connections(here, deployed)
        compare(here, STACK, deployed.outputs)
    use(progress, here, deployed, spec)
    with progress.step("cdk destroy") as results:
        cdk(here, "destroy", "--force")
        results.append(f"kept on purpose: {_check_left(before, inventory(here), deployed)}")


def use(progress: Progress, here: Ground, deployed: Deployed, spec: Spec) -> None:
    """Let things happen to the deployed functions, and hold what they called against their roles."""
    lambdas, fired = Lambdas(here, deployed, FOLDER), schedules(here)
    for happen in SITUATIONS:
        with progress.step(happen.__name__.replace("_", " ")) as results:
            here.let_time_pass()
            results.append(happen(here, lambdas, fired, spec))
    with progress.step("every call against the role's policies, both ways") as results:
        results.extend(check_rights(deployed, lambdas.calls, fired))


def _check_left(before: Found, after: Found, deployed: Deployed) -> str:
    """Raise Failed unless what remains is what is to remain; return it in words."""
    kept = {
        ("table", deployed.outputs["LedgerTable"]),
        ("parameter", f"{deployed.outputs['ParameterPrefix']}/{OVERRIDDEN}/override"),
    }
    check(before <= after, f"cdk destroy took away what it had not made: {sorted(before - after)}")
    check(after - before == kept, f"cdk destroy left {sorted(after - before)}; expected {sorted(kept)}")
    return ", ".join(f"{kind} {name}" for kind, name in sorted(kept))


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    """Rehearse; end with 1 and the reason where that fails, with 130 where it is interrupted."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]  # a profile, an endpoint or a proxy of this machine would lead out of the rehearsal
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, _interrupt)
    progress, spec = Progress(), load_spec_file(commands.ROOT / SPEC).spec
    try:
        with ground(spec) as here:
            progress.say(f"AWS at {here.url}, the cluster beside it; logs in {FOLDER}")
            rehearse(progress, here, spec)
    except Failed as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; everything that was started has ended\n")
        return 130
    progress.say("all of it went as it should")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
