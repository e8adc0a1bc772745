"""The interface of the language service, which lets the server start without its implementation.

Invariant: importing this module imports no feature of the language service.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation
from intent_lsp.doors.lsp.protocol.documents import Document

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

        Return edits that restore the text on disk if the save is refused, else no edits. Return
        none either if the judgement fails or takes too long, or if the document changes meanwhile.
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


class Service(Protocol):
    """The language service of one connection, as the server calls it."""

    @property
    def documents(self) -> TextDocumentEvents:
        """The handler of document events."""

    @property
    def operations(self) -> FileOperationEvents:
        """The handler of file operations."""

    async def answer(self, name: str, given: Json) -> Json:
        """Answer a request by its LSP method, with its params, or run a command by its name.

        A command's argument is `given`, or None without one. Return the result, or raise
        JsonRpcException; any other exception is an internal error.
        """

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

    async def end(self) -> None:
        """Finish the writes that are under way, then close the connection's sessions and stores."""
