"""`warmpool simulate`: a trace, or launches at an even rate, on the embedded cluster under one or more policies."""

import math
import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from warmpool.adapters.config.spec_file import LoadedSpec
from warmpool.app.errors import ConfigInvalid
from warmpool.cli.errors import CliError
from warmpool.cli.inputs import STDIN, choose_pool, loaded_spec, read_file
from warmpool.cli.instants import parse_instant_or_day
from warmpool.cli.options import Output, OutputOption, PoolOption, SeedOption, SpecOption
from warmpool.core.spec import PoolSpec
from warmpool.sim.days import Trace, committed_week, midnight, read_trace, steady_trace
from warmpool.sim.policies import FixedPool, GuideAutoscaler, OurPolicy, Policy
from warmpool.sim.scenes import EVENING_BEFORE, Scene
from warmpool.sim.sessions import DEFAULT_SEED, SessionLengths
from warmpool.sim.simulate import simulate as run

_MOST_HOURS: Final = 24 * 31
_MOST_LAUNCHES: Final = 100_000
_SOME_MONDAY: Final = date(2026, 1, 5)
_FIXED: Final = re.compile(r"fixed:(\d{1,3})", re.ASCII)

TraceOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Launches: a CSV (.gz) of minute,launches, or - for stdin. Default: the demo's week."
    ),
]
RateOption = Annotated[
    float | None, typer.Option(min=0.01, max=10_000, help="Draw launches at this even rate in place of a trace.")
]
PolicyOption = Annotated[
    list[str], typer.Option(help="ours, cpa (the guide's autoscaler) or fixed:N (N placeholders); may be repeated.")
]
StartOption = Annotated[
    str | None, typer.Option("--from", metavar="INSTANT", help="Where to begin. Default: the trace's busiest day.")
]
HoursOption = Annotated[float, typer.Option(min=0.1, max=_MOST_HOURS, help="How long.")]
SessionOption = Annotated[float, typer.Option(min=0.01, max=1000, help="Hours that sessions last (lognormal).")]
HtmlOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report with pictures here.")]


def simulate(  # noqa: PLR0913, PLR0917 - one parameter an option; typer names them all
    spec: SpecOption,
    pool: PoolOption = None,
    trace: TraceOption = None,
    launches_per_hour: RateOption = None,
    policy: PolicyOption = ["ours"],  # noqa: B006 - typer reads it and makes a new list for each call
    start: StartOption = None,
    hours: HoursOption = 24.0,
    session_median: SessionOption = 2.4,
    session_mean: SessionOption = 3.2,
    seed: SeedOption = DEFAULT_SEED,
    html: HtmlOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Try a spec on the embedded cluster, in virtual time, before it meets a real one.

    Examples:
    ```
    warmpool simulate -f pools.yaml --policy ours --policy cpa --policy fixed:3 --html report.html
    warmpool simulate -f pools.yaml --trace launches.csv.gz --from 2026-12-14 --hours 48
    warmpool simulate -f pools.yaml --launches-per-hour 20 --hours 8 --output json
    ```

    """
    # Drawing takes a second to import; a mistake in the options should not wait for it.
    from warmpool.cli.progress import bars  # noqa: PLC0415
    from warmpool.cli.runs import show_runs  # noqa: PLC0415
    from warmpool.sim.report import Story  # noqa: PLC0415

    loaded = loaded_spec(spec)
    chosen = choose_pool(loaded.spec, pool)
    policies = [_policy(word, chosen, loaded) for word in dict.fromkeys(policy)]
    length = timedelta(hours=hours)
    begin = None if start is None else parse_instant_or_day(start, "--from", chosen.timezone)
    if launches_per_hour is None:
        scene = _from_trace(trace, begin, length, seed)
    elif trace is None:
        scene = _drawn(launches_per_hour, begin, length, seed)
    else:
        raise CliError("Usage", "--launches-per-hour", "give either a trace or a rate, not both")
    scene = replace(scene, lengths=_lengths(session_median, session_mean))
    day = scene.day(chosen)
    with bars() as progress:
        runs = [run(day, each, partial(progress, each.name)) for each in policies]
    title = f"{chosen.name}: {len(runs[0].launches)} launches in {hours:g} hours"
    rules = {each.name: f"{each.about}." for each in policies}
    show_runs(
        scene, Story(title=title, assumptions={**scene.assumptions(day), **rules}), runs, html=html, output=output
    )


def _from_trace(name: str | None, begin: datetime | None, length: timedelta, seed: int) -> Scene:
    trace = committed_week() if name is None else _trace(name)
    start = midnight(trace.busiest_day()) if begin is None else begin
    scene = Scene(trace=trace, start=start, end=start + length, seed=seed)
    return _bounded(scene, "--trace" if begin is None else "--from")


def _trace(name: str) -> Trace:
    try:
        return read_trace(read_file(name, "--trace"), "stdin" if name == STDIN else Path(name).name)
    except ConfigInvalid as error:
        raise CliError("TraceInvalid", error.path, f"{error.source}: {error.message}") from error


def _drawn(rate: float, begin: datetime | None, length: timedelta, seed: int) -> Scene:
    start = midnight(_SOME_MONDAY) if begin is None else begin
    hours = (length + EVENING_BEFORE) / timedelta(hours=1)
    if not math.isfinite(rate):
        raise CliError("Usage", "--launches-per-hour", f"got {rate}; expected a number of launches such as 20")
    if rate * hours > _MOST_LAUNCHES:
        raise CliError(
            "Usage", "--launches-per-hour", f"{rate * hours:.0f} launches; at most {_MOST_LAUNCHES} in one run"
        )
    trace = steady_trace(start - EVENING_BEFORE, hours=hours, launches_per_hour=rate, seed=seed)
    return _bounded(Scene(trace=trace, start=start, end=start + length, seed=seed), "--launches-per-hour")


def _bounded(scene: Scene, option: str) -> Scene:
    launches = scene.trace.between(scene.start, scene.end).total()
    if 0 < launches <= _MOST_LAUNCHES:
        return scene
    days = f"{scene.trace.first_day} to {scene.trace.last_day}"
    span = f"{scene.start.isoformat()} to {scene.end.isoformat()}"
    message = f"{launches} launches from {span}; expected 1 to {_MOST_LAUNCHES} (the trace holds {days})"
    raise CliError("Usage", option, message)


def _lengths(median_hours: float, mean_hours: float) -> SessionLengths:
    if mean_hours < median_hours:
        message = f"got {mean_hours:g} below the median of {median_hours:g}; a lognormal mean is at least the median"
        raise CliError("Usage", "--session-mean", message)
    return SessionLengths(median=timedelta(hours=median_hours), mean=timedelta(hours=mean_hours))


def _policy(word: str, pool: PoolSpec, loaded: LoadedSpec) -> Policy:
    if word == "ours":
        return OurPolicy(pool=pool, document=loaded.runtime_documents[pool.name])
    if word == "cpa":
        return GuideAutoscaler(pool=pool)
    if match := _FIXED.fullmatch(word):
        return FixedPool(pool=pool, placeholders=int(match[1]))
    raise CliError("Usage", "--policy", f"{word!r} is not known; expected ours, cpa or fixed:N, for instance fixed:3")
