"""Objects from the API server: one by name, or a list page by page."""

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import msgspec

from warmpool.adapters.kubernetes.client import KubernetesClient
from warmpool.adapters.kubernetes.failures import Expired
from warmpool.adapters.kubernetes.malformed import Malformed, explain
from warmpool.adapters.kubernetes.objects import Kind
from warmpool.adapters.kubernetes.transport import Call
from warmpool.adapters.kubernetes.wire import Item
from warmpool.app.errors import ClusterUnavailable
from warmpool.app.ports import Budget

PAGE: Final = 500
RESTARTS: Final = 2
"""How often a list whose continue token has expired starts again; a cluster that outruns us for longer is unknown."""

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_ITEM: Final = msgspec.json.Decoder(Item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Generic[_T_co]):
    """One list to read. `does` says it in words, such as `list nodes`."""

    kind: Kind[_T_co]
    path: str
    does: str
    labels: str = ""
    fields: str = ""


def read_list(client: KubernetesClient, listing: Listing[_T], budget: Budget) -> list[_T]:
    """Read the whole list or nothing: a part of one would be taken for the world.

    Raises what KubernetesClient.send does, and ClusterUnavailable for an answer that is no list.
    """
    expired: Expired | None = None
    for _ in range(1 + RESTARTS):
        try:
            return _pages(client, listing, budget)
        except Expired as error:
            expired = error
        except Malformed as problem:
            raise ClusterUnavailable(f"{listing.does}: the answer is no such list: {problem}") from problem
    raise ClusterUnavailable(f"{listing.does}: 410 on each of {1 + RESTARTS} attempts to read it whole") from expired


def read_one(client: KubernetesClient, kind: Kind[_T], call: Call, budget: Budget) -> _T:
    """Read one object. Raises what KubernetesClient.send does, and ClusterUnavailable for an answer that is none."""
    body = client.send(call, budget)
    try:
        return kind.read(_ITEM.decode(body))
    except Malformed as problem:
        raise ClusterUnavailable(f"{call.does}: the answer is no {kind.name}: {problem}") from problem
    except (msgspec.DecodeError, RecursionError) as error:
        raise ClusterUnavailable(f"{call.does}: the answer is no object: {explain(error, body)}") from error


def _pages(client: KubernetesClient, listing: Listing[_T], budget: Budget) -> list[_T]:
    query = {"limit": str(PAGE), "labelSelector": listing.labels, "fieldSelector": listing.fields}
    wanted = {key: value for key, value in query.items() if value}
    found: list[_T] = []
    more: dict[str, str] = {}
    while True:
        call = Call(does=listing.does, path=listing.path, query={**wanted, **more})
        page, token = listing.kind.read_page(client.send(call, budget))
        found += page
        if not token:
            return found
        more = {"continue": token}
