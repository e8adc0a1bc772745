"""Audit log of calls: `governance_ledger.md`, the intents' history, and lessons for agents.

Specified in requirements section 9.

Invariant: a step that fails is logged, and stops neither the next step nor the call.
Invariant: a tool call that the gate does not judge leaves no entry.
Invariant: a lessons file is created only when there is a lesson for it. What people wrote in the
file stays. A session adds a limited number of lessons, and no lesson that the file already has.
"""

from contextlib import suppress
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.lessons import Lesson, lesson_line
from intent_lsp.core.codes import GateCode, LessonCode
from intent_lsp.core.content import decode, hash_content
from intent_lsp.core.errors import FileChangedError
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import GOVERNANCE_LEDGER, LOCAL_ROOM, WorkspacePath, parse_relative
from intent_lsp.core.policy import AGENTS_FILE, LESSONS_FILES
from intent_lsp.core.privacy import shown_session
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.markdown.audit_log import CallStatus, GovernanceEntry, governance_line
from intent_lsp.formats.markdown.lessons import LESSONS, with_lesson
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.views.history import History
from intent_lsp.store.append_file import append_text
from intent_lsp.store.fs import files
from intent_lsp.store.fs.tree_reader import holds_file
from intent_lsp.store.fs.write import make_parents, replace_file
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.state.sessions_db import SessionDb

_TAUGHT: Final = (GateCode.SCOPE_VIOLATION, GateCode.CONTRACT_DRIFT)
"""The refusals that become lessons."""

_LESSONS_LOCK: Final = "lessons.lock"
A_SESSION: Final = 10
"""The most lessons that one session adds."""

_ATTEMPTS: Final = 3


class AuditEvent(Struct, frozen=True, kw_only=True):
    """A call, save or file operation for the audit log: its tool, session, intent and files.

    `program` is the program that decided how the call's command was judged (`rm` for `cd src && rm
    a.py`), or None without a command or if its name may hold a secret. `model` is the agent's
    model, or None if unknown.
    """

    tool: str
    session_id: str
    intent_id: str | None
    paths: tuple[WorkspacePath, ...] = ()
    program: str | None = None
    model: str | None = None


class Taught(Struct, frozen=True):
    """A lessons file's bytes before (None: no file) and after one lesson is added."""

    before: bytes | None
    after: bytes


class Lessons:
    """Writes the lessons of one root: what went wrong, for agents to read."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._lock = RootLock(stores.root / LOCAL_ROOM / _LESSONS_LOCK)

    def learn(self, name: str, session_id: str, lesson: Lesson) -> bool:
        """Add a lesson to the file `name`, relative to the root. Return whether it was added.

        A missing file is created. Exception: if a missing file is one of `LESSONS_FILES` and
        `AGENTS.md` exists, the lesson is added to `AGENTS.md`.

        The lesson is not added if `name` is no valid path, without a session database, or if the
        session has already added A_SESSION lessons. Nor is it added if the file is not text, has
        the lesson already, or keeps being changed by somebody else. Errors of reading or writing
        are logged.
        """
        path, state = parse_relative(name), self._stores.state
        if path is None or state is None:
            return False
        learnt = False
        with step(f"a lesson for {name}"):
            path = self._meant(path)
            # Most lessons are known already: find that out without waiting for the lock.
            if self._taught(path, lesson) is None:
                return False
            # Two processes may add lessons at the same time: read the file again under the lock.
            with self._lock.held():
                new = self._taught(path, lesson) is not None
                if new and state.notes.count_lesson(session_id, at_most=A_SESSION):
                    learnt = self._write(path, lesson, state)
        return learnt

    def close(self) -> None:
        """Close the file of the lock that guards the lessons."""
        self._lock.close()

    def _meant(self, path: WorkspacePath) -> WorkspacePath:
        """Return the file for a lesson: `path`, or `AGENTS.md` if only that exists.

        A `path` that is none of `LESSONS_FILES` is always kept.
        """
        root = self._stores.root
        if path not in LESSONS_FILES or holds_file(root / path):
            return path
        return WorkspacePath(AGENTS_FILE) if holds_file(root / AGENTS_FILE) else path

    def _taught(self, path: WorkspacePath, lesson: Lesson) -> Taught | None:
        """Return the file's bytes before and after the lesson is added.

        Return None if the file already has the lesson or is not text.
        """
        data = files.read_bytes(self._stores.root / path)
        text = decode(LESSONS.encode() if data is None else data)
        if text is None:
            return None
        taught = with_lesson(text.text, lesson_line(lesson))
        return None if taught is None else Taught(data, text.encode(taught))

    def _write(self, path: WorkspacePath, lesson: Lesson, state: SessionDb) -> bool:
        full = self._stores.root / path
        for _ in range(_ATTEMPTS):
            taught = self._taught(path, lesson)
            if taught is None:
                return False
            # Note the hash before writing: a watcher that sees the new bytes must know them as
            # ours.
            state.note_own_write(path, hash_content(taught.after))
            with suppress(FileChangedError):
                if taught.before is None:
                    make_parents(full, root=self._stores.root)
                replace_file(full, taught.after, root=self._stores.root, expected=taught.before)
                return True
        return False


class AuditLog(Struct, frozen=True, kw_only=True):
    """Writes for one root `governance_ledger.md`, the intents' history, and the lessons files."""

    stores: Stores
    history: History
    lessons: Lessons

    def denied(self, told: AuditEvent, refusal: Denied, *, teach: bool = True) -> None:
        """Log a refused call or save in `governance_ledger.md`.

        With `teach`, also write a lesson about a SCOPE_VIOLATION or CONTRACT_DRIFT.
        """
        self._enter(told, CallStatus.DENIED)
        if teach and refusal.code in _TAUGHT:
            self._teach(told, refusal.code, path=_blamed(refusal))

    def admitted(self, told: AuditEvent) -> None:
        """Log an allowed call before it is carried out, in the history of its intent."""
        self.history.note(told.intent_id, f"PRE_HOOK {told.tool}")

    def done(self, told: AuditEvent, *, error: str | None) -> None:
        """Log a call that was carried out, in `governance_ledger.md` and in the intent's history.

        `error` is why it failed, or None. A failure also becomes a lesson.
        """
        self._ended(told, error)
        if error is not None:
            path = next(iter(told.paths), None)
            self._teach(told, LessonCode.MUTATION_FAILED, path=path, error=error)

    def attempted(self, told: AuditEvent, *, error: str | None) -> bool:
        """Log an agent's attempt to complete its work. Return whether a lesson was added.

        `error` is why the attempt failed, or None if it succeeded. A lesson is added only about a
        failure, and not if it is known already.
        """
        self._ended(told, error)
        return error is not None and self._teach(told, LessonCode.COMPLETION_FAILED, error=error)

    def violated(self, told: AuditEvent, path: WorkspacePath) -> None:
        """Write a lesson about a call that changed the file `path` outside its intent's scope."""
        self._teach(told, GateCode.SCOPE_VIOLATION, path=path)

    def saved(self, told: AuditEvent) -> None:
        """Queue an entry about an editor's recorded save or file operation for the history."""
        self.history.note_later(told.intent_id, f"POST_HOOK {told.tool} {CallStatus.OK}")

    def failed_verification(self, told: AuditEvent) -> bool:
        """Write a lesson about a failed verification. Return whether the lesson was added."""
        return self._teach(told, LessonCode.VERIFICATION_FAILED)

    def _ended(self, told: AuditEvent, error: str | None) -> None:
        status = CallStatus.OK if error is None else CallStatus.FAILED
        self._enter(told, status)
        self.history.note(told.intent_id, f"POST_HOOK {told.tool} {status}")

    def _enter(self, told: AuditEvent, status: CallStatus) -> None:
        policy = self.stores.rules.current().policy
        entry = GovernanceEntry(
            at=timestamp(self.stores.clock()),
            status=status,
            tool=told.tool,
            intent_id=told.intent_id,
            session_id=shown_session(told.session_id, policy),
            model=told.model or "unknown",
            revision=self.stores.revision(),
            touched_paths=told.paths,
            constraints=policy.architectural_constraints,
        )
        with step("the governance ledger"):
            append_text(self.stores.root / GOVERNANCE_LEDGER, governance_line(entry))

    def _teach(
        self,
        told: AuditEvent,
        code: GateCode | LessonCode,
        *,
        path: WorkspacePath | None = None,
        error: str | None = None,
    ) -> bool:
        """Write a lesson into the file that the policy names. Return whether the lesson was added.

        `Lessons.learn` says when a lesson is not added.
        """
        policy = self.stores.rules.current().policy
        verified = code is LessonCode.VERIFICATION_FAILED
        name = policy.lessons_verification if verified else policy.lessons_violations
        lesson = Lesson(
            at=timestamp(self.stores.clock()),
            code=code.value,
            tool=told.tool,
            path=path,
            program=told.program,
            error=error,
        )
        return self.lessons.learn(name, told.session_id, lesson)


def _blamed(refusal: Denied) -> WorkspacePath | None:
    """Return the first path that a refusal is about, or None if it is about none.

    For CONTRACT_DRIFT it is the entry of `.orchestration/` that is wrong, not the edited file.
    """
    drifted = refusal.details.get("violations")
    if isinstance(drifted, list) and drifted:
        return WorkspacePath(drifted[0]["path"])
    return next(iter(refusal.paths), None)
