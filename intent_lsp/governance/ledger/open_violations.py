"""The open violations of a root: files that a `FAIL` record left and nobody has changed since.

Invariant: a file is no open violation if it is not as its newest violation left it, or if a later
record of it broke no rule.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.tree_reader import read_in

RECORDS_ASKED: Final = 500
"""The most records of violations and failed edits that are searched, newest first."""


class OpenViolation(Struct, frozen=True):
    """A file whose present content, or absence, breaks a rule, and the record of the violation."""

    path: WorkspacePath
    record: Record


def open_violations(stores: Stores) -> Iterator[OpenViolation]:
    """Yield the open violations of a root, newest first.

    They are searched among the files of the RECORDS_ASKED newest records whose verdict is `FAIL` or
    whose edit failed.
    """
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
