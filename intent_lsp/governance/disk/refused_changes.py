"""Finds changes on disk that are an edit which was refused to an agent a moment before.

Invariant: a content that a record has left before is nobody's disobedience.
"""

from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.refused_edits import RefusedEdit
from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.content import ContentHash
from intent_lsp.governance.disk.disk_events import DiskChange
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores

_NEW_FILE: Final = b""


class RefusedChanges(Struct, frozen=True):
    """The refused edits of one root, compared with changes that nobody reported."""

    stores: Stores

    def made_by(self, change: DiskChange, ticket: Ticket | None) -> ContentHash | None:
        """Return the hash of the refused call that a change carries out, and note that it was made.

        Return None if none is found, and for a deletion, a change that an allowed call may have
        made (`ticket`), and a content that a record has left before.
        """
        state = self.stores.state
        if state is None or ticket is not None or change.new is None:
            return None
        with step("what was refused to agents"):
            lately = state.refusals.lately(change.path, self.stores.clock())
            found = next((each for each in lately if self._is(each, change)), None)
            if found is not None and not self.stores.past.has_left(change.path, change.new):
                state.refusals.note_made(found)
                return found.call
        return None

    def _is(self, edit: RefusedEdit, change: DiskChange) -> bool:
        created = change.old.known and change.old.hash is None
        before = _NEW_FILE if created else change.old.data
        return edit.appears(change.new, before, change.data)
