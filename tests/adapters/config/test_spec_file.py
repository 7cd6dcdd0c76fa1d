"""The spec file: YAML and JSON, exact values, defaults, lines of errors, and the copies for run time."""

import json
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.config.config_builders import loaded, pool_document, spec_document, window_document
from warmpool.adapters.config.reader import LONGEST, Reader
from warmpool.adapters.config.spec_file import load_spec_file
from warmpool.app.errors import ConfigInvalid, ConfigUnreadable
from warmpool.core.lint import LintCode
from warmpool.core.model import Toleration
from warmpool.core.quantity import NANO, parse_quantity
from warmpool.core.spec import (
    ClusterRef,
    Counting,
    Demand,
    DemandMode,
    DoNotDisrupt,
    Ladder,
    Linear,
    Mode,
    PoolSpec,
    Proportional,
    ScaleDown,
    Spec,
    Templates,
    Window,
)

FULL = """\
version: 1
cluster: {hyperpod: ml-research}
timezone: Europe/Berlin
maxHourlyCost: 120
pools:
  spaces-cpu:
    namespace: warm
    deployment: spaces-placeholder-cpu
    nodeSelector: {karpenter.sh/nodepool: spaces-cpu}
    workspaceSelector: app=jupyter
    images: [REGISTRY/sagemaker-distribution:latest-cpu]
    pauseImage: registry.k8s.io/pause:3.11
    imagePullSecrets: [registry]
    tolerations:
      - {key: dedicated, value: spaces, effect: NoSchedule}
      - {operator: Exists}
    shape: {cpu: 4, memory: 16Gi, gpu: 1}
    placeholder: {cpu: "2", memory: 8Gi}
    nodeAllocatable: {cpu: 47810m, memory: 188520Mi, pods: 110}
    priority: -5
    min: 1
    max: 8
    windows:
      - {name: office, days: [mon-fri], start: 08:00, end: 18:30, min: 3}
      - {name: exam, dates: [2026-12-14], start: "09:00", end: "24:00", target: 6}
      - {name: holidays, dates: ["2026-12-24..2027-01-01"], allDay: true, min: 0, max: 2}
      - {days: [fri-mon, Wed], start: "22:00", end: "06:00", min: 2}
    proportional: {counting: all, linear: {nodesPerReplica: 0.7, coresPerReplica: 192, preventSinglePointFailure: true}}
    demand: {mode: size, targetHitRate: 0.995, readyWithin: 60s}
    templates: {coldStart: 90s, maxBurstCap: 7}
    scaleDown: {after: 5m, step: 2}
    leadTime: 10m
    leadTimeLimit: 2h
    manualHold: 0s
    holdLimit: 45m
    maxHourlyCost: 40.5
    nodeHourlyPrice: {ml.m5.12xlarge: 2.76}
    doNotDisrupt: always
    compat: false
    mode: shadow
"""


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


def test_every_key_is_read_exactly() -> None:
    gib = parse_quantity("1Gi")
    every_day = frozenset(range(7))
    pool = PoolSpec(
        name="spaces-cpu",
        namespace="warm",
        deployment="spaces-placeholder-cpu",
        node_selector={"karpenter.sh/nodepool": "spaces-cpu"},
        workspace_selector="app=jupyter",
        timezone="Europe/Berlin",
        images=("REGISTRY/sagemaker-distribution:latest-cpu",),
        pause_image="registry.k8s.io/pause:3.11",
        image_pull_secrets=("registry",),
        tolerations=(
            Toleration(key="dedicated", value="spaces", effect="NoSchedule"),
            Toleration(operator="Exists"),
        ),
        shape={"cpu": 4 * NANO, "memory": 16 * gib, "nvidia.com/gpu": NANO, "pods": NANO},
        placeholder={"cpu": 2 * NANO, "memory": 8 * gib, "pods": NANO},
        node_allocatable={"cpu": 47810 * NANO // 1000, "memory": parse_quantity("188520Mi"), "pods": 110 * NANO},
        priority=-5,
        min=1,
        max=8,
        windows=(
            Window(name="office", start=hours(8), end=hours(18.5), days=frozenset(range(5)), min=3),
            Window(
                name="exam",
                start=hours(9),
                end=hours(24),
                days=every_day,
                dates=((date(2026, 12, 14), date(2026, 12, 14)),),
                target=6,
            ),
            Window(
                name="holidays",
                start=hours(0),
                end=hours(24),
                dates=((date(2026, 12, 24), date(2027, 1, 1)),),
                all_day=True,
                min=0,
                max=2,
            ),
            Window(
                name="fri-mon,Wed 22:00-06:00", start=hours(22), end=hours(6), days=frozenset({4, 5, 6, 0, 2}), min=2
            ),
        ),
        proportional=Proportional(
            counting=Counting.ALL,
            linear=Linear(
                nodes_per_replica=Fraction(7, 10), cores_per_replica=Fraction(192), prevent_single_point_failure=True
            ),
        ),
        demand=Demand(mode=DemandMode.SIZE, target_hit_rate=Fraction(199, 200), ready_within=timedelta(seconds=60)),
        templates=Templates(cold_start=timedelta(seconds=90), max_burst_cap=7),
        scale_down=ScaleDown(after=timedelta(minutes=5), step=2),
        lead_time=timedelta(minutes=10),
        lead_time_limit=hours(2),
        manual_hold=timedelta(0),
        hold_limit=timedelta(minutes=45),
        max_hourly_cost=Fraction(81, 2),
        node_hourly_price={"ml.m5.12xlarge": Fraction(69, 25)},
        do_not_disrupt=DoNotDisrupt.ALWAYS,
        mode=Mode.SHADOW,
    )
    assert load_spec_file(FULL).spec == Spec(
        cluster=ClusterRef(hyperpod="ml-research"),
        timezone="Europe/Berlin",
        max_hourly_cost=Fraction(120),
        pools={"spaces-cpu": pool},
    )


def test_what_is_left_out_keeps_the_default_of_the_core() -> None:
    spec = load_spec_file(json.dumps(spec_document(timezone=...))).spec
    expected = PoolSpec(
        name="cpu",
        deployment="ph",
        node_selector={"pool": "cpu"},
        min=1,
        max=8,
        shape={"cpu": 2100 * NANO // 1000, "memory": parse_quantity("9Gi"), "pods": NANO},
    )
    assert spec == Spec(cluster=ClusterRef(hyperpod="ml"), pools={"cpu": expected})


def test_empty_blocks_are_on_with_their_defaults() -> None:
    pool = loaded(demand={}, templates={}, scaleDown={}).spec.pools["cpu"]
    assert pool.demand == Demand()
    assert pool.templates == Templates(cold_start=timedelta(seconds=120), max_burst_cap=5)
    assert pool.scale_down == ScaleDown()


def test_a_pool_may_have_a_zone_of_its_own() -> None:
    pools = {
        "cpu": pool_document(timezone="Asia/Tokyo"),
        "gpu": pool_document(deployment="x", nodeSelector={"pool": "gpu"}),
    }
    spec = load_spec_file(json.dumps(spec_document(pools))).spec
    assert [pool.timezone for pool in spec.pools.values()] == ["Asia/Tokyo", "Europe/Berlin"]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (["mon-fri"], {0, 1, 2, 3, 4}),
        (["fri-mon"], {4, 5, 6, 0}),
        (["sun-fri"], {6, 0, 1, 2, 3, 4}),
        (["tue-mon"], set(range(7))),
        (["Sat", "SUN"], {5, 6}),
        (["mon-tue", "tue-wed"], {0, 1, 2}),
        (["thu-thu"], {3}),
    ],
)
def test_days_are_names_or_ranges_that_may_wrap(days: list[str], expected: set[int]) -> None:
    (window,) = loaded(windows=[window_document(days=days)]).spec.pools["cpu"].windows
    assert window.days == expected


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"days": ["mon", "wed-fri"]}, "mon,wed-fri 08:00-18:00"),
        ({"days": ...}, "daily 08:00-18:00"),
        ({"days": ..., "dates": ["2026-12-24"], "start": ..., "end": ..., "allDay": True}, "2026-12-24 all day"),
    ],
)
def test_a_window_without_a_name_is_called_by_its_days_and_hours(changes: dict[str, Any], name: str) -> None:
    (window,) = loaded(windows=[window_document(name=..., **changes)]).spec.pools["cpu"].windows
    assert window.name == name


def test_00_00_to_24_00_is_a_whole_day_and_not_equal() -> None:
    (window,) = loaded(windows=[window_document(start="00:00", end="24:00")]).spec.pools["cpu"].windows
    assert (window.start, window.end, window.all_day) == (hours(0), hours(24), False)


@pytest.mark.parametrize(
    ("literal", "exact"),
    [
        ("0.7", Fraction(7, 10)),
        ("1.4", Fraction(7, 5)),
        ("2.30", Fraction(23, 10)),
        ("48", Fraction(48)),
        ("1e1", Fraction(10)),
        ("1.5E+1", Fraction(15)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("+1.5", Fraction(3, 2)),
        ("0x10", Fraction(16)),
        ("0.12345678901234567890123456789", Fraction("0.12345678901234567890123456789")),
    ],
)
def test_a_ratio_is_the_number_that_is_written(literal: str, exact: Fraction) -> None:
    ratio = loaded(proportional={"linear": {"coresPerReplica": 4711}})
    text = json.dumps(spec_document({"cpu": pool_document(proportional={"linear": {"coresPerReplica": 4711}})}))
    found = load_spec_file(text.replace("4711", literal))
    pool = found.spec.pools["cpu"]
    assert ratio.spec != found.spec
    assert pool.proportional is not None
    assert pool.proportional.linear is not None
    assert pool.proportional.linear.cores_per_replica == exact
    assert Reader().spec(found.runtime_documents["cpu"], "copy") == found.spec


@pytest.mark.parametrize("literal", ["1e99999999999", "1e999999999", "9" * 5000, ".inf", ".nan", "0." + "1" * 5000])
def test_numbers_of_absurd_size_are_rejected_and_cost_nothing(literal: str) -> None:
    text = json.dumps(spec_document(maxHourlyCost=4711)).replace("4711", literal)
    with pytest.raises(ConfigInvalid, match=r"maxHourlyCost: got number .* expected a number, 0 or more"):
        load_spec_file(text)
    for key in ("min", "priority"):
        text = json.dumps(spec_document({"cpu": pool_document(**{key: 4711})})).replace("4711", literal)
        with pytest.raises(ConfigInvalid, match=rf"pools\.cpu\.{key}: got number .* expected a whole number"):
            load_spec_file(text)


def test_ladders_are_sorted_and_compat_counts_schedulable() -> None:
    policy = {"ladder": {"nodesToReplicas": [[8, 2], [1, 1]], "coresToReplicas": [[0, 0]]}}
    pool = loaded(compat=True, proportional=policy).spec.pools["cpu"]
    ladder = Ladder(nodes_to_replicas=((1, 1), (8, 2)), cores_to_replicas=((0, 0),))
    assert pool.proportional == Proportional(counting=Counting.SCHEDULABLE, ladder=ladder)
    everything = loaded(compat=True, proportional=policy | {"counting": "all"}).spec.pools["cpu"]
    assert everything.proportional == Proportional(counting=Counting.ALL, ladder=ladder)


def test_a_shape_keeps_the_default_of_what_it_leaves_out() -> None:
    pool = loaded(shape={"memory": "32Gi", "vpc.amazonaws.com/efa": 1}).spec.pools["cpu"]
    assert pool.shape == {
        "cpu": 2100 * NANO // 1000,
        "memory": parse_quantity("32Gi"),
        "vpc.amazonaws.com/efa": NANO,
        "pods": NANO,
    }


@pytest.mark.parametrize(
    "selector",
    ["app", "!app", "app=jupyter", "app == jupyter", "a.b/c!=d,e in (f, g),h notin (i)", "app=", "example.org/a"],
)
def test_label_selectors_are_those_of_kubectl(selector: str) -> None:
    assert loaded(workspaceSelector=selector).spec.pools["cpu"].workspace_selector == selector


def test_unquoted_times_dates_and_words_of_yaml_stay_text() -> None:
    document = spec_document({"cpu": pool_document(windows=[window_document(name="PLACEHOLDER")])})
    text = json.dumps(document).replace('"PLACEHOLDER"', "no").replace('"08:00"', "08:00").replace('"18:00"', "18:00")
    (window,) = load_spec_file(text).spec.pools["cpu"].windows
    assert (window.name, window.start, window.end) == ("no", hours(8), hours(18))


BROKEN = [
    # text, path, piece of the message, line
    ("cluster: {hyperpod: a}\npools:\n  cpu: {min: 1}\n  cpu: {min: 2}\n", "pools.cpu", "given twice", 4),
    ("a: 1\n- b\n", "", "this is not YAML", 2),
    ("pools: [\n", "", "this is not YAML", 2),
    ("a: 1\n---\nb: 2\n", "", "another document", 2),
    ("cluster: !!python/object:os.system x\n", "", "could not determine a constructor", 1),
    ("a: \x07\n", "", "this is not YAML", None),
    ("[" * 700, "", "this is not YAML", None),
    ("", "", "got null; expected a mapping with cluster, pools", None),
    ("cluster:\n  hyperpod: a\npools:\n  cpu:\n    min: one\n", "pools.cpu.deployment", "missing", 4),
    (FULL.replace("end: 18:30", "end: 25:00"), "pools.spaces-cpu.windows[0].end", 'got text "25:00"', 24),
    (FULL.replace("min: 3}", "min: 30}"), "pools.spaces-cpu.windows[0].min", "got number 30", 24),
    (FULL.replace("target: 6", "target: 60"), "pools.spaces-cpu.windows[1].target", "got number 60", 25),
]


@pytest.mark.parametrize(("text", "path", "piece", "line"), BROKEN, ids=range(len(BROKEN)))
def test_an_error_in_yaml_names_the_line(text: str, path: str, piece: str, line: int | None) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        load_spec_file(text, name="pools.yaml")
    assert caught.value.path == path
    assert piece in caught.value.message
    assert caught.value.source == ("pools.yaml" if line is None else f"pools.yaml:{line}")


def test_a_merge_key_and_an_anchor_are_plain_yaml() -> None:
    text = """\
cluster: {hyperpod: ml}
pools:
  cpu: &cpu {deployment: ph, nodeSelector: {pool: cpu}, min: 1, max: 8}
  gpu: {<<: *cpu, deployment: ph-gpu, nodeSelector: {pool: gpu}}
"""
    found = load_spec_file(text)
    assert found.spec.pools["gpu"].max == 8
    assert json.loads(found.runtime_documents["gpu"])["pools"] == {
        "gpu": {"deployment": "ph-gpu", "max": 8, "min": 1, "nodeSelector": {"pool": "gpu"}}
    }


def test_the_copy_for_run_time_is_the_same_spec_of_one_pool() -> None:
    pools = {
        "cpu": pool_document(nodeHourlyPrice=2.76, windows=[window_document()]),
        "gpu": pool_document(deployment="x", nodeSelector={"pool": "gpu"}, demand={"targetHitRate": 0.95}),
    }
    found = load_spec_file(json.dumps(spec_document(pools, maxHourlyCost=99.5)))
    assert list(found.runtime_documents) == ["cpu", "gpu"]
    for name, text in found.runtime_documents.items():
        copy = Reader().spec(text, name)
        assert copy.pools == {name: found.spec.pools[name]}
        assert (copy.cluster, copy.timezone) == (found.spec.cluster, found.spec.timezone)
        assert copy.max_hourly_cost == found.spec.max_hourly_cost


def test_the_copy_does_not_change_when_lines_of_the_file_move() -> None:
    document = pool_document()
    moved = dict(reversed(document.items()))
    copies = [load_spec_file(json.dumps(spec_document({"cpu": each}))).runtime_documents for each in (document, moved)]
    assert copies[0] == copies[1]


def test_a_pool_that_no_parameter_can_hold_is_an_error() -> None:
    images = [f"registry.example.org/image-{index}:{'x' * 80}" for index in range(100)]
    with pytest.raises(ConfigInvalid) as caught:
        loaded(images=images)
    assert caught.value.path == "pools.cpu"
    assert f"expected at most {LONGEST}" in caught.value.message


def test_files_are_read_by_their_name(tmp_path: Path) -> None:
    as_yaml, as_json = tmp_path / "pools.yaml", tmp_path / "pools.json"
    as_yaml.write_text(FULL, encoding="utf-8-sig")
    text = load_spec_file(FULL).runtime_documents["spaces-cpu"]
    as_json.write_text(json.dumps(json.loads(text), indent="\t"))
    assert load_spec_file(as_yaml).spec == load_spec_file(as_json).spec
    as_json.write_text('{"cluster": {"hyperpod": "a"}, "cluster": {"hyperpod": "b"}}')
    with pytest.raises(ConfigInvalid, match=r"pools\.json: cluster: this key is given twice"):
        load_spec_file(as_json)


def test_a_file_that_is_not_there_or_not_text_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigUnreadable, match=r"cannot read .*none\.yaml: No such file"):
        load_spec_file(tmp_path / "none.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"cluster: \xff\xfe")
    with pytest.raises(ConfigInvalid, match="not UTF-8"):
        load_spec_file(binary)
    with pytest.raises(ConfigInvalid, match="expected at most 1048576"):
        load_spec_file("x" * (1024 * 1024 + 1))


def test_lints_come_with_the_spec() -> None:
    assert [lint.code for lint in loaded().lints] == [LintCode.NO_IMAGES]
