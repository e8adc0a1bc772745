"""A tracked document: one file of a governed root that an editor shows, and how it stands.

Invariant: the diffs follow every edit at once; the look behind them is taken on a thread and
replaced whole, never changed.
Invariant: whatever waits for a document does so in order, under its lane.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import takewhile
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import ContentHash, decode, hash_content, hash_if_there
from intent_lsp.core.gate.violations import SHOWN_A_FILE, MarkedRun, marked_runs
from intent_lsp.core.line_diff import LineDiff, LineEdit
from intent_lsp.doors.lsp.diagnostics.violation import Violation
from intent_lsp.doors.lsp.diagnostics.violations import problems, runs_of_record
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.diff import line_hunks
from intent_lsp.governance.contents.content import FileContent
from intent_lsp.governance.judging.file_snapshot import OpenFileState, Overtaken
from intent_lsp.governance.saves.saves import BeforeSave
from intent_lsp.store.fs.resolve import ResolvedPath

WRITTEN_KEPT: Final = 4
"""Saves under way at a time whose texts are kept."""


@dataclass(frozen=True, slots=True)
class DocumentDiffs:
    """A text against HEAD, the baseline and the newest passing content, kept up edit by edit.

    A reference that is HEAD itself, or that nobody can compare with, narrows nothing: None.
    """

    head: LineDiff
    baseline: LineDiff | None
    passed: LineDiff | None

    @classmethod
    def of(cls, look: OpenFileState, lines: list[str]) -> "DocumentDiffs":
        """Compare a text with everything that a look holds against it."""

        def narrowing(content: FileContent | None) -> LineDiff | None:
            if content is None or content.lines is None or content.hash == look.head.hash:
                return None
            return LineDiff(content.lines, lines, line_hunks)

        head = LineDiff(look.head.lines or [], lines, line_hunks)
        return cls(head, narrowing(look.baseline), narrowing(look.passed))

    @property
    def each(self) -> tuple[LineDiff, ...]:
        """Every diff there is."""
        return tuple(diff for diff in (self.head, self.baseline, self.passed) if diff is not None)

    def edited(self, edits: Sequence[LineEdit], lines: list[str]) -> None:
        """Follow edits that were made in order, the last of which left `lines`."""
        edit = reduce(_joined, edits)
        for diff in self.each:
            diff.edited(edit, lines)

    def compare(self, lines: list[str]) -> None:
        """Compare anew from the ground up."""
        for diff in self.each:
            diff.compare(lines)

    def runs(self, *, standing_refusal: bool) -> tuple[MarkedRun, ...] | None:
        """Give the runs to mark; None where the text cannot be compared line by line.

        A standing refusal counts whatever stood before the session (requirements section 8).
        """
        wanted = (self.passed,) if standing_refusal else (self.baseline, self.passed)
        narrowing = [diff.hunks for diff in wanted if diff is not None]
        if self.head.hunks is None or None in narrowing:
            return None
        return marked_runs(self.head.hunks, [hunks for hunks in narrowing if hunks is not None])


@dataclass(slots=True, kw_only=True)
class DiskState:
    """What the disk held of a file that an editor has open, as far as it was seen.

    `known` is its last known content (None: absent), `read` the hash that the editor last read.
    `agreed` is a content that disk and buffer shared after `known`: a save that has not been told
    yet, or a file that was loaded again. `former` is what a change from outside took the place of.
    `overtaken` is a first save that was perhaps made before the file was seen.
    """

    known: bytes | None = None
    read: ContentHash | None = None
    agreed: bytes | None = None
    former: bytes | None = None
    moved: bool = False
    overtaken: Overtaken | None = None

    def saw(self, data: bytes | None, *, same_as_buffer: bool) -> None:
        """Note the disk's content, seen between two saves."""
        if data == self.known:
            if same_as_buffer:
                # Loaded again, or a save of which the editor has not told yet: who knows?
                self.agreed, self.read = None, hash_if_there(data)
            return
        if same_as_buffer:
            # An empty file where none was is about to be written, more often than not.
            self.agreed = None if self.known is None and not data else data
            return
        if data is not None and data == self.agreed:
            # Typed over what both held: the editor has read it all the same.
            return
        if self.agreed is not None:
            self.known, self.read = self.agreed, hash_if_there(self.agreed)
        if not self._behind:
            self.former, self.moved = self.known, True
        self.known, self.agreed = data, None

    def loaded(self, data: bytes | None) -> None:
        """Note that the editor has loaded the disk's content as it was seen last."""
        if data == self.known:
            self.read = hash_if_there(data)

    def saved(self, data: bytes | None) -> None:
        """Note the disk's content at a save, or when the file was opened."""
        self.known, self.read = data, hash_if_there(data)
        self.agreed, self.former, self.moved = None, None, False
        self.overtaken = None

    @property
    def last_read(self) -> bytes | None:
        """What the editor read last: the content of which `read_now` is the hash."""
        if self.agreed is not None:
            return self.agreed
        return self.former if self._behind else self.known

    @property
    def _behind(self) -> bool:
        """Whether the editor has not read what the disk was seen to hold."""
        return self.moved and self.read != hash_if_there(self.known)

    @property
    def read_now(self) -> ContentHash | None:
        """The editor's read hash: what it agreed on last."""
        return self.read if self.agreed is None else hash_content(self.agreed)

    def before(self, data: bytes | None) -> tuple[bytes | None, ContentHash | None]:
        """Give what a save that left `data` replaced, and what the editor had read of it."""
        if self.agreed is not None and self.agreed != data:
            return self.agreed, hash_content(self.agreed)
        return self.begun(data)

    def begun(self, data: bytes | None) -> tuple[bytes | None, ContentHash | None]:
        """Give what was known before the editor wrote `data`, and what it had read of it."""
        if self.moved and _begins(data, self.known):
            # The watcher was quicker than the editor's word of its own save, or than the save.
            return self.former, hash_if_there(self.former)
        return self.known, self.read


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
        return any(data is None or (data != text and _begins(text, data)) for text in texts)

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


def holds(data: bytes | None, lines: list[str]) -> bool:
    """Whether a text is exactly what a file holds or held."""
    text = None if data is None else decode(data)
    return text is not None and text.text == "".join(lines)


def _begins(data: bytes | None, part: bytes | None) -> bool:
    return data is not None and part is not None and data.startswith(part)


def _held(look: OpenFileState) -> bool:
    """Whether a reference other than HEAD holds exactly what is on disk."""
    references = (look.baseline, look.passed)
    return any(held is not None and held.hash == look.disk.hash for held in references)


def _joined(first: LineEdit, second: LineEdit) -> LineEdit:
    """Describe two edits made one after the other as one."""
    reach = max(first.new_end, second.old_end)
    return LineEdit(
        start=min(first.start, second.start),
        old_end=reach - (first.new_end - first.old_end),
        new_end=reach + (second.new_end - second.old_end),
    )
