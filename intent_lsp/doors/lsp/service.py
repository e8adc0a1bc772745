"""The interface of the language service, which lets the server start without its implementation.

Invariant: importing this module imports no feature of the language service.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation
from intent_lsp.doors.lsp.intents_file_service import (
    FormattingAnswers,
    LinkAnswers,
    NameAnswers,
    OutlineAnswers,
    TokenAnswers,
)
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName

Json = Any
"""Any JSON value: params, results and settings whose shape LSP does not define."""

UriEnds = tuple[str | None, str | None]
"""The old and the new URI of a file operation.

The old one is None for a creation, the new one for a deletion.
"""


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

        Return edits that restore the text on disk if the save is refused. Return no edits if it may
        pass or cannot be judged in time.
        """

    def save_received(self, uri: str) -> Callable[[], None]:
        """Note that the document at `uri` has a save that is not recorded yet.

        Return a function that the caller must call once the save is recorded, or cannot be.
        """

    async def did_save(self, uri: str, document: Document | None, saved: list[str]) -> None:
        """Record a save reported by `textDocument/didSave`.

        `document` is the document that was open at the time of the save, or None. `saved` are its
        lines at that time, or no lines.
        """


class FileOperationEvents(Protocol):
    """Handles an editor's creations, renames and deletions of files."""

    async def will(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Judge an operation that is about to happen, and warn the person of files out of scope.

        The operation is not stopped. `uris` has an entry for each file or directory.
        """

    async def did(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Record an operation that has happened. `uris` has an entry for each file or directory.

        Warn the person of files out of scope, unless `will` did.
        """


class ProvenanceAnswers(Protocol):
    """Answers hovers, code lenses and inlay hints.

    They are about the attribution of a document's lines, or about the parts of an intents file.
    """

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """Answer `textDocument/hover`: the attribution of one line, or the meaning of a part.

        Return None if nothing is known, the file is not governed or the setting `hover` is off.
        """

    async def code_lenses(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """Answer `textDocument/codeLens`: who last changed each definition, or what intents have.

        Return an empty list if the setting `codeLens`, or `intentsCodeLens`, is off.
        """

    async def resolve_lens(self, lens: lsp.CodeLens) -> lsp.CodeLens:
        """Answer `codeLens/resolve`: a lens of an intents file with its count, any other as is."""

    async def inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Answer `textDocument/inlayHint`: the attribution of runs of lines, or matches of globs.

        Return an empty list if the setting `inlayHints` is off.
        """


class SymbolAnswers(Protocol):
    """Answers requests for the places where an intent is named or has changed lines."""

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Answer `textDocument/references` on a name of an intent: its names, then its lines.

        Return an empty list at any other position, and in any file but the intents file.
        """

    async def symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """Answer `workspace/symbol`: the intents of all open roots that match a query."""


class CompletionAnswers(Protocol):
    """Answers requests for completions of control files."""

    async def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList | None:
        """Answer `textDocument/completion`: what may be written at a position of a control file.

        Return None in any other file, and where nothing can be proposed.
        """

    def resolve(self, item: lsp.CompletionItem) -> lsp.CompletionItem:
        """Answer `completionItem/resolve`: the item with its documentation, if it has one."""


class ContentAnswers(Protocol):
    """Answers requests for read-only documents: records in words, and contents of files."""

    async def content(self, uri: str) -> str:
        """Answer `workspace/textDocumentContent`: the text of a document.

        Raise JsonRpcException if there is none.
        """


class RequestAnswers(Protocol):
    """Answers the custom requests `intent/*`."""

    async def answer(self, name: RequestName, given: Json = None) -> Json:
        """Answer the request `intent/NAME`, whose params are `given`, or None without params.

        Return the result, or raise JsonRpcException.
        """


class CommandAnswers(Protocol):
    """Runs the commands `intent.*`, which clients send with `workspace/executeCommand`."""

    async def run(self, name: RequestName | CommandName, given: Json = None) -> Json:
        """Run the command `intent.NAME` with the argument `given`, or None without an argument.

        Return its result.
        """


class Service(Protocol):
    """The language service of one connection, as the server calls it."""

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
    def outline(self) -> OutlineAnswers:
        """The handler of document symbols, folding and selection."""

    @property
    def links(self) -> LinkAnswers:
        """The handler of document links and definitions."""

    @property
    def tokens(self) -> TokenAnswers:
        """The handler of semantic tokens."""

    @property
    def names(self) -> NameAnswers:
        """The handler of renames and highlights."""

    @property
    def formatting(self) -> FormattingAnswers:
        """The handler of formatting."""

    @property
    def completion(self) -> CompletionAnswers:
        """The handler of completion."""

    @property
    def contents(self) -> ContentAnswers:
        """The handler of read-only documents."""

    @property
    def requests(self) -> RequestAnswers:
        """The handler of `intent/*` requests."""

    @property
    def commands(self) -> CommandAnswers:
        """The handler of `intent.*` commands."""

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

    async def code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Answer `textDocument/codeAction`: the actions offered for a range of a document."""

    async def resolved_action(self, action: lsp.CodeAction) -> lsp.CodeAction:
        """Answer `codeAction/resolve`: the action with its edit, if that was left out.

        Raise JsonRpcException (ContentModified) if the action does not fit the document any more.
        """

    async def document_diagnostic(
        self, params: lsp.DocumentDiagnosticParams
    ) -> lsp.DocumentDiagnosticReport:
        """Answer `textDocument/diagnostic`: the diagnostics of one document."""

    def workspace_diagnostic(
        self, params: lsp.WorkspaceDiagnosticParams
    ) -> lsp.WorkspaceDiagnosticReport:
        """Answer `workspace/diagnostic`: the diagnostics of files with any and of those named."""

    async def end(self) -> None:
        """Finish the writes that are under way, then close the connection's sessions and stores."""
