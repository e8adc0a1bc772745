"""A tracked document: one file of a governed root that an editor shows, and how it stands.

Invariant: the look behind its diffs is taken on a thread and replaced whole, never changed.
Invariant: whatever waits for a document does so in order, under its lane.
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
"""Saves under way at a time whose texts are kept."""


@dataclass(frozen=True, slots=True)
class SaveDelta:
    """A save: what it left, what that took the place of, and what the editor had read of it."""

    new: bytes | None
    old: bytes | None
    read: ContentHash | None


@dataclass(slots=True, kw_only=True)
class TrackedDocument:
    """One file that an editor has open, or closed with problems standing.

    `open_root` and `place` are None where nobody governs it; `lines` is the text as shown (the
    document's own list), `version` its version, None once it is closed. `opened` is the text as it
    was opened, until the file behind it was seen. `refused` is the newest save that was turned
    back: once that is over, whether the disk stayed as it was. `written` are the texts that the
    editor was about to write, or said that it wrote, since the last save that is recorded. `saves`
    have been told and are not recorded yet; `all_recorded` is set when there are none. `missed` is
    what a save that could not be recorded took the place of, and what had been read of it.
    `rules` counts how often the rules have changed since it is tracked, `looked_by` how often they
    had when it was looked at.
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
        """Note that the editor has told of a save, which is to be recorded."""
        self.saves += 1
        self.all_recorded.clear()

    def save_over(self) -> None:
        """Note that a save is recorded, or cannot be."""
        self.saves -= 1
        if not self.saves:
            self.all_recorded.set()

    @property
    def outdated(self) -> bool:
        """Whether it was looked at by other rules than those of now."""
        return self.rules != self.looked_by

    @property
    def edited(self) -> bool:
        """Whether the editor holds text that is not what the disk was seen to hold."""
        return self.look is not None and self.look.disk.lines != self.lines

    def follow(self, edits: Sequence[LineEdit], lines: list[str], version: int) -> None:
        """Follow the document's newest edits."""
        self.lines, self.version = lines, version
        self.generation += 1
        if self.diffs is not None and edits:
            self.diffs.edited(edits, lines)
        if self.disk.moved and self.look is not None and self.look.disk.lines == lines:
            self.disk.loaded(self.look.disk_bytes)

    def writes(self, lines: list[str]) -> None:
        """Note a text that the editor is about to write, or says that it wrote."""
        if not self.written or self.written[-1] != lines:
            self.written = [*self.written[1 - WRITTEN_KEPT :], lines]

    def has_written(self, data: bytes | None) -> bool:
        """Whether the editor itself may have written what a file holds."""
        return any(holds(data, lines) for lines in self.written)

    def is_writing(self, data: bytes | None) -> bool:
        """Whether a file holds what it holds for a moment, while the editor writes it.

        Editors write in place, so that half of a text is seen, or put a new file in the place of
        the old one, so that none is.
        """
        texts = ("".join(lines).encode("utf-8", "surrogatepass") for lines in self.written)
        return any(data is None or (data != text and begins(text, data)) for text in texts)

    def replaced(self, data: bytes | None, saved: list[str]) -> SaveDelta:
        """Give what a save of the text `saved` did; `data` is what the disk holds by now."""
        agreed = self.disk.agreed
        if not self.has_written(agreed):
            return SaveDelta(data, *self.disk.before(data))
        # The next save may have been made as well, and will be told of.
        first = agreed != data and holds(agreed, saved) and self.has_written(data)
        return SaveDelta(agreed if first else data, *self.disk.begun(agreed))

    def recorded(self, data: bytes | None) -> None:
        """Note that a save which left `data` is over."""
        self.disk.saved(data)
        later = list(takewhile(lambda lines: not holds(data, lines), reversed(self.written)))
        self.written = later[::-1] if len(later) < len(self.written) else []

    def show(self, room: int = SHOWN_A_FILE) -> tuple[Violation, ...]:
        """Compute the problems of the text as it stands, at most `room` of them."""
        look = self.look
        self.problems = ()
        if look is not None and look.shown and self.open_root is not None:
            self.problems = problems(self.open_root.governance.root, look, self._runs(look), room)
        return self.problems

    def _runs(self, look: OpenFileState) -> Sequence[MarkedRun]:
        if look.stale:
            # Loaded again it is read: then there is nothing that a save would overwrite.
            return () if self.lines == look.disk.lines else (MarkedRun(0, 0),)
        whole = (MarkedRun(0, max(len(self.lines) - 1, 0)),)
        if look.head.lines is None or look.disk.lines is None or self.diffs is None:
            changed = look.disk.hash != look.head.hash and not _held(look)
            return whole if changed or look.refused is not None else ()
        runs = self.diffs.runs(standing_refusal=look.refused is not None)
        if runs is None:
            return whole
        if look.refused is not None and not runs and self.lines == look.disk.lines:
            # Without a commit HEAD is what was seen first, which may be the refused text itself.
            same = look.head.committed and look.head.lines == self.lines
            return () if same else runs_of_record(look.refused, len(self.lines))
        return runs


def _held(look: OpenFileState) -> bool:
    """Whether a reference other than HEAD holds exactly what is on disk."""
    references = (look.baseline, look.passed)
    return any(held is not None and held.hash == look.disk.hash for held in references)
