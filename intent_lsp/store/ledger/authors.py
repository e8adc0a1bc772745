"""The authors of records: the author of the first commit that contains a record (ledger section 5).

Invariant: nothing is written or fetched, and a record without a certain author gets none.
Invariant: a commit that only moves a record to another file does not count for it.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import logging
import math
import re
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from intent_lsp.store.git.gitdir import common_directory, prefix_of, shallow_commits, work_tree_top
from intent_lsp.store.git.objects import author_name, blob_lines, blob_size, discover
from intent_lsp.store.git.reachable import reachable
from intent_lsp.store.ledger.blobs import COMMITS_AT_MOST, LedgerBlob, ledger_blobs

_log: Final = logging.getLogger(__name__)

READ_AT_MOST: Final = 128 * 1024 * 1024
"""Bytes of old ledgers after which one call stops. The next one searches for remaining records."""

COMMITS_ASKED: Final = 100
"""How many commits are searched for one record: the oldest that are not older than the record."""

CLOCKS_DIFFER: Final = timedelta(minutes=5)
"""How much later than its commit a record may be timestamped, since clocks differ."""

_IDS: Final = re.compile(rb'"id"\s*:\s*"([^"\\]+)"')


class LedgerAuthors:
    """Finds the authors of the commits in HEAD's history that added a root's ledger records.

    Thread-safe.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._head = ""
        self._known: dict[str, str] = {}
        self._missed: set[str] = set()

    def of(self, made: Mapping[str, str]) -> Mapping[str, str]:
        """Return the author's name for each record whose author is found, by record id.

        `made` maps record ids to their timestamps. Authors are cached. One call reads at most about
        `READ_AT_MOST` bytes. A record that it has not reached by then is searched for by the next
        call, one that was searched for and not found only after HEAD has moved. Errors of git are
        logged; then only cached authors are returned.
        """
        with self._lock:
            try:
                self._look_for(made)
            except Exception as problem:  # noqa: BLE001 - libgit2 raises many types for damage
                _log.info("%s: who committed records cannot be told: %r", self._root, problem)
            return {each: self._known[each] for each in made if each in self._known}

    def _look_for(self, made: Mapping[str, str]) -> None:
        """Find and cache the authors of those records that the cache lacks.

        `made` maps record ids to their timestamps. Records that were searched for without success
        since HEAD last moved are skipped. Do nothing without a repository or a commit.
        """
        repository = discover(self._root)
        if repository is None or repository.head_is_unborn:
            return
        head = str(repository.head.peel().id)
        if head != self._head:
            self._head = head
            self._missed.clear()
        asked = [each for each in made if each not in self._known and each not in self._missed]
        if asked:
            times = {each: _seconds(made[each]) for each in asked}
            prefix = prefix_of(self._root, work_tree_top(self._root, Path(repository.workdir)))
            history = _History(repository, prefix, head, times, READ_AT_MOST)
            self._known |= history.authors()
            self._missed |= history.missed()


class _History(Struct):
    """A search in HEAD's history for the commits that first contain some records.

    `prefix` is the root relative to the git top level, and `head` the id of HEAD's commit. `times`
    maps the records' ids to their timestamps in seconds. `bytes_left` is how much may still be
    read. `read` maps the id of each blob read to the sought records in it, and `found` maps each
    record found to its author's name. `looks` counts in how many commits each record was sought.
    """

    repository: Any
    prefix: str
    head: str
    times: dict[str, float]
    bytes_left: int
    read: dict[str, frozenset[str]] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    looks: Counter[str] = field(default_factory=Counter)

    def authors(self) -> Mapping[str, str]:
        """Search the commits, oldest first, and return the author's name of each record found.

        Stop when more than the permitted bytes have been read. A record whose author has no name is
        left out.
        """
        for commit in reversed(self._changing()):
            if self.bytes_left < 0:
                break
            held = self._first_in(commit)
            if held:
                self.found |= dict.fromkeys(held, author_name(self.repository, commit))
        return {record_id: name for record_id, name in self.found.items() if name}

    def missed(self) -> AbstractSet[str]:
        """Return the ids of the records that were searched for and whose author is not known.

        If the search stopped at the limit of bytes, records that were searched for in no commit are
        left out.
        """
        ended = self.bytes_left >= 0
        unknown = (each for each in self.times if not self.found.get(each))
        return {each for each in unknown if ended or self.looks[each]}

    def _changing(self) -> Sequence[Any]:
        """Return the commits of HEAD's history that change the ledger, newest first.

        Such a commit has a ledger that differs from the ledger of each parent. Stop before a
        commit older than the oldest record by more than `CLOCKS_DIFFER`, and after
        `COMMITS_AT_MOST` commits. A shallow clone's boundary commits are left out.
        """
        oldest = min(self.times.values()) - CLOCKS_DIFFER.total_seconds()
        # Without its parents a commit seems to add every file that it contains.
        ends = shallow_commits(common_directory(Path(self.repository.path)))
        found = []
        for commit in islice(reachable(self.repository, (self.head,)), COMMITS_AT_MOST):
            if commit.commit_time < oldest:
                break
            if str(commit.id) not in ends and self._changes(commit):
                found.append(commit)
        return found

    def _changes(self, commit: Any) -> bool:
        ledger = ledger_blobs(commit, self.prefix)
        return bool(ledger) and all(
            ledger != ledger_blobs(parent, self.prefix) for parent in commit.parents
        )

    def _first_in(self, commit: Any) -> Collection[str]:
        """Return the ids of the sought records that a commit added to the ledger.

        A record is not sought if it was found before, if it is newer than the commit by more than
        `CLOCKS_DIFFER`, or if it was sought in `COMMITS_ASKED` commits before. The result is empty
        if any blob that is needed cannot be read.
        """
        latest = commit.commit_time + CLOCKS_DIFFER.total_seconds()
        asked = {
            each
            for each, time in self.times.items()
            if time <= latest and each not in self.found and self.looks[each] < COMMITS_ASKED
        }
        if not asked:
            return ()
        self.looks.update(asked)
        before = {blob for parent in commit.parents for blob in ledger_blobs(parent, self.prefix)}
        now = set(ledger_blobs(commit, self.prefix))
        try:
            come = asked.intersection(self._records(now - before))
            # Archiving moves old lines into a new file, so they are no new records.
            return come.difference(self._records(before - now)) if come else ()
        except (KeyError, OSError) as problem:
            # Blobs are missing in a partial clone and in a damaged repository.
            _log.info("commit %s: %r", commit.id, problem)
            return ()

    def _records(self, blobs: Collection[LedgerBlob]) -> Iterator[str]:
        for blob in blobs:
            if blob.id not in self.read:
                self.read[blob.id] = self._read(blob.id)
            yield from self.read[blob.id]

    def _read(self, blob_id: str) -> frozenset[str]:
        self.bytes_left -= blob_size(self.repository, blob_id)
        return frozenset(
            record_id
            for line in blob_lines(self.repository, blob_id)
            for found in _IDS.findall(line)
            if (record_id := found.decode("utf-8", "replace")) in self.times
        )


def _seconds(time: str) -> float:
    """Convert a timestamp to seconds since 1970. Return infinity for a malformed one.

    A record with such a timestamp counts as newer than every commit, so it gets no author.
    """
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return math.inf
