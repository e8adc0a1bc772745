"""The features that show where lines come from: who answers them (protocol section 4).

Invariant: a question that comes before anybody can answer waits for that, and is no error.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from lsprotocol import types as lsp


class ProvenanceServer(Protocol):
    """What the features need of the server of a connection."""

    def ready(self) -> Awaitable[Any]:
        """Wait for what answers."""

    def feature(self, name: str, options: Any = None) -> Callable[[Any], Any]:  # noqa: ANN401 - pygls's
        """Register what answers a message."""


_ANSWERED: Final[Mapping[str, Callable[[Any, Any], Awaitable[Any]]]] = {
    lsp.TEXT_DOCUMENT_HOVER: lambda language_service, params: language_service.origins.hover(
        params
    ),
    lsp.TEXT_DOCUMENT_CODE_LENS: lambda language_service, params: (
        language_service.origins.code_lenses(params)
    ),
    lsp.TEXT_DOCUMENT_INLAY_HINT: lambda language_service, params: (
        language_service.origins.inlay_hints(params)
    ),
    lsp.TEXT_DOCUMENT_REFERENCES: lambda language_service, params: (
        language_service.places.references(params)
    ),
    lsp.WORKSPACE_SYMBOL: lambda language_service, params: language_service.places.symbols(params),
}


def register(server: ProvenanceServer) -> None:
    """Take the questions for hovers, lenses, hints, references and symbols."""

    async def answer(ask: Callable[[Any, Any], Awaitable[Any]], params: object) -> object:
        return await ask(await server.ready(), params)

    for method, ask in _ANSWERED.items():
        server.feature(method)(partial(answer, ask))
