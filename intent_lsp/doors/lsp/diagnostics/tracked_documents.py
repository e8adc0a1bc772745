"""The tracked documents of one connection: takes their snapshots and publishes their violations.

Invariant: the event loop never waits on disk, git or hashing; such work runs on threads.
Invariant: results stay in order for each document: work on one holds its lock `lane`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.diagnostics.control_files import CONTROL_PAGES
from intent_lsp.doors.lsp.diagnostics.document_index import DocumentIndex
from intent_lsp.doors.lsp.diagnostics.grouping import DiagnosticGrouping
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticParts
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument, find_wrong
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot, OpenRoots
from intent_lsp.governance.judging.file_snapshot import OpenedText, OpenFileState
from intent_lsp.governance.saves.open_file import OpenFile
from intent_lsp.governance.saves.unrecorded_saves import AfterSave
from intent_lsp.governance.violations.file_violations import DocumentDiffs

IDLE: Final = 0.5
"""Seconds without an edit after which a document gets a new snapshot."""


class TrackedDocuments(DocumentIndex):
    """Tracks the open documents of one connection, and closed files that may have violations."""

    def __init__(self, open_roots: OpenRoots, parts: DiagnosticParts) -> None:
        super().__init__()
        self.open_roots = open_roots
        self.settings, self.publisher, self.work = parts.settings, parts.publisher, parts.work
        self.showing = DiagnosticGrouping(parts)
        self._idle: dict[str, asyncio.TimerHandle] = {}
        self.announce_root: Callable[[OpenRoot, Path], Awaitable[None]] | None = None
        # Called after each new snapshot of a document.
        self.looked: Callable[[TrackedDocument], None] = lambda _: None

    def opened(self, document: Document) -> None:
        """Track a document that the editor has opened, and schedule a snapshot of it.

        A document that is open already under the same URI keeps what is known of it.
        """
        known = self.tracked_at(document.uri)
        if known is not None and known.uri == document.uri and known.version is not None:
            # Opened again without a close, as Neovim does after the first save under a new name.
            # Keep what the disk held before that save.
            known.lines, known.version = document.lines, document.version
            known.generation += 1
            self.work.begin(self.look_again(known))
            return
        until = ExitStack()
        if known is not None:
            # The document still has violations. Without this hold, another file of its root would
            # be shown in its place for a moment.
            until.enter_context(self.showing.held((known,)))
            self._forget(known)
        tracked = TrackedDocument(
            uri=document.uri,
            lines=document.lines,
            version=document.version,
            opened=OpenedText(document.opened, document.opened_at),
        )
        self.add(tracked)
        self.work.begin(self._attach(tracked, until))

    def changed(self, document: Document) -> TrackedDocument | None:
        """Update a document after an edit, and publish the violations of its new text.

        If the rules have changed since its snapshot, or only the server may write the file,
        schedule a new snapshot instead. Publish nothing for a control file, without a snapshot, or
        if the snapshot says that changes of the file are not shown; but if the editor has not read
        what is on disk, schedule a new one. Return the document, or None if it is not tracked.
        """
        tracked = self.tracked(document.uri)
        if tracked is None:
            return None
        tracked.follow(document.edits, document.lines, document.version)
        if tracked.look is not None and tracked.look.shown:
            if tracked.look.server_only or tracked.outdated:
                # Either the editor reloaded what the server has written, or the rules have changed:
                # the old snapshot does not fit.
                self.work.begin(self.look_again(tracked))
            else:
                self.post(tracked)
                self._compare_when_idle(tracked)
        elif tracked.look is not None and tracked.file.disk.behind:
            # The text was not stale as long as it was not edited.
            self._compare_when_idle(tracked)
        return tracked

    def closed(self, tracked: TrackedDocument) -> None:
        """Note that the editor has closed a document.

        Its violations stay shown, and a snapshot of the file on disk is scheduled. If the file is
        not changed (`TrackedDocument.is_changed`), it is not tracked after that.
        """
        self._cancel_idle(tracked.uri)
        tracked.version = None
        tracked.generation += 1
        self.work.begin(self._settle_closed(tracked))

    async def look_again(self, tracked: TrackedDocument) -> None:
        """Take a new snapshot of a document, under its lock, and publish its violations.

        The text of a closed document is first read from disk, unless a save has no record yet.
        """
        async with tracked.lane:
            if tracked.version is None and not tracked.saves:
                # Not while a save has no record: it is compared with what was known before it.
                await self._read_closed(tracked)
            await self.look(tracked)

    async def look_at(self, files: Iterable[TrackedDocument]) -> None:
        """Take new snapshots of several documents, and publish their violations.

        Those of closed documents are published together, at the end.
        """
        documents = tuple(files)
        with self.showing.held(documents):
            await asyncio.gather(*map(self.look_again, documents))

    async def look_at_closed(self, open_root: OpenRoot, paths: Iterable[WorkspacePath]) -> None:
        """Examine those of a root's files at `paths` that are closed, and publish their violations.

        A file that has no violation, and no save without a record, is not tracked after that.
        """
        with self.showing.held_roots((open_root,)):
            for path in sorted(paths):
                await self._look_at_closed(open_root, path)

    async def _look_at_closed(self, open_root: OpenRoot, path: WorkspacePath) -> None:
        uri = uri_of(open_root.governance.root / path)
        tracked = self.tracked(uri)
        if tracked is None:
            place = await self.work.in_thread(find_wrong, open_root, path)
            if place is None or self.tracked_at(uri) is not None:
                return
            file = OpenFile(governed=open_root.governed(place))
            tracked = TrackedDocument(
                uri=uri, lines=[], version=None, open_root=open_root, file=file
            )
            self.add(tracked)
        if tracked.version is None:
            await self.look_again(tracked)
            self._forget_if_fine(tracked)

    async def attach_again(self, tracked: TrackedDocument) -> None:
        """Find the root that governs a document again, after roots or settings may have changed.

        If it is another root than before, clear the violations and take a new snapshot. If none
        governs it now, only clear them.
        """
        async with tracked.lane:
            before = tracked.open_root
            await self.work.in_thread(tracked.attach, self.open_roots)
            if tracked.open_root is not before:
                tracked.look = tracked.diffs = None
                self.post(tracked)
                await self.look(tracked)

    def outdate(self, open_root: OpenRoot) -> None:
        """Mark the snapshots of a root's documents as outdated, because the rules have changed."""
        for tracked in self.of_root(open_root):
            tracked.rules += 1

    async def look_at_directories(self, open_root: OpenRoot, directories: frozenset[Path]) -> None:
        """Take new snapshots of a root's tracked documents that are directly in `directories`."""
        root = open_root.governance.root
        await self.look_at(
            tracked
            for tracked in self.of_root(open_root)
            if tracked.path is not None and (root / tracked.path).parent in directories
        )

    def post(self, tracked: TrackedDocument) -> None:
        """Publish the violations of a document's text, if it is tracked and no control file."""
        if not _is_page(tracked) and self.tracked(tracked.uri) is tracked:
            self.showing.post(tracked)

    def post_all(self) -> None:
        """Publish the violations of every tracked document by the current settings."""
        with self.showing.held(self.all_tracked()):
            for tracked in self.all_tracked():
                self.post(tracked)

    async def end(self) -> None:
        """Cancel timers and tasks, and wait for work that has begun on a thread."""
        for handle in self._idle.values():
            handle.cancel()
        self.showing.end()
        await self.work.end()

    def _forget_if_fine(self, tracked: TrackedDocument) -> None:
        if tracked.version is None and not tracked.saves and not tracked.problems:
            self._forget(tracked)

    def _forget(self, tracked: TrackedDocument) -> None:
        """Stop tracking a document and clear its diagnostics."""
        self._cancel_idle(tracked.uri)
        if self.drop(tracked) and not _is_page(tracked):
            self.showing.forget(tracked)

    async def _attach(self, tracked: TrackedDocument, until: ExitStack) -> None:
        with until:
            async with tracked.lane:
                try:
                    await self.work.in_thread(tracked.attach, self.open_roots)
                finally:
                    tracked.attached.set()
                await self.look(tracked)
        open_root, path = tracked.open_root, tracked.path
        if open_root is not None and path is not None and self.announce_root is not None:
            await self.announce_root(open_root, open_root.governance.root / path)

    async def look(self, tracked: TrackedDocument, after: AfterSave | None = None) -> None:
        """Take a new snapshot and publish its violations, if a root governs the document.

        The caller holds the document's lock. `after` is a save that has just been recorded under
        the current rules, or None. If text or rules change meanwhile, take another snapshot: at
        most three in all.
        """
        if tracked.open_root is None or tracked.place is None:
            return
        # Try again if text or rules changed meanwhile, but not for ever: somebody may be typing.
        for _ in range(3):
            generation, lines = tracked.generation, list(tracked.lines)
            rules = tracked.rules
            taken = await self.work.in_thread(self._take, tracked, lines, after)
            if (generation, rules) == (tracked.generation, tracked.rules):
                break
            after = None
        tracked.look, tracked.diffs, tracked.looked_by = *taken, rules
        if generation != tracked.generation and tracked.diffs is not None:
            tracked.diffs.compare(tracked.lines)
        self.post(tracked)
        self.looked(tracked)

    def _take(
        self, tracked: TrackedDocument, lines: list[str], after: AfterSave | None
    ) -> tuple[OpenFileState | None, DocumentDiffs | None]:
        look, diffs = tracked.snapshot(lines, after)
        if look is not None and tracked.open_root is not None:
            self.showing.remember_source(look, tracked.open_root)
        return look, diffs

    async def _settle_closed(self, tracked: TrackedDocument) -> None:
        """Take a snapshot of a closed document's file, once its saves are recorded.

        Stop tracking the file if it does not differ from HEAD.
        """
        await tracked.all_recorded.wait()
        async with tracked.lane:
            await self._read_closed(tracked)
            await self.look(tracked)
            kept = await self.work.in_thread(tracked.is_changed)
        # Keep a changed file: it may be a violation under the intent that is selected next.
        if self.tracked(tracked.uri) is tracked and not kept:
            self._forget(tracked)

    async def _read_closed(self, tracked: TrackedDocument) -> None:
        """Replace the lines of a closed document by the text on disk."""
        disk = await self.work.in_thread(tracked.read_disk)
        if disk is not None:
            tracked.lines = list(disk.lines or ())
            tracked.file.disk.saved(disk)

    def _compare_when_idle(self, tracked: TrackedDocument) -> None:
        self._cancel_idle(tracked.uri)
        loop = asyncio.get_running_loop()
        self._idle[tracked.uri] = loop.call_later(
            IDLE, lambda: self.work.begin(self.look_again(tracked))
        )

    def _cancel_idle(self, uri: str) -> None:
        handle = self._idle.pop(uri, None)
        if handle is not None:
            handle.cancel()


def _is_page(tracked: TrackedDocument) -> bool:
    """Return whether a document is a control file, which shows findings and not violations."""
    return tracked.path in CONTROL_PAGES
