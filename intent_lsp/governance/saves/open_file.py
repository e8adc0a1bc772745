"""A file that an editor has open: its content on disk, and its saves that are not recorded yet.

Specified in requirements section 7.

Invariant: a save is compared with the content before the save, not with the content on disk when
the save is reported.
Invariant: the methods that read the disk may block. One thread at a time calls them for one file.
"""

import logging
from itertools import takewhile
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash, FileContent
from intent_lsp.governance.judging.file_snapshot import OpenedText, OpenFileState
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.disk_state import DiskState, begins, holds
from intent_lsp.governance.saves.saves import BeforeSave, Buffer, Saves, Written
from intent_lsp.governance.saves.unrecorded_saves import AfterSave
from intent_lsp.store.fs.resolve import ResolvedPath

_log: Final = logging.getLogger(__name__)

WRITTEN_KEPT: Final = 4
"""The most texts of unrecorded saves that are kept."""


class GovernedPlace(Struct, frozen=True):
    """What governs an open file: its path in a root, the root's saves, and the editor's session."""

    saves: Saves
    session: Session
    place: ResolvedPath


class OpenFile(Struct, kw_only=True):
    """A file that an editor has open. `governed` is None if no root governs it.

    `written` are texts that the editor was about to write, or reported as written, since the last
    recorded save. `missed` is set if a save could not be recorded: the content that it replaced,
    and the hash that the editor had read.
    """

    governed: GovernedPlace | None = None
    disk: DiskState = field(default_factory=DiskState)
    written: list[list[str]] = field(default_factory=list)
    missed: tuple[FileContent, ContentHash | None] | None = None

    def attach(self, governed: GovernedPlace, opened: OpenedText | None) -> None:
        """Set the root that governs the file, and read the file. Raise OSError if that fails.

        `opened` is the text that the editor opened, or None; it shows whether the file may have
        been written before this reading.
        """
        states, path = governed.saves.states, governed.place.path
        content = states.read_first(path)
        self.disk.saved(content)
        first = None if opened is None else states.overtaken(path, content, opened)
        if first is not None and first.later:
            # Until it turns out to be the editor's save, it is a change that the editor has not
            # read. An earlier one may be what was opened, with other line endings, say.
            self.disk.saved(first.before)
            self.disk.saw(content, same_as_buffer=False)
        self.disk.overtaken = first
        self.governed = governed

    def judge(self, lines: list[str], *, manual: bool) -> BeforeSave | None:
        """Judge the text that is about to be saved, or return None if no root governs the file.

        `manual`: a person saves it, not the editor by itself. A refused text may be kept as a
        draft, as `Saves.before` says. Raise OSError if the file cannot be read.
        """
        if self.governed is None:
            return None
        self._recognise(lines)
        buffer = Buffer(lines=lines, read=self.disk.read_now, manual=manual)
        return self.governed.saves.before(self.governed.session, self.governed.place, buffer)

    def record(
        self, lines: list[str], saved: list[str], before: BeforeSave | None, *, automatic: bool
    ) -> AfterSave | None:
        """Record a save of the text `saved`, and return its outcome.

        `lines` is the buffer's present text, `before` the judgement made before the save.
        `automatic`: the editor saved by itself. If the file cannot be read now, the record has no
        hash after the save. Return None if no root governs the file, or if it is a file whose
        saves are not recorded and it cannot be read now.
        """
        if self.governed is None:
            return None
        saves, session, place = self.governed.saves, self.governed.session, self.governed.place
        try:
            stamp = saves.stores.known_files.settled_stamp(place.path)
            disk = saves.contents.on_disk(place.path)
        except OSError as problem:
            _log.warning("%s cannot be hashed: %s", place.path, problem)
            return saves.after_unreadable(session, place, known=self.disk.known)
        if self.disk.overtaken is not None:
            self.observe(disk, lines)
        if self.disk.overtaken is not None:
            # The disk is ahead of the reported save: the editor has saved more than once by now.
            self._take_back()
        save = self.replaced(disk, saved)
        # If the disk already holds a later save, what was judged does not belong to this one.
        old = save.known if before is None or save.disk.hash != disk.hash else before.disk
        # Start from the last recorded content: if an earlier save failed to be recorded, its change
        # is part of this one.
        old, read = self.missed = self.missed or (old, save.read)
        save = replace(save, known=old, read=read, automatic=automatic)
        after = saves.after(session, place, save)
        self.missed = None
        self.recorded(after.disk)
        saves.stores.known_files.note(place.path, stamp if after.disk is disk else None)
        return after

    def snapshot(self, lines: list[str]) -> OpenFileState | None:
        """Return a snapshot of the file to compare with the text `lines`.

        The file is read, and the known state updated; while the editor is writing the file, the
        last known content counts. Return None if no root governs the file. Raise OSError if the
        file cannot be read, IntentLspError if stored state cannot be read or written.
        """
        if self.governed is None:
            return None
        saves, place = self.governed.saves, self.governed.place
        disk = saves.contents.on_disk(place.path)
        if self.is_writing(disk):
            disk = self.disk.known
        same = self.observe(disk, lines)
        held = self.disk.last_read
        edited = not same and not holds(held, lines)
        state = saves.states.look(
            self.governed.session, place, disk, self.disk.read_now, edited=edited
        )
        # What the server itself has written since the editor read the file is not the person's
        # change.
        return replace(state, head=disk if same else held) if state.server_only else state

    def snapshot_after(self, after: AfterSave) -> OpenFileState | None:
        """Return a snapshot made from a save's judgement and the content that the save left.

        Return None if the file may have another content by now, so that the disk has to be read, or
        if no root governs it.
        """
        if self.governed is None or self.written or after.disk.hash != self.disk.known.hash:
            return None
        saves, place = self.governed.saves, self.governed.place
        state = saves.states.after_save(self.governed.session, place, after.judgement, after.disk)
        return replace(state, head=after.disk) if state.server_only else state

    def observe(self, disk: FileContent, lines: list[str]) -> bool:
        """Update the known state with the content `disk`. Return whether `disk` equals `lines`."""
        same = holds(disk, lines)
        # The buffer may have been edited since its text was written.
        own = same or self.has_written(disk)
        self._recognise(lines)
        if self.disk.overtaken is not None and own:
            # The editor wrote what is there now, so the content read first was not its save.
            self.disk.overtaken = None
        self.disk.saw(disk, same_as_buffer=own)
        return same

    def _recognise(self, lines: list[str]) -> None:
        """Note in the state if the content that the server read first was the editor's save.

        It was if its text equals `lines`, the present text of the buffer, or is in `written`.
        """
        first = self.disk.overtaken
        if first is not None and (holds(first.saved, lines) or self.has_written(first.saved)):
            self._take_back()
            self.disk.saw(first.saved, same_as_buffer=True)

    def _take_back(self) -> None:
        """Reset the state to before a save that preceded the server's first reading of the file.

        Do nothing if no such save is known.
        """
        first, self.disk.overtaken = self.disk.overtaken, None
        if self.governed is None or first is None:
            return
        self.disk.saved(first.before)
        session_id, path = self.governed.session.id, self.governed.place.path
        self.governed.saves.contents.correct(session_id, path, first.saved, first.before)

    def writes(self, lines: list[str]) -> None:
        """Note a text that the editor is about to write or reports as written."""
        if not self.written or self.written[-1] != lines:
            self.written = [*self.written[1 - WRITTEN_KEPT :], lines]

    def has_written(self, content: FileContent | None) -> bool:
        """Return whether the editor itself may have written this content. False for None."""
        return content is not None and any(holds(content, lines) for lines in self.written)

    def is_writing(self, disk: FileContent) -> bool:
        """Return whether `disk` may be a file that the editor has written only in part so far.

        True if there is a text in `written`, and `disk` is absent or only the beginning of such a
        text. This happens for a moment with editors that write in place, not with those that
        replace the file.
        """
        texts = ("".join(lines).encode("utf-8", "surrogatepass") for lines in self.written)
        data = disk.data
        return any(data is None or (data != text and begins(text, data)) for text in texts)

    def replaced(self, disk: FileContent, saved: list[str]) -> Written:
        """Return a save of the text `saved`, with the contents before and after it.

        `disk` is the file's present content. If the next save has already written it, it is not
        taken for the content after this save.
        """
        agreed = self.disk.agreed
        if agreed is None or not self.has_written(agreed):
            known, read = self.disk.before(disk)
            return Written(disk=disk, known=known, read=read)
        # The disk may already hold the next save, which will be reported too.
        first = agreed.hash != disk.hash and holds(agreed, saved) and self.has_written(disk)
        known, read = self.disk.begun(agreed)
        return Written(disk=agreed if first else disk, known=known, read=read)

    def recorded(self, disk: FileContent) -> None:
        """Note that a save has been recorded. `disk` is the content that the save left."""
        self.disk.saved(disk)
        later = list(takewhile(lambda lines: not holds(disk, lines), reversed(self.written)))
        self.written = later[::-1] if len(later) < len(self.written) else []
