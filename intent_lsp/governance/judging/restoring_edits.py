"""Edits that put a file back as it was before it was changed out of bounds (decision 0006).

Invariant: only a file whose newest record is a `FAIL` can be put back.
"""

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import EntityType, Record, ScopeValidation
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.root.stores import Stores


class RestoringEdits:
    """Tells of one root's files whether an edit puts them back."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents

    def may_undo(self, path: WorkspacePath, *, deleting: bool) -> bool:
        """Whether to delete a file, or to give it what HEAD has, undoes its violations.

        They have to be agents' own, and the file must hold what they left: nothing of anybody else
        is lost by it.
        """
        if self._stores.past.newest_passes(path):
            return False
        violations = self._stores.past.standing_violations(path)
        if not violations or not all(map(_is_agents, violations)):
            return False
        if self._contents.hash_of(path) != _ends(violations[0], path)[1]:
            return False
        before = _ends(violations[-1], path)[0]
        return before == (None if deleting else self._contents.head(path).hash)

    def puts_back(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        """Whether a file (`new` None: gone) is what it was before its violation, or as in HEAD."""
        newest = self._stores.past.newest(path)
        if newest is None or newest.scope_validation is not ScopeValidation.FAIL:
            return False
        if new == _ends(newest, path)[0]:
            return True
        # What HEAD does not have either may have been somebody's, and not committed.
        return new is not None and new == self._contents.head(path).hash


def _is_agents(record: Record) -> bool:
    """Whether an agent made a change, and nobody else may have."""
    talks = [talk for file in record.files for talk in file.conversations]
    by_agents = all(talk.contributor.entity_type is EntityType.AI for talk in talks)
    return by_agents and not record.is_assumed


def _ends(record: Record, path: WorkspacePath) -> tuple[ContentHash | None, ContentHash | None]:
    """Give what a record says that a file held before and after it."""
    ends = ((file.pre_hash, file.post_hash) for file in record.files if file.path == path)
    return next(ends, (None, None))
