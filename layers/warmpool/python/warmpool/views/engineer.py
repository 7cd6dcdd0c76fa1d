"""What an engineer is shown: the charts of a pool, and of the stack."""

from typing import Final

from warmpool.app.measured import Statistic
from warmpool.views.model import Chart, Group, Resource, Series, Stat, Style, Tone
from warmpool.views.series import (
    AVERAGE,
    COLD_CAUSES,
    COST_PER_WARM,
    HELD_REASONS,
    HIT_RATE,
    IDLE_COST,
    IDLE_HOURS,
    LAUNCHES_UNIT,
    NODES,
    OUTCOMES,
    PASSES,
    PERCENT,
    SECONDS,
    SUM,
    USD,
    averages,
    flags,
    one,
)

_ROOM: Final = Chart(
    title="Warm room",
    about="Launches that would find a warm node at once (least of the period), against what is asked for (most)",
    unit=LAUNCHES_UNIT,
    series=(
        one("asked for", "NeedSlots", Statistic.MAXIMUM, Tone.SECOND),
        one("warm now", "WarmSlots", Statistic.MINIMUM, Tone.WARM),
    ),
)
_WAITS: Final = Chart(
    title="Waiting",
    about="So long half of the launches, 99 % of all and 99 % of the warm ones waited at most, from pod to readiness",
    unit=SECONDS,
    series=(
        one("half", "Wait", Statistic.P50, Tone.FIRST),
        one("99 %", "Wait", Statistic.P99, Tone.COLD),
        one("99 % of the warm", "WarmWait", Statistic.P99, Tone.WARM),
    ),
    style=Style.DOTS,
    logarithmic=True,
)
_LEAD: Final = Chart(
    title="Lead time",
    about="Averages, from an order until the node was there (node), was Ready (join) and had its images (pull)",
    unit=SECONDS,
    series=(
        one("node", "LeadNode", AVERAGE, Tone.FIRST),
        one("join", "LeadJoin", AVERAGE, Tone.SECOND),
        one("pull", "LeadPull", AVERAGE, Tone.FOURTH),
    ),
    style=Style.STACKED,
)
_LEAD_USED: Final = Chart(
    title="Lead time, reckoned with and seen",
    about="What decisions reckon with, against orders and replacements of preempted placeholders as they were",
    unit=SECONDS,
    series=(
        one("reckoned with", "LeadTime", Statistic.MAXIMUM, Tone.QUIET),
        one("90 % of orders", "LeadTotal", Statistic.P90, Tone.FIRST),
        one("90 % of replacements", "Replacement", Statistic.P90, Tone.SECOND),
    ),
    style=Style.DOTS,
)

POOL: Final = (
    Group(
        title="Do launches find a warm node?",
        charts=(
            _ROOM,
            Chart(
                title="Launches",
                about="Each once, by what it found: room on a warm node, a placeholder's place, or no warm node",
                unit=LAUNCHES_UNIT,
                series=OUTCOMES,
                style=Style.STACKED,
            ),
            _WAITS,
        ),
        runbook=("warm-promise-not-kept", "promise-not-kept", "below-floor"),
    ),
    Group(
        title="Why were launches cold, and what is in the way?",
        charts=(
            Chart(
                title="Cold launches by cause",
                about="Each cold launch once",
                unit=LAUNCHES_UNIT,
                series=(COLD_CAUSES,),
                style=Style.STACKED,
            ),
            Chart(
                title="Passes that held, by reason",
                about="A pass that holds changes nothing on purpose, and says why",
                unit=PASSES,
                series=(HELD_REASONS,),
                style=Style.STACKED,
            ),
            Chart(
                title="What is in the way",
                about="Share of passes in which this was so",
                unit="% of passes",
                series=flags(
                    {
                        "short of room": "RoomMissing",
                        "below min or pin": "BelowFloor",
                        "capped": "Capped",
                        "no node comes": "CapacityStuck",
                        "images not pulled": "ImagePullStuck",
                        "held": "Held",
                        "held for long": "HeldLong",
                        "somebody else writes": "ForeignWriter",
                        "wrong document": "ConfigInvalid",
                        "failed": "PoolFailed",
                    }
                ),
                only_occurred=True,
            ),
        ),
        runbook=("capacity-stuck", "image-not-pulled", "capped-long", "held-long", "config-invalid"),
    ),
    Group(
        title="Placeholders, nodes and how fast they come",
        charts=(
            Chart(
                title="Placeholders",
                about="Averages of the period: what was decided, what the Deployment has, and how far it is",
                unit="placeholders",
                series=averages(
                    {
                        "target": "Target",
                        "current": "Current",
                        "Ready": "ReadyPlaceholders",
                        "pending": "PendingPlaceholders",
                    }
                ),
            ),
            Chart(
                title="Nodes",
                about="Averages of the period; idle nodes include those that are ordered",
                unit=NODES,
                series=averages(
                    {"busy": "BusyNodes", "warm": "WarmNodes", "idle": "IdleNodes", "idle wanted": "IdleNodesWanted"}
                ),
            ),
            _LEAD,
        ),
    ),
    Group(
        title="What does it cost?",
        charts=(
            Chart(
                title="Idle cost",
                about="What nodes without a workspace cost, by the spec's prices; no data where one is unknown",
                unit=USD,
                series=(IDLE_COST,),
            ),
            Chart(
                title="Idle node-hours",
                about="Time that nodes were paid for without a workspace",
                unit="node-hours",
                series=(IDLE_HOURS,),
            ),
            Chart(
                title="Cost of one avoided cold start",
                about="Idle cost of the period divided by its warm launches; no data where there were none",
                unit=USD,
                series=(COST_PER_WARM,),
                style=Style.DOTS,
            ),
        ),
    ),
    Group(
        title="Lead time and settings",
        charts=(
            _LEAD_USED,
            Chart(
                title="Fast starts",
                about="Launches that found a warm node, of those whose start was seen",
                unit=PERCENT,
                series=(HIT_RATE,),
                style=Style.DOTS,
            ),
            Chart(
                title="Age of a wrong document",
                about="How long an older document has been in force than the one that ought to be; 0 while all is well",
                unit=SECONDS,
                series=(one("age", "ConfigAge", Statistic.MAXIMUM, Tone.COLD),),
            ),
        ),
        runbook=("config-invalid",),
    ),
)
"""For one pool."""

STACK: Final = (
    Group(
        title="Does the controller work?",
        charts=(
            Chart(
                title="Passes",
                about="One a minute; a complete one saw the whole cluster. Conflict: somebody else had written first",
                unit=PASSES,
                series=(
                    one("complete", "Heartbeat", SUM, Tone.WARM),
                    one("failed", "PassFailed", SUM, Tone.COLD),
                    one("conflicts", "Conflicts", SUM, Tone.SECOND),
                ),
            ),
            Chart(
                title="How long a pass takes",
                about="A pass must end within the function's timeout",
                unit=SECONDS,
                series=(
                    one("average", "PassSeconds", AVERAGE, Tone.FIRST),
                    one("longest", "PassSeconds", Statistic.MAXIMUM, Tone.SECOND),
                ),
            ),
        ),
        runbook=("heartbeat-lost", "pass-failed", "function-errors", "throttled", "close-to-timeout"),
    ),
    Group(
        title="Do its messages arrive?",
        charts=(
            Chart(
                title="Age of the oldest nudge",
                about="How long a message has waited for a pass",
                unit=SECONDS,
                series=(
                    Series(
                        label="oldest message",
                        stat=Stat(
                            metric="ApproximateAgeOfOldestMessage",
                            statistic=Statistic.MAXIMUM,
                            of=Resource.QUEUE,
                        ),
                    ),
                ),
            ),
            Chart(
                title="Messages and invocations that failed",
                about="All ought to be 0: unreadable and undelivered messages, crashes of the function",
                unit="messages or invocations",
                series=(
                    *(
                        Series(
                            label=label,
                            stat=Stat(
                                metric="ApproximateNumberOfMessagesVisible", statistic=Statistic.MAXIMUM, of=resource
                            ),
                            tone=tone,
                        )
                        for label, resource, tone in (
                            ("unreadable", Resource.DEAD_LETTERS, Tone.COLD),
                            ("undelivered", Resource.UNDELIVERED, Tone.SECOND),
                        )
                    ),
                    Series(
                        label="crashes",
                        stat=Stat(metric="Errors", statistic=SUM, of=Resource.FUNCTION),
                        tone=Tone.FOURTH,
                    ),
                ),
            ),
        ),
        runbook=("queue-late", "dead-letters", "undelivered-ticks"),
    ),
)
"""For the whole stack."""
