"""Edits that put a file back as it was before it was changed out of bounds (decision 0006).

Invariant: only a file whose newest record is a `FAIL` can be put back.
"""

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.stores import Stores


class PuttingBack:
    """Tells of one root's files whether an edit puts them back."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents

    def is_violated(self, path: WorkspacePath) -> bool:
        """Whether a file was changed out of bounds by its newest record."""
        newest = self._stores.past.newest(path)
        return newest is not None and newest.scope_validation is ScopeValidation.FAIL

    def puts_back(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        """Whether a file (`new` None: gone) is what it was before its violation, or as in HEAD."""
        newest = self._stores.past.newest(path)
        if newest is None or newest.scope_validation is not ScopeValidation.FAIL:
            return False
        before = next((file.pre_hash for file in newest.files if file.path == path), None)
        return new == before or new == self._contents.head(path).hash
