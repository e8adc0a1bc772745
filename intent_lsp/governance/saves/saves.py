"""Saves of an editor: judged before the file is written, recorded afterwards.

Specified in requirements section 7.

Invariant: judging and recording hold the lock of `Saves`. A save that changes nothing has no
record.
Invariant: a refused text is on disk as a draft before the editor is asked to revert it.
"""

import logging
import threading
from collections.abc import Collection
from typing import Final

from msgspec import Struct

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash, FileContent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import Enforcement
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.judging.edit_events import Save, record_save
from intent_lsp.governance.judging.file_snapshot import OpenFileStates
from intent_lsp.governance.judging.save_judge import BaseHash, Judgement, is_stale
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.unrecorded_saves import (
    AfterSave,
    ClaimedSaves,
    SaveRuns,
    audit_event,
)
from intent_lsp.governance.views.audit_log import AuditLog
from intent_lsp.store.fs import files
from intent_lsp.store.fs.resolve import ResolvedPath
from intent_lsp.store.fs.write import remove_file
from intent_lsp.store.state.drafts import Draft

_log: Final = logging.getLogger(__name__)


class BeforeSave(Struct, frozen=True, kw_only=True):
    """The judgement of a buffer about to be saved, and the file's content on disk before the save.

    If the save is to be reverted, `draft` is the buffer's text as kept on disk, and the content of
    `disk` then replaces the buffer. Else `draft` is None.
    """

    judgement: Judgement
    disk: FileContent
    draft: Draft | None = None


class Buffer(Struct, frozen=True, kw_only=True):
    """An editor's buffer at the moment of a save. `read` is the hash that the editor last read.

    `manual`: a person saved it, not the editor by itself.
    """

    lines: list[str]
    read: ContentHash | None
    manual: bool


class Written(Struct, frozen=True, kw_only=True):
    """A save that has happened: the file's content after it (`disk`) and before it (`known`).

    `known` was read before the save if possible; else it is the last known content. `read` is the
    hash that the editor had read. `automatic`: the editor saved by itself.
    """

    disk: FileContent
    known: FileContent
    read: ContentHash | None
    automatic: bool = False


class Saves(Struct, kw_only=True, dict=True):
    """Judges and records the editor's saves of one root, and takes snapshots of its files."""

    states: OpenFileStates
    audit_log: AuditLog

    def __post_init__(self) -> None:
        """Create the parts that hold back saves and merge automatic ones."""
        self.judging = self.states.judging
        self.stores, self.contents = self.judging.stores, self.judging.contents
        self._held = ClaimedSaves(self.judging, self.audit_log)
        self._runs = SaveRuns(self.stores, self.audit_log)
        self._lock = threading.Lock()

    def before(self, session: Session, place: ResolvedPath, buffer: Buffer) -> BeforeSave:
        """Judge a buffer that is about to be written. Keep its text as a draft if it is reverted.

        Only a `manual` save that is refused by a blocking policy, but not as stale, is reverted,
        and only if another text is on disk. Raise OSError if the file cannot be read.
        """
        with self._lock:
            disk = self.contents.on_disk(place.path)
            # Compare whole texts, not lines: this is cheap even for large files.
            text = "".join(buffer.lines)
            reading = BaseHash(read=buffer.read, disk=disk.hash)
            if not disk.absent and disk.text == text:
                # Nothing would change, so the save cannot be stale.
                reading = BaseHash(read=disk.hash, disk=disk.hash)
            judgement = self.judging.judge(session.id, place, reading)
            judgement = self.judging.allow_restoring(judgement, session.id, reading, text)
            draft = None
            if buffer.manual and _turned_back(judgement, disk, text):
                draft = self.keep_draft(session, judgement, disk.hash, text)
                self._tell_refusal(session, judgement)
            # From now on a disk snapshot that finds this text must not record it as an unreported
            # change.
            self.stores.coming_saves[place.path] = text
            return BeforeSave(judgement=judgement, disk=disk, draft=draft)

    def after(self, session: Session, place: ResolvedPath, written: Written) -> AfterSave:
        """Record a save that has happened, and return its outcome.

        A save is not recorded if it changed nothing, left no file, or left what the server itself
        wrote last, or if saves of the file are not recorded. A save of a file that an agent's open
        call claims is recorded under the call's ticket or held back.

        An automatic save is recorded when its run ends, and `end_runs` then returns the outcome. It
        is recorded at once if the policy wants each save recorded, or if no run can be stored.
        """
        try:
            with self._lock:
                if not written.automatic:
                    self._runs.end([place.path])
                after, save = self._after(session, place, written)
                if save is None:
                    return after
                run = self._runs.add(save, after) if written.automatic else None
                outcome = None if run is not None else record_save(self.stores, save)
                self.judging.clear_own_write(after.judgement)
                self.contents.keep(after.disk.data, after.disk.hash)
            if outcome is None:
                return run or after
            self.audit_log.saved(audit_event(session, after.judgement))
            return after.recorded(outcome)
        finally:
            self.stores.coming_saves.pop(place.path, None)

    def _after(
        self, session: Session, place: ResolvedPath, written: Written
    ) -> tuple[AfterSave, Save | None]:
        """Return the outcome of a save, and the save if it still has to be recorded (else None)."""
        old, new = written.known, written.disk
        reading = BaseHash(read=written.read, disk=old.hash)
        judgement = self.judging.judge(session.id, place, reading)
        judgement = self.judging.allow_restoring(judgement, session.id, reading, new.text)
        done = AfterSave(judgement=judgement, old=old, disk=new)
        verdict = judgement.verdict
        own = judgement.own_write == new.hash
        if new.data is None or new.hash == old.hash or verdict is None or own:
            return done, None
        if judgement.ticket is not None:
            self._runs.end([place.path])
            self.judging.clear_own_write(judgement)
            self.contents.keep(new.data, new.hash)
            return self._held.save(judgement.ticket, session, done), None
        save = Save(
            session=session,
            judgement=judgement,
            verdict=verdict,
            old=old,
            new=new,
            concurrent=is_stale(judgement, reading),
        )
        return done, save

    def end_runs(self, paths: Collection[WorkspacePath] | None = None) -> tuple[AfterSave, ...]:
        """End and record the runs of automatic saves of some files (None: of all files).

        Return the outcomes of all ended runs that neither this method nor `end_run_at_rest` has
        returned before.
        """
        with self._lock:
            self._runs.end(paths)
            return self._runs.take_ended()

    def end_run_at_rest(self, after: AfterSave) -> tuple[AfterSave, ...]:
        """End the run of the save `after`, unless later saves were added to the run.

        Return the outcomes of all ended runs that neither this method nor `end_runs` has returned
        before.
        """
        path = after.judgement.path
        with self._lock:
            if after.run and self._runs.is_at(path, after.run, after.disk.hash):
                self._runs.end([path])
            return self._runs.take_ended()

    def after_unreadable(
        self, session: Session, place: ResolvedPath, *, known: FileContent
    ) -> AfterSave | None:
        """Record a save of a file that cannot be read now. The record has no hash after the save.

        `known` is the content before the save. Return None if saves of this file are not recorded.
        """
        self.stores.coming_saves.pop(place.path, None)
        with self._lock:
            judgement = self.judging.judge(session.id, place)
            verdict = judgement.verdict
            if verdict is None:
                return None
            save = Save(session=session, judgement=judgement, verdict=verdict, old=known, new=None)
            outcome = record_save(self.stores, save)
        after = AfterSave(judgement=judgement, old=known, disk=known)
        return after.recorded(outcome)

    def release(self, session: Session) -> tuple[AfterSave, ...]:
        """Record the held saves whose claims have lapsed, as changes of the editors that saved.

        A save is held while an agent's open call claims its file. `session` is the present
        editor's: a save of another session is recorded with an unknown contributor. Return the
        outcomes of the recorded saves.
        """
        with self._lock:
            return self._held.release(session)

    def _tell_refusal(self, session: Session, judgement: Judgement) -> None:
        if judgement.denied is not None:
            # A person's refused save is no lesson for agents.
            self.audit_log.denied(audit_event(session, judgement), judgement.denied, teach=False)

    def is_empty(self, place: ResolvedPath) -> bool:
        """Return whether a file exists on disk and is empty. False if it cannot be read."""
        try:
            return files.read_bytes(self.stores.root / place.path) == b""
        except OSError:
            return False

    def remove_empty(self, place: ResolvedPath) -> bool:
        """Delete a file if it is empty. Return whether it was deleted. A failure is logged."""
        path = self.stores.root / place.path
        with self._lock:
            try:
                return files.read_bytes(path) == b"" and remove_file(path)
            except OSError as problem:
                _log.warning("%s cannot be deleted: %s", place.path, problem)
                return False

    def keep_draft(
        self, session: Session, judgement: Judgement, base: ContentHash | None, text: str
    ) -> Draft:
        """Write a refused text to disk as a draft, and return the draft.

        `base` is the hash of the content that the text was to replace.
        """
        denied = judgement.denied
        draft = Draft(
            path=judgement.path,
            base_hash=base,
            text=text,
            session_id=session.id,
            code="" if denied is None else denied.code.value,
            intent_id=None if judgement.intent is None else judgement.intent.id,
            created_at=timestamp(self.stores.clock()),
        )
        return self.stores.drafts.write(draft)


def _turned_back(judgement: Judgement, content: FileContent, text: str) -> bool:
    denied = judgement.denied
    return (
        denied is not None
        and denied.code is not GateCode.STALE_FILE
        and judgement.rules.policy.enforcement is Enforcement.BLOCK
        # A buffer cannot be reverted to a disk content that is not text.
        and content.text is not None
        and content.text != text
    )
