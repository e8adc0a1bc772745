"""The LSP features of the server: maps each method to its handler in the language service.

Invariant: `initialize` is answered before any slow import and before any root is opened.
Invariant: an announced save or file operation (`will…`) does not wait for the language service to
load.
Invariant: no state at module level, so that `build_server` can be called more than once.
"""

from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation
from intent_lsp.doors.lsp.declared_features import (
    register_declared,
    register_for_every_file,
    register_unadvertised,
)
from intent_lsp.doors.lsp.intent_server import IntentServer, ReceivedSave
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.service import Json, UriEnds
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName

PATIENCE: Final = 5.0
"""Seconds that `shutdown` waits for uncancellable work, such as recording a save."""

_EVERY_FILE: Final = lsp.FileOperationRegistrationOptions(
    filters=[lsp.FileOperationFilter(scheme="file", pattern=lsp.FileOperationPattern("**/*"))]
)
"""Matches files and directories: an operation on a directory stands for every file below it."""

_WILL: Final = {
    lsp.WORKSPACE_WILL_CREATE_FILES: FileOperation.CREATE,
    lsp.WORKSPACE_WILL_RENAME_FILES: FileOperation.RENAME,
    lsp.WORKSPACE_WILL_DELETE_FILES: FileOperation.DELETE,
}
_DID: Final = {
    lsp.WORKSPACE_DID_CREATE_FILES: FileOperation.CREATE,
    lsp.WORKSPACE_DID_RENAME_FILES: FileOperation.RENAME,
    lsp.WORKSPACE_DID_DELETE_FILES: FileOperation.DELETE,
}

_FORWARDED: Final[Mapping[str, object]] = {
    lsp.TEXT_DOCUMENT_HOVER: None,
    lsp.TEXT_DOCUMENT_CODE_LENS: lsp.CodeLensOptions(resolve_provider=True),
    lsp.CODE_LENS_RESOLVE: None,
    lsp.TEXT_DOCUMENT_INLAY_HINT: None,
    lsp.TEXT_DOCUMENT_REFERENCES: None,
    lsp.WORKSPACE_SYMBOL: None,
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: None,
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: None,
    lsp.TEXT_DOCUMENT_SELECTION_RANGE: None,
    lsp.TEXT_DOCUMENT_DOCUMENT_LINK: lsp.DocumentLinkOptions(resolve_provider=True),
    lsp.DOCUMENT_LINK_RESOLVE: None,
    lsp.TEXT_DOCUMENT_DEFINITION: None,
}
"""The requests that the language service answers for every client, with their options."""

FileOperationParams = lsp.CreateFilesParams | lsp.RenameFilesParams | lsp.DeleteFilesParams


def build_server() -> IntentServer:
    """Return a new server with every feature registered, not yet connected to a client."""
    server = IntentServer()
    for register in (
        *(_lifecycle, _workspace, _documents, _saves),
        *(_forwarded, _commands, _announced_operations, _operations),
    ):
        register(server)
    return server


def _lifecycle(server: IntentServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.begin(params)
        register_declared(server, params.capabilities)
        register_for_every_file(server, params)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        register_unadvertised(server)
        service = await server.ready()
        await service.initialized()

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await server.protocol.ended(PATIENCE)


def _workspace(server: IntentServer) -> None:
    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        service = await server.ready()
        await service.configured(params.settings)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        service = await server.ready()
        await service.folders_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        service = await server.ready()
        await service.files_changed([change.uri for change in params.changes])


def _documents(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        if server.service is not None:
            server.service.documents.opened(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        if server.service is not None:
            server.service.documents.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        if server.service is not None:
            server.service.documents.closed(params.text_document.uri)


def _saves(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL)
    async def will_save(params: lsp.WillSaveTextDocumentParams) -> list[lsp.TextEdit]:
        if server.service is None:
            return []
        return await server.service.documents.will_save(params.text_document.uri, params.reason)

    async def record(save: ReceivedSave, document: Document | None, saved: list[str]) -> None:
        try:
            service = await server.ready()
            await service.documents.did_save(save.uri, document, saved)
        finally:
            save.over()

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> Awaitable[None]:
        # Copy the text now: the next message may change or close the document.
        document = server.protocol.documents.get(params.text_document.uri)
        saved = [] if document is None else list(document.lines)
        save = server.save_received(params.text_document.uri)
        return server.protocol.finish(record(save, document, saved))


def _forwarded(server: IntentServer) -> None:
    for method, options in _FORWARDED.items():
        server.forward(method, options)
    for name in RequestName:
        server.forward(f"intent/{name}")


def _commands(server: IntentServer) -> None:
    async def run(name: str, *given: Json) -> Json:
        return await (await server.ready()).answer(name, next(iter(given), None))

    for command in (*RequestName, *CommandName):
        name = f"intent.{command}"
        server.command(name)(partial(run, name))


def _announced_operations(server: IntentServer) -> None:
    async def will(operation: FileOperation, params: FileOperationParams) -> None:
        if server.service is not None:
            await server.service.operations.will(operation, _ends(params))

    for method, operation in _WILL.items():
        server.feature(method, _EVERY_FILE)(partial(will, operation))


def _operations(server: IntentServer) -> None:
    async def record(operation: FileOperation, ends: Sequence[UriEnds]) -> None:
        service = await server.ready()
        await service.operations.did(operation, ends)

    def did(operation: FileOperation, params: FileOperationParams) -> Awaitable[None]:
        return server.protocol.finish(record(operation, _ends(params)))

    for method, operation in _DID.items():
        server.feature(method, _EVERY_FILE)(partial(did, operation))


def _ends(params: FileOperationParams) -> tuple[UriEnds, ...]:
    match params:
        case lsp.CreateFilesParams():
            return tuple((None, file.uri) for file in params.files)
        case lsp.RenameFilesParams():
            return tuple((file.old_uri, file.new_uri) for file in params.files)
        case lsp.DeleteFilesParams():
            return tuple((file.uri, None) for file in params.files)
