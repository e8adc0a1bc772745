"""The features that show where lines come from: who answers them (protocol section 4).

Invariant: a question that comes before anybody can answer waits for that, and is no error.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from lsprotocol import types as lsp


class Server(Protocol):
    """What the features need of the server of a connection."""

    def ready(self) -> Awaitable[Any]:
        """Wait for what answers."""

    def feature(self, name: str, options: Any = None) -> Callable[[Any], Any]:  # noqa: ANN401 - pygls's
        """Register what answers a message."""


def register(server: Server) -> None:
    """Take the questions for hovers, lenses, hints, references and symbols."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found: lsp.Hover | None = await (await server.ready()).origins.hover(params)
        return found

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        found: list[lsp.CodeLens] = await (await server.ready()).origins.code_lenses(params)
        return found

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        found: list[lsp.InlayHint] = await (await server.ready()).origins.inlay_hints(params)
        return found

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        found: list[lsp.Location] = await (await server.ready()).places.references(params)
        return found

    @server.feature(lsp.WORKSPACE_SYMBOL)
    async def symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        found: list[lsp.WorkspaceSymbol] = await (await server.ready()).places.symbols(params)
        return found
