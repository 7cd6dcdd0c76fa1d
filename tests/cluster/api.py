"""The administrator's way to the API server: plain objects in and out, through the `kubernetes` package's transport."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.config import new_client_from_config
from urllib3.exceptions import HTTPError

from warmpool.adapters.kubernetes.transport import tls_context

if TYPE_CHECKING:
    from kubernetes.client.api_client import ApiClient

Object = dict[str, Any]

FIELD_MANAGER: Final = "cluster-owner"
_TIMEOUT_SECONDS: Final = 10.0
_TYPES_SECONDS: Final = 20.0
_FIRST_FAILURE: Final = 400
_NOT_FOUND: Final = 404

_PLURALS: Final[Mapping[str, str]] = {
    "NetworkPolicy": "networkpolicies",
    "PriorityClass": "priorityclasses",
    "KWOKNodeClass": "kwoknodeclasses",
}
_CLUSTER_SCOPED: Final = frozenset(
    {
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "KWOKNodeClass",
        "Namespace",
        "Node",
        "NodeClaim",
        "NodePool",
        "PriorityClass",
    }
)


class Refused(Exception):
    """An answer that is none: its status and the server's words."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class Api:
    """One user's requests; not for use by several threads at once."""

    def __init__(self, kubeconfig: Path) -> None:
        new: Any = new_client_from_config  # the package's module for kubeconfigs has no types
        configuration: Any = Configuration(retries=False)
        self._client: ApiClient = new(
            config_file=str(kubeconfig), persist_config=False, client_configuration=configuration
        )
        # The product's context closes what a server that goes away has reset; the ssl module's own does not.
        context = tls_context(Path(configuration.ssl_ca_cert).read_text(encoding="ascii"))
        if configuration.cert_file:
            context.load_cert_chain(configuration.cert_file, configuration.key_file)
        self._client.rest_client.pool_manager.connection_pool_kw["ssl_context"] = context

    def request(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json", **query: str
    ) -> Any:
        """Return the decoded answer. Raises Refused, or OSError where the server cannot be reached."""
        url = f"{self._client.configuration.host}{path}"
        status, data = self._send(method, f"{url}?{urlencode(query)}" if query else url, body, content_type)
        if status >= _FIRST_FAILURE:
            raise Refused(status, _message(data))
        return json.loads(data or b"{}")

    def _send(self, method: str, url: str, body: object, content_type: str) -> tuple[int, bytes]:
        headers = {"Accept": "application/json", "Content-Type": content_type}
        try:
            response = self._client.call_api(method, url, headers, body, _request_timeout=_TIMEOUT_SECONDS)
            with closing(response.response):  # also where the server goes away in the middle of its answer
                return response.status, response.response.data
        except (HTTPError, ApiException) as error:
            raise OSError(str(error)) from error

    def ready(self) -> bool:
        """Tell whether the server says that it is ready."""
        try:
            self.request("GET", "/readyz", verbose="true")
        except json.JSONDecodeError:  # it answers in plain text
            return True
        except Refused:
            return False
        return True

    def get(self, version: str, kind: str, name: str, namespace: str | None = None) -> Object | None:
        """Return an object, None where it is not there."""
        try:
            found: Object = self.request("GET", path_of(version, kind, name, namespace))
        except Refused as error:
            if error.status == _NOT_FOUND:
                return None
            raise
        return found

    def all_of(self, version: str, kind: str, namespace: str | None = None, **query: str) -> list[Object]:
        """Return all objects of a type, in one namespace or in all of them."""
        found: list[Object] = self.request("GET", path_of(version, kind, None, namespace), **query)["items"]
        return found

    def apply(self, objects: Iterable[Mapping[str, Any]], *, manager: str = FIELD_MANAGER) -> list[Object]:
        """Apply objects by server-side apply, in their order."""
        return [
            self.request(
                "PATCH",
                path_of_object(each),
                each,
                content_type="application/apply-patch+yaml",
                fieldManager=manager,
                force="true",
            )
            for each in objects
        ]

    def create(self, created: Mapping[str, Any]) -> Object:
        """Create one object."""
        metadata = created["metadata"]
        path = path_of(created["apiVersion"], created["kind"], None, metadata.get("namespace"))
        made: Object = self.request("POST", path, created, fieldManager=FIELD_MANAGER)
        return made

    def merge(self, target: Mapping[str, Any], changes: object, *, subresource: str = "") -> Object:
        """Merge changes into an object."""
        path = f"{path_of_object(target)}{subresource and f'/{subresource}'}"
        made: Object = self.request(
            "PATCH", path, changes, content_type="application/merge-patch+json", fieldManager=FIELD_MANAGER
        )
        return made

    def delete(self, target: Mapping[str, Any]) -> None:
        """Delete an object and, in the background, what it owns; one that has gone is no error."""
        try:
            self.request("DELETE", path_of_object(target), propagationPolicy="Background")
        except Refused as error:
            if error.status != _NOT_FOUND:
                raise

    def wait_for_types(self, crds: Sequence[Mapping[str, Any]]) -> None:
        """Wait until the server serves the types of these CRDs."""
        until = time.monotonic() + _TYPES_SECONDS
        waiting = {each["metadata"]["name"]: each["spec"] for each in crds}
        while waiting:
            for name, spec in list(waiting.items()):
                version = next(each["name"] for each in spec["versions"] if each["served"])
                try:
                    self.request("GET", f"/apis/{spec['group']}/{version}/{spec['names']['plural']}", limit="1")
                except Refused:
                    if time.monotonic() >= until:
                        raise
                    time.sleep(0.1)
                else:
                    del waiting[name]


def path_of_object(target: Mapping[str, Any]) -> str:
    """Return an object's path."""
    metadata = target["metadata"]
    return path_of(target["apiVersion"], target["kind"], metadata["name"], metadata.get("namespace"))


def path_of(version: str, kind: str, name: str | None, namespace: str | None) -> str:
    """Return the path of an object, or of all objects of a type."""
    parts = ["/api" if "/" not in version else "/apis", version]
    if namespace and kind not in _CLUSTER_SCOPED:
        parts += ["namespaces", quote(namespace)]
    parts.append(_PLURALS.get(kind, f"{kind.lower()}s"))
    return "/".join([*parts, quote(name)] if name else parts)


def _message(data: bytes) -> str:
    try:
        return str(json.loads(data).get("message", ""))
    except (ValueError, AttributeError):
        return data.decode(errors="replace")[:300]
