"""Lessons: what went wrong, put down where agents look before they work (section 9).

Invariant: a file that nobody made is not made here; what people wrote in it stays.
Invariant: a session gives a few lessons, not a flood; each text stands once.
"""

from typing import Final

from intent_lsp.core.content import decode, hash_content
from intent_lsp.core.errors import FileChangedError
from intent_lsp.core.lessons import Lesson, lesson_line
from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.formats.lessons_md import with_lesson
from intent_lsp.governance.steps import step
from intent_lsp.governance.stores import Stores
from intent_lsp.store import files

A_SESSION: Final = 10
"""Lessons that one session gives at most."""

_ATTEMPTS: Final = 3


class Lessons:
    """The lessons of one root."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def learn(self, name: str, session_id: str, lesson: Lesson) -> bool:
        """Put a lesson into the file of a root-relative name; whether it is new and stands there.

        Not in a file that does not exist, that is no text, or that another keeps changing.
        """
        path, state = parse_relative(name), self._stores.state
        if path is None or state is None:
            return False
        with step(f"a lesson for {name}"):
            for _ in range(_ATTEMPTS):
                try:
                    return self._learn(path, session_id, lesson)
                except FileChangedError:
                    continue
        return False

    def _learn(self, path: WorkspacePath, session_id: str, lesson: Lesson) -> bool:
        full, state = self._stores.root / path, self._stores.state
        data = files.read_bytes(full)
        text = None if data is None else decode(data)
        if data is None or text is None or state is None:
            return False
        taught = with_lesson(text.text, lesson_line(lesson))
        if taught is None or not state.notes.count_lesson(session_id, at_most=A_SESSION):
            return False
        written = text.encode(taught)
        # Noted first: whoever sees the new bytes must know them as ours.
        state.note_own_write(path, hash_content(written))
        files.replace_file(full, written, root=self._stores.root, expected=data)
        return True
