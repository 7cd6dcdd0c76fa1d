"""The other side, as a process of its own: an HTTPS Kubernetes API and an AWS endpoint; prints where they are.

Run as `python -m tests.benchmarks.world POOL_NODES OTHER_NODES`; ends when its standard input does.
"""

import base64
import json
import os
import sys
from typing import Any

import botocore.session
from moto.server import ThreadedMotoServer

from tests.benchmarks.objects import StaticCluster
from warmpool.sim.api.access import controller_rules
from warmpool.sim.api.door import Door
from warmpool.sim.api.server import ApiServer
from warmpool.sim.aws.identity import AwsIdentity
from warmpool.sim.aws.resources import create_queues, create_table

REGION = "eu-central-1"
EKS_CLUSTER = "bench-eks"
STACK = "bench"


def spec_document(pool_nodes: int) -> str:
    """Return the pool's runtime document: everything at rest, nothing to change."""
    pool = {
        "namespace": "op",
        "deployment": "ph",
        "nodeSelector": {"pool": "spaces"},
        "shape": {"cpu": "4", "memory": "16Gi"},
        "placeholder": {"cpu": "2", "memory": "8Gi"},
        "min": 0,
        "max": pool_nodes,
    }
    return json.dumps({"version": 1, "cluster": {"eks": EKS_CLUSTER}, "pools": {"spaces": pool}})


def main() -> None:
    """Serve until standard input ends."""
    pool_nodes, other_nodes = int(sys.argv[1]), int(sys.argv[2])
    cluster, identity = StaticCluster(pool_nodes, other_nodes), AwsIdentity()
    os.environ.update({**identity.environment(), "AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION})
    check = identity.token_check(cluster=EKS_CLUSTER, region=REGION, now=lambda: cluster.now)
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    session: Any = botocore.session.Session()
    ssm, sqs, dynamodb = (
        session.create_client(name, region_name=REGION, endpoint_url=endpoint) for name in ("ssm", "sqs", "dynamodb")
    )
    ssm.put_parameter(Name=f"/warmpool/{STACK}/spaces/spec", Value=spec_document(pool_nodes), Type="String")
    queues = create_queues(sqs, stack=STACK, region=REGION)
    create_table(dynamodb, f"{STACK}-ledger")
    with ApiServer(Door(cluster, check, controller_rules(["op"]), absent=["scaledobjects"])) as api:
        variables = {
            **identity.environment(),
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": endpoint,
            "WARMPOOL_STACK": STACK,
            "WARMPOOL_TABLE": f"{STACK}-ledger",
            "WARMPOOL_DEAD_LETTER_QUEUE_URL": queues.dead_letters_url,
            "WARMPOOL_EKS_CLUSTER": EKS_CLUSTER,
            "WARMPOOL_ENDPOINT": api.url,
            "WARMPOOL_CERTIFICATE_AUTHORITY": base64.b64encode(api.ca_pem).decode(),
        }
        sys.stdout.write(json.dumps(variables) + "\n")
        sys.stdout.flush()
        sys.stdin.read()
    moto.stop()


if __name__ == "__main__":
    main()
