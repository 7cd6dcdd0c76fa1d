"""What operators have set reaches every sentence with until when, why and by whom."""

from datetime import UTC, datetime

import pytest

from tests.builders import inputs, pair, pool
from warmpool.core.decide import decide
from warmpool.core.limits import in_words
from warmpool.core.reasons import Code
from warmpool.core.spec import Override, Stop, StopMode

UNTIL = datetime(2026, 12, 1, 18, 0, tzinfo=UTC)
ALICE = "arn:aws:sts::123456789012:assumed-role/Operator/alice"


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (
            Override(max=8, until=UNTIL, reason="exam", by=ALICE),
            f" until 2026-12-01T18:00+00:00: exam (by {ALICE})",
        ),
        (Override(pause=True, reason="exam"), " for ever: exam"),
        (Stop(mode=StopMode.FREEZE, by=ALICE), f" for ever: no reason given (by {ALICE})"),
    ],
)
def test_a_control_says_until_when_why_and_by_whom(control: Override | Stop, words: str) -> None:
    assert in_words(control) == words


@pytest.mark.parametrize(
    ("code", "override", "stop"),
    [
        (Code.OVERRIDE, Override(max=4, reason="exam", by=ALICE), None),
        (Code.PAUSED_BY_OVERRIDE, Override(pause=True, reason="exam", by=ALICE), None),
        (Code.FROZEN, None, Stop(mode=StopMode.FREEZE, reason="exam", by=ALICE)),
        (Code.DRAINING, None, Stop(mode=StopMode.DRAIN, reason="exam", by=ALICE)),
    ],
)
def test_reason_and_identity_are_in_the_decision(code: Code, override: Override | None, stop: Stop | None) -> None:
    decision = decide(inputs(*pair("n1"), *pair("n2"), spec=pool(), override=override, stop=stop))
    (said,) = (each.text for each in decision.reasons if each.code is code)
    assert said.endswith(f": exam (by {ALICE})")
