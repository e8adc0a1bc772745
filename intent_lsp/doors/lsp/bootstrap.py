"""The lobby of one connection: the control files that are open are checked before all else is here.

Invariant: what is loaded with this module is what a control file is checked with, and no desk.
Invariant: a document that nobody governs costs one look-up and leaves no trace.
"""

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.paths import WorkspacePath, path_of_uri, relative_to
from intent_lsp.doors.lsp.diagnostics.control_files import CONTROL_PAGES, ControlFileDiagnostics
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticsPublisher
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import client_of
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.reach import in_reach
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, at_start
from intent_lsp.store.fs.roots import governed_root

ASK_TIME: Final = 5.0
"""Seconds that a client has to answer what nobody waits for."""

FIRST: Final = 1.0
"""Seconds within which the first checks are waited for; who types on is not, nor is a slow disk."""

DiagnosticReport = (
    lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport
)


class BootstrapService:
    """What one connection begins with; the office takes over what is public here."""

    def __init__(self, protocol: IntentProtocol, params: lsp.InitializeParams) -> None:
        self.protocol = protocol
        self.settings = LiveSettings(at_start(params.initialization_options))
        self.client = client_of(params.capabilities)
        self.spelling = LspEncoder(self.client, protocol.encoding)
        self.work = BackgroundExecutor()
        self.bulletin = DiagnosticsPublisher(
            pull=self.client.pull, publish=partial(_publication, protocol), refresh=self._refresh
        )
        self.pages = ControlFileDiagnostics(
            work=self.work,
            bulletin=self.bulletin,
            spelling=self.spelling,
            settings=self.settings,
            documents=protocol.documents,
        )

    async def begin(self) -> None:
        """Check the control files that are open by now, and show what is wrong with them."""
        begun = [self._begin(document.uri) for document in self.protocol.documents]
        if begun:
            await asyncio.wait(begun, timeout=FIRST)

    async def end(self) -> None:
        """End what is under way."""
        await self.work.end()

    def folders(self) -> tuple[str, ...]:
        """Give the paths of the workspace folders as they are now."""
        workspace = self.protocol.workspace
        uris = list(workspace.folders)
        if not uris and workspace.root_uri:
            uris = [workspace.root_uri]
        paths = (path_of_uri(uri) for uri in uris)
        return tuple(path for path in paths if path is not None)

    def opened(self, uri: str) -> None:
        """Check a document that the editor has opened, if it is a control file."""
        self._begin(uri)

    def changed(self, uri: str) -> None:
        """Check the newest text of a control file."""
        page = self.pages.page(uri)
        if page is not None:
            self.pages.check(page)

    def closed(self, uri: str) -> None:
        """Show nothing more on a document: who governs it, and on which terms, is not known yet."""
        self.pages.forget(uri)

    async def document_diagnostic(
        self, params: lsp.DocumentDiagnosticParams
    ) -> DiagnosticReport | None:
        """Answer `textDocument/diagnostic` on a control file; None: it is not checked here."""
        uri = params.text_document.uri
        if self.pages.page(uri) is None:
            # It may have been opened just now.
            await self._take_up(uri)
        page = self.pages.page(uri)
        if page is None:
            return None
        await self.pages.settled(page.uri)
        return self.bulletin.document(page.uri, params.previous_result_id)

    def workspace_diagnostic(
        self, params: lsp.WorkspaceDiagnosticParams
    ) -> lsp.WorkspaceDiagnosticReport:
        """Answer `workspace/diagnostic` with what is checked by now, and say nothing of the rest.

        The client is asked to pull again when the office knows more.
        """
        known = params.previous_result_ids
        return self.bulletin.workspace(each for each in known if self.pages.page(each.uri))

    def _begin(self, uri: str) -> asyncio.Task[None]:
        return self.work.begin(self._take_up(uri))

    async def _take_up(self, uri: str) -> None:
        """Check a document, if it is a control file of a root that this connection governs."""
        if not self.settings.now.enabled:
            return
        path = path_of_uri(uri)
        if path is None or not path.endswith(CONTROL_PAGES):
            return
        found = await self.work.in_thread(control_file, path, self.folders())
        if found is not None and self.protocol.documents.get(uri) is not None:
            self.pages.take_up(*found)
            await self.pages.settled(uri)

    def _refresh(self) -> None:
        self.work.begin(self.protocol.ask(lsp.WORKSPACE_DIAGNOSTIC_REFRESH, None, ASK_TIME))


def control_file(path: str, folders: tuple[str, ...]) -> tuple[Path, WorkspacePath] | None:
    """Tell the root and the name of a file that people govern by; None: it is none."""
    governed = governed_root(path)
    if governed is None or not in_reach(os.fspath(governed.root), folders):
        return None
    name = relative_to(path, os.fspath(governed.root))
    return (governed.root, name) if name in CONTROL_PAGES else None


def _publication(
    protocol: IntentProtocol, shown: lsp.PublishDiagnosticsParams
) -> Callable[[], None]:
    """Spell a push, each problem by itself: thousands at once would stop every other thread."""
    params: dict[str, object] = {"uri": shown.uri, "diagnostics": shown.diagnostics}
    if shown.version is not None:
        params["version"] = shown.version
    return protocol.notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
