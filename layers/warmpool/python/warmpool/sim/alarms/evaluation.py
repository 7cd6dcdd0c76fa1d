"""When an alarm goes off: M of N, and what CloudWatch makes of missing data."""

from collections.abc import Sequence

from warmpool.sim.alarms.definitions import MetricAlarm, Missing, State


def evaluate(alarm: MetricAlarm, values: Sequence[float | None], before: State) -> State:
    """Return the alarm's state from its values, the newest first: all periods of the evaluation range.

    That range is longer than the N periods. Where it holds N values or more, the newest N decide, however old, and what
    is missing does not matter; only where it holds fewer, `TreatMissingData` stands in for those that lack. After
    "Configuring how CloudWatch alarms treat missing data" in the User Guide.
    """
    known = [alarm.comparison.holds(each, alarm.threshold) for each in values if each is not None][: alarm.periods]
    bad, lack = sum(known), alarm.periods - len(known)
    if alarm.missing is Missing.BREACHING:
        bad += lack
    if bad >= alarm.points:
        return State.ALARM
    if lack == 0 or alarm.missing in {Missing.BREACHING, Missing.NOT_BREACHING}:
        return State.OK
    if not known:
        return before if alarm.missing is Missing.IGNORE else State.INSUFFICIENT_DATA
    if not all(known):
        return State.OK
    # All that is known is bad, and it is too little: "missing" goes off early, "ignore" waits.
    return before if alarm.missing is Missing.IGNORE else State.ALARM
