"""What was decided at an instant, in words: what is kept of the decision, what it came from, and the launches then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from warmpool.adapters.kept_decision import Damaged, KeptDecision, Span
from warmpool.cli.documents import decision_document
from warmpool.cli.errors import CliError
from warmpool.cli.explaining import Section, explain_decision, explain_unseen
from warmpool.cli.histories import Opened
from warmpool.cli.instants import instant_text
from warmpool.core.assess import assess
from warmpool.core.launch_counts import LaunchCounts, bucket_of, together
from warmpool.core.watch import Cause, Outcome

_AROUND: Final = timedelta(minutes=30)
_JUST: Final = timedelta(microseconds=1)

_CAUSES: Final[Mapping[Cause, str]] = {
    Cause.NONE_FREE: "no warm node had room",
    Cause.WRONG_ZONE: "the room was in other zones",
    Cause.IMAGE: "an image that the pool does not keep warm",
    Cause.TOO_BIG: "larger than what was free on any warm node",
    Cause.STILL_PULLING: "the node was still pulling images",
    Cause.GATED: "held back by a scheduling gate",
    Cause.STOCK_OUT: "AWS had no instance to give",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """What is known of a pool at an instant."""

    at: datetime
    kept: KeptDecision
    next_at: datetime | None
    """When the next decision that changed something was made, None where none is kept."""
    launches: LaunchCounts
    """Of the hour around it."""
    launches_until: datetime
    sections: Sequence[Section]


def answer_at(opened: Opened, pool: str, at: datetime) -> KeptAnswer:
    """Find what was decided at or before an instant. Raises CliError where that is not kept, LedgerUnavailable."""
    kept = _at(opened, pool, at)
    later = opened.history.decisions(pool, Span(since=at + _JUST), with_inputs=False)
    since, until = bucket_of(at - _AROUND), bucket_of(at + _AROUND)
    launches = together(since, opened.history.launches(pool, Span(since=since, until=until - _JUST)))
    return KeptAnswer(
        at=at,
        kept=kept,
        next_at=next((each.decision.at for each in later if isinstance(each, KeptDecision)), None),
        launches=launches,
        launches_until=until,
        sections=(*_sections(kept), Section(heading="Launches around then", lines=_launches(launches, until))),
    )


def _at(opened: Opened, pool: str, at: datetime) -> KeptDecision:
    for each in opened.history.newest(pool, Span(until=at), 1, with_inputs=True):
        if isinstance(each, Damaged):
            raise CliError("Damaged", "--at", f"the decision that held then, of {each.at}, is damaged: {each.why}")
        return each
    text = f"{opened.name} keeps no decision of {pool} at or before {instant_text(at)}"
    raise CliError("NothingKept", "--at", f"{text}; a decision is kept for 30 days, see warmpool history")


def _sections(kept: KeptDecision) -> Sequence[Section]:
    try:
        inputs = kept.decided().inputs
    except ValueError as error:
        return explain_unseen(kept.decision, f"What it came from cannot be read: {error}.")
    if inputs is not None:
        return explain_decision(inputs, assess(inputs), kept.decision)
    if kept.decision.limits is None:
        return explain_unseen(kept.decision, "The pass saw nothing of the pool.")
    left_out = kept.left_out or "an older version kept the decision"
    return explain_unseen(kept.decision, f"What it came from is not kept: {left_out}.")


def _launches(counts: LaunchCounts, until: datetime) -> tuple[str, ...]:
    span = f"From {instant_text(counts.start)} to {instant_text(until)}"
    if not counts.launches:
        lines = [f"{span} no launch became Ready."]
    else:
        found = ", ".join(f"{number} {kind.value}" for kind, number in counts.outcomes.items())
        lines = [f"{span}: {counts.launches}, by what they found: {found}."]
    lines += [f"Cold because of {cause.value} ({_CAUSES[cause]}): {number}." for cause, number in counts.causes.items()]
    if counts.warm:
        lines.append(f"A warm one waited {_mean(counts.warm_waits, counts.warm):.0f} s on average.")
    if counts.cold:
        lines.append(f"A cold one waited {_mean(counts.cold_waits, counts.cold):.0f} s on average.")
    if counts.abandoned:
        lines.append(f"Ended before they were Ready: {counts.abandoned}.")
    return tuple(lines)


def _mean(total: timedelta, number: int) -> float:
    return total.total_seconds() / number


def answer_document(answer: KeptAnswer) -> dict[str, Any]:
    """Write it as `warmpool explain --output json` prints it."""
    decision, counts = answer.kept.decision, answer.launches
    return {
        **decision_document(decision),
        "hold": decision.hold.value if decision.hold else None,
        "asked_at": instant_text(answer.at),
        "next_at": None if answer.next_at is None else instant_text(answer.next_at),
        "explanation": [{"heading": each.heading, "lines": list(each.lines)} for each in answer.sections],
        "launches": {
            "from": instant_text(counts.start),
            "to": instant_text(answer.launches_until),
            "launches": counts.launches,
            "outcomes": {kind.value: counts.outcomes.get(kind, 0) for kind in Outcome},
            "causes": {kind.value: number for kind, number in counts.causes.items()},
            "abandoned": counts.abandoned,
            "mean_warm_wait_s": round(_mean(counts.warm_waits, counts.warm), 1) if counts.warm else None,
            "mean_cold_wait_s": round(_mean(counts.cold_waits, counts.cold), 1) if counts.cold else None,
        },
    }
