"""The server's own edits of the intents file: the smallest, or none (requirements section 3).

Invariant: a change that somebody else made is never written over; of ours none gets lost.
Invariant: who sees the new bytes can know them as ours.
"""

from collections.abc import Callable
from typing import Final

from intent_lsp.core.content import decode, hash_content
from intent_lsp.core.errors import FileChangedError, IntentLspError
from intent_lsp.core.findings import TextChange
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.intents.edit import EditRefused, apply_changes
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files
from intent_lsp.store.fs.write import replace_file
from intent_lsp.store.locks.root_lock import RootLock, holding

IntentsEdit = tuple[TextChange, ...] | EditRefused
MakeEdit = Callable[[str], IntentsEdit]
"""Makes the edit for a text of the file, without its byte order mark."""

Then = Callable[[], None]
"""What is to be noted of an edit while nobody else can make one."""

UNSAVED: Final = "the file is open with unsaved text"
_ATTEMPTS: Final = 3


class IntentsWriter:
    """Edits the intents file of one root."""

    def __init__(self, stores: Stores, lock: RootLock | None) -> None:
        self._stores = stores
        self._lock = lock

    def change(
        self, edit: MakeEdit, *, unsaved_file: bool, then: Then = lambda: None
    ) -> str | None:
        """Make an edit; None: the file now says so. Else why it does not, as a sentence's end.

        `unsaved_file`: an editor holds unsaved text of the file. `then` is done after it is made.
        """
        if unsaved_file:
            return UNSAVED
        try:
            with holding(self._lock):
                refused = self._change(edit)
                if refused is None:
                    then()
                return refused
        except (OSError, IntentLspError) as error:
            return f"could not be written: {error}"

    def close(self) -> None:
        """Let go of the lock's file."""
        if self._lock is not None:
            self._lock.close()

    def _change(self, edit: MakeEdit) -> str | None:
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._attempt(edit)
            except FileChangedError:
                # A person was quicker: made anew for what the file says now.
                continue
        return self._attempt(edit)

    def _attempt(self, edit: MakeEdit) -> str | None:
        path = self._stores.root / INTENTS_FILE
        data = files.read_bytes(path)
        text = None if data is None else decode(data)
        if data is None or text is None:
            return "it cannot be read"
        changes = edit(text.text)
        if isinstance(changes, EditRefused):
            return changes.reason
        if not changes:
            return None
        written = text.encode(apply_changes(text.text, changes))
        # Noted first: whoever sees the new bytes must know them as ours.
        if self._stores.state is not None:
            self._stores.state.note_own_write(INTENTS_FILE, hash_content(written))
        replace_file(path, written, root=self._stores.root, expected=data)
        return None
