"""The office behind one connection: made once the client has introduced itself, it answers all.

Invariant: a document that nobody governs costs one look-up and leaves no trace.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from lsprotocol import types as lsp

from intent_lsp.core.paths import path_of_uri
from intent_lsp.doors.lsp.connection.client_ui import ClientUi
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.connection.progress import ClientProgress
from intent_lsp.doors.lsp.diagnostics.control_files import ControlFileDiagnostics
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.diagnostics.publisher import (
    DiagnosticReport,
    DiagnosticsPublisher,
    publication,
)
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.features.code_actions import CodeActions
from intent_lsp.doors.lsp.features.file_operations import FileOperationFeature
from intent_lsp.doors.lsp.features.intent_symbols import IntentSymbols
from intent_lsp.doors.lsp.features.provenance import ProvenanceFeature
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.features.saves import SaveFeature
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.requests.commands import Commands
from intent_lsp.doors.lsp.requests.requests import Requests
from intent_lsp.doors.lsp.runtime.client_capabilities import client_of
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_roots import OpenRoots
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, at_start, live

ASK_TIME: Final = 5.0
"""Seconds that a client has to answer what nobody waits for."""

SECTION: Final = "intentLsp"
_WATCHED: Final = ("**/.orchestration/*", "**/.intentignore")
_WATCHED_BY_CLIENT_ALONE: Final = ("**/*",)


class LanguageService:
    """Answers for one connection."""

    def __init__(self, protocol: IntentProtocol, params: lsp.InitializeParams) -> None:
        client = client_of(params.capabilities)
        spelling = LspEncoder(client, protocol.encoding)
        settings = LiveSettings(at_start(params.initialization_options))
        bulletin = DiagnosticsPublisher(
            pull=client.pull, publish=partial(publication, protocol), refresh=self._refresh
        )
        self._protocol = protocol
        self._work = BackgroundExecutor()
        self._open_roots = OpenRoots(settings, self._folders())
        self._tracked_documents = TrackedDocuments(
            open_roots=self._open_roots,
            settings=settings,
            bulletin=bulletin,
            spelling=spelling,
            work=self._work,
        )
        people = ClientUi(protocol, client, spelling)
        progress = ClientProgress(protocol, client)
        self._connection = Connection(
            client=client,
            open_roots=self._open_roots,
            people=people,
            spelling=spelling,
            tracked_documents=self._tracked_documents,
            progress=progress,
            pages=ControlFileDiagnostics(
                work=self._work,
                bulletin=bulletin,
                spelling=spelling,
                settings=settings,
                documents=protocol.documents,
            ),
        )
        self._tracked_documents.open_root = self._connection.open_root
        offers = RefusalPrompts(self._connection)
        self._saving = SaveFeature(self._connection, offers)
        self.operating = FileOperationFeature(self._connection)
        self.origins = ProvenanceFeature(
            self._connection, lambda name: protocol.ask(name, None, ASK_TIME)
        )
        self.places = IntentSymbols(self._connection, progress)
        self._connection.outcomes.origins_changed = self.origins.changed
        self._actions = CodeActions(self._connection)
        self._requests = Requests(self._connection, progress, protocol.finish)
        self._commands = Commands(self._connection, self._requests, self._actions, offers)

    def begin(self) -> None:
        """Take up the documents that were opened while this was loaded."""
        for document in self._protocol.documents:
            self._tracked_documents.opened(document)

    async def initialized(self) -> None:
        """Ask for settings, register watches, attach to the workspace folders."""
        client = self._connection.client
        if client.configuration:
            former = self._open_roots.settings
            await self._ask_for_settings()
            if self._open_roots.settings != former:
                # Control files that are open are shown already.
                self._connection.pages.check_all()
        if client.watch_registration and self._open_roots.settings.watch in ("auto", "client"):
            await self._register_watches()
        await self._connection.attach_folders()

    async def end(self) -> None:
        """End sessions and stores; what is being written is finished first."""
        await self._connection.end()

    async def configured(self, told: Any) -> None:  # noqa: ANN401 - whatever JSON knows
        """Take new settings."""
        if self._connection.client.configuration:
            await self._ask_for_settings()
        else:
            section = told.get(SECTION) if isinstance(told, dict) else getattr(told, SECTION, None)
            self._open_roots.settings = live(section, self._open_roots.settings)
        await self._connection.settings_changed()
        self.origins.changed()

    async def folders_changed(self) -> None:
        """Attach to the folders that came."""
        self._open_roots.folders = self._folders()
        await self._connection.attach_again()

    async def files_changed(self, uris: Sequence[str]) -> None:
        """Look again at what the client saw change on disk."""
        paths = frozenset(path for uri in uris if (path := path_of_uri(uri)) is not None)
        await self._connection.paths_changed(paths)

    def opened(self, uri: str) -> None:
        """Track a document that the editor has opened."""
        document = self._protocol.documents.get(uri)
        if document is not None:
            self._tracked_documents.opened(document)
            self._check_page(document.uri)

    def changed(self, uri: str) -> None:
        """Follow a document's newest edits."""
        document = self._protocol.documents.get(uri)
        if document is None:
            return
        self._tracked_documents.changed(document)
        tracked = self._tracked_documents.tracked(document.uri)
        if tracked is not None and tracked.open_root is not None and tracked.place is not None:
            self._connection.outcomes.typed_in(tracked.open_root, tracked.place.path)
        self._check_page(document.uri)

    def closed(self, uri: str) -> None:
        """Stop tracking a document."""
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return
        self._tracked_documents.closed(tracked)
        self._tracked_documents.work.begin(self._connection.outcomes.closed(tracked))
        self._check_page(tracked.uri)

    async def will_save(self, uri: str, reason: lsp.TextDocumentSaveReason) -> list[lsp.TextEdit]:
        """Answer `textDocument/willSaveWaitUntil`."""
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return []
        with self._tracked_documents.work.idle_scheduler.asked():
            return await self._saving.will_save(tracked, reason)

    def save_received(self, uri: str) -> Callable[[], None]:
        """Note that a save was told of; whoever has recorded it calls what this gives."""
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return lambda: None
        tracked.save_received()
        return tracked.save_over

    async def did_save(self, uri: str, document: Document | None, saved: list[str]) -> None:
        """Take `textDocument/didSave` of what was an open document then, with the text `saved`.

        It may be closed by now: who writes and quits does not wait for us to have started.
        """
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None and document is not None:
            self._tracked_documents.opened(document)
            tracked = self._tracked_documents.tracked_at(document.uri)
        if tracked is None:
            return
        await self._saving.did_save(tracked, saved)
        if self._protocol.documents.get(uri) is None and tracked.version is not None:
            self._tracked_documents.closed(tracked)

    async def code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Answer `textDocument/codeAction`."""
        tracked = self._tracked_documents.tracked_at(params.text_document.uri)
        if tracked is None:
            return []
        # A save that is under way may take the violation away, or leave a draft.
        await self._tracked_documents.settled(tracked.uri)
        page = self._connection.pages.page(tracked.uri)
        if page is not None:
            return self._actions.fixes(page, params.range)
        return await self._actions.offered(tracked, params.range)

    async def request(self, name: str, given: Any = None) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Answer `intent/<name>`."""
        with self._tracked_documents.work.idle_scheduler.asked():
            return await self._requests.answer(name, given)

    async def command(self, name: str, *given: Any) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Run `intent.<name>`."""
        finish = self._protocol.finish
        match name:
            case "select":
                # A person may take long to choose: cancelled meanwhile, it is never begun.
                return await self._commands.select(finish, *given)
            case "restoreDraft":
                return await finish(self._commands.restore_draft(*given))
            case "showWhy":
                return await finish(self._commands.show_why(*given))
            case "revert":
                return await finish(self._commands.revert(*given))
            case _:
                return await self.request(name, *given)

    async def document_diagnostic(self, params: lsp.DocumentDiagnosticParams) -> DiagnosticReport:
        """Answer `textDocument/diagnostic`."""
        document = self._protocol.documents.get(params.text_document.uri)
        uri = params.text_document.uri if document is None else document.uri
        await self._tracked_documents.settled(uri)
        await self._connection.pages.settled(uri)
        return self._tracked_documents.bulletin.document(uri, params.previous_result_id)

    def workspace_diagnostic(
        self, params: lsp.WorkspaceDiagnosticParams
    ) -> lsp.WorkspaceDiagnosticReport:
        """Answer `workspace/diagnostic`."""
        return self._tracked_documents.bulletin.workspace(params.previous_result_ids)

    def _check_page(self, uri: str) -> None:
        page = self._connection.pages.page(uri)
        if page is not None:
            self._connection.pages.check(page)

    async def _ask_for_settings(self) -> None:
        params = lsp.ConfigurationParams(items=[lsp.ConfigurationItem(section=SECTION)])
        answer = await self._protocol.ask(lsp.WORKSPACE_CONFIGURATION, params, ASK_TIME)
        if isinstance(answer, (list, tuple)) and answer and answer[0] is not None:
            self._open_roots.settings = live(answer[0], self._open_roots.settings)

    def _folders(self) -> tuple[str, ...]:
        """Give the paths of the workspace folders as they are now."""
        workspace = self._protocol.workspace
        uris = list(workspace.folders)
        if not uris and workspace.root_uri:
            uris = [workspace.root_uri]
        paths = (path_of_uri(uri) for uri in uris)
        return tuple(path for path in paths if path is not None)

    def _refresh(self) -> None:
        self._work.begin(self._protocol.ask(lsp.WORKSPACE_DIAGNOSTIC_REFRESH, None, ASK_TIME))

    async def _register_watches(self) -> None:
        alone = self._open_roots.settings.watch == "client"
        globs = (*_WATCHED, *(_WATCHED_BY_CLIENT_ALONE if alone else ()))
        watchers = [lsp.FileSystemWatcher(glob_pattern=glob) for glob in globs]
        registration = lsp.Registration(
            id=lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            method=lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        )
        params = lsp.RegistrationParams(registrations=[registration])
        await self._protocol.ask(lsp.CLIENT_REGISTER_CAPABILITY, params, ASK_TIME)
