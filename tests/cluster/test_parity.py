"""The same stories in the embedded model and on the real cluster: what they come to must agree."""

from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet

from tests.cluster.conftest import NewLab
from tests.cluster.parity.model import ModelWorld
from tests.cluster.parity.real import RealWorld
from tests.cluster.parity.story import Story, Telling, stories
from tests.cluster.parity.times import too_far_apart


def told() -> Iterator[ParameterSet]:
    for name, story in stories().items():
        marks = [pytest.mark.xfail(strict=True, reason=story.differs)] if story.differs else []
        yield pytest.param(story, id=name, marks=marks)


@pytest.mark.parametrize("story", list(told()))
def test_the_embedded_model_comes_to_what_the_real_cluster_comes_to(new_lab: NewLab, story: Story) -> None:
    lab = new_lab(
        spec=story.pool,
        registration_delay=f"{story.registration_seconds}s",
        initial_replicas=story.initial_replicas,
    )

    real = Telling(RealWorld(lab)).tell(story)
    model = Telling(ModelWorld(story)).tell(story)

    assert model == real, story.why
    apart = [
        f"step {here.step}: {each}"
        for here, there in zip(model, real, strict=True)
        for each in too_far_apart(here.times, there.times, story.bounds)
    ]
    assert apart == [], story.why
