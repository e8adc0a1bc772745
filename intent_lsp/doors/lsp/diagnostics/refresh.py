"""Snapshots of tracked documents: which root governs one, what the disk holds, how it is judged.

Invariant: each function here may wait on disk and git. Call it from a thread, under the document's
lock (`lane`).
"""

import logging
from dataclasses import replace
from typing import Final

from intent_lsp.core.content import hash_if_there, lines_if_text
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath, path_of_uri
from intent_lsp.doors.lsp.diagnostics.disk_state import holds
from intent_lsp.doors.lsp.diagnostics.document_diffs import DocumentDiffs
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.runtime.open_roots import OpenRoots
from intent_lsp.governance.contents.content import content_of
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below

_log: Final = logging.getLogger(__name__)


def attach_document(open_roots: OpenRoots, tracked: TrackedDocument) -> None:
    """Find the root that governs a document. If that has changed, read the file anew."""
    path = path_of_uri(tracked.uri)
    open_root = None if path is None else open_roots.of_path(path)
    place = (
        None
        if path is None or open_root is None
        else resolve_below(open_root.governance.root, path)
    )
    if open_root is None or place is None:
        tracked.open_root = tracked.place = tracked.opened = None
    elif open_root is not tracked.open_root:
        looks, opened = open_root.governance.looks, tracked.opened
        data = looks.read_first(place.path)
        tracked.disk.saved(data)
        if opened is not None:
            tracked.disk.overtaken = looks.overtaken(place.path, data, "".join(opened))
        tracked.open_root, tracked.place, tracked.opened = open_root, place, None


def take_snapshot(
    tracked: TrackedDocument, lines: list[str]
) -> tuple[OpenFileState | None, DocumentDiffs | None]:
    """Return a snapshot of a document with the text `lines`, and its diffs if changes are shown.

    Both are None if nothing governs the document, or if the snapshot fails.
    """
    open_root, place = tracked.open_root, tracked.place
    if open_root is None or place is None:
        return None, None
    try:
        data = open_root.governance.contents.disk(place.path)
        if tracked.is_writing(data):
            data = tracked.disk.known
        same = observe_disk(tracked, data, lines)
        held = tracked.disk.last_read
        look = open_root.governance.looks.look(
            open_root.session,
            place,
            data,
            tracked.disk.read_now,
            edited=not same and not holds(held, lines),
        )
        if look.server_only:
            # What the server itself has written since the editor read the file is not the person's
            # change.
            look = replace(look, head=content_of(data if same else held))
    except (OSError, IntentLspError):
        _log.exception("%s cannot be looked at", place.path)
        return None, None
    return look, DocumentDiffs.of(look, lines) if look.shown else None


def observe_disk(tracked: TrackedDocument, data: bytes | None, lines: list[str]) -> bool:
    """Update what is known of the disk. Return whether disk and `lines` are the same."""
    same, first = holds(data, lines), tracked.disk.overtaken
    # The buffer may have been edited since its text was written.
    own = same or tracked.has_written(data)
    if first is not None and (tracked.has_written(first.saved) or (same and data == first.saved)):
        take_back(tracked)
        tracked.disk.saw(first.saved, same_as_buffer=True)
    elif first is not None and own and data != first.saved:
        # The editor wrote what is there now, so the content read first was not its save.
        tracked.disk.overtaken = None
    tracked.disk.saw(data, same_as_buffer=own)
    return same


def take_back(tracked: TrackedDocument) -> None:
    """Set the state back to before a first save that happened before the file was first read."""
    open_root, place, first = tracked.open_root, tracked.place, tracked.disk.overtaken
    tracked.disk.overtaken = None
    if open_root is None or place is None or first is None:
        return
    tracked.disk.saved(first.before)
    open_root.governance.looks.was_overtaken(open_root.session, place.path, first)


def find_wrong(open_root: OpenRoot, path: WorkspacePath) -> ResolvedPath | None:
    """Return the place of a closed file that may have violations, or None if it has none."""
    place = resolve_below(open_root.governance.root, path)
    try:
        fine = place is None or open_root.governance.looks.is_fine(open_root.session, place)
    except (OSError, IntentLspError) as problem:
        _log.warning("%s cannot be judged: %s", path, problem)
        return place
    return None if fine else place


def read_closed(tracked: TrackedDocument) -> tuple[bytes | None, list[str]]:
    """Return bytes and lines of a closed document's file. None if it is missing or unreadable.

    There are no lines if the file is not text.
    """
    if tracked.open_root is None or tracked.place is None:
        return None, []
    try:
        data = tracked.open_root.governance.contents.disk(tracked.place.path)
    except OSError as problem:
        _log.warning("%s cannot be read: %s", tracked.place.path, problem)
        return None, []
    return data, lines_if_text(data)


def is_changed(tracked: TrackedDocument) -> bool:
    """Return whether a closed document's file differs from HEAD, or from its first content."""
    open_root, place = tracked.open_root, tracked.place
    if open_root is None or place is None:
        return False
    try:
        head = open_root.governance.contents.head(place.path)
    except (OSError, IntentLspError):
        _log.exception("%s cannot be compared with HEAD", place.path)
        return bool(tracked.problems)
    return head.hash != hash_if_there(tracked.disk.known)
