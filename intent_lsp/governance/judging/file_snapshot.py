"""A snapshot of one file: all that its diagnostics are computed from (requirements section 8).

Invariant: a snapshot is a value; unsaved text is compared with it without reading the disk.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ABSENT, ContentHash, FileContent, content_of
from intent_lsp.core.control_plane import FileClass
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.governance.judging.refused_calls import ignored_refusal
from intent_lsp.governance.judging.save_judge import BaseHash, Judgement, SaveJudge
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.fs import files
from intent_lsp.store.fs.resolve import ResolvedPath


class OpenFileState(Struct, frozen=True, kw_only=True):
    """A snapshot of a file for one session: its judgement, and the contents to compare it with.

    Unsaved text is compared with `head`, with `baseline`, and with `passed`: the content left by
    the file's newest record that is no violation. `refused` is the file's newest record, if it is a
    violation and the file still has the content that it left; else None. A violation counts if it
    is under the same intent, or of a call that was made although it was refused. `ignored` is the
    message about such a call, or None. If the file has no violation to show, `head` is `disk`, and
    `baseline`, `passed` and `refused` are None.
    """

    judgement: Judgement
    disk: FileContent
    head: FileContent
    baseline: FileContent | None = None
    passed: FileContent | None = None
    refused: Record | None = None
    ignored: str | None = None

    @property
    def shown(self) -> bool:
        """Whether changes of this file are shown as violations at all."""
        shows = self.judgement.rules.shows_violations
        return shows and (self.ignored is not None or _is_violation(self.judgement))

    @property
    def server_only(self) -> bool:
        """Whether only the server may write this file."""
        return self.judgement.standing is FileClass.SERVER_ONLY

    @property
    def stale(self) -> bool:
        """Whether a save is refused because the disk changed since the editor read the file."""
        denied = self.judgement.denied
        return denied is not None and denied.code is GateCode.STALE_FILE


JUST_NOW: Final = 10.0
"""Seconds by which a first save may precede the server's first reading of the file."""


class OpenedText(Struct, frozen=True):
    """The lines of a document as the editor opened it, and the time of opening (`file_time_ns`)."""

    lines: list[str]
    time_ns: int


class Overtaken(Struct, frozen=True):
    """A save made before the server first read a file.

    `saved` is the content that the save wrote, `before` the content that the editor had opened.
    `later`: the file was last modified after the editor opened the document.
    """

    saved: FileContent
    before: FileContent
    later: bool = False


class OpenFileStates(Struct, frozen=True):
    """Takes snapshots of the files of one root."""

    judging: SaveJudge

    def look(
        self,
        session: Session,
        place: ResolvedPath,
        disk: FileContent,
        read: ContentHash | None,
        *,
        edited: bool,
    ) -> OpenFileState:
        """Return a snapshot of a file.

        `disk` is the file's content on disk, `read` the hash that the editor last read. `edited`:
        the editor has unsaved text; if false, the file is never stale, since a save would overwrite
        nothing.
        """
        reading = BaseHash(read=read if edited else disk.hash, disk=disk.hash)
        judgement = self.judging.judge(session.id, place, reading)
        return self._state(session, judgement, disk)

    def after_save(
        self, session: Session, place: ResolvedPath, judgement: Judgement, disk: FileContent
    ) -> OpenFileState:
        """Return a snapshot of a file after a save.

        `judgement` is that of the save, `disk` the content that the save left on disk.
        """
        if judgement.denied is not None and judgement.denied.code is GateCode.STALE_FILE:
            # What was overwritten says nothing about the file as it is now.
            return self.look(session, place, disk, disk.hash, edited=False)
        if judgement.restores is not None:
            # Restoring the file was allowed; another edit of it would not be.
            judgement = replace(judgement, decision=judgement.restores, restores=None)
        return self._state(session, judgement, disk)

    def _state(self, session: Session, judgement: Judgement, disk: FileContent) -> OpenFileState:
        path = judgement.path
        made = self._made_all_the_same(path, disk.hash)
        if made is None and not _is_violation(judgement):
            return OpenFileState(judgement=judgement, disk=disk, head=disk)
        contents, passing = self.judging.contents, self.judging.stores.past.newest_passing(path)
        return OpenFileState(
            judgement=judgement,
            disk=disk,
            head=contents.head(path),
            baseline=self._baseline(session, path, disk),
            passed=None if passing is None else contents.kept(passing.left().get(path)),
            refused=made or self._refused(judgement, disk),
            ignored=None if made is None else ignored_refusal(self.judging.stores, made, path),
        )

    def is_fine(self, session: Session, place: ResolvedPath) -> bool:
        """Return whether a quick check shows that a file on disk has no violation to show.

        False means that the file may have one: take a snapshot to find out. Raise OSError if the
        check has to read the file and cannot.
        """
        judgement = self.judging.judge(session.id, place)
        if not _is_shown(judgement) and self.judging.stores.past.newest_passes(place.path):
            return True
        newest = self.judging.stores.past.newest(place.path)
        if not _is_shown(judgement):
            return newest is None or newest.refused_call_hash is None
        if newest is None or newest.scope_validation is ScopeValidation.FAIL:
            return False
        held = self.judging.contents.hash_of(place.path)
        passed = self.judging.stores.past.newest_passing(place.path)
        return passed is not None and passed.left().get(place.path) == held

    def read_first(self, path: WorkspacePath) -> FileContent:
        """Return a file's content on disk as an editor opens it.

        Store it as the initial content, if one is needed (`Contents.seen`).
        """
        content = self.judging.contents.on_disk(path)
        self.judging.contents.seen(path, content)
        return content

    def overtaken(
        self, path: WorkspacePath, disk: FileContent, opened: OpenedText
    ) -> Overtaken | None:
        """Return a save made before the server first read the file, or None if there was none.

        `disk` is the content that the server read first, `opened` what the editor opened. There was
        such a save if their texts differ and the file was written after the document was opened, or
        within the last 10 seconds.
        """
        text, stamp = disk.decoded, files.stamp(self.judging.stores.root / path)
        shown = "".join(opened.lines)
        if text is None or text.text == shown or stamp is None:
            return None
        age = self.judging.stores.clock().timestamp() - stamp.mtime_ns / 1e9
        later = stamp.mtime_ns >= opened.time_ns
        if age < 0 or (age > JUST_NOW and not later):
            return None
        if not shown and self.judging.contents.head(path).hash is None:
            return Overtaken(saved=disk, before=ABSENT, later=later)
        try:
            before = content_of(text.encode(shown))
        except UnicodeEncodeError:  # A lone surrogate: no file can hold it.
            return None
        return Overtaken(saved=disk, before=before, later=later)

    def _baseline(self, session: Session, path: WorkspacePath, disk: FileContent) -> FileContent:
        baseline = self.judging.contents.baseline(session.id, path)
        # Of a large or evicted baseline only the hash is left, but it may equal the content on
        # disk.
        return disk if baseline.hash == disk.hash else baseline

    def _made_all_the_same(self, path: WorkspacePath, held: ContentHash | None) -> Record | None:
        """Return the record of a refused call that was made and left `held`, or None."""
        past = self.judging.stores.past
        newest = None if past.newest_passes(path) else past.newest(path)
        if newest is None or newest.refused_call_hash is None:
            return None
        return newest if newest.left().get(path) == held else None

    def _refused(self, judgement: Judgement, disk: FileContent) -> Record | None:
        newest = self.judging.stores.past.newest(judgement.path)
        if newest is None or newest.scope_validation is not ScopeValidation.FAIL:
            return None
        left = newest.left().get(judgement.path)
        same = _same_intent(newest, judgement) and left == disk.hash
        return newest if same else None


def _is_shown(judgement: Judgement) -> bool:
    """Return whether changes of a file with this judgement are shown as violations at all."""
    return judgement.rules.shows_violations and _is_violation(judgement)


def _is_violation(judgement: Judgement) -> bool:
    return judgement.denied is not None or judgement.standing is FileClass.SERVER_ONLY


def _same_intent(record: Record, judgement: Judgement) -> bool:
    if record.intent_id is None or judgement.intent is None:
        return record.intent_id is None and judgement.intent is None
    return record.intent_id in judgement.rules.file.intents.names(judgement.intent)
