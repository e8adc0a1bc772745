"""A tracked document: one file that is open, or closed with possible violations, and its state.

Invariant: a snapshot is taken on a thread and replaced as a whole, never changed.
Invariant: work that waits for disk or git on a document runs one after the other, on a thread and
under the document's lock `lane`.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct, field

from intent_lsp.core.content import ABSENT, FileContent
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.gate.violations import SHOWN_A_FILE
from intent_lsp.core.line_diff import LineEdit
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot, OpenRoots
from intent_lsp.governance.judging.file_snapshot import OpenedText, OpenFileState
from intent_lsp.governance.saves.open_file import OpenFile
from intent_lsp.governance.saves.saves import BeforeSave
from intent_lsp.governance.saves.unrecorded_saves import AfterSave
from intent_lsp.governance.violations.file_violations import (
    DocumentDiffs,
    file_violations,
    marked_lines,
)
from intent_lsp.governance.violations.violation import Violation
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below

_log: Final = logging.getLogger(__name__)


class TrackedDocument(Struct, kw_only=True):
    """A file that an editor has open, or a closed file that may have violations.

    `lines` is the current text. While the document is open, it is the same list as
    `Document.lines`. `version` is None while the document is closed. `opened` is the text at
    opening, which is kept only until the document's root has been looked up. `open_root` is None if
    no root governs the file. `file` is the server's knowledge of the file on disk.

    `saves` counts the reported saves that are still being processed; `all_recorded` is set when
    there are none. `before` is the judgement of the save in progress, and `reason` is why the
    editor saves. `refused` is a future for the newest refused save; its result is True if the text
    was not written to the disk.

    `look` is the newest snapshot, `diffs` are the text's differences from it, and `problems` the
    violations that `show` computed last. `generation` changes with each edit, and when the document
    is opened again or closed. `rules` counts changes of the rules, and `looked_by` is that count at
    the newest snapshot. `offered`: the person was asked whether to undo an out-of-scope save, and
    is not asked again. `attached` is set once the document's root has been looked up.
    """

    uri: str
    lines: list[str]
    version: int | None
    opened: OpenedText | None = None
    open_root: OpenRoot | None = None
    file: OpenFile = field(default_factory=OpenFile)
    look: OpenFileState | None = None
    diffs: DocumentDiffs | None = None
    before: BeforeSave | None = None
    reason: lsp.TextDocumentSaveReason = lsp.TextDocumentSaveReason.Manual
    refused: asyncio.Future[bool] | None = None
    problems: tuple[Violation, ...] = ()
    offered: bool = False
    rules: int = 0
    looked_by: int = 0
    generation: int = 0
    lane: asyncio.Lock = field(default_factory=asyncio.Lock)
    saves: int = 0
    all_recorded: asyncio.Event = field(default_factory=asyncio.Event)
    attached: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.all_recorded.set()
        if self.open_root is not None:
            self.attached.set()

    @property
    def place(self) -> ResolvedPath | None:
        """The file's path in its root, or None if no root governs it."""
        return None if self.file.governed is None else self.file.governed.place

    @property
    def path(self) -> WorkspacePath | None:
        """The file's path below its root, links resolved, or None if no root governs it."""
        return None if self.place is None else self.place.path

    def save_received(self) -> None:
        """Count a save that the editor has reported and that has no record yet."""
        self.saves += 1
        self.all_recorded.clear()

    def save_over(self) -> None:
        """Note that one reported save is recorded, or cannot be recorded."""
        self.saves -= 1
        if not self.saves:
            self.all_recorded.set()

    @property
    def outdated(self) -> bool:
        """Whether the rules have changed since the newest snapshot."""
        return self.rules != self.looked_by

    @property
    def edited(self) -> bool:
        """Whether the text differs from the text on disk at the newest snapshot.

        False without a snapshot.
        """
        return self.look is not None and self.look.disk.lines != self.lines

    def follow(self, edits: Sequence[LineEdit], lines: list[str], version: int) -> None:
        """Update text, version and diffs after an edit.

        `edits` say which lines changed; `lines` and `version` are those after the edit. If the file
        has changed on disk and the new text is what the newest snapshot found there, the editor
        counts as having read the file again.
        """
        self.lines, self.version = lines, version
        self.generation += 1
        if self.diffs is not None and edits:
            self.diffs.edited(edits, lines)
        disk = self.file.disk
        if disk.moved and self.look is not None and self.look.disk.lines == lines:
            disk.loaded(self.look.disk)

    def show(self, room: int = SHOWN_A_FILE) -> tuple[Violation, ...]:
        """Compute, keep and return the violations of the current text, at most `room` of them.

        If there are more, one more violation says how many are not shown. There are none if no root
        governs the document, if it has no snapshot, or if its changes are not shown.
        """
        look = self.look
        self.problems = ()
        if look is not None and look.shown and self.open_root is not None:
            runs = marked_lines(look, self.diffs, self.lines)
            self.problems = file_violations(self.open_root.governance.root, look, runs, room)
        return self.problems

    def attach(self, open_roots: OpenRoots) -> None:
        """Find the root that governs the document, and set `open_root`; None if no root does.

        If the root is another than before, the file is read. Raise OSError if it cannot be read;
        then nothing is set. May wait on the disk.
        """
        found = open_roots.of_uri(self.uri)
        if found is None:
            self.open_root = self.opened = self.file.governed = None
        elif found[0] is not self.open_root:
            open_root, place = found
            self.file.attach(open_root.governed(place), self.opened)
            self.open_root, self.opened = open_root, None

    def snapshot(
        self, lines: list[str], after: AfterSave | None = None
    ) -> tuple[OpenFileState | None, DocumentDiffs | None]:
        """Return a snapshot of the document with the text `lines`, and that text's diffs.

        The diffs are None if changes of the file are not shown. Both are None if no root governs
        the document, or if the snapshot fails, which is logged. `after` is a save that has just
        been recorded, or None; the snapshot is made from it if the file still has the content that
        the save left. May wait on disk and git.
        """
        try:
            look = None if after is None else self.file.snapshot_after(after)
            look = look or self.file.snapshot(lines)
        except (OSError, IntentLspError):
            _log.exception("%s cannot be looked at", self.uri)
            return None, None
        return look, DocumentDiffs.of(look, lines) if look is not None and look.shown else None

    def read_disk(self) -> FileContent | None:
        """Return the content of the document's file on disk, or None if no root governs it.

        If the file cannot be read, log a warning and return the content of a missing file. May wait
        on the disk.
        """
        if self.open_root is None or self.place is None:
            return None
        try:
            return self.open_root.governance.contents.on_disk(self.place.path)
        except OSError as problem:
            _log.warning("%s cannot be read: %s", self.place.path, problem)
            return ABSENT

    def is_changed(self) -> bool:
        """Return whether the file of a closed document, as read last, differs from HEAD.

        Without a commit, it is compared with its initial content. Return False if no root governs
        it. If HEAD cannot be read, log that and return whether the file has violations. May wait on
        git.
        """
        open_root, place = self.open_root, self.place
        if open_root is None or place is None:
            return False
        try:
            head = open_root.governance.contents.head(place.path)
        except (OSError, IntentLspError):
            _log.exception("%s cannot be compared with HEAD", place.path)
            return bool(self.problems)
        return head.hash != self.file.disk.known.hash


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
