"""Lessons: what went wrong, written where agents read it before they work.

Specified in requirements section 9.

Invariant: no file is created before there is a lesson for it, and people's text in it stays.
Invariant: a session adds a limited number of lessons, and none to a file that has it already.
"""

from contextlib import suppress
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.lessons import Lesson, lesson_line
from intent_lsp.core.content import decode, hash_content
from intent_lsp.core.errors import FileChangedError
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath, parse_relative
from intent_lsp.core.policy import AGENTS_FILE, LESSONS_FILES
from intent_lsp.formats.markdown.lessons import LESSONS, with_lesson
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files
from intent_lsp.store.fs.tree_reader import holds_file
from intent_lsp.store.fs.write import make_parents, replace_file
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.state.sessions_db import SessionDb

LOCK_NAME: Final = "lessons.lock"
A_SESSION: Final = 10
"""The most lessons that one session adds."""

_ATTEMPTS: Final = 3


class Taught(Struct, frozen=True):
    """A lessons file's bytes before (None: no file) and after one lesson is added."""

    before: bytes | None
    after: bytes


class Lessons:
    """Writes the lessons of one root: what went wrong, for agents to read."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._lock = RootLock(stores.root / LOCAL_ROOM / LOCK_NAME)

    def learn(self, name: str, session_id: str, lesson: Lesson) -> bool:
        """Add a lesson to the file `name`, relative to the root. Return whether it was added.

        A missing file is created; but if it is one of `LESSONS_FILES` and `AGENTS.md` exists, that
        is taken. The lesson is not added if `name` is no valid path, if the file is not text,
        already has the lesson, or keeps being changed by somebody else, if the session has added
        its limit of lessons, or without a session database. Errors of reading or writing are
        logged.
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
