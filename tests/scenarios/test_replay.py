"""Every decision that is kept can be decided again from what is kept with it, byte by byte, whatever had happened."""

import io
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import timedelta
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.functions.reconcile_world import MINUTE as TICK
from tests.functions.reconcile_world import NAMES, ReconcileWorld, reconcile_world, spec
from tests.scenarios.story import MINUTE, START, Story, spaces
from tests.scenarios.test_holds import HOLDS
from tests.scenarios.test_invariants import ACTIONS, WINDOW, act
from warmpool.adapters.aws.clients import AwsClients
from warmpool.adapters.aws.ledger_history import LedgerHistory
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.adapters.decided_json import write_decision
from warmpool.adapters.history_file import FileHistory, read_history, write_history
from warmpool.adapters.kept_decision import KeptDecision, Span
from warmpool.adapters.memory import MemoryLedger, UnlimitedBudget
from warmpool.app.ports import AutoScaling
from warmpool.app.reconcile import ATTEMPTS
from warmpool.app.replay import Replayed, Verdict, replay
from warmpool.core.reasons import Code
from warmpool.core.spec import Override, ScaleDown
from warmpool.sim.aws.session import quick_session
from warmpool.sim.days import committed_week, midnight
from warmpool.sim.policies import OurPolicy
from warmpool.sim.scenes import Scene
from warmpool.sim.simulate import simulate

ALWAYS = Span()


def through_a_file(history: FileHistory) -> list[KeptDecision]:
    """Write a history down, read it again, and return its decisions."""
    out = io.BytesIO()
    write_history(history, history.pools(), ALWAYS, out)
    return [each for decisions in read_history(out.getvalue(), "f").by_pool.values() for each in decisions]


def kept_by(ledger: MemoryLedger) -> list[KeptDecision]:
    pools = {name: [KeptDecision.of(each) for each in found.values()] for name, found in ledger.history.items()}
    return through_a_file(FileHistory(by_pool=pools, counts={}))


def replayed(kept: Iterable[KeptDecision]) -> Counter[Verdict]:
    """Decide all of it again and count what became of it; the first that differs is shown."""
    results: list[Replayed] = [replay(each.decided(), each.written, write_decision) for each in kept]
    assert [each for each in results if each.verdict is Verdict.DIFFERS][:1] == []
    return Counter(each.verdict for each in results)


@pytest.mark.parametrize("days", [1, pytest.param(7, marks=pytest.mark.slow)])
def test_every_decision_of_a_simulated_week_is_decided_again_byte_by_byte(days: int) -> None:
    loaded = load_spec_file(resources.files("warmpool.sim").joinpath("data", "demo.yaml").read_text("utf-8"))
    [pool] = loaded.spec.pools.values()
    week, ledger = committed_week(), MemoryLedger()
    first = midnight(week.first_day)
    scene = Scene(trace=week, start=first, end=first + timedelta(days=days), seed=1)
    simulate(scene.day(pool), OurPolicy(pool=pool, document=loaded.runtime_documents[pool.name], ledger=ledger))

    counts = replayed(kept_by(ledger))
    assert set(counts) == {Verdict.IDENTICAL}
    assert counts[Verdict.IDENTICAL] > 40 * days


@pytest.mark.parametrize(("happen", "code"), HOLDS)
def test_every_hold_is_decided_again(happen: Callable[[Story], None], code: Code) -> None:
    story = Story(spec=spaces(min=3))
    story.tick(15)
    happen(story)
    story.tick(3)
    kept = kept_by(story.ledger)

    assert code in {each.decision.hold for each in kept}
    counts = replayed(kept)
    assert counts[Verdict.IDENTICAL] > 0
    assert counts[Verdict.NOTHING_SEEN] == sum(each.decision.limits is None for each in kept)


@pytest.mark.parametrize("conflicts", [1, ATTEMPTS - 1, ATTEMPTS])
def test_a_decision_that_met_conflicts_is_decided_again(conflicts: int) -> None:
    story = Story(spec=spaces(min=3))
    story.tick(15)
    story.reset_spec(min=5)

    def somebody_else() -> None:
        story.launch(f"w{len(story.outcomes())}")

    story.door.failures.before_scale = somebody_else
    story.door.failures.conflicts = conflicts
    story.tick()
    kept = kept_by(story.ledger)

    assert bool(kept[-1].failed) == (conflicts == ATTEMPTS)
    assert set(replayed(kept)) == {Verdict.IDENTICAL}


def change(story: Story, number: int) -> None:
    """Do what an operator may do, or AWS."""
    hour = story.clock.time + timedelta(hours=1)
    changes: tuple[Callable[[], None], ...] = (
        lambda: story.override(Override(min=number % 6, until=hour, reason="exam", by="alice")),
        lambda: story.override(Override(target=number % 4, until=hour)),
        lambda: story.override(Override(pause=True, until=hour)),
        lambda: story.configuration.overrides.update(spaces="nonsense"),
        lambda: setattr(story.provider, "answer", AutoScaling(in_service=None, text="throttled")),
        story.door.failures.unavailable.clear,
        lambda: story.door.failures.unavailable.add("scale"),
        lambda: story.door.failures.unavailable.add("observe"),
    )
    changes[number % len(changes)]()


CHANGES = st.tuples(st.just("change"), st.integers(min_value=0, max_value=40))


@settings(max_examples=15)
@given(actions=st.lists(ACTIONS | CHANGES, min_size=10, max_size=30))
def test_whatever_happens_is_decided_again(actions: list[tuple[str, int]]) -> None:
    patience = ScaleDown(after=5 * MINUTE, step=2)
    story = Story(spec=spaces(windows=(WINDOW,), timezone="UTC", scale_down=patience))
    story.tick(10)
    for what, number in actions:
        if what == "change":
            change(story, number)
        else:
            act(story, what, number)
        story.tick(1 + number % 4)

    counts = replayed(kept_by(story.ledger))
    assert counts[Verdict.IDENTICAL] > 0
    assert counts[Verdict.NO_INPUTS] == 0


def happenings(world: ReconcileWorld) -> None:
    """Let an hour pass in which launches come, the spec and an override change, and the cluster is away for a while."""
    for _ in range(14):
        world.tick()
    world.cluster.launch("a")
    world.cluster.launch("b")
    world.tick()
    world.aws.put_override("spaces", '{"min": 4, "until": "forever", "reason": "exam"}')
    for _ in range(10):
        world.tick()
    world.aws.put_spec("spaces", spec(max=3))
    for _ in range(5):
        world.tick()


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_what_the_function_keeps_in_dynamodb_is_decided_again() -> None:
    session = quick_session()
    with reconcile_world() as world:
        world.add_pool()
        happenings(world)
        clients = AwsClients(session, region=NAMES.region)
        history = LedgerHistory(clients, table=NAMES.table, budget=UnlimitedBudget())
        out = io.BytesIO()
        write_history(history, history.pools(), ALWAYS, out)
        [(name, kept)] = read_history(out.getvalue(), "f").by_pool.items()

        assert name == "spaces"
        assert set(replayed(kept)) == {Verdict.IDENTICAL}
        assert len(kept) > 4
        last = history.newest("spaces", ALWAYS, 1, with_inputs=True)
        assert list(last) == [kept[-1]]
        assert kept[-1].decision.at - START > 20 * TICK
