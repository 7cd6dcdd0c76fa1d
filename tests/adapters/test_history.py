"""A decision is kept again when its answer, its grounds, or what people have said about them changes."""

import pytest

from tests.adapters.aws.builders import decision
from warmpool.adapters.history import history_key
from warmpool.core.reasons import Code, Reason


@pytest.mark.parametrize("code", [Code.OVERRIDE, Code.PAUSED_BY_OVERRIDE, Code.FROZEN, Code.DRAINING])
def test_another_person_or_reason_behind_the_same_limits_is_another_decision(code: Code) -> None:
    alice, bob = (decision(reasons=(Reason(code, f"max 4 for ever: exam (by {name})"),)) for name in ("alice", "bob"))
    assert history_key(alice) != history_key(bob)


def test_another_error_in_a_document_is_another_decision() -> None:
    one, other = (decision(reasons=(Reason(Code.CONFIG_INVALID, f"got number {value}"),)) for value in (1, 2))
    assert history_key(one) != history_key(other)


def test_a_sentence_that_changes_every_minute_is_the_same_decision() -> None:
    one, other = (decision(reasons=(Reason(Code.SURPLUS_WAITS, f"{value} more minutes"),)) for value in (1, 2))
    assert history_key(one) == history_key(other)
