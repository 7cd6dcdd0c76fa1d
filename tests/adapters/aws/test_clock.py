"""The real clock and the time that Lambda leaves."""

from dataclasses import dataclass
from datetime import timedelta

from warmpool.adapters.aws.clock import Deadline, LambdaBudget, SystemClock


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


def test_a_deadline_runs_down_from_the_moment_it_is_set() -> None:
    passing = iter([100.0, 100.0, 103.5, 141.0])
    budget = Deadline(40, monotonic=lambda: next(passing))

    assert [budget.remaining_seconds() for _ in range(3)] == [40, 36.5, -1]
