"""The files that the programs read."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from tests.cluster.certificates import Leaf

OBJECTS: Final = Path(__file__).parent / "objects"
STOPPED: Final = "cluster.test/kubelet-stopped"
"""A node with this annotation stays as it is: nobody reports it Ready again."""

IMAGES_PRESENT: Final = "cluster.test/images"
"""A pod with this annotation has all its images on its node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Keys of one assumed role's session, as a Lambda function has them, and the group that its access entry gives."""

    role: str
    access_key: str
    secret_key: str = field(repr=False)
    group: str | None = None
    """None where there is no access entry."""
    name: str = "reconcile"
    account: str = "111122223333"

    @property
    def session_arn(self) -> str:
        """Return the ARN that STS answers with."""
        return self._session_arn(self.name)

    @property
    def role_arn(self) -> str:
        """Return the ARN that an access entry names."""
        return f"arn:aws:iam::{self.account}:role/{self.role}"

    def mapped(self) -> dict[str, Any]:
        """Write its access entry as the authenticator reads it; the user name is the one that EKS gives by default."""
        return {"roleARN": self.role_arn, "username": self._session_arn("{{SessionName}}"), "groups": [self.group]}

    def _session_arn(self, session: str) -> str:
        return f"arn:aws:sts::{self.account}:assumed-role/{self.role}/{session}"


CONTROLLER: Final = Session(
    role="warmpool-reconciler",
    access_key="ASIACONTROLLER000000",
    secret_key="c" * 40,
    group="warmpool-controller",
)
RESEARCHER: Final = Session(
    role="researcher", name="alice", access_key="ASIARESEARCHER000000", secret_key="r" * 40, group="researchers"
)
STRANGER: Final = Session(role="somebody-else", access_key="ASIASTRANGER00000000", secret_key="s" * 40)
SESSIONS: Final = (CONTROLLER, RESEARCHER, STRANGER)


def _instance_type(name: str, cores: int, gibibytes: int, price: float) -> dict[str, Any]:
    return {
        "name": name,
        "architecture": "amd64",
        "operatingSystems": ["linux"],
        "resources": {"cpu": str(cores), "memory": f"{gibibytes}Gi", "pods": "110", "ephemeral-storage": "100Gi"},
        "offerings": [
            {
                "Price": price,
                "Available": True,
                "Requirements": [
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]},
                ],
            }
            for zone in ("eu-central-1a", "eu-central-1b")
        ],
    }


INSTANCE_TYPES: Final = [
    _instance_type("ml.m5.12xlarge", 48, 192, 2.76),
    _instance_type("ml.m5.2xlarge", 8, 32, 0.46),
]


def authenticator(cluster: str) -> dict[str, Any]:
    """Map each role that has an access entry, and no other, to its group."""
    return {"clusterID": cluster, "server": {"mapRoles": [each.mapped() for each in SESSIONS if each.group]}}


def kubeconfig(server: str, authority: Path, leaf: Leaf | None = None) -> dict[str, Any]:
    """Write a way in, with a client certificate where there is one."""
    user = {"client-certificate": str(leaf.certificate), "client-key": str(leaf.key)} if leaf else {}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "warmpool", "cluster": {"server": server, "certificate-authority": str(authority)}}],
        "users": [{"name": "user", "user": user}],
        "contexts": [{"name": "warmpool", "context": {"cluster": "warmpool", "user": "user"}}],
        "current-context": "warmpool",
    }


def write(path: Path, document: Any) -> Path:
    """Write one document; JSON is YAML too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


def read_all(path: Path) -> list[dict[str, Any]]:
    """Read every YAML document of a file."""
    with path.open(encoding="utf-8") as file:
        return [each for each in YAML(typ="safe", pure=True).load_all(file) if each]


def write_stages(folder: Path, kwok: Path) -> list[Path]:
    """Write the stages that kwok plays: its own, with the conditions of our kubelet stand-in, and one of ours."""
    stock = kwok / "kustomize/stage"
    node = _only_if(stock / "node/fast/node-initialize.yaml", _annotation(STOPPED, "DoesNotExist"))
    ready = _only_if(stock / "pod/fast/pod-ready.yaml", _annotation(IMAGES_PRESENT, "In", ["present"]))
    deleted = _only_if(stock / "pod/fast/pod-delete.yaml", {})
    written = (node, ready, deleted, read_all(OBJECTS / "pod-pulling.yaml")[0])
    return [write(folder / f"{each['metadata']['name']}.yaml", each) for each in written]


def _annotation(name: str, operator: str, values: Iterable[str] = ()) -> dict[str, Any]:
    expression = {"key": f'.metadata.annotations["{name}"]', "operator": operator}
    return {**expression, "values": list(values)} if values else expression


def _only_if(path: Path, expression: Mapping[str, Any]) -> dict[str, Any]:
    stage = read_all(path)[0]
    if expression:
        stage["spec"]["selector"]["matchExpressions"].append(expression)
    return stage
