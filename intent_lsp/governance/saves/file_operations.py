"""Judging and recording an editor's file operations, around the moment they happen.

Specified in requirements section 7.

Invariant: an operation has at most one record.
Invariant: an operation that breaks a rule is not prevented, since LSP has no way to.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import content_of, decode
from intent_lsp.core.file_operations import FileHashes, FileOperation, OperationEnds
from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath
from intent_lsp.core.records import Range, Record, ScopeValidation
from intent_lsp.formats.diff import file_ranges, whole_range
from intent_lsp.governance.disk.disk_changes import DiskChanges
from intent_lsp.governance.judging.edit_events import JudgedFile, record_operation, worst
from intent_lsp.governance.judging.save_judge import UNREAD, Judgement, SaveJudge
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.operation_targets import OperationTarget, OperationTargets
from intent_lsp.governance.saves.unrecorded_saves import audit_event
from intent_lsp.governance.views.audit_log import AuditLog
from intent_lsp.store.fs.tree_walk import place_of_name
from intent_lsp.store.ledger.ledger import Appended, Queued

_INSIDE: Final = "-"
"""A file name that stands for any file below a new directory."""


_Judged = tuple[JudgedFile, list[Judgement]]


class Forecast(Struct, frozen=True, kw_only=True):
    """The expected outcome of an announced operation. `files` is the number of its files.

    `refused` are the decisions on paths that break a rule, to be shown to the person; none in
    observe mode or while governance is off.
    """

    files: int
    refused: tuple[Judgement, ...]


class AfterOperation(Struct, frozen=True, kw_only=True):
    """The outcome of an operation; `files` is how many files its record is about.

    `record` is its record; `queued` is why the record is queued. If both are None, there was
    nothing to record. `refused` are the decisions on paths that broke a rule, to be shown to the
    person; none in observe mode or while governance is off. `paths` are all recorded paths.
    """

    files: int = 0
    paths: tuple[WorkspacePath, ...] = ()
    refused: tuple[Judgement, ...] = ()
    record: Record | None = None
    queued: str | None = None


class FileOperations(Struct, kw_only=True, dict=True):
    """Judges and records the file operations of one root: files created, renamed or deleted."""

    judging: SaveJudge
    audit_log: AuditLog
    disk: DiskChanges

    def __post_init__(self) -> None:
        """Create the part that finds the files of an operation, and the lock."""
        self.stores, self.contents = self.judging.stores, self.judging.contents
        self._files = OperationTargets(self.stores, self.contents)
        self._lock = threading.Lock()

    def before(
        self,
        session: Session,
        operation: FileOperation,
        named: Sequence[OperationEnds],
        too_late: threading.Event,
    ) -> Forecast:
        """Judge an operation that is about to happen, and keep contents of its files up to a limit.

        `named` are the paths in the editor's request. The caller sets `too_late` when it stops
        waiting. As the editor may have made the change by then, the forecast may name no files.
        Raise RequestLimitError for more files than one record can hold.
        """
        with self._lock:
            files = self._files.announced(named, too_late)
            if operation is FileOperation.CREATE:
                refused = [self._judge(session, ends.paths[0]) for ends in files]
                refused = [each for each in refused if self._fails_below(session, each)]
            else:
                refused = [each for ends in files for each in self._forecast(session, ends)]
        return Forecast(files=len(files), refused=_shown(refused))

    def after(
        self, session: Session, operation: FileOperation, named: Sequence[OperationEnds]
    ) -> AfterOperation:
        """Record an operation that has happened, in one record for all its files.

        Nothing is recorded if the operation removed `.orchestration/`, or if it changed no file
        that is recorded here. `named` are the paths in the editor's request. Raise
        RequestLimitError for more files than one record can hold, LedgerUnavailableError if the
        record can neither be appended nor queued.
        """
        with self._lock:
            if not (self.stores.root / CONTROL_ROOM).is_dir():
                # The operation deleted `.orchestration` itself: do not create it again by writing
                # there.
                return AfterOperation()
            # Automatic saves came first, and their records show what a file held before the
            # operation.
            self.stores.end_runs()
            found = (self._judged(session, f) for f in self._files.done(operation, named))
            judged = [each for each in found if each is not None]
            if not judged:
                return AfterOperation()
            outcome = self._recorded(session, operation, judged)
        paths = tuple(path for file, _ in judged for path in file.hashes.ends.paths)
        told = audit_event(session, judged[0][1][0])
        self.audit_log.saved(replace(told, tool=operation.value, paths=paths))
        return AfterOperation(
            files=len(judged),
            paths=paths,
            refused=_shown(each for _, judgements in judged for each in judgements),
            record=outcome.record if isinstance(outcome, Appended) else None,
            queued=outcome.reason if isinstance(outcome, Queued) else None,
        )

    def _recorded(
        self, session: Session, operation: FileOperation, judged: Sequence[_Judged]
    ) -> Appended | Queued:
        files, first = [file for file, _ in judged], judged[0][1][0]
        outcome = record_operation(self.stores, session, operation, first, files)
        with step("the state of the moved files"):
            self._follow(session, files)
        return outcome

    def _forecast(self, session: Session, ends: OperationEnds) -> Iterator[Judgement]:
        if ends.old is not None:
            yield self._of_gone(session, ends.old)
        if ends.new is not None:
            text = None if ends.old is None else self._files.held_text(ends.old)
            yield self._of_text(session, ends.new, text)

    def _judged(self, session: Session, file: OperationTarget) -> _Judged | None:
        """Judge both paths of a file by its present state. Return the file and its judgements.

        Return None if changes of neither path are recorded, or if an agent's open ticket claims one
        of them: the record of the agent's call then covers the file. A path whose changes are not
        recorded, such as one that git ignores, is treated as outside the root.
        """
        ends, new_text = file.hashes.ends, None if file.data is None else decode(file.data)
        old = None if ends.old is None else self._of_gone(session, ends.old)
        new = None
        if ends.new is not None:
            text = None if new_text is None else new_text.text
            new = self._of_text(session, ends.new, text)
        seen = [each for each in (old, new) if each is not None and each.verdict is not None]
        if not seen or any(each.ticket is not None for each in seen):
            return None
        hashes = FileHashes(
            OperationEnds(ends.old if old in seen else None, ends.new if new in seen else None),
            file.hashes.pre if old in seen or ends.old is None else None,
            file.hashes.post if new in seen else None,
        )
        verdict = worst([each.verdict for each in seen if each.verdict is not None])
        data = file.data if hashes.post is not None else None
        if data is not None and verdict is not ScopeValidation.FAIL:
            self.contents.keep(data, hashes.post)
        return JudgedFile(hashes=hashes, ranges=self._ranges(hashes, data), verdict=verdict), seen

    def _ranges(self, hashes: FileHashes, data: bytes | None) -> tuple[Range, ...]:
        if hashes.pre == hashes.post:
            return ()
        old = None if hashes.pre is None else self.stores.content(hashes.pre)
        if old is None and hashes.pre is not None and data:
            # The old content is no longer kept, so no diff is possible: the whole file counts as
            # changed.
            return (whole_range(content_of(data)),)
        return file_ranges(content_of(old), content_of(data))

    def _follow(self, session: Session, files: Sequence[JudgedFile]) -> None:
        """Move the stored state of renamed files to their new paths.

        The state stays at the old path if the rename is a violation, since undoing the rename
        restores the old path. What the operation left at each path is noted, so that it does not
        count as a change on disk.
        """
        moves = []
        for file in files:
            old, new = file.hashes.ends.old, file.hashes.ends.new
            # The next disk snapshot is compared with this state, so that the operation is no disk
            # change.
            if old is not None:
                self.disk.note_left(old, None)
            if new is not None:
                self.disk.note_left(new, file.hashes.post)
                if self.stores.state is not None:
                    self.stores.state.forget_own_write(new)
            if old is not None and new is not None and file.verdict is not ScopeValidation.FAIL:
                self.contents.follow(session.id, old, new)
                moves.append((old, new))
        if self.stores.state is not None:
            self.stores.state.judging.follow(moves)

    def _fails_below(self, session: Session, judgement: Judgement) -> bool:
        """Return whether a file named `-` below the judged path would have the verdict FAIL.

        If it would not, the caller does not refuse the creation of the path: the path may become a
        directory that only holds files in scope.
        """
        inside = WorkspacePath(f"{judgement.path}/{_INSIDE}")
        return _fails(self._judge(session, inside))

    def _of_gone(self, session: Session, path: WorkspacePath) -> Judgement:
        """Return the judgement of the removal of a path.

        A file that is known to be neither in HEAD nor in the session's baseline may be removed.
        """
        judgement = self._judge(session, path)
        if judgement.denied is None or not self._is_new(session, path):
            return judgement
        return replace(judgement, decision=Allowed(ScopeValidation.EXEMPT))

    def _of_text(self, session: Session, path: WorkspacePath, text: str | None) -> Judgement:
        """Return the judgement of a new file with this text (None: unknown).

        The text that HEAD or the session's baseline has at the path is allowed.
        """
        return self.judging.allow_restoring(self._judge(session, path), session.id, UNREAD, text)

    def _is_new(self, session: Session, path: WorkspacePath) -> bool:
        """Return whether neither HEAD nor the session's baseline has the file at a path.

        False if that is unknown. If the path is a link, the file is the one that it leads to.
        """
        real = place_of_name(self.stores.root, path).real or path
        head = self.contents.head(real)
        # Without a commit and a whole baseline it is unknown whether the file existed.
        told = head.committed or self.contents.has_whole_baseline(session.id)
        if not told or head.hash is not None:
            return False
        return self.contents.baseline(session.id, real).hash is None

    def _judge(self, session: Session, path: WorkspacePath) -> Judgement:
        return self.judging.judge(session.id, place_of_name(self.stores.root, path))


def _fails(judgement: Judgement) -> bool:
    return judgement.verdict is ScopeValidation.FAIL


def _shown(judgements: Iterable[Judgement]) -> tuple[Judgement, ...]:
    """Return the judgements with the verdict FAIL; none if governance is off or only observes."""
    return tuple(each for each in judgements if _fails(each) and each.rules.shows_violations)
