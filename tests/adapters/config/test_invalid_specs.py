"""Specs that are wrong: each error names the path, the value seen and what was expected."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.config.config_builders import loaded, pool_document, rejected, spec_document, window_document

CASES = json.loads((Path(__file__).parents[2] / "oracles" / "cases.json").read_text())["invalid"]


def windows(**changes: Any) -> dict[str, Any]:
    return {"windows": [window_document(**changes)]}


def linear(**changes: Any) -> dict[str, Any]:
    return {"proportional": {"linear": changes}}


def ladder(**changes: Any) -> dict[str, Any]:
    return {"proportional": {"ladder": changes}}


POOLS: list[tuple[dict[str, Any], str, str]] = [
    # what is changed in a good pool, the path below the pool, a piece of the message
    ({"min": 5, "max": 2}, "min", "got number 5; expected at most max (2)"),
    ({"min": -1}, "min", "got number -1; expected a whole number, 0 or more"),
    ({"min": "2"}, "min", 'got text "2"; expected a whole number'),
    ({"min": True}, "min", "got true; expected a whole number"),
    ({"min": 1.0}, "min", "got number 1.0; expected a whole number"),
    ({"min": None}, "min", "got null; expected a whole number"),
    ({"max": 2**31}, "max", "got number 2147483648; expected a whole number, at most 2147483647"),
    ({"max": 10**30}, "max", "got number 1000000000000000000000000000000; expected a whole number"),
    ({"max": ...}, "max", "missing; expected a whole number"),
    ({"deployment": ...}, "deployment", "missing; expected a Kubernetes name"),
    ({"deployment": "Spaces_CPU"}, "deployment", 'got text "Spaces_CPU"'),
    ({"namespace": "a.b"}, "namespace", 'got text "a.b"'),
    ({"nodeSelector": {}}, "nodeSelector", "got an empty mapping; expected a mapping of at least one label"),
    ({"nodeSelector": {"pool": 1}}, "nodeSelector.pool", "got number 1; expected the value of a label as text"),
    ({"nodeSelector": {"a b": "x"}}, 'nodeSelector["a b"]', 'got text "a b"; expected the key of a label'),
    ({"nodeSelector": "pool=cpu"}, "nodeSelector", 'got text "pool=cpu"'),
    ({"workspaceSelector": ""}, "workspaceSelector", "expected a label selector"),
    ({"workspaceSelector": "app in jupyter"}, "workspaceSelector", "expected a label selector"),
    ({"workspaceSelector": "a,,b"}, "workspaceSelector", "expected a label selector"),
    ({"timezone": "Europe/Berln"}, "timezone", "did you mean Europe/Berlin?"),
    ({"timezone": ""}, "timezone", "expected an IANA time zone"),
    ({"timezone": "posix/Europe/Berlin"}, "timezone", "expected an IANA time zone"),
    ({"timezone": "../../etc/passwd"}, "timezone", "expected an IANA time zone"),
    ({"images": "latest-cpu"}, "images", "expected a list, each an image"),
    ({"images": ["a b"]}, "images[0]", "expected an image"),
    ({"pauseImage": 3.1}, "pauseImage", "got number 3.1; expected an image"),
    ({"imagePullSecrets": [7]}, "imagePullSecrets[0]", "got number 7"),
    ({"tolerations": [{"operator": "In", "key": "a"}]}, "tolerations[0].operator", "expected Equal or Exists"),
    (
        {"tolerations": [{"operator": "Exists", "value": "x"}]},
        "tolerations[0].value",
        "expected no value with operator",
    ),
    (
        {"tolerations": [{"effect": "NoSchedule"}]},
        "tolerations[0].key",
        "got nothing; expected a key, or operator Exists",
    ),
    ({"tolerations": [{"key": "a", "effect": "Never"}]}, "tolerations[0].effect", 'got text "Never"'),
    ({"shape": {"mem": "1Gi"}}, "shape.mem", "did you mean memory?"),
    ({"shape": {}}, "shape", "got an empty mapping"),
    ({"shape": {"cpu": "0"}}, "shape.cpu", 'got text "0"; expected a quantity above 0'),
    ({"shape": {"cpu": "-1"}}, "shape.cpu", "expected a quantity above 0"),
    ({"shape": {"memory": "8GB"}}, "shape.memory", 'got text "8GB"; expected a quantity above 0'),
    ({"shape": {"memory": "1K"}}, "shape.memory", 'got text "1K"'),
    ({"shape": {"cpu": True}}, "shape.cpu", "got true"),
    ({"shape": {"cpu": "9" * 5000}}, "shape.cpu", "expected a quantity above 0"),
    ({"shape": {"gpu": "500m"}}, "shape.gpu", "expected a whole number: an extended resource cannot be split"),
    ({"shape": {"gpu": 1, "nvidia.com/gpu": 1}}, 'shape["nvidia.com/gpu"]', "not both"),
    ({"shape": {"pods": 1}}, "shape.pods", 'got text "pods"'),
    ({"placeholder": "nodes"}, "placeholder", 'got text "nodes"; expected node (fills its node), or amounts'),
    ({"placeholder": {"cpu": "2"}}, "placeholder.memory", "got nothing; expected node"),
    ({"placeholder": {"cpu": "2", "memory": 0}}, "placeholder.memory", "got number 0; expected a quantity above 0"),
    ({"nodeAllocatable": {"cpu": "48"}}, "nodeAllocatable.memory", "got nothing"),
    ({"nodeAllocatable": "48"}, "nodeAllocatable", 'got text "48"; expected what an empty node offers'),
    ({"priority": "high"}, "priority", 'got text "high"; expected a whole number from'),
    ({"windows": {}}, "windows", "got an empty mapping; expected a list"),
    ({"windows": ["office"]}, "windows[0]", 'got text "office"; expected a mapping with keys out of name, days'),
    (windows(start="25:00"), "windows[0].start", 'got text "25:00"; expected a time of day from 00:00 to 23:59'),
    (windows(start="24:00"), "windows[0].start", 'got text "24:00"'),
    (windows(end="25:00"), "windows[0].end", 'got text "25:00"; expected a time of day from 00:00 to 24:00'),
    (windows(end="24:30"), "windows[0].end", 'got text "24:30"'),
    (windows(end="8:00"), "windows[0].end", 'got text "8:00"'),
    (windows(end="18:30\n"), "windows[0].end", 'got text "18:30\\n"'),
    (windows(end=1110), "windows[0].end", "got number 1110"),
    (windows(start="03:00", end="03:00"), "windows[0].end", "for a whole day say allDay: true"),
    (windows(start="00:00", end="00:00"), "windows[0].end", "for a whole day say allDay: true"),
    (windows(start=...), "windows[0].start", "got nothing; expected a time of day such as 08:00, or allDay: true"),
    (windows(end=...), "windows[0].end", "got nothing"),
    (windows(allDay=True, end=...), "windows[0].start", 'got text "08:00"; expected no start beside allDay'),
    (windows(allDay=False, start=...), "windows[0].start", "got nothing"),
    (windows(allDay="true"), "windows[0].allDay", 'got text "true"; expected true or false'),
    (windows(allDay=1), "windows[0].allDay", "got number 1; expected true or false"),
    (windows(days=["mon-xyz"]), "windows[0].days[0]", 'got text "mon-xyz"; expected a day'),
    (windows(days=["monday"]), "windows[0].days[0]", 'got text "monday"'),
    (windows(days=["mon-tue-wed"]), "windows[0].days[0]", "expected a day"),
    (windows(days=[]), "windows[0].days", "got an empty list"),
    (windows(days="mon-fri"), "windows[0].days", 'got text "mon-fri"; expected a list of at least one'),
    (windows(days=[0]), "windows[0].days[0]", "got number 0"),
    (windows(dates=["2026-12-14"]), "windows[0].dates", "got dates beside days; expected either"),
    (windows(days=..., dates=["2027-01-01..2026-12-24"]), "windows[0].dates[0]", "its first day first"),
    (windows(days=..., dates=["2026-02-30"]), "windows[0].dates[0]", 'got text "2026-02-30"'),
    (windows(days=..., dates=["14.12.2026"]), "windows[0].dates[0]", "expected a date such as 2026-12-14"),
    (windows(days=..., dates=["20261214"]), "windows[0].dates[0]", "expected a date such as 2026-12-14"),
    (windows(min=9), "windows[0].min", "got number 9; expected at most the pool's max (8)"),
    (windows(min=3, max=2), "windows[0].min", "got number 3; expected at most this window's max (2)"),
    (windows(min=..., target=9), "windows[0].target", "got number 9; expected at most the pool's max (8)"),
    (windows(min=..., target=3, max=2), "windows[0].target", "expected at most this window's max (2)"),
    (windows(name=""), "windows[0].name", 'got text ""'),
    (windows(strat="08:00"), "windows[0].strat", "unknown key; did you mean `start`?"),
    (windows(**{"x` - at `$.y": 1}), 'windows[0]["x` - at `$.y"]', "unknown key; expected one of name, days"),
    ({"windows": [window_document(), window_document(start="09:00")]}, "windows[1].name", "no other window"),
    ({"windows": [window_document(name=...), window_document(name=...)]}, "windows[1].name", "mon-fri 08:00-18:00"),
    ({"proportional": {}}, "proportional", "got none of linear, ladder; expected exactly one"),
    (linear() | {}, "proportional.linear", "got none of nodesPerReplica, coresPerReplica; expected at least one"),
    (linear(preventSinglePointFailure=True), "proportional.linear", "expected at least one"),
    (linear(nodesPerReplica=0), "proportional.linear.nodesPerReplica", "got number 0; expected a number above 0"),
    (linear(coresPerReplica=-1.5), "proportional.linear.coresPerReplica", "got number -1.5; expected a number above 0"),
    (linear(coresPerReplica="48"), "proportional.linear.coresPerReplica", 'got text "48"; expected a number above 0'),
    (linear(coresPerReplica=True), "proportional.linear.coresPerReplica", "got true"),
    (linear(coresPerReplica=float("nan")), "proportional.linear.coresPerReplica", "expected a number above 0"),
    (linear(coresPerReplica=float("inf")), "proportional.linear.coresPerReplica", "expected a number above 0"),
    (
        linear(nodesPerReplica=1, preventSinglePointFailure="true"),
        "proportional.linear.preventSinglePointFailure",
        "true",
    ),
    (ladder(), "proportional.ladder", "got none of nodesToReplicas, coresToReplicas; expected at least one"),
    (ladder(nodesToReplicas=[]), "proportional.ladder.nodesToReplicas", "got an empty list"),
    (
        ladder(nodesToReplicas=[[1, 2, 3]]),
        "proportional.ladder.nodesToReplicas[0]",
        "got a list of 3; expected a list of 2",
    ),
    (ladder(nodesToReplicas=[[1]]), "proportional.ladder.nodesToReplicas[0]", "got a list of 1; expected a list of 2"),
    (ladder(nodesToReplicas=[[1, -1]]), "proportional.ladder.nodesToReplicas[0][1]", "got number -1"),
    (ladder(coresToReplicas=[[1.5, 1]]), "proportional.ladder.coresToReplicas[0][0]", "got number 1.5"),
    (ladder(coresToReplicas=[[1, 1], [1, 2]]), "proportional.ladder.coresToReplicas[1][0]", "no other step"),
    (linear(nodesPerReplica=1) | {"compat": "true"}, "compat", 'got text "true"; expected true or false'),
    ({"compat": True}, "compat", "expected true only beside `proportional`"),
    (
        {"compat": True, "proportional": {"counting": "demand", "linear": {"nodesPerReplica": 3}}},
        "proportional.counting",
        'got text "demand"; expected schedulable or all beside compat: true',
    ),
    (
        {"proportional": {"counting": "busy", "linear": {"nodesPerReplica": 3}}},
        "proportional.counting",
        "one of demand",
    ),
    ({"demand": None}, "demand", "got null; expected a mapping"),
    (
        {"demand": {"targetHitRate": 1}},
        "demand.targetHitRate",
        "got number 1; expected a number strictly between 0 and 1",
    ),
    ({"demand": {"targetHitRate": 0}}, "demand.targetHitRate", "strictly between 0 and 1"),
    ({"demand": {"targetHitRate": "0.99"}}, "demand.targetHitRate", 'got text "0.99"'),
    ({"demand": {"targetHitRate": 99}}, "demand.targetHitRate", "got number 99"),
    ({"demand": {"mode": "on"}}, "demand.mode", 'got text "on"; expected one of advise, size'),
    ({"demand": {"readyWithin": 60}}, "demand.readyWithin", "got number 60; expected a duration such as 30s"),
    ({"templates": {"coldStart": "0s"}}, "templates.coldStart", "expected a duration above 0"),
    ({"templates": {"maxBurstCap": -1}}, "templates.maxBurstCap", "got number -1"),
    ({"scaleDown": {"after": "10 m"}}, "scaleDown.after", 'got text "10 m"; expected a duration'),
    ({"scaleDown": {"step": 0}}, "scaleDown.step", "got number 0; expected a whole number, 1 or more"),
    ({"scaleDown": {"afer": "1m"}}, "scaleDown.afer", "did you mean `after`?"),
    ({"leadTime": "15"}, "leadTime", 'got text "15"; expected a duration above 0'),
    ({"leadTime": "0m"}, "leadTime", "expected a duration above 0"),
    ({"leadTime": "1h30m"}, "leadTime", 'got text "1h30m"'),
    ({"leadTime": "-5m"}, "leadTime", 'got text "-5m"'),
    ({"leadTime": "9999999999h"}, "leadTime", "expected a duration"),
    ({"leadTimeLimit": "1d"}, "leadTimeLimit", 'got text "1d"'),
    ({"manualHold": 30}, "manualHold", "got number 30"),
    ({"holdLimit": "0s"}, "holdLimit", "expected a duration above 0"),
    ({"maxHourlyCost": -1}, "maxHourlyCost", "got number -1; expected a number, 0 or more"),
    ({"maxHourlyCost": "40"}, "maxHourlyCost", 'got text "40"'),
    ({"nodeHourlyPrice": 0}, "nodeHourlyPrice", "got number 0; expected a price above 0, or prices by instance type"),
    ({"nodeHourlyPrice": {}}, "nodeHourlyPrice", "got an empty mapping"),
    (
        {"nodeHourlyPrice": {"ml.m5.12xlarge": "2"}},
        'nodeHourlyPrice["ml.m5.12xlarge"]',
        'got text "2"; expected a price',
    ),
    ({"nodeHourlyPrice": {"": 2}}, 'nodeHourlyPrice[""]', "expected an instance type"),
    ({"doNotDisrupt": True}, "doNotDisrupt", "got true; expected one of auto, always, never"),
    ({"mode": "dry-run"}, "mode", 'got text "dry-run"; expected one of active, shadow'),
    ({"Min": 1}, "Min", "unknown key; did you mean `min`?"),
    ({"node_selector": {"a": "b"}}, "node_selector", "unknown key; did you mean `nodeSelector`?"),
    ({"schedule": []}, "schedule", "unknown key; "),
    ({"xyzzy": 1}, "xyzzy", "unknown key; expected one of namespace, deployment, nodeSelector"),
]


@pytest.mark.parametrize(
    ("changes", "path", "piece"), POOLS, ids=[f"{index}-{row[1]}" for index, row in enumerate(POOLS)]
)
def test_a_wrong_pool_is_rejected_with_path_value_and_what_was_expected(changes: Any, path: str, piece: str) -> None:
    error = rejected(spec_document({"cpu": pool_document(**changes)}))
    separator = "" if path.startswith("[") else "."
    assert error.path == f"pools.cpu{separator}{path}"
    assert piece in error.message


TWO = {"cpu": pool_document(), "gpu": pool_document(deployment="ph-gpu", nodeSelector={"pool": "gpu"})}

SPECS: list[tuple[Any, str, str]] = [
    (None, "", "got null; expected a mapping with cluster, pools"),
    ([], "", "got an empty list; expected a mapping with cluster, pools"),
    ("pools", "", 'got text "pools"'),
    (spec_document(version=2), "version", "got number 2; expected 1"),
    (spec_document(version="1"), "version", 'got text "1"; expected 1'),
    (spec_document(cluster=...), "cluster", "missing; expected a mapping with keys out of hyperpod, eks"),
    (spec_document(cluster={}), "cluster", "got none of hyperpod, eks; expected exactly one"),
    (
        spec_document(cluster={"hyperpod": "a", "eks": "b"}),
        "cluster",
        "got hyperpod and eks of hyperpod, eks; expected exactly",
    ),
    (spec_document(cluster="ml"), "cluster", 'got text "ml"; expected a mapping'),
    (spec_document(cluster={"hyperpod": "a b"}), "cluster.hyperpod", 'got text "a b"; expected the name of a HyperPod'),
    (spec_document(cluster={"eks": ""}), "cluster.eks", "expected the name of an EKS cluster"),
    (spec_document(cluster={"name": "ml"}), "cluster.name", "unknown key; expected one of hyperpod, eks"),
    (spec_document(timezone="CEST"), "timezone", 'got text "CEST"; expected an IANA time zone'),
    (spec_document(timezone=1), "timezone", "got number 1"),
    (spec_document(maxHourlyCost=True), "maxHourlyCost", "got true; expected a number, 0 or more"),
    (spec_document(pools={}), "pools", "got an empty mapping; expected a mapping of at least one pool"),
    (spec_document(pools=[]), "pools", "got an empty list; expected a mapping of at least one pool"),
    (spec_document(pool={}), "pool", "unknown key; did you mean `pools`?"),
    (spec_document({"cpu": None}), "pools.cpu", "got null; expected a mapping with deployment, nodeSelector, min, max"),
    (spec_document({"CPU_1": pool_document()}), "pools.CPU_1", "expected the pool's name to be a name of at most 63"),
    (spec_document({"-": pool_document()}), "pools.-", "expected the pool's name to be a name of at most 63"),
    (spec_document({"a" * 64: pool_document()}), f"pools.{'a' * 64}", "expected the pool's name"),
    (spec_document({"": pool_document()}), 'pools[""]', "expected the pool's name"),
    (
        spec_document({"cpu": pool_document(windows=[window_document()])}, timezone=...),
        "pools.cpu.timezone",
        "got nothing; expected an IANA time zone such as Europe/Berlin, here or at the top of the spec",
    ),
    (
        spec_document({"cpu": pool_document(demand={})}, timezone=...),
        "pools.cpu.timezone",
        "because the pool has demand",
    ),
    (
        spec_document({"cpu": pool_document(), "gpu": pool_document(deployment="other")}),
        "pools.gpu.nodeSelector",
        "got the nodes of pool cpu (pool=cpu); expected nodes of its own",
    ),
    (
        spec_document({"cpu": pool_document(), "gpu": pool_document(nodeSelector={"pool": "gpu"})}),
        "pools.gpu.deployment",
        "got spaces-overprovisioning/ph, which pool cpu has",
    ),
]


@pytest.mark.parametrize(
    ("document", "path", "piece"), SPECS, ids=[f"{index}-{row[1]}" for index, row in enumerate(SPECS)]
)
def test_a_wrong_spec_is_rejected_with_path_value_and_what_was_expected(document: Any, path: str, piece: str) -> None:
    error = rejected(document)
    assert error.path == path
    assert piece in error.message


def test_labels_in_another_order_are_the_same_nodes() -> None:
    left = pool_document(nodeSelector={"a": "1", "b": "2"})
    right = pool_document(nodeSelector={"b": "2", "a": "1"}, deployment="other")
    assert rejected(spec_document({"left": left, "right": right})).path == "pools.right.nodeSelector"


def test_all_problems_are_told_at_once() -> None:
    first = pool_document(min="1", max=-1, windows=[window_document(end="18")])
    second = pool_document(nodeSelector=...)
    error = rejected(spec_document({"one": first, "two": second}, timezone="Berlin"))
    assert error.path == "timezone"
    assert "and 4 more" in error.message
    for path in ("pools.one.min", "pools.one.max", "pools.one.windows[0].end", "pools.two.nodeSelector"):
        assert path in error.message


def test_of_very_many_problems_the_first_few_are_told() -> None:
    pools = {
        f"p{index}": pool_document(min=9, deployment=f"d{index}", nodeSelector={"p": f"{index}"}) for index in range(20)
    }
    error = rejected(spec_document(pools))
    assert error.path == "pools.p0.min"
    assert "and 19 more" in error.message
    assert "and 14 others" in error.message


def test_a_long_value_is_cut_in_the_message() -> None:
    assert len(rejected(spec_document({"cpu": pool_document(mode="x" * 5000)})).message) < 200


@pytest.mark.parametrize(("start", "end"), CASES["windows"])
def test_the_oracles_windows_are_rejected(start: str, end: str) -> None:
    path = rejected(spec_document({"cpu": pool_document(windows=[window_document(start=start, end=end)])})).path
    assert path.startswith("pools.cpu.windows[0].")


@pytest.mark.parametrize("zone", CASES["zones_bad"])
def test_the_oracles_bad_zones_are_rejected(zone: str) -> None:
    assert rejected(spec_document({"cpu": pool_document(timezone=zone)})).path == "pools.cpu.timezone"


@pytest.mark.parametrize("zone", CASES["zones_ok"])
def test_the_oracles_good_zones_are_accepted(zone: str) -> None:
    assert loaded(timezone=zone, windows=[window_document()]).spec.pools["cpu"].timezone == zone


@pytest.mark.parametrize("limits", CASES["limits"])
def test_the_oracles_limits_are_rejected(limits: dict[str, Any]) -> None:
    assert rejected(spec_document({"cpu": pool_document(**limits)})).path == "pools.cpu.min"
