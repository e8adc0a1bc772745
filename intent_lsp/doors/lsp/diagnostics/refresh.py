"""Takes snapshots of tracked documents: the root, the content on disk and the judgement of each.

Invariant: each function here may wait on disk and git. Call it from a thread and, for a tracked
document, under its lock (`lane`).
"""

import logging
from typing import Final

from intent_lsp.core.content import ABSENT, FileContent
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath, path_of_uri
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.runtime.open_roots import OpenRoots
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from intent_lsp.governance.saves.claimed_saves import AfterSave
from intent_lsp.governance.violations.file_violations import DocumentDiffs
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below

_log: Final = logging.getLogger(__name__)


def attach_document(open_roots: OpenRoots, tracked: TrackedDocument) -> None:
    """Find the root that governs a document, and set `tracked.open_root`; None if no root does.

    If it is another root than before, read the file first. If that fails, raise OSError and set
    nothing.
    """
    path = path_of_uri(tracked.uri)
    open_root = None if path is None else open_roots.of_path(path)
    place = (
        None
        if path is None or open_root is None
        else resolve_below(open_root.governance.root, path)
    )
    if open_root is None or place is None:
        tracked.open_root = tracked.opened = tracked.file.governed = None
    elif open_root is not tracked.open_root:
        tracked.file.attach(open_root.governed(place), tracked.opened)
        tracked.open_root, tracked.opened = open_root, None


def take_snapshot(
    tracked: TrackedDocument, lines: list[str], after: AfterSave | None = None
) -> tuple[OpenFileState | None, DocumentDiffs | None]:
    """Return a snapshot of a document with the text `lines`, and that text's diffs.

    The diffs are None if changes of the file are not shown. Both are None if no root governs the
    document, or if the snapshot fails, which is logged. `after` is a save that has just been
    recorded, or None; the snapshot is made from it if the file still has its content.
    """
    try:
        look = None if after is None else tracked.file.snapshot_after(after)
        look = look or tracked.file.snapshot(lines)
    except (OSError, IntentLspError):
        _log.exception("%s cannot be looked at", tracked.uri)
        return None, None
    return look, DocumentDiffs.of(look, lines) if look is not None and look.shown else None


def find_wrong(open_root: OpenRoot, path: WorkspacePath) -> ResolvedPath | None:
    """Return the resolved path of a closed file, or None if a quick check finds no violation.

    Return None also if the path is outside the root. If the file cannot be judged, log that and
    return its path.
    """
    place = resolve_below(open_root.governance.root, path)
    try:
        fine = place is None or open_root.governance.looks.is_fine(open_root.session, place)
    except (OSError, IntentLspError) as problem:
        _log.warning("%s cannot be judged: %s", path, problem)
        return place
    return None if fine else place


def read_closed(open_root: OpenRoot, place: ResolvedPath) -> FileContent:
    """Return the content of a closed document's file on disk.

    If the file cannot be read, log a warning and return the content of a missing file.
    """
    try:
        return open_root.governance.contents.on_disk(place.path)
    except OSError as problem:
        _log.warning("%s cannot be read: %s", place.path, problem)
        return ABSENT


def is_changed(tracked: TrackedDocument) -> bool:
    """Return whether a closed document's file, as read last, differs from HEAD.

    Without a commit, it is compared with its initial content. Return False if no root governs it.
    If HEAD cannot be read, log that and return whether the file has violations.
    """
    open_root, place = tracked.open_root, tracked.place
    if open_root is None or place is None:
        return False
    try:
        head = open_root.governance.contents.head(place.path)
    except (OSError, IntentLspError):
        _log.exception("%s cannot be compared with HEAD", place.path)
        return bool(tracked.problems)
    return head.hash != tracked.file.disk.known.hash
