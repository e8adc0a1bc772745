"""The server's own edits of the intents file, as small as possible (requirements section 3).

Invariant: a change by somebody else that was not read is not overwritten.
Invariant: the hash of our new text is stored before the file changes, so that the change counts as
ours; without a session database it is not stored.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from intent_lsp.core.content import Text, decode, hash_content
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
"""Returns the edit for a text of the file, which comes without its byte order mark."""

Then = Callable[[], None]
"""Called after an edit, while the lock still keeps other edits out."""

UNSAVED: Final = "the file is open in an editor with unsaved changes"
_ATTEMPTS: Final = 3


class IntentsWriter:
    """Edits the intents file of one root."""

    def __init__(self, stores: Stores, lock: RootLock | None) -> None:
        self.stores = stores
        self._lock = lock

    def change(
        self, edit: MakeEdit, *, unsaved_file: bool, then: Then = lambda: None
    ) -> str | None:
        """Apply an edit to the intents file. Return None on success, else why it was not applied.

        `edit` returns the edit for the file's text, or a refusal; if the file changes meanwhile, it
        is called again, `_ATTEMPTS` times in all. `unsaved_file`: an editor has unsaved text of the
        file, so the edit is refused. `then` is called after a successful edit, under the lock.
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
            return f"the file could not be written: {error}"

    def close(self) -> None:
        """Close the file of the lock that guards the intents file."""
        if self._lock is not None:
            self._lock.close()

    def _change(self, edit: MakeEdit) -> str | None:
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._attempt(edit)
            except FileChangedError:
                # Somebody changed the file in between: make the edit again for its new text.
                continue
        # The last attempt raises FileChangedError to `change`, which returns it as the reason.
        return self._attempt(edit)

    def _attempt(self, edit: MakeEdit) -> str | None:
        root = self.stores.root
        found = text_on_disk(root)
        if isinstance(found, EditRefused):
            return found.reason
        data, text = found
        changes = edit(text.text)
        if isinstance(changes, EditRefused):
            return changes.reason
        if not changes:
            return None
        written = text.encode(apply_changes(text.text, changes))
        # Note the hash before writing: a watcher that sees the new bytes must know them as ours.
        if self.stores.state is not None:
            self.stores.state.note_own_write(INTENTS_FILE, hash_content(written))
        replace_file(root / INTENTS_FILE, written, root=root, expected=data)
        return None


def text_on_disk(root: Path) -> tuple[bytes, Text] | EditRefused:
    """Return the bytes and the text of a root's intents file, or why it cannot be edited.

    Raise OSError if the file exists but cannot be read.
    """
    data = files.read_bytes(root / INTENTS_FILE)
    text = None if data is None else decode(data)
    if data is None or text is None:
        return EditRefused("the file is missing or is not UTF-8 text")
    return data, text
