"""The real clock and the time that Lambda leaves."""

from dataclasses import dataclass
from datetime import timedelta

from warmpool.adapters.aws.clock import LambdaBudget, SystemClock


@dataclass
class Context:
    milliseconds: int

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


def test_the_clock_speaks_utc_and_does_not_run_backwards() -> None:
    clock = SystemClock()
    first = clock.now()

    assert first.utcoffset() == timedelta(0)
    assert clock.now() >= first


def test_the_budget_is_what_is_left_less_the_margin() -> None:
    context = Context(30_000)
    budget = LambdaBudget(context, margin_seconds=2)

    assert budget.remaining_seconds() == 28
    context.milliseconds = 1_500
    assert budget.remaining_seconds() == -0.5
