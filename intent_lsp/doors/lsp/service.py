"""The interface of the language service: what the server can ask of it before it is loaded.

Invariant: to import this module is to import nothing of what answers.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName

Json = Any
"""What a client sends where the standard says nothing: whatever JSON knows."""

UriEnds = tuple[str | None, str | None]
"""The old and the new URI of what is operated on; None: a creation, or a deletion."""


class TextDocumentEvents(Protocol):
    """Follows documents as an editor opens, edits, saves and closes them."""

    def opened(self, uri: str) -> None:
        """Track a document that the editor has opened."""

    def changed(self, uri: str) -> None:
        """Follow a document's newest edits."""

    def closed(self, uri: str) -> None:
        """Stop tracking a document."""

    async def will_save(self, uri: str, reason: lsp.TextDocumentSaveReason) -> list[lsp.TextEdit]:
        """Answer `textDocument/willSaveWaitUntil`."""

    def save_received(self, uri: str) -> Callable[[], None]:
        """Note a save; whoever has recorded it calls what this returns."""

    async def did_save(self, uri: str, document: Document | None, saved: list[str]) -> None:
        """Take `textDocument/didSave` of what was an open document then, with the text `saved`."""


class FileOperationEvents(Protocol):
    """Follows the file operations of an editor."""

    async def will(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Judge an operation that is about to happen."""

    async def did(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Record an operation that has happened."""


class ProvenanceAnswers(Protocol):
    """Answers where the lines of a document come from."""

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """Answer `textDocument/hover`."""

    async def code_lenses(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """Answer `textDocument/codeLens`."""

    async def inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Answer `textDocument/inlayHint`."""


class SymbolAnswers(Protocol):
    """Answers where an intent is found."""

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Answer `textDocument/references`."""

    async def symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """Answer `workspace/symbol`."""


class RequestAnswers(Protocol):
    """Answers the requests `intent/*`."""

    async def answer(self, name: RequestName, given: Json = None) -> Json:
        """Answer one request."""


class CommandAnswers(Protocol):
    """Runs the commands `intent.*`."""

    async def run(self, name: RequestName | CommandName, given: Json = None) -> Json:
        """Run one command."""


class Service(Protocol):
    """Answers for one connection."""

    @property
    def documents(self) -> TextDocumentEvents:
        """What follows documents."""

    @property
    def operations(self) -> FileOperationEvents:
        """What follows file operations."""

    @property
    def provenance(self) -> ProvenanceAnswers:
        """What knows where lines come from."""

    @property
    def symbols(self) -> SymbolAnswers:
        """What finds intents."""

    @property
    def requests(self) -> RequestAnswers:
        """What answers `intent/*`."""

    @property
    def commands(self) -> CommandAnswers:
        """What runs `intent.*`."""

    async def initialized(self) -> None:
        """Ask for settings, register watches, attach to the workspace folders."""

    async def configured(self, told: Json) -> None:
        """Take new settings."""

    async def folders_changed(self) -> None:
        """Attach to the folders that came."""

    async def files_changed(self, uris: Sequence[str]) -> None:
        """Look again at what the client saw change on disk."""

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
        """End sessions and stores; what is being written is finished first."""
