"""The usual way: boto3 and the typed kubernetes client do the same reads; prints CPU seconds and peak memory."""

import json
import os
import sys
import tempfile
from base64 import b64decode, urlsafe_b64encode
from typing import Any

from tests.benchmarks.ours import cpu_seconds

PAGE = 500


def main() -> None:
    """Start, read what a pass reads, read it once more, and print what it took."""
    import resource  # noqa: PLC0415 - beside the imports that are measured

    begun = cpu_seconds()
    import boto3  # noqa: PLC0415
    from kubernetes import client  # noqa: PLC0415

    read_aws(boto3)
    api = connect(boto3, client)
    seen = read_cluster(client, api)
    first = cpu_seconds()
    read_aws(boto3)
    read_cluster(client, api)
    answer = {
        "start_and_first_pass": first - begun,
        "pass": cpu_seconds() - first,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "objects": seen,
    }
    sys.stderr.write(json.dumps(answer) + "\n")


def read_aws(boto3: Any) -> None:
    """Read the parameters and the ledger, as a handler without any care would."""
    boto3.client("ssm").get_parameters_by_path(Path="/warmpool/bench", Recursive=True)
    table = boto3.resource("dynamodb").Table(os.environ["WARMPOOL_TABLE"])
    table.get_item(Key={"pk": "stack", "sk": "state"})
    table.put_item(Item={"pk": "bench", "sk": "state", "replicas": 2})


def connect(boto3: Any, client: Any) -> Any:
    """Return an ApiClient with an EKS token, made as the AWS examples make it."""
    from botocore.signers import RequestSigner  # noqa: PLC0415

    session = boto3.session.Session()
    region = os.environ["AWS_REGION"]
    sts = session.client("sts", region_name=region)
    signer = RequestSigner(
        sts.meta.service_model.service_id, region, "sts", "v4", session.get_credentials(), session.events
    )
    request = {
        "method": "GET",
        "url": f"https://sts.{region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": os.environ["WARMPOOL_EKS_CLUSTER"]},
        "context": {},
    }
    url = signer.generate_presigned_url(request, region_name=region, expires_in=60, operation_name="")
    configuration = client.Configuration()
    configuration.host = os.environ["WARMPOOL_ENDPOINT"]
    with tempfile.NamedTemporaryFile(delete=False) as authority:
        authority.write(b64decode(os.environ["WARMPOOL_CERTIFICATE_AUTHORITY"]))
    configuration.ssl_ca_cert = authority.name
    # The embedded authority has no key identifier, which Python 3.13 and later insist on unless told otherwise.
    configuration.disable_strict_ssl_verification = True
    configuration.api_key = {"authorization": "k8s-aws-v1." + urlsafe_b64encode(url.encode()).decode().rstrip("=")}
    configuration.api_key_prefix = {"authorization": "Bearer"}
    return client.ApiClient(configuration)


def read_cluster(client: Any, api: Any) -> int:
    """Do the reads of a pass with typed models and count the objects."""
    core, apps, custom = client.CoreV1Api(api), client.AppsV1Api(api), client.CustomObjectsApi(api)
    launches = "workspace.jupyter.org/workspace-name"
    apps.read_namespaced_deployment("ph", "op")
    apps.list_namespaced_deployment("op")
    client.AutoscalingV2Api(api).list_namespaced_horizontal_pod_autoscaler("op")
    for plural in ("nodeclaims", "nodepools"):
        custom.list_cluster_custom_object("karpenter.sh", "v1", plural)
    return (
        paged(core.list_node, label_selector="pool=spaces")
        + paged(core.list_namespaced_pod, "op", label_selector="app=ph")
        + paged(core.list_pod_for_all_namespaces, label_selector=launches)
    )


def paged(read: Any, *args: Any, **kwargs: Any) -> int:
    """Read all pages into one list, as a caller who needs them all does, and return its length."""
    items: list[Any] = []
    token = None
    while True:
        page = read(*args, **kwargs, limit=PAGE, **({"_continue": token} if token else {}))
        items += page.items
        token = page.metadata._continue  # noqa: SLF001 - the typed client's own name for it
        if not token:
            return len(items)


if __name__ == "__main__":
    main()
