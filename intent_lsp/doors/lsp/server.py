"""The server of one connection: which messages it takes, and who answers each.

Invariant: `initialize` is answered before anything slow is imported or opened.
Invariant: what is loaded after that stays, so that no garbage is looked for in it, now or ever.
Invariant: no state at module level: `build_server` makes a server, and can make another.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from intent_lsp import __version__
from intent_lsp.doors.lsp.features import file_operation_messages, provenance_messages
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import pulls

NAME: Final = "intent-lsp"
PATIENCE: Final = 5.0
"""Seconds that `shutdown` has for what must be finished, such as the record of a save."""
REQUESTS: Final = (
    "list",
    "select",
    "clear",
    "status",
    "owners",
    "init",
    "trace",
    "change",
    "blame",
    "lines",
    "verify",
    "drafts",
    "beginTurn",
    "recordRead",
    "validateEdit",
    "recordEdit",
    "applyEdit",
    "explain",
    "create",
    "complete",
    "requestScopeExpansion",
    "recordVerification",
)
COMMANDS: Final = ("showWhy", "revert", "restoreDraft")

Json = Any
"""What a client sends where the standard says nothing: whatever JSON knows."""


@dataclass(slots=True)
class ReceivedSave:
    """A save that an editor told of; `over` is to be called once it is recorded, or cannot be."""

    uri: str
    over: Callable[[], None] = lambda: None


class IntentServer(LanguageServer):
    """The Language Server; `language_service` answers, None until it is loaded."""

    protocol: IntentProtocol

    def __init__(self) -> None:
        super().__init__(NAME, __version__, protocol_cls=IntentProtocol)
        self.language_service: Any | None = None
        self._opening: asyncio.Future[Any] | None = None
        self._initialize: lsp.InitializeParams | None = None
        self._early_saves: list[ReceivedSave] = []
        self.protocol.ends_with(self.end)

    async def ready(self) -> Any:  # noqa: ANN401 - its module is loaded late
        """Wait for what answers."""
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
        return await asyncio.shield(self._opening)

    def save_received(self, uri: str) -> "ReceivedSave":
        """Note a save; what comes after it, a close or another intent, waits until it is over."""
        save = ReceivedSave(uri)
        if self.language_service is None:
            self._early_saves.append(save)
        else:
            save.over = self.language_service.save_received(uri)
        return save

    async def end(self) -> None:
        """End what answers; what is still being loaded never begins."""
        if self.language_service is not None:
            await self.language_service.end()
        elif self._opening is not None:
            self._opening.cancel()

    def begin(self, params: lsp.InitializeParams) -> None:
        """Take what the client said of itself."""
        self._initialize = params

    async def _open(self) -> Any:  # noqa: ANN401 - its module is loaded late
        params = self._initialize
        if params is None:
            raise RuntimeError("initialize comes first")
        make = await asyncio.to_thread(_load)
        language_service = make(self.protocol, params)
        language_service.begin()
        # Before anybody finds it open: a close may be the next message.
        for save in self._early_saves:
            save.over = language_service.save_received(save.uri)
        self._early_saves.clear()
        self.language_service = language_service
        return language_service


def _load() -> Callable[[IntentProtocol, lsp.InitializeParams], Any]:
    """Load what answers, and give what makes it; the garbage collector is as it was then."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        # Git, SQLite, YAML and the rest cost as much as the protocol.
        from intent_lsp.doors.lsp.language_service import LanguageService  # noqa: PLC0415
        from intent_lsp.store.malloc import share_memory  # noqa: PLC0415

        share_memory()
        gc.freeze()
    finally:
        if was_on:
            gc.enable()
    return LanguageService


def build_server() -> IntentServer:
    """Make a server that is not connected yet."""
    server = IntentServer()
    for register in (_lifecycle, _workspace, _documents, _saves, _actions, _requests):
        register(server)
    provenance_messages.register(server)
    file_operation_messages.register(server, server.protocol.finish)
    return server


def _lifecycle(server: IntentServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.begin(params)
        if pulls(params.capabilities):
            _pulled(server)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        language_service = await server.ready()
        await language_service.initialized()

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await server.protocol.ended(PATIENCE)


def _workspace(server: IntentServer) -> None:
    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        language_service = await server.ready()
        await language_service.configured(params.settings)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        language_service = await server.ready()
        await language_service.folders_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        language_service = await server.ready()
        await language_service.files_changed([change.uri for change in params.changes])


def _documents(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        if server.language_service is not None:
            server.language_service.opened(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        if server.language_service is not None:
            server.language_service.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        if server.language_service is not None:
            server.language_service.closed(params.text_document.uri)


def _saves(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL)
    async def will_save(params: lsp.WillSaveTextDocumentParams) -> list[lsp.TextEdit]:
        # A save does not wait for what is still being opened.
        if server.language_service is None:
            return []
        edits: list[lsp.TextEdit] = await server.language_service.will_save(
            params.text_document.uri, params.reason
        )
        return edits

    async def record(save: ReceivedSave, document: Document | None, saved: list[str]) -> None:
        try:
            language_service = await server.ready()
            await language_service.did_save(save.uri, document, saved)
        finally:
            save.over()

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> Awaitable[None]:
        # Looked up before the next message is read, which may change or close the document.
        document = server.protocol.documents.get(params.text_document.uri)
        saved = [] if document is None else list(document.lines)
        save = server.save_received(params.text_document.uri)
        return server.protocol.finish(record(save, document, saved))


def _actions(server: IntentServer) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        language_service = await server.ready()
        actions: list[lsp.CodeAction] = await language_service.code_actions(params)
        return actions


def _requests(server: IntentServer) -> None:
    async def answer(name: str, given: Json = None) -> Json:
        language_service = await server.ready()
        return await language_service.request(name, given)

    async def run(name: str, *given: Json) -> Json:
        language_service = await server.ready()
        return await language_service.command(name, *given[:1])

    for name in REQUESTS:
        server.feature(f"intent/{name}")(partial(answer, name))
    for name in (*REQUESTS, *COMMANDS):
        server.command(f"intent.{name}")(partial(run, name))


def _pulled(server: IntentServer) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_DIAGNOSTIC,
        lsp.DiagnosticOptions(
            identifier=NAME, inter_file_dependencies=True, workspace_diagnostics=True
        ),
    )
    async def document(params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        language_service = await server.ready()
        report: lsp.DocumentDiagnosticReport = await language_service.document_diagnostic(params)
        return report

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def workspace(params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        language_service = await server.ready()
        report: lsp.WorkspaceDiagnosticReport = language_service.workspace_diagnostic(params)
        return report
