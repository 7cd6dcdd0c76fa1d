"""What was measured, in sentences with units: the part of a report that a manager reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from warmpool.core.watch import Cause
from warmpool.views.numbers import Numbers

NO_DATA: Final = "no data"
_NO_LAUNCHES: Final = "no launches"
_CAUSES: Final[Mapping[str, str]] = {
    Cause.NONE_FREE: "no warm node was free",
    Cause.WRONG_ZONE: "the free warm node was in the wrong zone",
    Cause.IMAGE: "another image was asked for",
    Cause.TOO_BIG: "too big for the free room",
    Cause.STILL_PULLING: "the node was still pulling",
    Cause.GATED: "held back by a scheduling gate",
    Cause.STOCK_OUT: "AWS had no instance",
}
_MINUTE_SECONDS: Final = 60
_CENTS_BELOW_USD: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One answer: a number to be seen at once, and the sentence that explains it."""

    title: str
    value: str
    sentence: str
    good: bool | None = None
    """None where it is neither good nor bad."""


def cards(numbers: Numbers, span: timedelta, target: float | None = None) -> tuple[Card, ...]:
    """Write the answers; `target` is the promised share of fast starts, `span` the time that was asked for."""
    return (_kept(numbers), _fast(numbers, target), _waits(numbers), _cost(numbers, span), _avoided(numbers))


def _kept(numbers: Numbers) -> Card:
    title = "Is the promise kept?"
    if numbers.kept is None or numbers.kept_at is None:
        seen = _share_of_passes(numbers)
        return Card(title=title, value=NO_DATA, sentence=f"No pass at the end of this time tells. {seen}".strip())
    covers = "covered" if numbers.kept else "did not cover"
    where = "" if numbers.pool else " of every pool" if numbers.kept else " of some pool"
    sentence = (
        f"At {clock(numbers.kept_at)} the warm room{where} {covers} what is asked for. {_share_of_passes(numbers)}"
    )
    return Card(title=title, value="yes" if numbers.kept else "no", sentence=sentence.strip(), good=numbers.kept)


def _share_of_passes(numbers: Numbers) -> str:
    return "" if numbers.kept_share is None else f"It did in {percent(numbers.kept_share)} of all passes."


def _fast(numbers: Numbers, target: float | None) -> Card:
    title = "Fast starts"
    unknown = f" Of {numbers.unseen} more it is not known." if numbers.unseen else ""
    if numbers.launches is None:
        return Card(title=title, value=NO_DATA, sentence=f"No launch was measured.{unknown}")
    if numbers.hit_rate is None:
        return Card(title=title, value=_NO_LAUNCHES, sentence=f"Nobody launched a workspace.{unknown}")
    promise = "" if target is None else f" Promised: {percent(target)}."
    found = f"{numbers.warm} of {numbers.launches} launches found a warm node"
    sentence = f"{found}{_why_cold(numbers)}.{promise}{unknown}"
    good = None if target is None else numbers.hit_rate >= target
    return Card(title=title, value=percent(numbers.hit_rate), sentence=sentence, good=good)


def _why_cold(numbers: Numbers) -> str:
    if not numbers.cold:
        return ""
    causes = ", ".join(f"{count} x {_CAUSES.get(cause, cause)}" for cause, count in numbers.causes.items())
    return f"; {numbers.cold} did not" + (f" ({causes})" if causes else "")


def _waits(numbers: Numbers) -> Card:
    half, most = numbers.wait_p50_seconds, numbers.wait_p99_seconds
    if half is None or most is None:
        none = _NO_LAUNCHES if numbers.launches == 0 else NO_DATA
        return Card(title="Waiting", value=none, sentence="No wait was measured.")
    where = "" if numbers.pool else ", in the slowest pool"
    sentence = f"Half of the launches waited at most {seconds(half)}, 99 % at most {seconds(most)}{where}."
    return Card(title="Waiting", value=seconds(half), sentence=sentence)


def _cost(numbers: Numbers, span: timedelta) -> Card:
    title = "Idle cost"
    hours = numbers.idle_node_hours
    if hours is None:
        return Card(title=title, value=NO_DATA, sentence="No idle node-hours were measured.")
    left_out = f" Without a price: {', '.join(numbers.unpriced)}." if numbers.unpriced and not numbers.pool else ""
    if numbers.idle_cost_usd is None or numbers.idle_cost_usd_per_day is None:
        sentence = (
            f"{hours:,.1f} node-hours were idle; what they cost is not known: give `nodeHourlyPrice` in the spec."
        )
        return Card(title=title, value=NO_DATA, sentence=sentence)
    over = "" if numbers.measured >= span else f", of which {length(numbers.measured)} were measured"
    some = "; those with a price" if left_out else ""
    cost = f"{usd(numbers.idle_cost_usd)} in {length(span)}{over}"
    sentence = f"{hours:,.1f} idle node-hours{some} cost {cost}.{left_out}"
    return Card(title=title, value=f"{usd(numbers.idle_cost_usd_per_day)} a day", sentence=sentence)


def _avoided(numbers: Numbers) -> Card:
    title = "One avoided cold start"
    each = numbers.usd_per_avoided_cold_start
    if each is None:
        why = "There was no warm launch." if numbers.warm_priced == 0 else "Its cost or its launches are not known."
        return Card(title=title, value=NO_DATA, sentence=why)
    sentence = f"{usd(numbers.idle_cost_usd or 0)} of idle nodes for {numbers.warm_priced} warm launches."
    return Card(title=title, value=usd(each), sentence=sentence)


def percent(share: float) -> str:
    """Write a share; 100 % only where it is all."""
    text = f"{100 * share:.1f}"
    return f"{'99.9' if text == '100.0' and share < 1 else text} %"


def usd(amount: float) -> str:
    """Write money, with tenths of a cent where it is less than a dollar."""
    return f"${amount:,.2f}" if abs(amount) >= _CENTS_BELOW_USD or not amount else f"${amount:.3f}"


def seconds(amount: float) -> str:
    """Write a wait: seconds, from two minutes on with minutes."""
    whole = round(amount)
    if whole < 2 * _MINUTE_SECONDS:
        return f"{whole} s"
    minutes, rest = divmod(whole, _MINUTE_SECONDS)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def length(span: timedelta) -> str:
    """Write a length of time by its largest two units."""
    minutes = round(span.total_seconds() / _MINUTE_SECONDS)
    days, rest = divmod(minutes, 24 * 60)
    hours, left = divmod(rest, 60)
    parts = [(days, "day" if days == 1 else "days"), (hours, "h"), (left, "min")]
    known = [f"{amount} {unit}" for amount, unit in parts if amount]
    return " ".join(known[:2]) or "0 min"


def clock(instant: datetime) -> str:
    """Write an instant to the minute."""
    return f"{instant:%Y-%m-%d %H:%M} UTC"
