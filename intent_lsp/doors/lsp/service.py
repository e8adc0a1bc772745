"""The interface of the language service, so that the server need not import its implementation.

Invariant: importing this module imports no feature of the language service.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName

Json = Any
"""Any JSON value: params, results and settings whose shape LSP does not define."""

UriEnds = tuple[str | None, str | None]
"""The old and the new URI of a file operation.

The old one is None for a creation, the new one for a deletion.
"""


class TextDocumentEvents(Protocol):
    """Handles the events of open documents: open, change, save and close."""

    def opened(self, uri: str) -> None:
        """Track a document that the editor has opened."""

    def changed(self, uri: str) -> None:
        """Update the diagnostics of a document after an edit."""

    def closed(self, uri: str) -> None:
        """Note that the editor has closed a document."""

    async def will_save(self, uri: str, reason: lsp.TextDocumentSaveReason) -> list[lsp.TextEdit]:
        """Answer `textDocument/willSaveWaitUntil`."""

    def save_received(self, uri: str) -> Callable[[], None]:
        """Note that a document has a save that is not recorded yet.

        Return a function that the caller must call once the save is recorded.
        """

    async def did_save(self, uri: str, document: Document | None, saved: list[str]) -> None:
        """Record a save reported by `textDocument/didSave`.

        `document` is the document that was open at the time of the save, or None. `saved` are its
        lines at that time.
        """


class FileOperationEvents(Protocol):
    """Handles an editor's creations, renames and deletions of files."""

    async def will(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Judge an operation that is about to happen. `uris` has an entry per file or directory."""

    async def did(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Record an operation that has happened. `uris` has an entry per file or directory."""


class ProvenanceAnswers(Protocol):
    """Answers requests about the attribution of a document's lines."""

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """Answer `textDocument/hover`."""

    async def code_lenses(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """Answer `textDocument/codeLens`."""

    async def inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Answer `textDocument/inlayHint`."""


class SymbolAnswers(Protocol):
    """Answers requests for the places where an intent is declared or has changed lines."""

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Answer `textDocument/references`."""

    async def symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """Answer `workspace/symbol`."""


class RequestAnswers(Protocol):
    """Answers the custom requests `intent/*`."""

    async def answer(self, name: RequestName, given: Json = None) -> Json:
        """Answer the request `name` with the params `given`.

        Return the result or raise JsonRpcException.
        """


class CommandAnswers(Protocol):
    """Runs the commands `intent.*` of `workspace/executeCommand`."""

    async def run(self, name: RequestName | CommandName, given: Json = None) -> Json:
        """Run the command `name` with the argument `given`, or None without one.

        Return its result.
        """


class Service(Protocol):
    """What the server calls on the language service of one connection."""

    @property
    def documents(self) -> TextDocumentEvents:
        """The handler of document events."""

    @property
    def operations(self) -> FileOperationEvents:
        """The handler of file operations."""

    @property
    def provenance(self) -> ProvenanceAnswers:
        """The handler of hover, code lenses and inlay hints."""

    @property
    def symbols(self) -> SymbolAnswers:
        """The handler of references and workspace symbols."""

    @property
    def requests(self) -> RequestAnswers:
        """The handler of `intent/*` requests."""

    @property
    def commands(self) -> CommandAnswers:
        """The handler of `intent.*` commands."""

    async def initialized(self) -> None:
        """Fetch the client's settings, register file watches and open the folders' roots."""

    async def configured(self, told: Json) -> None:
        """Apply changed settings. `told` is what the client sent with the notification."""

    async def folders_changed(self) -> None:
        """Open the roots of the current workspace folders and find each document's root anew."""

    async def files_changed(self, uris: Sequence[str]) -> None:
        """Take new snapshots of the files that the client reports as changed on disk."""

    async def code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Answer `textDocument/codeAction`."""

    async def document_diagnostic(
        self, params: lsp.DocumentDiagnosticParams
    ) -> lsp.DocumentDiagnosticReport:
        """Answer `textDocument/diagnostic`."""

    def workspace_diagnostic(
        self, params: lsp.WorkspaceDiagnosticParams
    ) -> lsp.WorkspaceDiagnosticReport:
        """Answer `workspace/diagnostic`."""

    async def end(self) -> None:
        """Close the connection's sessions and stores. Writes under way are finished first."""
