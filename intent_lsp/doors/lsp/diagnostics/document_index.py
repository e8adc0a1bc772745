"""The index of tracked documents, by URI, by path and by governed root."""

from collections.abc import Iterable
from pathlib import Path

from intent_lsp.core.paths import INTENTS_FILE, path_of_uri
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot


class DocumentIndex:
    """The tracked documents of one connection, found by URI, by path or by root."""

    def __init__(self) -> None:
        self._tracked: dict[str, TrackedDocument] = {}
        self._by_path: dict[str, TrackedDocument] = {}

    def tracked(self, uri: str) -> TrackedDocument | None:
        """Return the document tracked under exactly this URI, open or closed, or None."""
        return self._tracked.get(uri)

    def tracked_at(self, uri: str) -> TrackedDocument | None:
        """Return the document tracked at a URI in any percent-encoding, or None."""
        known, path = self._tracked.get(uri), path_of_uri(uri)
        return self._by_path.get(path) if known is None and path is not None else known

    def is_tracked(self, path: Path) -> bool:
        """Whether this index has a document, open or closed, at a path. Any thread may ask."""
        return str(path) in self._by_path

    def all_tracked(self) -> tuple[TrackedDocument, ...]:
        """Return every tracked document."""
        return tuple(self._tracked.values())

    async def settled(self, uri: str) -> None:
        """Wait until no work is running on the document tracked under `uri`.

        The look-up of its root, when it is opened, is waited for too. Return at once if no document
        is tracked under it.
        """
        tracked = self.tracked(uri)
        if tracked is not None:
            # A document that was just opened is not locked until its task has begun.
            await tracked.attached.wait()
            async with tracked.lane:
                return

    def of_root(self, open_root: OpenRoot) -> tuple[TrackedDocument, ...]:
        """Return the tracked documents that one root governs."""
        return tuple(t for t in self._tracked.values() if t.open_root is open_root)

    def open_at(self, open_root: OpenRoot, paths: Iterable[str]) -> dict[str, TrackedDocument]:
        """Return those of a root's files at `paths` that an editor has open, by path.

        `paths` are relative to the root.
        """
        root = open_root.governance.root
        found = ((path, self.tracked_at(uri_of(root / path))) for path in paths)
        return {path: it for path, it in found if it is not None and it.version is not None}

    def unsaved(self, open_root: OpenRoot) -> bool:
        """Return whether the editor holds unsaved edits of a root's intents file.

        Return False if the file is not open, or has no snapshot yet.
        """
        page = self.tracked_at(uri_of(open_root.governance.root / INTENTS_FILE))
        if page is None or page.version is None or not page.edited:
            return False
        # A buffer that still has the text read last is not edited: only the disk has changed.
        read = page.file.disk.last_read
        return read.absent or read.lines != page.lines

    def add(self, tracked: TrackedDocument) -> None:
        """Track a document from now on."""
        self._tracked[tracked.uri] = tracked
        path = path_of_uri(tracked.uri)
        if path is not None:
            self._by_path[path] = tracked

    def drop(self, tracked: TrackedDocument) -> bool:
        """Stop tracking a document. Return whether it was tracked.

        Do nothing and return False if its URI is not tracked, or if another document is tracked
        under it.
        """
        if self._tracked.get(tracked.uri) is not tracked:
            return False
        del self._tracked[tracked.uri]
        self._by_path.pop(path_of_uri(tracked.uri) or "", None)
        return True
