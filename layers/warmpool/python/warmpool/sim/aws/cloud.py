"""Cluster, its HTTPS API and the AWS around it, put together and entered as one."""

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from warmpool.sim.api.access import controller_rules
from warmpool.sim.api.door import Door
from warmpool.sim.api.face import ClusterFace
from warmpool.sim.api.server import ApiServer
from warmpool.sim.aws.embedded import AwsNames, EmbeddedAws
from warmpool.sim.aws.identity import AwsIdentity
from warmpool.sim.aws.pump import Handler, QueuePump


class EmbeddedCloud:
    """Everything that the functions talk to, on one virtual clock: the cluster's.

    The API server takes the very tokens that EKS would, judged by the cluster's time, and permits the controller
    what its manifests permit. Failures are ordered at `door.faults`, `aws.failures` and `aws.hyperpod`.
    """

    def __init__(
        self,
        cluster: ClusterFace,
        *,
        namespaces: Sequence[str] = ("spaces-overprovisioning",),
        names: AwsNames | None = None,
        identity: AwsIdentity | None = None,
    ) -> None:
        """Take the cluster and the namespaces in which the controller may write."""
        names, identity = names or AwsNames(), identity or AwsIdentity()
        self.cluster = cluster
        check = identity.token_check(cluster=names.eks_cluster, region=names.region, now=lambda: cluster.now)
        self.door = Door(cluster, check, controller_rules(namespaces))
        self.api = ApiServer(self.door)
        self.aws = EmbeddedAws(names, now=lambda: cluster.now, endpoint=self.api, identity=identity)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start the API server and AWS."""
        with ExitStack() as stack:
            stack.enter_context(self.api)
            stack.enter_context(self.aws)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End both, and leave the process as it was."""
        self._stack.close()

    def pump(self, handler: Handler) -> QueuePump:
        """Return a pump from this cloud's queue into a handler."""
        return QueuePump(self.aws, handler)
