"""The alarms of a synthesised stack, read back from its template."""

import os
import sys
from pathlib import Path

# Before the import below, since jsii starts when it is imported, with whatever `node` comes first on the PATH.
os.environ["JSII_NODE"] = str(Path(sys.executable).parent / "node")

from tests.infra.synthesis import Synthesis, synthesise
from warmpool.sim.alarms.watch import Alarms

SPEC = Path(__file__).with_name("pools.yaml")
STACK, POOL = "embedded", "spaces"


def synthesised_alarms(folder: Path, spec: Path = SPEC, stack: str = STACK) -> Alarms:
    """Synthesise a stack with all its optional parts for a spec, and return its alarms."""
    context = {"spec": str(spec), "stackName": stack, "auditEvents": "true"}
    return alarms_of(synthesise(folder, {**context, **({"eksCluster": ""} if spec == SPEC else {})}))


def alarms_of(synthesis: Synthesis) -> Alarms:
    """Read all alarms of a template; names that only AWS knows are the construct's path."""
    metric, composite = (
        list(synthesis.resolve(synthesis.resources(f"AWS::CloudWatch::{kind}")).values())
        for kind in ("Alarm", "CompositeAlarm")
    )
    return Alarms(metric, composite)


def slug_of(alarm: str, stack: str = STACK, pool: str = POOL) -> str:
    """Return an alarm's place in the runbook from its name."""
    return alarm.removeprefix(f"{stack}-").removeprefix(f"{pool}-")
