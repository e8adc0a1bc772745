"""Files to which lines of recorded ones may have come unseen (ledger section 5).

Invariant: where a file's records tell all of it, nothing has come there that they do not tell.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath
from intent_lsp.governance.ledger.file_lineage import PATHS_ASKED, RECORDS_ELSEWHERE, newest_first
from intent_lsp.store.fs.tree_reader import holds_file, read_in
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

FILES_HASHED: Final = 2_000
"""Files that are read at most to see whether their records tell all of them."""


@dataclass(slots=True)
class _Told:
    """What the newest records tell of a file: what they left of it, and what the first found."""

    left: set[ContentHash | None] = field(default_factory=set)
    first: ContentHash | None = None


def other_files(
    root: Path,
    index: Index,
    touched: Collection[WorkspacePath],
    known: Collection[WorkspacePath],
) -> tuple[WorkspacePath, ...]:
    """List files, besides those that are `known`, that may hold lines of those `touched`.

    Raises LedgerUnavailableError.
    """
    told: dict[WorkspacePath, _Told] = {}
    for record in islice(newest_first(index, Query()), RECORDS_ELSEWHERE):
        for file in record.files:
            each = told.setdefault(file.path, _Told())
            each.left.add(file.post_hash)
            each.first = file.pre_hash
    gone = [path for path in touched if not holds_file(root / path)]
    lost = {left for path in gone if path in told for left in told[path].left if left is not None}
    others = islice((path for path in told if path not in known), FILES_HASHED)
    recorded = (path for path in others if _may_hold(root, path, told[path], lost))
    return (*recorded, *_unrecorded(root, index, lost))


def _may_hold(root: Path, path: WorkspacePath, told: _Told, lost: Collection[ContentHash]) -> bool:
    """Whether somebody has changed a recorded file unseen, now or before its records begin."""
    today = _hash(root, path)
    return today is not None and (today not in told.left or told.first in lost)


def _unrecorded(root: Path, index: Index, lost: Collection[ContentHash]) -> Iterator[WorkspacePath]:
    """Give the files without records that are new, or hold what one that is gone was left with."""
    git = Git.open(root)
    if git is None:
        return
    recorded = frozenset(index.paths(limit=PATHS_ASKED))
    changed = (path for path in git.changed_paths() if not path.startswith(f"{CONTROL_ROOM}/"))
    new = dict.fromkeys(path for path in changed if path not in recorded)
    yield from (path for path in new if holds_file(root / path))
    without = (path for path in git.list_files() if path not in recorded and path not in new)
    found = islice(without, FILES_HASHED) if lost else ()
    yield from (path for path in found if _hash(root, path) in lost)


def _hash(root: Path, path: WorkspacePath) -> ContentHash | None:
    return hash_if_there(read_in(root, path))
