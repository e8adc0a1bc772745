"""Lessons: what went wrong, put down where agents look before they work (requirements section 9).

Invariant: no file is made before there is a lesson for it; what people wrote in one stays.
Invariant: a session gives a few lessons, not a flood; each text stands once.
"""

from dataclasses import dataclass
from typing import Final

from intent_lsp.core.agents.lessons import Lesson, lesson_line
from intent_lsp.core.content import decode, hash_content
from intent_lsp.core.errors import FileChangedError
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath, parse_relative
from intent_lsp.core.policy import AGENTS_FILE, LESSONS_FILES
from intent_lsp.formats.intents.templates import LESSONS
from intent_lsp.formats.markdown.lessons import with_lesson
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files
from intent_lsp.store.fs.tree_reader import holds_file
from intent_lsp.store.fs.write import make_parents, replace_file
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.state.sessions_db import SessionDb

LOCK_NAME: Final = "lessons.lock"
A_SESSION: Final = 10
"""Lessons that one session gives at most."""

_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class Taught:
    """A file's bytes as they are (None: there is none), and with one lesson more."""

    before: bytes | None
    after: bytes


class Lessons:
    """The lessons of one root."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._lock = RootLock(stores.root / LOCAL_ROOM / LOCK_NAME)

    def learn(self, name: str, session_id: str, lesson: Lesson) -> bool:
        """Put a lesson into the file of a root-relative name; whether it is new and stands there.

        The file is made where it is missing; not touched if it is not text, or if another keeps
        changing it.
        """
        path, state = parse_relative(name), self._stores.state
        if path is None or state is None:
            return False
        learnt = False
        with step(f"a lesson for {name}"):
            path = self._meant(path)
            if self._taught(path, lesson) is None:
                return False
            # Of two desks that teach at once, the second adds to what the first has written.
            with self._lock.held():
                taught = self._taught(path, lesson)
                new = taught is not None
                if new and state.notes.count_lesson(session_id, at_most=A_SESSION):
                    learnt = self._write(path, lesson, taught, state)
        return learnt

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()

    def _meant(self, path: WorkspacePath) -> WorkspacePath:
        """Give the file for a lesson: an `AGENTS.md` in place of one that nobody named or made."""
        root = self._stores.root
        if path not in LESSONS_FILES or holds_file(root / path):
            return path
        return WorkspacePath(AGENTS_FILE) if holds_file(root / AGENTS_FILE) else path

    def _taught(self, path: WorkspacePath, lesson: Lesson) -> Taught | None:
        """Give the file as it is and with the lesson; None: it is there, or cannot be."""
        data = files.read_bytes(self._stores.root / path)
        text = decode(LESSONS.encode() if data is None else data)
        if text is None:
            return None
        taught = with_lesson(text.text, lesson_line(lesson))
        return None if taught is None else Taught(data, text.encode(taught))

    def _write(
        self, path: WorkspacePath, lesson: Lesson, taught: Taught | None, state: SessionDb
    ) -> bool:
        for _ in range(_ATTEMPTS):
            if taught is None:
                return False
            # Noted first: whoever sees the new bytes must know them as ours.
            state.note_own_write(path, hash_content(taught.after))
            try:
                full = self._stores.root / path
                if taught.before is None:
                    make_parents(full, root=self._stores.root)
                replace_file(full, taught.after, root=self._stores.root, expected=taught.before)
            except FileChangedError:
                taught = self._taught(path, lesson)
            else:
                return True
        return False
