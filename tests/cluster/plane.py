"""The control plane: its folder, its programs in the order in which they need each other, and the way in."""

import base64
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from urllib3 import PoolManager

from tests.cluster import build, settings
from tests.cluster.api import Api
from tests.cluster.certificates import Authority, Leaf
from tests.cluster.kubelet import Kubelet
from tests.cluster.processes import Processes, answers, free_port
from tests.cluster.sts import Principal, StandIn
from tests.cluster.workspaces import WorkspaceController

CLUSTER_NAME: Final = "ml-research"
REGION: Final = "eu-central-1"
READY_SECONDS: Final = 60.0
"""A machine that does other things too may need longer than the 5 s that it takes on its own."""

MASTERS: Final = "system:masters"


class ControlPlane:
    """A context manager: on entry everything runs, on exit nothing does. Raises NotReady or BuildFailed."""

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say
        self.folder = Path(tempfile.mkdtemp(prefix="warmpool-cluster-"))
        self.processes = Processes(self.folder / "logs")
        self.port = free_port()
        self.keep_logs = False
        self._binaries = build.folder()
        self._authority = Authority(self.folder / "pki")
        # One for the whole run: its key signs service accounts' tokens, which outlive a restart of the server.
        self._server = self._leaf("apiserver", hosts=("127.0.0.1", "localhost"))
        self.api = self._admin()
        self.sts = self._sts()
        self.kubelet = Kubelet(self._admin())
        self.workspaces = WorkspaceController(self._admin())

    @property
    def url(self) -> str:
        """Return the API server's address."""
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca_pem(self) -> str:
        """Return the CA that vouches for it."""
        return self._authority.certificate.read_text(encoding="ascii")

    @property
    def kubeconfig(self) -> Path:
        """Return the administrator's kubeconfig."""
        return self.folder / "admin.kubeconfig"

    @property
    def audit_log(self) -> Path:
        """Return the file that the API server writes its audit records to, one JSON object a line."""
        return self.folder / "audit.jsonl"

    def __enter__(self) -> Self:
        began = time.monotonic()
        try:
            self._start()
        except BaseException:
            self.keep_logs = True
            self._end()
            raise
        self._say(f"control plane ready in {time.monotonic() - began:.1f} s")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.keep_logs = self.keep_logs or kind not in {None, KeyboardInterrupt}
        self._end()

    def start_api_server(self) -> None:
        """Start the API server, again where it was stopped: on the same port and the same etcd."""
        self._start_api_server()
        self.processes.wait("kube-apiserver", self.api.ready, seconds=READY_SECONDS)

    def compact(self) -> None:
        """Make etcd forget all but the present, and note it where every API server looks, as one that compacts does."""
        key = base64.b64encode(b"compact_rev_key").decode()
        with PoolManager() as etcd:

            def ask(what: str, **body: str) -> str:
                answer = etcd.request("POST", f"{self._etcd}/v3/kv/{what}", json=body)
                revision: str = answer.json()["header"]["revision"]
                return revision

            present = ask("put", key=key, value=base64.b64encode(b"1").decode())
            ask("put", key=key, value=base64.b64encode(present.encode()).decode())
            ask("compaction", revision=present)

    def _end(self) -> None:
        self.kubelet.stop()
        self.workspaces.stop()
        self.processes.end()
        self.sts.stop()
        if self.keep_logs:
            self._say(f"logs are kept in {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self) -> None:
        self.sts.start()
        self._start_etcd()
        self._start_authenticator()
        self.start_api_server()
        self._install_types()
        self._start_controllers()
        self.processes.wait("aws-iam-authenticator", lambda: answers(self._authenticator_port), seconds=READY_SECONDS)
        self.kubelet.start()
        self.workspaces.start()

    def _start_etcd(self) -> None:
        self._etcd = f"http://127.0.0.1:{free_port()}"
        peers = f"http://127.0.0.1:{free_port()}"
        self._run(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={self._etcd}",
            f"--advertise-client-urls={self._etcd}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--unsafe-no-fsync",
        )

    def _start_authenticator(self) -> None:
        self._authenticator_port = free_port()
        state = self.folder / "authenticator"
        state.mkdir()
        leaf = self._authority.leaf("authenticator", "aws-iam-authenticator", hosts=("127.0.0.1",))
        shutil.copy(leaf.certificate, state / "cert.pem")
        shutil.copy(leaf.key, state / "key.pem")
        settings.write(self.folder / "authenticator.yaml", settings.authenticator(CLUSTER_NAME))
        webhook = settings.kubeconfig(
            f"https://127.0.0.1:{self._authenticator_port}/authenticate", self._authority.certificate
        )
        settings.write(self.folder / "webhook.kubeconfig", webhook)
        self._run(
            "aws-iam-authenticator",
            "server",
            f"--config={self.folder / 'authenticator.yaml'}",
            f"--state-dir={state}",
            f"--port={self._authenticator_port}",
            "--address=127.0.0.1",
            "--kubeconfig-pregenerated=true",
            environment={
                "HTTPS_PROXY": self.sts.url,
                "SSL_CERT_FILE": str(self._authority.certificate),
                "AWS_REGION": REGION,
                "AWS_EC2_METADATA_DISABLED": "true",
            },
        )

    def _start_api_server(self) -> None:
        self._run(
            "kube-apiserver",
            f"--etcd-servers={self._etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--tls-cert-file={self._server.certificate}",
            f"--tls-private-key-file={self._server.key}",
            f"--client-ca-file={self._authority.certificate}",
            "--authorization-mode=RBAC",
            f"--authentication-token-webhook-config-file={self.folder / 'webhook.kubeconfig'}",
            "--authentication-token-webhook-cache-ttl=0s",
            f"--service-account-issuer={self.url}",
            f"--service-account-key-file={self._server.key}",
            f"--service-account-signing-key-file={self._server.key}",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--endpoint-reconciler-type=none",
            f"--audit-policy-file={settings.OBJECTS / 'audit-policy.yaml'}",
            f"--audit-log-path={self.audit_log}",
        )

    def _install_types(self) -> None:
        """Install the CRDs, Karpenter's from its own module."""
        karpenter = build.module_folder("karpenter", "sigs.k8s.io/karpenter")
        files = [
            *sorted((karpenter / "pkg/apis/crds").glob("*.yaml")),
            *sorted((karpenter / "kwok/apis/crds").glob("*.yaml")),
            settings.OBJECTS / "workspace-crds.yaml",
        ]
        crds = [each for file in files for each in settings.read_all(file)]
        self.api.apply(crds)
        self.api.wait_for_types(crds)

    def _start_controllers(self) -> None:
        self._run(
            "kube-controller-manager",
            f"--kubeconfig={self._kubeconfig('system:kube-controller-manager')}",
            "--leader-elect=false",
            "--use-service-account-credentials=true",
            "--controllers=*,-nodeipam,-route,-service,-cloud-node-lifecycle",
            f"--service-account-private-key-file={self._server.key}",
            f"--root-ca-file={self._authority.certificate}",
            "--secure-port=0",
        )
        scheduler = self._kubeconfig("system:kube-scheduler")
        self._run("kube-scheduler", f"--kubeconfig={scheduler}", "--leader-elect=false", "--secure-port=0")
        stages = settings.write_stages(self.folder / "stages", build.module_folder("kwok", "sigs.k8s.io/kwok"))
        self._run(
            "kwok",
            f"--kubeconfig={self._kubeconfig('kwok', MASTERS)}",
            "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
            "--node-lease-duration-seconds=40",
            f"--server-address=127.0.0.1:{free_port()}",
            *(f"--config={each}" for each in stages),
        )
        self._start_karpenter()

    def _start_karpenter(self) -> None:
        types = self.folder / "instance-types.json"
        settings.write(types, settings.INSTANCE_TYPES)
        self._run(
            "karpenter",
            environment={
                "KUBECONFIG": str(self._kubeconfig("karpenter", MASTERS)),
                "SYSTEM_NAMESPACE": "kube-system",
                "DISABLE_LEADER_ELECTION": "true",
                "METRICS_PORT": str(free_port()),
                "HEALTH_PROBE_PORT": str(free_port()),
                "INSTANCE_TYPES_FILE_PATH": str(types),
                "BATCH_IDLE_DURATION": "1s",
                "BATCH_MAX_DURATION": "5s",
            },
        )

    def _run(self, name: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
        home = {"HOME": str(self.folder)}
        self.processes.start(name, self._binaries / name, *arguments, environment={**home, **(environment or {})})

    def _sts(self) -> StandIn:
        host = f"sts.{REGION}.amazonaws.com"
        principals = {
            each.access_key: Principal(secret=each.secret_key, arn=each.session_arn) for each in settings.SESSIONS
        }
        return StandIn(REGION, self._leaf("sts", hosts=(host,)), principals)

    def _admin(self) -> Api:
        path = self.kubeconfig
        if not path.is_file():
            self._kubeconfig("admin", MASTERS)
        return Api(path)

    def _leaf(self, name: str, *, hosts: tuple[str, ...]) -> Leaf:
        return self._authority.leaf(name, name, hosts=hosts)

    def _kubeconfig(self, user: str, *groups: str) -> Path:
        name = user.rpartition(":")[2]
        leaf = self._authority.leaf(name, user, groups=groups)
        path = self.folder / f"{name}.kubeconfig"
        settings.write(path, settings.kubeconfig(self.url, self._authority.certificate, leaf))
        return path
