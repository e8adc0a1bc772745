"""A tracked document: one file of a governed root that is open or has violations, and its state.

Invariant: a snapshot is taken on a thread and replaced as a whole, never changed.
Invariant: work that waits for disk or git on a document runs one after the other, under its lock
`lane`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.violations import SHOWN_A_FILE, MarkedRun
from intent_lsp.core.line_diff import LineEdit
from intent_lsp.doors.lsp.diagnostics.disk_state import DiskState, begins, holds
from intent_lsp.doors.lsp.diagnostics.document_diffs import DocumentDiffs
from intent_lsp.doors.lsp.diagnostics.violation import Violation
from intent_lsp.doors.lsp.diagnostics.violations import problems, runs_of_record
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from intent_lsp.governance.saves.saves import BeforeSave
from intent_lsp.store.fs.resolve import ResolvedPath

WRITTEN_KEPT: Final = 4
"""Texts of unrecorded saves that are kept."""


@dataclass(frozen=True, slots=True)
class SaveDelta:
    """A save: the content it left, the content it replaced, and the hash the editor had read."""

    new: bytes | None
    old: bytes | None
    read: ContentHash | None


@dataclass(slots=True, kw_only=True)
class TrackedDocument:
    """A file that an editor has open, or a closed one that still has violations.

    `lines` is the text as shown (the list belongs to the Document). `version` is None once it is
    closed. `opened` is the text at opening, until the file is first read. `open_root` and `place`
    are None if nothing governs it.

    `written` are texts that the editor was about to write, or reported as written, since the last
    recorded save. `saves` counts reported saves without a record; `all_recorded` is set when that
    is 0. `before` is what was judged before the current save, `reason` why the editor saves.
    `refused` resolves, after the newest refused save, to whether the text stayed off the disk.
    `missed` is the content replaced by a save that could not be recorded, and the hash read of it.

    `look` is the newest snapshot. `generation` counts edits. `rules` counts changes of the rules,
    and `looked_by` is that count at the newest snapshot. `offered`: an undo of an out-of-scope save
    was offered already.
    """

    uri: str
    lines: list[str]
    version: int | None
    opened: list[str] | None = None
    open_root: OpenRoot | None = None
    place: ResolvedPath | None = None
    disk: DiskState = field(default_factory=DiskState)
    written: list[list[str]] = field(default_factory=list)
    look: OpenFileState | None = None
    diffs: DocumentDiffs | None = None
    before: BeforeSave | None = None
    reason: lsp.TextDocumentSaveReason = lsp.TextDocumentSaveReason.Manual
    refused: asyncio.Future[bool] | None = None
    problems: tuple[Violation, ...] = ()
    offered: bool = False
    rules: int = 0
    looked_by: int = 0
    missed: tuple[bytes | None, ContentHash | None] | None = None
    generation: int = 0
    lane: asyncio.Lock = field(default_factory=asyncio.Lock)
    saves: int = 0
    all_recorded: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.all_recorded.set()

    def save_received(self) -> None:
        """Count a save that the editor has reported and that has no record yet."""
        self.saves += 1
        self.all_recorded.clear()

    def save_over(self) -> None:
        """Note that a reported save is recorded, or cannot be."""
        self.saves -= 1
        if not self.saves:
            self.all_recorded.set()

    @property
    def outdated(self) -> bool:
        """Whether the rules have changed since the newest snapshot."""
        return self.rules != self.looked_by

    @property
    def edited(self) -> bool:
        """Whether the buffer differs from the disk at the newest snapshot."""
        return self.look is not None and self.look.disk.lines != self.lines

    def follow(self, edits: Sequence[LineEdit], lines: list[str], version: int) -> None:
        """Update text, version and diffs after an edit."""
        self.lines, self.version = lines, version
        self.generation += 1
        if self.diffs is not None and edits:
            self.diffs.edited(edits, lines)
        if self.disk.moved and self.look is not None and self.look.disk.lines == lines:
            self.disk.loaded(self.look.disk_bytes)

    def writes(self, lines: list[str]) -> None:
        """Note a text that the editor is about to write, or reports as written."""
        if not self.written or self.written[-1] != lines:
            self.written = [*self.written[1 - WRITTEN_KEPT :], lines]

    def has_written(self, data: bytes | None) -> bool:
        """Return whether these bytes may have been written by the editor itself."""
        return any(holds(data, lines) for lines in self.written)

    def is_writing(self, data: bytes | None) -> bool:
        """Return whether a file may be half written by the editor at this moment.

        Editors that write in place leave part of the text for a moment. Those that replace the file
        leave none.
        """
        texts = ("".join(lines).encode("utf-8", "surrogatepass") for lines in self.written)
        return any(data is None or (data != text and begins(text, data)) for text in texts)

    def replaced(self, data: bytes | None, saved: list[str]) -> SaveDelta:
        """Return what a save of the text `saved` changed. `data` is what the disk holds now."""
        agreed = self.disk.agreed
        if not self.has_written(agreed):
            return SaveDelta(data, *self.disk.before(data))
        # The disk may already hold the next save, which will be reported too.
        first = agreed != data and holds(agreed, saved) and self.has_written(data)
        return SaveDelta(agreed if first else data, *self.disk.begun(agreed))

    def recorded(self, data: bytes | None) -> None:
        """Note that a save which left `data` has been recorded."""
        self.disk.saved(data)
        later = list(takewhile(lambda lines: not holds(data, lines), reversed(self.written)))
        self.written = later[::-1] if len(later) < len(self.written) else []

    def show(self, room: int = SHOWN_A_FILE) -> tuple[Violation, ...]:
        """Compute and return the violations of the current text, at most `room` of them."""
        look = self.look
        self.problems = ()
        if look is not None and look.shown and self.open_root is not None:
            self.problems = problems(self.open_root.governance.root, look, self._runs(look), room)
        return self.problems

    def _runs(self, look: OpenFileState) -> Sequence[MarkedRun]:
        if look.stale:
            # If the buffer equals the disk's text, the file was reloaded and a save overwrites
            # nothing.
            return () if self.lines == look.disk.lines else (MarkedRun(0, 0),)
        whole = (MarkedRun(0, max(len(self.lines) - 1, 0)),)
        if look.head.lines is None or look.disk.lines is None or self.diffs is None:
            changed = look.disk.hash != look.head.hash and not _held(look)
            return whole if changed or look.refused is not None else ()
        runs = self.diffs.runs(standing_refusal=look.refused is not None)
        if runs is None:
            return whole
        if look.refused is not None and not runs and self.lines == look.disk.lines:
            # Without a commit, HEAD stands for the first content seen, which may be the refused
            # text.
            same = look.head.committed and look.head.lines == self.lines
            return () if same else runs_of_record(look.refused, len(self.lines))
        return runs


def _held(look: OpenFileState) -> bool:
    """Return whether the baseline or the newest passing content is exactly what is on disk."""
    references = (look.baseline, look.passed)
    return any(held is not None and held.hash == look.disk.hash for held in references)
