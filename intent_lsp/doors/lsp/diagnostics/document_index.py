"""The index of tracked documents: found by their URIs, or by the root that governs them."""

from collections.abc import Iterable

from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.paths import INTENTS_FILE, path_of_uri
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot


class DocumentIndex:
    """Finds tracked documents."""

    def __init__(self) -> None:
        self._tracked: dict[str, TrackedDocument] = {}
        self._by_path: dict[str, TrackedDocument] = {}

    def tracked(self, uri: str) -> TrackedDocument | None:
        """Give a document that is tracked, open or closed with problems standing."""
        return self._tracked.get(uri)

    def tracked_at(self, uri: str) -> TrackedDocument | None:
        """Give a tracked document by a URI that may be percent-encoded in another way."""
        known, path = self._tracked.get(uri), path_of_uri(uri)
        return self._by_path.get(path) if known is None and path is not None else known

    def all_tracked(self) -> tuple[TrackedDocument, ...]:
        """List every tracked document."""
        return tuple(self._tracked.values())

    def of_root(self, open_root: OpenRoot) -> tuple[TrackedDocument, ...]:
        """List the documents of one governed root."""
        return tuple(t for t in self._tracked.values() if t.open_root is open_root)

    def open_at(self, open_root: OpenRoot, paths: Iterable[str]) -> dict[str, TrackedDocument]:
        """Give those of a root's paths, as they are spelled, that the editor has open."""
        root = open_root.governance.root
        found = ((path, self.tracked_at(uri_of(root / path))) for path in paths)
        return {path: it for path, it in found if it is not None and it.version is not None}

    def unsaved(self, open_root: OpenRoot) -> bool:
        """Whether the editor holds unsaved text of a root's intents file."""
        page = self.tracked_at(uri_of(open_root.governance.root / INTENTS_FILE))
        if page is None or page.version is None or not page.edited:
            return False
        # A text that was read and has not been loaded again since is nobody's work.
        read = page.disk.last_read
        text = None if read is None else decode(read)
        return text is None or split_lines(text.text) != page.lines

    def add(self, tracked: TrackedDocument) -> None:
        """Track a document from now on."""
        self._tracked[tracked.uri] = tracked
        path = path_of_uri(tracked.uri)
        if path is not None:
            self._by_path[path] = tracked

    def drop(self, tracked: TrackedDocument) -> bool:
        """Track a document no more; False: another one is tracked by its URI, or none."""
        if self._tracked.get(tracked.uri) is not tracked:
            return False
        del self._tracked[tracked.uri]
        path = path_of_uri(tracked.uri)
        if path is not None:
            del self._by_path[path]
        return True
