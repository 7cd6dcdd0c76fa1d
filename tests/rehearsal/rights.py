"""Every call of the deployed functions and schedules against the policies of their roles, both ways."""

from collections.abc import Iterator, Mapping, Sequence

from tests.rehearsal.calls import Call
from tests.rehearsal.deployed import Deployed
from tests.rehearsal.policies import MADE_BY_AWS, USED_BY_NOBODY, refused, unused
from tests.rehearsal.progress import check
from tests.rehearsal.schedules import Schedules


def check_rights(deployed: Deployed, calls: Mapping[str, Sequence[Call]], fired: Schedules) -> Iterator[str]:
    """Say of each role how much was called. Raises Failed for a call too many, a right too many or an unknown role."""
    made = {function.role: list(calls.get(name, ())) for name, function in deployed.functions.items()}
    [scheduler] = set(deployed.roles) - set(made)
    made[scheduler] = fired.calls(scheduler)
    excepted = {**MADE_BY_AWS, **USED_BY_NOBODY}
    for role, granted in deployed.roles.items():
        wrong = refused(made[role], granted)
        check(not wrong, f"role {role} does not allow what was called: {wrong}")
        idle = unused(made[role], granted, excepted)
        check(not idle, f"role {role} allows what nobody called (Sid, action, resource): {idle}")
        actions = sorted({call.action for call in made[role]})
        yield f"{role.partition('-')[2] or role}: {', '.join(actions)}"
    given = {action for granted in deployed.roles.values() for each in granted for action in each.actions}
    check(not excepted.keys() - given, f"no role has {sorted(excepted.keys() - given)} any more: take them out")
    yield f"granted and used by nobody: {', '.join(USED_BY_NOBODY)}"
