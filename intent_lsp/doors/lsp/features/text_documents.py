"""Document events of an editor: open, change, save and close.

Invariant: nothing is stored on disk for a document outside every governed root.
"""

from collections.abc import Callable

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.features.saves import SaveFeature
from intent_lsp.doors.lsp.protocol.documents import Document, Documents


class TextDocumentFeature:
    """Handles the events of one connection's open documents."""

    def __init__(
        self,
        connection: Connection,
        documents: Documents,
        saves: SaveFeature,
        buffers: IntentsBuffers,
    ) -> None:
        self._documents = documents
        self._tracked_documents = connection.tracked_documents
        self._pages = connection.pages
        self._outcomes = connection.outcomes
        self._saves = saves
        self._buffers = buffers

    def opened(self, uri: str) -> None:
        """Start to track the document at `uri`, which the editor has opened, and to check its text.

        Do nothing if it has been closed meanwhile.
        """
        document = self._documents.get(uri)
        if document is not None:
            self._tracked_documents.opened(document)
            self._pages.changed(document.uri)

    def changed(self, uri: str) -> None:
        """Update the diagnostics of the document at `uri` after an edit.

        Also record the runs of automatic saves of its root's other files.
        """
        document = self._documents.get(uri)
        if document is None:
            return
        tracked = self._tracked_documents.changed(document)
        if tracked is not None and tracked.open_root is not None and tracked.path is not None:
            self._outcomes.typed_in(tracked.open_root, tracked.path)
        self._pages.changed(document.uri)

    def closed(self, uri: str) -> None:
        """Note that the editor has closed the document at `uri`.

        Its run of automatic saves is recorded.
        """
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return
        self._tracked_documents.closed(tracked)
        self._buffers.closed(tracked)
        self._tracked_documents.work.begin(self._outcomes.closed(tracked))
        self._pages.changed(tracked.uri)

    async def will_save(self, uri: str, reason: lsp.TextDocumentSaveReason) -> list[lsp.TextEdit]:
        """Answer `textDocument/willSaveWaitUntil`: judge the save that is about to happen.

        If the save is to be turned back, return edits that restore the text on disk. Otherwise
        return no edits, also if the judgement fails or takes too long, or if the document changes
        meanwhile.
        """
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return []
        with self._tracked_documents.work.idle_scheduler.asked():
            return await self._saves.will_save(tracked, reason)

    def save_received(self, uri: str) -> Callable[[], None]:
        """Note that the document at `uri` has a save that is not recorded yet.

        Return a function that the caller must call once the save is recorded, or once it is clear
        that it cannot be. If the document is not tracked, both do nothing.
        """
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return lambda: None
        tracked.save_received()
        return tracked.save_over

    async def did_save(self, uri: str, document: Document | None, saved: list[str]) -> None:
        """Record a save reported by `textDocument/didSave`.

        `document` is the document that was open at the time of the save, or None, and `saved` are
        its lines at that time. The document may have been closed since: the editor may write and
        quit before the language service is loaded.
        """
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None and document is not None:
            self._tracked_documents.opened(document)
            tracked = self._tracked_documents.tracked_at(document.uri)
        if tracked is None:
            return
        await self._saves.did_save(tracked, saved)
        if self._documents.get(uri) is None and tracked.version is not None:
            self._tracked_documents.closed(tracked)
