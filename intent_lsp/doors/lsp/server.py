"""The LSP features of the server: which of them a client is offered, and what answers each.

Clients should request the features of control files in these files alone. If a client lets the
server register such a feature for some files, the language service does so later, and the feature
is not in the answer to `initialize`. For any other client, a feature that is offered is in that
answer, and the client requests it in every file.

Invariant: `initialize` is answered before any slow import and before any root is opened.
Invariant: an announced save or file operation (`will…`) does not wait for the language service to
load.
Invariant: pulled diagnostics, text contents and code actions to be resolved are offered only to a
client that declares them.
Invariant: no state at module level, so that `build_server` can be called more than once.
"""

from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation, UriEnds
from intent_lsp.doors.lsp.intent_server import NAME, IntentServer, Json, ReceivedSave
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities, client_of, member
from intent_lsp.doors.lsp.wire.names import FIX_ALL, TOKEN_LEGEND, CommandName, RequestName
from intent_lsp.formats.document_uris import CONTENT_SCHEME, RECORD_SCHEME

PATIENCE: Final = 5.0
"""Seconds that `shutdown` waits for uncancellable work, such as recording a save."""

_EVERY_FILE: Final = lsp.FileOperationRegistrationOptions(
    filters=[lsp.FileOperationFilter(scheme="file", pattern=lsp.FileOperationPattern("**/*"))]
)
"""Matches files and directories: an operation on a directory stands for every file below it."""

_OPERATIONS: Final = (
    (FileOperation.CREATE, lsp.WORKSPACE_WILL_CREATE_FILES, lsp.WORKSPACE_DID_CREATE_FILES),
    (FileOperation.RENAME, lsp.WORKSPACE_WILL_RENAME_FILES, lsp.WORKSPACE_DID_RENAME_FILES),
    (FileOperation.DELETE, lsp.WORKSPACE_WILL_DELETE_FILES, lsp.WORKSPACE_DID_DELETE_FILES),
)

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

_DOCUMENTATION: Final = lsp.CodeActionKindDocumentation(
    kind=lsp.CodeActionKind.QuickFix,
    command=lsp.Command(
        title="What the codes mean, and the ways out", command=f"intent.{CommandName.SHOW_CODES}"
    ),
)
_DIAGNOSTICS: Final = lsp.DiagnosticOptions(
    identifier=NAME, inter_file_dependencies=True, workspace_diagnostics=True
)
_CONTENTS: Final = lsp.TextDocumentContentRegistrationOptions(
    schemes=[RECORD_SCHEME, CONTENT_SCHEME]
)
_COMPLETION: Final = lsp.CompletionOptions(
    trigger_characters=["/", '"', "'"], resolve_provider=True
)
"""Few characters open completion where a client asks in every file, source files too.

They begin a value or the next segment of a glob.
"""

_OF_CONTROL_FILES: Final = (
    lsp.TEXT_DOCUMENT_COMPLETION,
    lsp.COMPLETION_ITEM_RESOLVE,
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
    lsp.TEXT_DOCUMENT_RENAME,
    lsp.TEXT_DOCUMENT_PREPARE_RENAME,
    lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
    lsp.TEXT_DOCUMENT_FORMATTING,
    lsp.TEXT_DOCUMENT_RANGE_FORMATTING,
)

FileOperationParams = lsp.CreateFilesParams | lsp.RenameFilesParams | lsp.DeleteFilesParams


def build_server() -> IntentServer:
    """Return a new server with every feature registered, not yet connected to a client."""
    server = IntentServer()
    _lifecycle(server)
    _workspace(server)
    _documents(server)
    _saves(server)
    _operations(server)
    _forwarded(server)
    _commands(server)
    return server


def _lifecycle(server: IntentServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        client, options = client_of(params.capabilities), params.initialization_options
        server.begin(client, options)
        _register_declared(server, client)
        _register_for_every_file(server, client, options)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        _register_unadvertised(server)
        await (await server.ready()).initialized()

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await server.protocol.ending.ended(PATIENCE)


def _register_declared(server: IntentServer, client: ClientCapabilities) -> None:
    """Register code actions at `initialize`.

    Also register pulled diagnostics and `workspace/textDocumentContent`, each if the client
    declares it. If the client declares Markdown in diagnostics, accept diagnostics with Markdown in
    its requests, too.
    """
    actions = lsp.CodeActionOptions(
        code_action_kinds=[lsp.CodeActionKind.QuickFix, FIX_ALL],
        documentation=[_DOCUMENTATION] if client.shows_documentation else None,
        resolve_provider=client.resolves_edits or None,
    )
    server.forward(lsp.TEXT_DOCUMENT_CODE_ACTION, actions)
    if client.resolves_edits:
        server.forward(lsp.CODE_ACTION_RESOLVE)
    if client.reads_markup:
        server.protocol.accept_markup()
    if client.text_contents:
        server.forward(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, _CONTENTS)
    if client.pull:
        server.forward(lsp.TEXT_DOCUMENT_DIAGNOSTIC, _DIAGNOSTICS)
        server.forward(lsp.WORKSPACE_DIAGNOSTIC)


def _register_for_every_file(
    server: IntentServer, client: ClientCapabilities, options: object
) -> None:
    """Register at `initialize` those features of control files that the client cannot get later.

    A client that knows such a feature then asks for it in every file. Formatting is registered only
    if `options`, the initialization options, switch it on, semantic tokens only if the client shows
    them.
    """
    wants_format = member(options, "format") is True
    if wants_format and not client.format_registration:
        server.forward(lsp.TEXT_DOCUMENT_FORMATTING)
    if wants_format and not client.range_format_registration:
        server.forward(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    if not client.completion.registration:
        server.forward(lsp.TEXT_DOCUMENT_COMPLETION, _COMPLETION)
    if client.tokens and not client.token_registration:
        server.forward(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, TOKEN_LEGEND)
        server.forward(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, TOKEN_LEGEND)
    if not client.rename_registration:
        server.forward(lsp.TEXT_DOCUMENT_RENAME)
        # Without it pygls would advertise renames that cannot be prepared.
        server.forward(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    if not client.highlight_registration:
        server.forward(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)


def _register_unadvertised(server: IntentServer) -> None:
    """Register the handlers of those features of control files that have none yet.

    Call it after the answer to `initialize`, which would otherwise offer these features.
    """
    for method in _OF_CONTROL_FILES:
        if method not in server.protocol.fm.features:
            server.forward(method)


def _workspace(server: IntentServer) -> None:
    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        await (await server.ready()).configured(params.settings)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        await (await server.ready()).folders_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        await (await server.ready()).files_changed([change.uri for change in params.changes])


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
            await (await server.ready()).documents.did_save(save.uri, document, saved)
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


def _operations(server: IntentServer) -> None:
    async def will(operation: FileOperation, params: FileOperationParams) -> None:
        if server.service is not None:
            await server.service.operations.will(operation, _ends(params))

    async def record(operation: FileOperation, ends: Sequence[UriEnds]) -> None:
        await (await server.ready()).operations.did(operation, ends)

    def did(operation: FileOperation, params: FileOperationParams) -> Awaitable[None]:
        return server.protocol.finish(record(operation, _ends(params)))

    for operation, announced, done in _OPERATIONS:
        server.feature(announced, _EVERY_FILE)(partial(will, operation))
        server.feature(done, _EVERY_FILE)(partial(did, operation))


def _ends(params: FileOperationParams) -> tuple[UriEnds, ...]:
    match params:
        case lsp.CreateFilesParams():
            return tuple((None, file.uri) for file in params.files)
        case lsp.RenameFilesParams():
            return tuple((file.old_uri, file.new_uri) for file in params.files)
        case lsp.DeleteFilesParams():
            return tuple((file.uri, None) for file in params.files)
