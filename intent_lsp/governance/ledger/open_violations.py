"""The violations that stand in a root: what a record called `FAIL`, and nobody has changed since.

Invariant: what was put back, edited again or accepted by a later record is none of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.tree_reader import read_in

RECORDS_ASKED: Final = 500
"""Records out of bounds, the newest, that are looked through."""


@dataclass(frozen=True, slots=True)
class OpenViolation:
    """A file that holds what it was not to hold, and the record that tells of it."""

    path: WorkspacePath
    record: Record


def open_violations(stores: Stores) -> Iterator[OpenViolation]:
    """Give the violations that stand, the newest first."""
    seen: set[WorkspacePath] = set()
    for record in stores.past.newest_violations(RECORDS_ASKED):
        for path in record.left():
            if path in seen:
                continue
            seen.add(path)
            standing = stores.past.standing_violations(path)
            left = standing[0].left() if standing else {}
            if path in left and hash_if_there(read_in(stores.root, path)) == left[path]:
                yield OpenViolation(path, standing[0])
