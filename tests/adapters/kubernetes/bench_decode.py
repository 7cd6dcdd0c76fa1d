"""Time a snapshot of 5,000 nodes and 20,000 pods by hand: `python -m tests.adapters.kubernetes.bench_decode`."""

import json
import resource
import sys
import time

from tests.adapters.kubernetes.bodies import condition, kubectl_list, node, of_kind, pod
from warmpool.adapters.kubernetes.snapshot_file import read_snapshot

NODES, PODS = 5_000, 20_000
ROUNDS = 5
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
_IMAGES = [{"names": [f"registry.example/image@sha256:{index:064x}"], "sizeBytes": 3_500_000_000} for index in range(5)]
_LABELS = {f"node.example/label-{index}": f"value-{index}" for index in range(20)}
_VOLUMES = [{"name": "home", "persistentVolumeClaim": {"claimName": "home"}}] * 4


def snapshot() -> bytes:
    """Build what kubectl would print, indented as kubectl does it."""
    conditions = [condition(kind, message="kubelet says so", reason="Kubelet") for kind in _PRESSURES]
    nodes = (
        node(f"n{index}", labels={"pool": "spaces", **_LABELS}, conditions=conditions, images=_IMAGES)
        for index in range(NODES)
    )
    pods = (
        pod(f"w{index}", on=f"n{index % NODES}", spec={"volumes": _VOLUMES}, status={"conditions": conditions})
        for index in range(PODS)
    )
    items = [*(of_kind("Node", each) for each in nodes), *(of_kind("Pod", each) for each in pods)]
    return json.dumps(kubectl_list(*items), indent=4).encode()


def main() -> None:
    """Print size, CPU seconds of the best round, and peak memory."""
    raw = snapshot()
    spent = []
    for _ in range(ROUNDS):
        began = time.process_time()
        seen = read_snapshot(raw)
        spent.append(time.process_time() - began)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"{len(raw) / 1e6:.0f} MB, {len(seen.nodes)} nodes, {len(seen.pods)} pods: "
        f"{min(spent):.2f} s of CPU at best, {max(spent):.2f} s at worst; peak {peak_mb:.0f} MB, its own included\n"
    )


if __name__ == "__main__":
    main()
