"""A server that loads what answers once `initialize` is answered.

Invariant: what is loaded stays, so that no garbage is looked for in it, now or ever.
"""

import asyncio
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from intent_lsp import __version__
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.service import Service

NAME: Final = "intent-lsp"


@dataclass(slots=True)
class ReceivedSave:
    """A save that an editor told of; `over` is to be called once it is recorded, or cannot be."""

    uri: str
    over: Callable[[], None] = lambda: None


class IntentServer(LanguageServer):
    """The Language Server; `service` answers, None until it is loaded."""

    protocol: IntentProtocol

    def __init__(self) -> None:
        super().__init__(NAME, __version__, protocol_cls=IntentProtocol)
        self.service: Service | None = None
        self._opening: asyncio.Future[Service] | None = None
        self._initialize: lsp.InitializeParams | None = None
        self._early_saves: list[ReceivedSave] = []
        self.protocol.ends_with(self.end)

    def begin(self, params: lsp.InitializeParams) -> None:
        """Take what the client said of itself."""
        self._initialize = params

    async def ready(self) -> Service:
        """Wait for what answers."""
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
        return await asyncio.shield(self._opening)

    def save_received(self, uri: str) -> ReceivedSave:
        """Note a save; what comes after it, a close or another intent, waits until it is over."""
        save = ReceivedSave(uri)
        if self.service is None:
            self._early_saves.append(save)
        else:
            save.over = self.service.documents.save_received(uri)
        return save

    async def end(self) -> None:
        """End what answers; what is still being loaded never begins."""
        if self.service is not None:
            await self.service.end()
        elif self._opening is not None:
            self._opening.cancel()

    async def _open(self) -> Service:
        params = self._initialize
        if params is None:
            raise RuntimeError("initialize comes first")
        make = await asyncio.to_thread(_load)
        service = make(self.protocol, params)
        # Before anybody finds it open: a close may be the next message.
        for save in self._early_saves:
            save.over = service.documents.save_received(save.uri)
        self._early_saves.clear()
        self.service = service
        return service


def _load() -> Callable[[IntentProtocol, lsp.InitializeParams], Service]:
    """Load what answers, and return what makes it; the garbage collector is as it was then."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        # Git, SQLite, YAML and the rest cost as much as the protocol.
        from intent_lsp.doors.lsp.language_service import LanguageService  # noqa: PLC0415

        gc.freeze()
    finally:
        if was_on:
            gc.enable()
    return LanguageService
