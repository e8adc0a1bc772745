"""The stores of one governed root, opened together.

Invariant: without a writable `.orchestration/.local/`, governance continues without saved state.
Invariant: `LedgerHistory` raises nothing if the ledger cannot be read. It logs the problem, and not
again as long as the same problem lasts.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct, field

from intent_lsp.core.content import ContentHash, decode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION, Record, ScopeValidation
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.root.syntax_tree_cache import SyntaxTreeCache
from intent_lsp.store.fs.tree_reader import KnownFiles
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query, TouchedFiles, TouchMark
from intent_lsp.store.ledger.index.work_queries import (
    count_of,
    newest_moments,
    not_passing_since,
    touched_by,
)
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.state.blob_cache import BlobCache
from intent_lsp.store.state.drafts import Drafts
from intent_lsp.store.state.notes import AgentInfo
from intent_lsp.store.state.sessions_db import SessionDb

_T = TypeVar("_T")

_ASKED: Final = 200
"""The most records of one file that are searched for a content."""


class LedgerHistory:
    """Queries of one root's ledger index. Each returns a default if the ledger cannot be read."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._said: str | None = None
        self._failures = 0

    def newest(self, path: WorkspacePath) -> Record | None:
        """Return the newest record of a path, or None. A rename counts for both of its paths."""
        return self._told(lambda: self._index.newest_for_path(path), None)

    def newest_passes(self, path: WorkspacePath) -> bool:
        """Return whether the newest record of a path is passing, or there is no record.

        Passing: its edit happened and its verdict is not FAIL. False if the ledger cannot be read.
        This is a quick query.
        """
        return self._told(lambda: self._index.newest_passes(path), False)  # noqa: FBT003 - the default

    def standing_violations(self, path: WorkspacePath) -> tuple[Record, ...]:
        """Return a path's violations since its last record that broke no rule, newest first.

        Only the 200 newest records are searched. Records of calls that failed without changing the
        file are skipped.
        """
        found = (each for each in self._newest(path) if not _came_to_nothing(each, path))
        return tuple(takewhile(lambda each: each.scope_validation is ScopeValidation.FAIL, found))

    def newest_violations(self, limit: int) -> tuple[Record, ...]:
        """Return the newest records whose verdict is FAIL or whose edit failed, at most `limit`."""
        query = Query(passing=False)
        return self._told(lambda: self._index.query(query, limit=limit).records, ())

    def newest_passing(self, path: WorkspacePath) -> Record | None:
        """Return a path's newest record with an edit that happened and no FAIL verdict, or None."""
        return self._told(lambda: self._index.newest_passing_for_path(path), None)

    def has_left(self, path: WorkspacePath, hash_: ContentHash) -> bool:
        """Return whether one of the 200 newest records of a path left it with this content."""
        return any(
            file.post_hash == hash_
            for each in self._newest(path)
            for file in each.files
            if file.path == path
        )

    def left_last(self, path: WorkspacePath, hash_: ContentHash | None) -> bool:
        """Return whether a path's newest record left it with this content.

        None stands for a file that was deleted or renamed away. False without a record.
        """
        newest = self.newest(path)
        left = {} if newest is None else newest.left()
        return path in left and left[path] == hash_

    def is_none_since(self, moment: str) -> bool:
        """Return whether no record was made at or after the RFC 3339 time `moment`.

        False if the ledger cannot be read.
        """
        query = Query(since=moment)
        return self._told(lambda: not self._index.query(query, limit=1).records, False)  # noqa: FBT003 - the default

    def of_intent(self, intents: Intents, intent: Intent, *, limit: int) -> tuple[Record, ...]:
        """Return an intent's newest records, at most `limit`, those under its earlier ids included.

        An earlier id that another one of `intents` uses now is left out.
        """
        query = Query(intent_ids=intents.names(intent))
        return self._told(lambda: self._index.query(query, limit=limit).records, ())

    def grants(self, names: Collection[str], *, limit: int) -> tuple[Record, ...] | None:
        """Return at most `limit` records, the newest, that grant scope to any of the ids `names`.

        Return None if the ledger cannot be read.
        """
        query = Query(intent_ids=names, grants=True)
        return self._told(lambda: self._index.query(query, limit=limit).records, None)

    def count(self) -> int:
        """Return the number of records; 0 if the ledger cannot be read."""
        return self._told(self._index.count, 0)

    def counts(self) -> Mapping[str, int]:
        """Return the number of records for each intent id that a record names."""
        return self._told(self._index.counts, {})

    def count_of(self, intents: Intents, intent: Intent) -> int:
        """Return how many records `of_intent` would return without a limit."""
        names = intents.names(intent)
        return self._told(lambda: self._index.work(lambda it: count_of(it, names)), 0)

    def touched_by(self, names: Collection[str], *, limit: int) -> tuple[WorkspacePath, ...]:
        """Return files that records of the intent ids `names` touched, at most `limit`."""
        index = self._index
        return self._told(lambda: index.work(lambda it: touched_by(it, names, limit)), ())

    def not_passing_since(self, time: str, *, limit: int) -> Mapping[WorkspacePath, int]:
        """Return the files of records since `time` that do not pass.

        A record does not pass if its verdict is FAIL or its edit failed. Each file comes with the
        moment of its newest such record, an integer that grows with time. `time` is an RFC 3339
        time. At most `limit` files are returned, those of the newest records.
        """
        index = self._index
        return self._told(lambda: index.work(lambda it: not_passing_since(it, time, limit)), {})

    def newest_moments(self) -> Mapping[str, int]:
        """Return for each intent id the moment of its newest passing record.

        Passing: its edit happened and its verdict is not FAIL. A moment is an integer that grows
        with time.
        """
        return self._told(lambda: self._index.work(newest_moments), {})

    def touched_files(self, since: TouchMark | None) -> TouchedFiles | None:
        """Return the newest record of each intent for each file that it touched since a mark.

        A mark comes from an earlier result. Without a mark, or with one that no longer fits the
        ledger, all touched files are returned. Return None if the ledger cannot be read.
        """
        return self._told(lambda: self._index.touched_files(since), None)

    def heads(self) -> tuple[str, ...]:
        """Return the hashes of the ledger's heads: the records that no later record follows."""
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
        # Another thread's query may have failed after this one started: then this success does not
        # show that the ledger is readable now.
        if self._said is not None and failures == self._failures:
            self._said = None
            _log.warning("the ledger can be read again")
        return found


_log: Final = logging.getLogger(__name__)


class Stores(Struct, frozen=True, kw_only=True, dict=True):
    """Every store of a root, and its `rules`.

    `state` and `gate_lock` are None without a writable `.local/`. Under `gate_lock`, agents' calls
    are judged and recorded. `open_git` opens the git repository that contains a directory. `trees`
    caches the syntax trees used last. `past` queries the ledger, with defaults if it cannot be
    read. `coming_saves` has for each file the text that an editor of this process is about to save
    or has just saved.
    """

    root: Path
    rules: RulesCache
    ledger: Ledger
    state: SessionDb | None
    drafts: Drafts
    snapshots: BlobCache
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    gate_lock: RootLock | None = None
    open_git: Callable[[Path], Git | None] = Git.open
    trees: SyntaxTreeCache = field(default_factory=SyntaxTreeCache)
    coming_saves: dict[WorkspacePath, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Create the attributes that several threads use, before a second thread runs."""
        _ = self.known_files, self.past

    @cached_property
    def git(self) -> Git | None:
        """The repository around the root, or None if there is none.

        It is opened when it is first needed: many edits are judged without git, and loading
        libgit2 takes longer than judging them.
        """
        return self.open_git(self.root)

    @cached_property
    def known_files(self) -> KnownFiles:
        """What is known of each file; all users of these stores share it."""
        return KnownFiles(self.root)

    @cached_property
    def past(self) -> LedgerHistory:
        """The queries of the ledger; all users of these stores share this object."""
        return LedgerHistory(self.ledger.index)

    def problem(self) -> str | None:
        """Return why `state` cannot be kept on disk; None if it can, or if `state` is None."""
        return None if self.state is None else self.state.problem()

    def last_problem(self) -> str | None:
        """Return why `state` could not be kept on disk when it was last used, or None."""
        return None if self.state is None else self.state.last_problem

    def content(self, hash_: ContentHash) -> bytes | None:
        """Return the content with a hash from an open ticket or the blob cache, or None."""
        kept = None if self.state is None else self.state.tickets.content(hash_)
        return self.snapshots.get(hash_) if kept is None else kept

    def agent_info(self, session_id: str, agent_id: str) -> AgentInfo:
        """Return what is stored of what an agent said of itself; an empty AgentInfo if nothing is.

        Return an empty one too without a session database, or if the database cannot be read.
        """
        if self.state is not None:
            with step("the agent's description of itself"):
                return self.state.notes.voice(session_id, agent_id)
        return AgentInfo()

    def end_runs(
        self, paths: Collection[WorkspacePath] | None = None, *, idle_since: str | None = None
    ) -> None:
        """End open runs of automatic saves and append their records. A failure is only logged.

        A run is several saves of a file that become one record. `paths` None means all files.
        `idle_since`: end only runs without a save since that time.
        """
        try:
            self.ledger.end_runs(paths, idle_since=idle_since)
        except IntentLspError as problem:
            _log.warning("an open run of saves waits for the ledger: %s", problem)

    def is_coming_save(self, path: WorkspacePath, data: bytes | None) -> bool:
        """Return whether an editor is about to save `data` or has just saved it; False for None."""
        coming = self.coming_saves.get(path)
        held = None if coming is None or data is None else decode(data)
        return held is not None and held.text == coming

    def revision(self) -> str:
        """Return the checked-out commit in the form that records use; UNKNOWN if there is none."""
        return (self.git.head_commit() if self.git is not None else None) or UNKNOWN_REVISION


def _came_to_nothing(record: Record, path: WorkspacePath) -> bool:
    """Return whether a record is of a failed call that did not change the file `path`."""
    touched = (file for file in record.files if path in (file.path, file.previous))
    return not record.success and all(
        file.pre_hash == file.post_hash and file.previous is None for file in touched
    )
