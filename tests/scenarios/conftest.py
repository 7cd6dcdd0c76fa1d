"""Whatever a story is about, at its end every launch that was counted must have been judged rightly."""

from collections.abc import Iterator

import pytest

from tests.scenarios.judging import judge
from tests.scenarios.story import Story


@pytest.fixture(autouse=True)
def launches_are_judged_rightly(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold the books of each story that a test made against the simulator's.

    Where Hypothesis lets nodes fail and workspaces be evicted all at once, pods do not tell who took a placeholder's
    place and who only found room.
    """
    stories: list[Story] = []
    begin = Story.__post_init__

    def remembered(story: Story) -> None:
        begin(story)
        stories.append(story)

    monkeypatch.setattr(Story, "__post_init__", remembered)
    yield
    kinds = request.node.get_closest_marker("hypothesis") is None
    for story in stories:
        judge(story.ledger.books.get("spaces", ()), story.cluster.launches, kinds=kinds)
