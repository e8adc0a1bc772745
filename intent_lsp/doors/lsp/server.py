"""The server of one connection: which messages it takes, and who answers each.

Invariant: `initialize` is answered before anything slow is imported or opened.
Invariant: what a control file is checked with comes first; the office, which is slower to load and
knows all else, after the control files that are open by then are checked.
Invariant: no state at module level: `build_server` makes a server, and can make another.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from intent_lsp import __version__
from intent_lsp.doors.lsp.features import file_operation_messages, provenance_messages
from intent_lsp.doors.lsp.lazy_loading import load_lobby, load_office
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import pulls

_log: Final = logging.getLogger(__name__)

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
class ToldSave:
    """A save that an editor told of; `over` is to be called once it is recorded, or cannot be."""

    uri: str
    over: Callable[[], None] = lambda: None


class IntentServer(LanguageServer):
    """The Language Server: who answers is made once `initialize` is answered.

    `lobby` checks control files until there is the `office`, which does all else.
    """

    protocol: IntentProtocol

    def __init__(self) -> None:
        super().__init__(NAME, __version__, protocol_cls=IntentProtocol)
        self.lobby: Any | None = None
        self._lobby: asyncio.Future[Any] | None = None
        self._office: asyncio.Future[Any] | None = None
        self._initialize: lsp.InitializeParams | None = None
        self._early_saves: list[ToldSave] = []
        self.protocol.ends_with(self.end)

    @property
    def office(self) -> Any | None:  # noqa: ANN401 - its module is loaded late
        """What answers, if it is ready."""
        future = self._office
        ready = future is not None and future.done() and not future.cancelled()
        return future.result() if future is not None and ready else None

    @property
    def attendant(self) -> Any | None:  # noqa: ANN401 - its module is loaded late
        """Who follows the documents by now: the office, before it the lobby."""
        return self.office or self.lobby

    async def ready(self) -> Any:  # noqa: ANN401 - its module is loaded late
        """Wait for what answers."""
        if self._office is None:
            self._office = asyncio.ensure_future(self._open())
        return await asyncio.shield(self._office)

    async def met(self) -> Any:  # noqa: ANN401 - its module is loaded late
        """Wait for what answers first."""
        if self._lobby is None:
            self._lobby = asyncio.ensure_future(self._meet())
        return await asyncio.shield(self._lobby)

    def save_told(self, uri: str) -> "ToldSave":
        """Note a save; what comes after it, a close or another intent, waits until it is over."""
        save = ToldSave(uri)
        if self.office is None:
            self._early_saves.append(save)
        else:
            save.over = self.office.save_told(uri)
        return save

    async def end(self) -> None:
        """End what answers; what is still being made never begins."""
        if self.office is not None:
            await self.office.end()
            return
        for opening in (self._office, self._lobby):
            if opening is not None:
                opening.cancel()
        if self.lobby is not None:
            await self.lobby.end()

    def begin(self, params: lsp.InitializeParams) -> None:
        """Take what the client said of itself."""
        self._initialize = params

    async def _meet(self) -> Any:  # noqa: ANN401 - its module is loaded late
        params = self._initialize
        if params is None:
            raise RuntimeError("initialize comes first")
        make = await asyncio.to_thread(load_lobby)
        self.lobby = make(self.protocol, params)
        await self.lobby.begin()
        return self.lobby

    async def _open(self) -> Any:  # noqa: ANN401 - its module is loaded late
        lobby = await self.met()
        make = await asyncio.to_thread(load_office)
        office = make(lobby)
        await office.begin()
        # Before anybody finds it open: a close may be the next message.
        for save in self._early_saves:
            save.over = office.save_told(save.uri)
        self._early_saves.clear()
        return office


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
        office = await server.ready()
        await office.initialized()

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await server.protocol.ended(PATIENCE)


def _workspace(server: IntentServer) -> None:
    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        office = await server.ready()
        await office.configured(params.settings)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        office = await server.ready()
        await office.folders_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        office = await server.ready()
        await office.files_changed([change.uri for change in params.changes])


def _documents(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        if server.attendant is not None:
            server.attendant.opened(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        if server.attendant is not None:
            server.attendant.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        if server.attendant is not None:
            server.attendant.closed(params.text_document.uri)


def _saves(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL)
    async def will_save(params: lsp.WillSaveTextDocumentParams) -> list[lsp.TextEdit]:
        # A save does not wait for what is still being opened.
        if server.office is None:
            return []
        edits: list[lsp.TextEdit] = await server.office.will_save(
            params.text_document.uri, params.reason
        )
        return edits

    async def record(save: ToldSave, document: Document | None, saved: list[str]) -> None:
        try:
            office = await server.ready()
            await office.did_save(save.uri, document, saved)
        finally:
            save.over()

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> Awaitable[None]:
        # Looked up before the next message is read, which may change or close the document.
        document = server.protocol.documents.get(params.text_document.uri)
        saved = [] if document is None else list(document.lines)
        save = server.save_told(params.text_document.uri)
        return server.protocol.finish(record(save, document, saved))


def _actions(server: IntentServer) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        office = await server.ready()
        actions: list[lsp.CodeAction] = await office.code_actions(params)
        return actions


def _requests(server: IntentServer) -> None:
    async def answer(name: str, given: Json = None) -> Json:
        office = await server.ready()
        return await office.request(name, given)

    async def run(name: str, *given: Json) -> Json:
        office = await server.ready()
        return await office.command(name, *given[:1])

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
        report: lsp.DocumentDiagnosticReport | None = None
        if server.office is None:
            lobby = await server.met()
            report = await lobby.document_diagnostic(params)
        if report is None:
            office = await server.ready()
            report = await office.document_diagnostic(params)
        return report

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def workspace(params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        attendant = server.office or await server.met()
        report: lsp.WorkspaceDiagnosticReport = attendant.workspace_diagnostic(params)
        return report
