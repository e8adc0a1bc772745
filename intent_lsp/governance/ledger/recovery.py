"""Recovery of records that a reset, a stash or an accident removed from the ledger.

Specified in ledger section 3.

Invariant: a record is never in the ledger twice, however often it is recovered.
Invariant: a record that still fits the chain is appended byte for byte, so that it is the same line
as in a stash or commit that holds it. Any other record is appended with a new hash at a new place
in the chain; it keeps its id, time and content.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.core.ledger.chain import ChainEnd, Link, draft
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.governance.ledger.reader import governed_ledger
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.journal import Journal
from intent_lsp.store.ledger.known_heads import KnownHeads
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.pending import LedgerQueue
from intent_lsp.store.ledger.raw.files import LedgerFiles
from intent_lsp.store.ledger.recover import Found, LostRecord, lost_records

_log: Final = logging.getLogger(__name__)


class Recovered(Struct, frozen=True):
    """How many records were appended byte for byte, and how many with a new place in the chain.

    The latter include other records that were waiting in the queue.
    """

    as_they_were: int
    anew: int


class Recovery:
    """Finds records that the ledger of one root has lost, and appends them."""

    def __init__(self, root: Path, ledger: Ledger, git: Callable[[], Git | None]) -> None:
        self._root, self._ledger, self._git = root, ledger, git
        self._local = root / LOCAL_ROOM
        self._pruned_at: str | None = None

    def lost(self) -> Found:
        """Return the records in `.local/` that the ledger lacks, and unreadable lines in `.local/`.

        Queued records are included. Raise LedgerUnavailableError, also if the whole ledger file is
        missing but committed: it has to be checked out from git first.
        """
        git = self._git()
        missing = not (self._root / LEDGER_FILE).exists()
        if missing and git is not None and git.head_version(LEDGER_FILE) is not None:
            raise LedgerUnavailableError(
                path=LEDGER_FILE,
                problem="the file is missing, but the checked-out commit has it",
                cure=f"run `git checkout HEAD -- {LEDGER_FILE}` in {self._root} first",
            )
        return lost_records(self._root)

    def recover(self, found: Found) -> Recovered:
        """Append the lost records, and all that wait in the queue. Return how many.

        Raise LedgerUnavailableError, UnsafePathError, OSError.
        """
        whole = self._ledger.adopt([lost.line for lost in found.lost if lost.joins])
        anew = [lost for lost in found.lost if not lost.joins and not lost.waits]
        queue = LedgerQueue(self._local / "queue")
        for record in (lost.record for lost in anew if queue.find(lost.record.id) is None):
            queue.put(draft(record, id=record.id, timestamp=record.timestamp, end=ChainEnd()))
        done = Recovered(whole, self._ledger.drain())
        self._know_others(anew)
        return done

    def _know_others(self, anew: Sequence[LostRecord]) -> None:
        """Correct this machine's known heads after the records `anew` got a new place in the chain.

        The old hashes of `anew` will never be in the ledger again. If one of them is a known head,
        all of them are removed from the known heads. In their place come the hashes of the missing
        records that the records `anew` followed.
        """
        old = {lost.record.integrity.record_hash for lost in anew}
        memory = KnownHeads(self._local)
        if any(known.hash in old for known in memory.heads()):
            for name in {name for lost in anew for name in lost.missing} - old:
                memory.note([Link(hash=name)])
            memory.forget(old)

    def prune(self) -> None:
        """Remove from the journal, a copy of records in `.local/`, those that HEAD's commit has.

        Do nothing if HEAD has not moved since the last call, or without git. A failure is logged.
        """
        git = self._git()
        head = None if git is None else git.head_commit()
        if git is None or head is None or head == self._pruned_at:
            return
        try:
            Journal(self._local).forget(self._committed(git, head))
        except (OSError, IntentLspError) as problem:
            _log.warning("the journal of records cannot be shortened: %s", problem)
        self._pruned_at = head

    def _committed(self, git: Git, head: str) -> Iterator[bytes]:
        """Yield the lines of the ledger files in the commit `head`, of files that exist now."""
        versions = git.versions_at(head, LedgerFiles(self._root).names()) or {}
        for version in versions.values():
            yield from (git.version_bytes(version) or b"").splitlines(keepends=True)


@contextmanager
def recovering(root: Path) -> Iterator[Recovery]:
    """Open the ledger of a root for recovery; close it after the `with` block."""
    with closing(governed_ledger(root, RulesCache(root))) as ledger:
        yield Recovery(root, ledger, partial(Git.open, root))
