"""What the ledger tells of the past, as far as it can be read (requirements section 10).

Invariant: a ledger that cannot be read is logged, once until it can be, and stops no judgement, no
record and no answer.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from itertools import takewhile
from typing import Final, TypeVar

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.index.touched_files import Mark, TouchedFiles

_log: Final = logging.getLogger(__name__)

_T = TypeVar("_T")

_ASKED: Final = 200
"""Records of one file that are looked through for a content."""


class Past:
    """Asks the index of one root's ledger."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._said: str | None = None
        self._failures = 0

    def newest(self, path: WorkspacePath) -> Record | None:
        """Give the newest record that touched a path; None also where nobody can tell."""
        return self._told(lambda: self._index.newest_for_path(path), None)

    def newest_passes(self, path: WorkspacePath) -> bool:
        """Whether the newest record of a path broke no rule, or there is none; asked quickly."""
        return self._told(lambda: self._index.newest_passes(path), False)  # noqa: FBT003 - what is told otherwise

    def standing_violations(self, path: WorkspacePath) -> tuple[Record, ...]:
        """Give a path's newest records, as far as each broke a rule, the newest first.

        A call that failed without changing the file is none of them, and ends nothing.
        """
        found = (each for each in self._newest(path) if not _came_to_nothing(each, path))
        return tuple(takewhile(lambda each: each.scope_validation is ScopeValidation.FAIL, found))

    def newest_violations(self, limit: int) -> tuple[Record, ...]:
        """Give the newest records, of whatever file, that broke a rule."""
        query = Query(passing=False)
        return self._told(lambda: self._index.query(query, limit=limit).records, ())

    def newest_passing(self, path: WorkspacePath) -> Record | None:
        """Give the newest record of a path that happened and broke no rule."""
        return self._told(lambda: self._index.newest_passing_for_path(path), None)

    def has_left(self, path: WorkspacePath, hash_: ContentHash) -> bool:
        """Whether one of the newest records of a file has left it so."""
        return any(
            file.post_hash == hash_
            for each in self._newest(path)
            for file in each.files
            if file.path == path
        )

    def left_last(self, path: WorkspacePath, hash_: ContentHash | None) -> bool:
        """Whether the newest record of a file has left it so (None: gone)."""
        newest = self.newest(path)
        left = {} if newest is None else newest.left()
        return path in left and left[path] == hash_

    def is_none_since(self, moment: str) -> bool:
        """Whether no record is as young as an RFC 3339 time; False also where nobody can tell."""
        query = Query(since=moment)
        return self._told(lambda: not self._index.query(query, limit=1).records, False)  # noqa: FBT003 - what is told otherwise

    def of_intent(self, intents: Intents, intent: Intent, *, limit: int) -> tuple[Record, ...]:
        """Give an intent's newest records, under its earlier ids too.

        An earlier id that another of the `intents` has now gives nothing of that one.
        """
        query = Query(intent_ids=intents.names(intent))
        return self._told(lambda: self._index.query(query, limit=limit).records, ())

    def grants(self, names: Collection[str], *, limit: int) -> tuple[Record, ...] | None:
        """Give the newest grants of scope to an intent of these names; None: nobody can tell."""
        query = Query(intent_ids=names, grants=True)
        return self._told(lambda: self._index.query(query, limit=limit).records, None)

    def count(self) -> int:
        """Count the records; 0 also where nobody can tell."""
        return self._told(self._index.count, 0)

    def counts(self) -> Mapping[str, int]:
        """Count the records of each intent, by the id that they name."""
        return self._told(self._index.counts, {})

    def touched_files(self, since: Mark | None) -> TouchedFiles | None:
        """Give what each intent has touched since a mark, or ever; None: nobody can tell."""
        return self._told(lambda: self._index.touched_files(since), None)

    def heads(self) -> tuple[str, ...]:
        """Give the hashes of the records that no later record names."""
        return self._told(lambda: tuple(head.hash for head in self._index.heads()), ())

    def _newest(self, path: WorkspacePath) -> tuple[Record, ...]:
        query = Query(path=path)
        return self._told(lambda: self._index.query(query, limit=_ASKED).records, ())

    def _told(self, ask: Callable[[], _T], otherwise: _T) -> _T:
        failures = self._failures
        try:
            found = ask()
        except IntentLspError as problem:
            self._failures += 1
            if str(problem) != self._said:
                self._said = str(problem)
                _log.warning("the ledger cannot be read: %s", problem)
            return otherwise
        # An answer that was asked for before the last failure says nothing of what is now.
        if self._said is not None and failures == self._failures:
            self._said = None
            _log.warning("the ledger can be read again")
        return found


def _came_to_nothing(record: Record, path: WorkspacePath) -> bool:
    """Whether a call failed and left a file as it was."""
    touched = (file for file in record.files if path in (file.path, file.previous))
    return not record.success and all(
        file.pre_hash == file.post_hash and file.previous is None for file in touched
    )
