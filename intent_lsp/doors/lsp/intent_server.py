"""The LSP server object, and the interface of the language service that it loads.

`initialize` is answered at once, and the language service loaded afterwards. The server needs only
the interface of the language service, `Service`, to start.

Invariant: the loaded modules are frozen (`gc.freeze`), so that the garbage collector never scans
them.
"""

import asyncio
import gc
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from lsprotocol import types as lsp
from msgspec import Struct
from pygls.lsp.server import LanguageServer

from intent_lsp import __version__
from intent_lsp.core.file_operations import FileOperation, UriEnds
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities

NAME: Final = "intent-lsp"

Json = Any
"""Any JSON value: params, results and settings whose shape LSP does not define."""


class TextDocumentEvents(Protocol):
    """Handles the events of an editor's open documents: open, change, save and close."""

    def opened(self, uri: str) -> None:
        """Start to track the document at `uri`, which the editor has opened."""

    def changed(self, uri: str) -> None:
        """Update the diagnostics of the document at `uri` after an edit."""

    def closed(self, uri: str) -> None:
        """Note that the editor has closed the document at `uri`."""

    async def will_save(self, uri: str, reason: lsp.TextDocumentSaveReason) -> list[lsp.TextEdit]:
        """Answer `textDocument/willSaveWaitUntil`: judge the save that is about to happen.

        If the save is to be turned back, return edits that restore the text on disk. Otherwise
        return no edits, also if the judgement fails or takes too long, or if the document changes
        meanwhile.
        """

    def save_received(self, uri: str) -> Callable[[], None]:
        """Note that the document at `uri` has a save that is not recorded yet.

        Return a function that the caller must call once the save is recorded, or once it is clear
        that it cannot be.
        """

    async def did_save(self, uri: str, document: Document | None, saved: list[str]) -> None:
        """Record a save reported by `textDocument/didSave`.

        `document` is the document that was open at the time of the save, or None. `saved` are its
        lines at that time, or no lines.
        """


class FileOperationEvents(Protocol):
    """Handles an editor's creations, renames and deletions of files."""

    async def will(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Judge an operation that is about to happen, and warn the person of refused files.

        The operation is not stopped. `uris` has the old and the new URI of each file or directory.
        """

    async def did(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Record an operation that has happened.

        Warn the person of refused files, unless `will` has already warned of them. `uris` has the
        old and the new URI of each file or directory.
        """


class Service(Protocol):
    """The language service of one connection, as the server calls it."""

    @property
    def documents(self) -> TextDocumentEvents:
        """The handler of document events."""

    @property
    def operations(self) -> FileOperationEvents:
        """The handler of file operations."""

    async def answer(self, name: str, given: Json) -> Json:
        """Answer the request, or run the command, that is called `name`.

        `given` are the params of the request, or the argument of the command, or None if it has
        none. Return the result or raise JsonRpcException; any other exception is an internal error.
        """

    async def initialized(self) -> None:
        """Fetch the client's settings, register features, open the workspace folders' roots."""

    async def configured(self, told: Json) -> None:
        """Apply changed settings, fetched from the client or read from `told`.

        `told` is the `settings` member of the client's `workspace/didChangeConfiguration`. It
        counts only if settings cannot be fetched from the client.
        """

    async def folders_changed(self) -> None:
        """Open the roots of the current workspace folders, and find each document's root again."""

    async def files_changed(self, uris: Sequence[str]) -> None:
        """Examine the files at `uris` again, which the client reports as changed on disk."""

    async def end(self) -> None:
        """Finish the writes that are under way, then close the connection's sessions and stores."""


class ReceivedSave(Struct):
    """A save of the document at `uri` that the editor has reported.

    Call `over` once the save is recorded, or once it is clear that it cannot be.
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
        self._declared: tuple[ClientCapabilities, object] | None = None
        self._early_saves: list[ReceivedSave] = []
        self.protocol.ending.then = self.end

    def begin(self, client: ClientCapabilities, options: object) -> None:
        """Keep the client's capabilities and its `initializationOptions`.

        The language service is made with them later.
        """
        self._declared = client, options

    async def ready(self) -> Service:
        """Return the language service, once it is loaded. The first call begins to load it.

        Raise RuntimeError if `begin` had not been called before the first call.
        """
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
        return await asyncio.shield(self._opening)

    def forward(self, method: str, options: object = None) -> None:
        """Register a feature whose requests the language service answers.

        A request loads the language service if that is not loaded yet. `options` are the options
        of the feature that the server declares to the client, or None.
        """

        async def answer(params: Json) -> Json:
            return await (await self.ready()).answer(method, params)

        self.feature(method, options)(answer)

    def save_received(self, uri: str) -> ReceivedSave:
        """Note that the document at `uri` has a save that is not recorded yet.

        The caller must call `over` of the returned object once the save is recorded, or once it is
        clear that it cannot be. The close of the document and a change of intent wait for that.
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
        if self._declared is None:
            raise RuntimeError("the first request must be initialize")
        make = await asyncio.to_thread(_load)
        service = make(self.protocol, *self._declared)
        # Count them before `service` is set: the next message may close the document.
        for save in self._early_saves:
            save.over = service.documents.save_received(save.uri)
        self._early_saves.clear()
        self.service = service
        return service


def _load() -> Callable[[IntentProtocol, ClientCapabilities, object], Service]:
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
