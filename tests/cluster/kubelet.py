"""A stand-in for the kubelets' image pulls: each node keeps what it has pulled, and a pod waits for its images."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from tests.cluster.api import Api, Refused
from tests.cluster.loop import Loop
from tests.cluster.settings import IMAGES_PRESENT

PAUSE_IMAGE_PART: Final = "/pause:"
"""Every node has it from the start."""


@dataclass(slots=True)
class _Node:
    """When each image has been, or will have been, pulled."""

    images: dict[str, float] = field(default_factory=dict)


class Kubelet:
    """Lets each pod start once its node has its images; `pull_seconds` may be changed at any time."""

    def __init__(self, api: Api) -> None:
        self.pull_seconds = 3.0
        self._api = api
        self._nodes: dict[str, _Node] = {}
        self._loop = Loop("kubelet", self._look)

    def start(self) -> None:
        """Begin to look at the pods."""
        self._loop.start()

    def stop(self) -> None:
        """Stop looking."""
        self._loop.stop()

    def has(self, node: str, image: str) -> bool:
        """Tell whether an image is on a node now."""
        known = self._nodes.get(node)
        return known is not None and known.images.get(image, float("inf")) <= time.monotonic()

    def _look(self) -> None:
        now = time.monotonic()
        for pod in self._api.all_of("v1", "Pod"):
            node = pod["spec"].get("nodeName")
            if node and not _has_started(pod) and self._pulled(node, pod, now) and _is_pulling(pod):
                changes = {"metadata": {"annotations": {IMAGES_PRESENT: "present"}}}
                with suppress(Refused):  # gone meanwhile
                    self._api.merge({"apiVersion": "v1", "kind": "Pod", **pod}, changes)

    def _pulled(self, node: str, pod: dict[str, Any], now: float) -> bool:
        known = self._nodes.setdefault(node, _Node()).images
        ready_at = [known.setdefault(image, now + self.pull_seconds) for image in _images(pod)]
        return max(ready_at, default=now) <= now


def _has_started(pod: dict[str, Any]) -> bool:
    return "deletionTimestamp" in pod["metadata"] or IMAGES_PRESENT in (pod["metadata"].get("annotations") or {})


def _is_pulling(pod: dict[str, Any]) -> bool:
    """Tell whether kwok has said so: else it may say it afterwards, of a pod that it has just made Ready."""
    return "startTime" in pod["status"]


def _images(pod: dict[str, Any]) -> Iterator[str]:
    for container in (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]):
        if PAUSE_IMAGE_PART not in container["image"]:
            yield container["image"]
