"""The language service: answers one client's requests, once `initialize` has been received."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from lsprotocol import types as lsp

from intent_lsp.core.paths import path_of_uri
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder, registration
from intent_lsp.doors.lsp.diagnostics.publisher import (
    DiagnosticParts,
    DiagnosticReport,
    DiagnosticsPublisher,
    publication,
)
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.features.actions.code_actions import CodeActions
from intent_lsp.doors.lsp.features.actions.revert_actions import resolved_action
from intent_lsp.doors.lsp.features.completion import CompletionFeature, completion_registration
from intent_lsp.doors.lsp.features.file_operations import FileOperationFeature
from intent_lsp.doors.lsp.features.formatting import FormattingFeature
from intent_lsp.doors.lsp.features.intent_symbols import IntentSymbols
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.features.intents_names import IntentsNames, names_registrations
from intent_lsp.doors.lsp.features.intents_outline import (
    all_tokens,
    folding,
    selections,
    symbol_list,
    symbol_tree,
    tokens_registration,
    tokens_within,
)
from intent_lsp.doors.lsp.features.intents_parts import links
from intent_lsp.doors.lsp.features.provenance import ProvenanceFeature
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.features.saves import SaveFeature
from intent_lsp.doors.lsp.features.shown_refresh import ShownRefresh
from intent_lsp.doors.lsp.features.text_contents import TextContents
from intent_lsp.doors.lsp.features.text_documents import TextDocumentFeature
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.requests.commands import Commands
from intent_lsp.doors.lsp.requests.request_table import RequestTable
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities, member
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_root import OpenRoots
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, at_start, live
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName

ASK_TIME: Final = 5.0
"""Seconds that the client has to answer a request of the server, such as for its settings."""

SECTION: Final = "intentLsp"
_WATCHED: Final = ("**/.orchestration/*", "**/.intentignore")
_WATCHED_BY_CLIENT_ALONE: Final = ("**/*",)

Handler = Callable[[Any], Awaitable[Any]]
"""Answers a request with the given params, or runs a command with the given argument or None."""


class LanguageService:
    """Answers the requests of one connection.

    It builds the features, and the `Connection` that they share.
    """

    def __init__(
        self, protocol: IntentProtocol, client: ClientCapabilities, options: object
    ) -> None:
        """Take the client's capabilities and `initializationOptions`, both from `initialize`."""
        connection = _connect(protocol, client, options)
        self._protocol, self._connection = protocol, connection
        self._open_roots = connection.open_roots
        self._tracked_documents = connection.tracked_documents
        offers = RefusalPrompts(connection)
        saves = SaveFeature(connection, offers)
        buffers = IntentsBuffers(connection)
        self.documents = TextDocumentFeature(connection, protocol.documents, saves, buffers)
        self.operations = FileOperationFeature(connection)
        self._formatting = FormattingFeature(connection, buffers, self._ask)
        self._shown = ShownRefresh(connection, self._ask)
        connection.outcomes.origins_changed = self._shown.changed
        connection.outcomes.tree_changed = self._shown.tree_changed
        contents = TextContents(connection, self._refresh_content)
        self._tracked_documents.looked = contents.looked
        self._handlers: Mapping[str, Handler] = {
            **self._feature_handlers(buffers, contents),
            **_intent_handlers(connection, buffers, offers),
            lsp.TEXT_DOCUMENT_DIAGNOSTIC: self.document_diagnostic,
            lsp.WORKSPACE_DIAGNOSTIC: self.workspace_diagnostic,
        }
        # Track the documents that the client opened while this module was being imported.
        for document in protocol.documents:
            self._tracked_documents.opened(document)

    async def answer(self, name: str, given: Any) -> Any:  # noqa: ANN401 - as many types as methods
        """Answer the request, or run the command, that is called `name`.

        `given` are the params of the request, or the argument of the command, or None if it has
        none. Return the result or raise JsonRpcException; any other exception is an internal error.
        """
        return await self._handlers[name](given)

    async def initialized(self) -> None:
        """Fetch the client's settings, register features, open the workspace folders' roots.

        Settings are fetched, and file watches and features of control files registered, only if the
        client supports that. File watches are registered only if the setting `watch` is `auto` or
        `client`.
        """
        client, work = self._connection.client, self._connection.work
        registrations = [*names_registrations(client)]
        if client.completion.registration:
            registrations.append(completion_registration())
        if client.token_registration:
            registrations.append(tokens_registration())
        for each in registrations:
            # Not awaited: a client that does not answer must not delay the roots.
            work.begin(self._register(each))
        if client.configuration:
            former = self._open_roots.settings
            await self._ask_for_settings()
            if self._open_roots.settings != former:
                # Their findings were published before the settings were known.
                self._connection.pages.check_all()
        work.begin(self._formatting.settings_changed())
        if client.watch_registration and self._open_roots.settings.watch in ("auto", "client"):
            await self._register_watches()
        await self._connection.attach_folders()

    async def end(self) -> None:
        """Cancel tasks, wait for threads, then close the connection's sessions and stores."""
        await self._connection.end()

    async def configured(self, told: Any) -> None:  # noqa: ANN401 - whatever JSON knows
        """Apply changed settings.

        They are fetched from the client if it supports that, else read from `told`, the settings
        that the client sent with the notification.
        """
        if self._connection.client.configuration:
            await self._ask_for_settings()
        else:
            section = member(told, SECTION)
            self._open_roots.settings = live(section, self._open_roots.settings)
        self._connection.work.begin(self._formatting.settings_changed())
        await self._connection.settings_changed()
        self._shown.changed()

    async def folders_changed(self) -> None:
        """Open the roots of the current workspace folders, and find each document's root again."""
        self._open_roots.folders = _folders(self._protocol)
        await self._connection.attach_again()

    async def files_changed(self, uris: Sequence[str]) -> None:
        """Examine the files at `uris` again, which the client reports as changed on disk."""
        paths = frozenset(path for uri in uris if (path := path_of_uri(uri)) is not None)
        await self._connection.paths_changed(paths)

    async def document_diagnostic(self, params: lsp.DocumentDiagnosticParams) -> DiagnosticReport:
        """Answer `textDocument/diagnostic` after all work under way on the document is done."""
        document = self._protocol.documents.get(params.text_document.uri)
        uri = params.text_document.uri if document is None else document.uri
        await self._tracked_documents.settled(uri)
        await self._connection.pages.settled(uri)
        return self._tracked_documents.publisher.document(uri, params.previous_result_id)

    async def workspace_diagnostic(
        self, params: lsp.WorkspaceDiagnosticParams
    ) -> lsp.WorkspaceDiagnosticReport:
        """Answer `workspace/diagnostic`.

        The answer has each file with diagnostics, and each file that the client names by a previous
        result id.
        """
        return self._tracked_documents.publisher.workspace(params.previous_result_ids)

    def _feature_handlers(
        self, buffers: IntentsBuffers, contents: TextContents
    ) -> Mapping[str, Handler]:
        """Return what answers LSP's requests about texts and symbols, by their method.

        Those for diagnostics, saves, file operations and commands are not among them.
        """
        connection, documents = self._connection, self._protocol.documents
        actions = CodeActions(connection)
        provenance = ProvenanceFeature(connection, buffers)
        names = IntentsNames(connection, buffers, documents)
        symbols = IntentSymbols(connection, buffers, names)
        completion = CompletionFeature(connection, documents)
        outline = symbol_tree if connection.client.symbol_trees else symbol_list
        return {
            lsp.TEXT_DOCUMENT_HOVER: provenance.hover,
            lsp.TEXT_DOCUMENT_CODE_LENS: provenance.code_lenses,
            lsp.CODE_LENS_RESOLVE: provenance.intents_lenses.resolved,
            lsp.TEXT_DOCUMENT_INLAY_HINT: provenance.inlay_hints,
            lsp.TEXT_DOCUMENT_REFERENCES: symbols.references,
            lsp.WORKSPACE_SYMBOL: symbols.symbols,
            lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: buffers.answering(outline),
            lsp.TEXT_DOCUMENT_FOLDING_RANGE: buffers.answering(folding),
            lsp.TEXT_DOCUMENT_SELECTION_RANGE: buffers.answering(selections),
            lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: buffers.answering(all_tokens),
            lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: buffers.answering(tokens_within),
            lsp.TEXT_DOCUMENT_DOCUMENT_LINK: buffers.answering(links),
            lsp.DOCUMENT_LINK_RESOLVE: provenance.intents_parts.resolved,
            lsp.TEXT_DOCUMENT_DEFINITION: provenance.intents_parts.definition,
            lsp.TEXT_DOCUMENT_RENAME: names.renamed,
            lsp.TEXT_DOCUMENT_PREPARE_RENAME: names.prepared,
            lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: names.highlights,
            lsp.TEXT_DOCUMENT_FORMATTING: self._formatting.document,
            lsp.TEXT_DOCUMENT_RANGE_FORMATTING: self._formatting.within,
            lsp.TEXT_DOCUMENT_COMPLETION: completion.completion,
            lsp.COMPLETION_ITEM_RESOLVE: completion.resolve,
            lsp.TEXT_DOCUMENT_CODE_ACTION: actions.answered,
            lsp.CODE_ACTION_RESOLVE: partial(resolved_action, connection),
            lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT: contents.content,
        }

    async def _ask_for_settings(self) -> None:
        params = lsp.ConfigurationParams(items=[lsp.ConfigurationItem(section=SECTION)])
        answer = await self._ask(lsp.WORKSPACE_CONFIGURATION, params)
        if isinstance(answer, (list, tuple)) and answer and answer[0] is not None:
            self._open_roots.settings = live(answer[0], self._open_roots.settings)

    async def _register_watches(self) -> None:
        alone = self._open_roots.settings.watch == "client"
        globs = (*_WATCHED, *(_WATCHED_BY_CLIENT_ALONE if alone else ()))
        watchers = [lsp.FileSystemWatcher(glob_pattern=glob) for glob in globs]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        await self._register(registration(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))

    async def _register(self, wanted: lsp.Registration) -> None:
        params = lsp.RegistrationParams(registrations=[wanted])
        await self._ask(lsp.CLIENT_REGISTER_CAPABILITY, params)

    async def _refresh_content(self, uri: str) -> None:
        params = lsp.TextDocumentContentRefreshParams(uri=uri)
        await self._ask(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, params)

    async def _ask(self, name: str, params: object = None) -> Any:  # noqa: ANN401 - as many types as methods
        return await self._protocol.ask(name, params, ASK_TIME)


def _connect(protocol: IntentProtocol, client: ClientCapabilities, options: object) -> Connection:
    """Create the `Connection` that the features of one client share, and all its parts."""
    work = BackgroundExecutor()
    parts = DiagnosticParts(
        work=work,
        publisher=_publisher(protocol, work, pull=client.pull),
        spelling=LspEncoder(client, protocol.encoding),
        settings=LiveSettings(at_start(options)),
        documents=protocol.documents,
    )
    tracked_documents = TrackedDocuments(OpenRoots(parts.settings, _folders(protocol)), parts)
    connection = Connection(protocol, client, tracked_documents, parts)
    tracked_documents.announce_root = connection.announce_root
    return connection


def _intent_handlers(
    connection: Connection, buffers: IntentsBuffers, offers: RefusalPrompts
) -> Mapping[str, Handler]:
    """Return what answers the requests `intent/*` and runs the commands `intent.*`, by name."""
    requests = RequestTable(connection)
    commands = Commands(connection, requests, offers, buffers)
    return {
        **{f"intent/{name}": partial(requests.answer, name) for name in RequestName},
        **{f"intent.{name}": partial(commands.run, name) for name in (*RequestName, *CommandName)},
    }


def _publisher(
    protocol: IntentProtocol, work: BackgroundExecutor, *, pull: bool
) -> DiagnosticsPublisher:
    def refresh() -> None:
        work.begin(protocol.ask(lsp.WORKSPACE_DIAGNOSTIC_REFRESH, None, ASK_TIME))

    return DiagnosticsPublisher(pull=pull, publish=partial(publication, protocol), refresh=refresh)


def _folders(protocol: IntentProtocol) -> tuple[str, ...]:
    """Return the paths of the current workspace folders, or that of `rootUri` if there are none."""
    uris = list(protocol.workspace.folders)
    if not uris and protocol.workspace.root_uri:
        uris = [protocol.workspace.root_uri]
    paths = (path_of_uri(uri) for uri in uris)
    return tuple(path for path in paths if path is not None)
