"""What passes counted of launches, held against what the simulator knows of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.watch import Cause, Launch, Outcome, Tally
from warmpool.sim.cluster.launches import LaunchRecord

NO_ROOM: Final = frozenset({Cause.NONE_FREE, Cause.WRONG_ZONE, Cause.TOO_BIG, Cause.STOCK_OUT, Cause.GATED})
"""The model only knows that there was none; which of these it was, the stories that bring it about say."""
TRUE_CAUSES: Final[Mapping[str, frozenset[Cause]]] = {
    "no room": NO_ROOM,
    "new node": NO_ROOM,
    "still pulling": frozenset({Cause.STILL_PULLING}),
    "no image": frozenset({Cause.STILL_PULLING, Cause.IMAGE}),
}
"""By what the model says."""


def counted(tallies: Iterable[Tally]) -> dict[str, Launch]:
    """Return what was counted, by pod. Fails where a launch was counted twice."""
    launches = [each for tally in tallies for each in tally.launches]
    assert len({each.uid for each in launches}) == len(launches)
    return {each.uid: each for each in launches}


def judge(tallies: Iterable[Tally], really: Sequence[LaunchRecord], *, kinds: bool = True) -> Counter[str]:
    """Compare each counted launch with what it really found; return how many were counted as what.

    Of launches in one instant the one that preempts may be bound where another one's preemption made room. No trace of
    that is left in the pods, so among them it is compared how many took a placeholder's place, not which. Without
    `kinds` it is only compared which were warm, and why the others were cold.
    """
    truth = {each.pod: each for each in really}
    found = counted(tallies)
    instants: defaultdict[datetime, list[tuple[Launch, LaunchRecord]]] = defaultdict(list)
    for uid, launch in found.items():
        real = truth[uid]
        assert real.ready_at is not None
        assert abs(launch.ready - real.ready_at) < timedelta(seconds=1)
        if launch.found.outcome is not Outcome.UNKNOWN:
            assert launch.found.outcome.warm is (str(real.outcome) != "cold"), (launch, real)
            assert launch.found.cause in (TRUE_CAUSES[real.cause] if real.cause else {None}), (launch, real)
        instants[launch.created].append((launch, real))
    for pairs in instants.values() if kinds else ():
        told = Counter(launch.found.outcome.value for launch, _ in pairs)
        unknown = told.pop(Outcome.UNKNOWN.value, 0)
        missing = Counter(str(real.outcome) for _, real in pairs)
        missing.subtract(told)
        assert min(missing.values()) >= 0, (
            told,
            [each for each in pairs if each[0].found.outcome.value != str(each[1].outcome)],
        )
        assert missing.total() == unknown
    return Counter(each.found.outcome.value for each in found.values())
