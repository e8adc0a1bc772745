"""The LSP server object: answers `initialize` at once and loads the language service afterwards.

Invariant: the loaded modules are frozen (`gc.freeze`), so that the garbage collector never scans
them.
"""

import asyncio
import gc
from collections.abc import Callable
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct
from pygls.lsp.server import LanguageServer

from intent_lsp import __version__
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.service import Json, Service

NAME: Final = "intent-lsp"


class ReceivedSave(Struct):
    """A save of the document at `uri` that the editor has reported.

    Call `over` once the save is recorded, or cannot be.
    """

    uri: str
    over: Callable[[], None] = lambda: None


class IntentServer(LanguageServer):
    """The LSP server object. `service` is its language service, or None until that is loaded."""

    protocol: IntentProtocol

    def __init__(self) -> None:
        super().__init__(NAME, __version__, protocol_cls=IntentProtocol)
        self.service: Service | None = None
        self._opening: asyncio.Future[Service] | None = None
        self._initialize: lsp.InitializeParams | None = None
        self._early_saves: list[ReceivedSave] = []
        self.protocol.ends_with(self.end)

    def begin(self, params: lsp.InitializeParams) -> None:
        """Keep the params of `initialize`, with which the language service is made later."""
        self._initialize = params

    async def ready(self) -> Service:
        """Return the language service, once it is loaded. The first call begins to load it.

        Raise RuntimeError if `begin` had not been called before the first call.
        """
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
        return await asyncio.shield(self._opening)

    def forward(self, method: str, options: object = None) -> None:
        """Register a feature that the language service answers, which is loaded first if needed.

        `options` are what the server declares of it, or None.
        """

        async def answer(params: Json) -> Json:
            return await (await self.ready()).answer(method, params)

        self.feature(method, options)(answer)

    def save_received(self, uri: str) -> ReceivedSave:
        """Note that the document at `uri` has a save that is not recorded yet.

        A close of the document or a change of intent waits until `over` of the returned save is
        called.
        """
        save = ReceivedSave(uri)
        if self.service is None:
            self._early_saves.append(save)
        else:
            save.over = self.service.documents.save_received(uri)
        return save

    async def end(self) -> None:
        """End the language service, or cancel its loading. Do nothing if neither has begun."""
        if self.service is not None:
            await self.service.end()
        elif self._opening is not None:
            self._opening.cancel()

    async def _open(self) -> Service:
        params = self._initialize
        if params is None:
            raise RuntimeError("the first request must be initialize")
        make = await asyncio.to_thread(_load)
        service = make(self.protocol, params)
        # Count them before `service` is set: the next message may close the document.
        for save in self._early_saves:
            save.over = service.documents.save_received(save.uri)
        self._early_saves.clear()
        self.service = service
        return service


def _load() -> Callable[[IntentProtocol, lsp.InitializeParams], Service]:
    """Import the module of the language service, and return the class `LanguageService`.

    Garbage collection is off meanwhile.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        # Imported late: git, SQLite, YAML and the rest take as long to import as the protocol does.
        from intent_lsp.doors.lsp.language_service import LanguageService  # noqa: PLC0415

        gc.freeze()
    finally:
        if was_on:
            gc.enable()
    return LanguageService
