"""The journal: a second copy of records, kept until a commit has them (ledger section 3).

Invariant: the journal is written after the ledger, so that it holds no record that was not
appended.
Invariant: an error while a record is added is logged and makes no append fail.
Invariant: a rewrite drops no line that is added meanwhile.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.formats.ledger.union import digest_of
from intent_lsp.store.append_file import append_once
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.write import replace_lines
from intent_lsp.store.ledger.raw.file import file_lines, opened, read_at
from intent_lsp.store.locks.root_lock import RootLock

_log: Final = logging.getLogger(__name__)

JOURNAL_NAME: Final = "journal.jsonl"
MAX_BYTES: Final = 64 * 1024 * 1024
"""The size in bytes above which the older half is removed; above twice it nothing is added."""

_MODE: Final = 0o600


class Journal:
    """The journal of a root: a second copy of records, kept until `forget` removes them.

    It is a file in `.local/`, which must exist. Safe across threads and processes. Above
    `max_bytes`, its older half is removed.
    """

    def __init__(self, local: Path, max_bytes: int = MAX_BYTES) -> None:
        """Set the path of the journal in the `.local/` directory `local`.

        Nothing is opened or created.
        """
        self.path = local / JOURNAL_NAME
        self._lock_file = local / "journal.lock"
        self._max_bytes = self._halved_at = max_bytes
        self._failed = False

    def note(self, lines: bytes) -> None:
        """Add ledger lines that were just appended to the ledger. Errors are logged and not raised.

        Nothing is added to a journal of more than twice `max_bytes`. The journal is not synced, so
        it survives a crash of this process but not of the machine. The ledger itself is synced.
        """
        if not lines:
            return
        try:
            size = self._add(lines)
            if size > self._halved_at:
                # If halving fails, it is not tried again for each record.
                self._halved_at = size + self._max_bytes // 4
                self._halve()
            self._failed = False
        except (OSError, IntentLspError) as problem:
            # Logged once, not for each of a thousand records.
            if not self._failed:
                _log.warning("%s: records are not mirrored: %s", self.path, problem)
            self._failed = True

    def lines(self) -> Iterator[bytes]:
        """Yield the journal's lines, oldest first; none if there is no journal.

        A last line without a line feed is left out. Raise LedgerUnavailableError if the journal
        cannot be opened.
        """
        # Each note begins with a line feed of its own.
        lines = file_lines(self.path)
        yield from (line for line in lines if line != b"\n" and line.endswith(b"\n"))

    def forget(self, committed: Iterable[bytes]) -> int:
        """Remove the journal's lines that a commit contains, and return how many were removed.

        Equal lines count once. `committed` are the ledger lines of the commit. If the journal's
        lock cannot be taken, as while another process is rewriting it, remove nothing and return 0.
        Raise LedgerUnavailableError if the journal cannot be opened, UnsafePathError or OSError if
        it cannot be rewritten.
        """
        sought = {digest_of(line) for line in self.lines()}
        gone: set[bytes] = set()
        for line in committed if sought else ():
            digest = digest_of(line)
            if digest in sought:
                gone.add(digest)
            if len(gone) == len(sought):
                break
        # The filter names the lines to drop, because lines added meanwhile have to stay.
        if not gone or not self._rewrite(lambda line: digest_of(line) not in gone):
            return 0
        return len(gone)

    def _add(self, lines: bytes) -> int:
        """Append lines to the journal file, and return the file's new size in bytes.

        Raise LedgerUnavailableError if the journal is full. Raise UnsafePathError or OSError if
        writing fails.
        """
        found = stamp(self.path)
        if found is not None and found.size > 2 * self._max_bytes:
            raise LedgerUnavailableError(
                path=str(self.path),
                problem="the journal is full; commit the ledger, and the journal is emptied",
            )
        # The leading line feed ends a line that a crash left unfinished.
        return append_once(self.path, b"\n" + lines, mode=_MODE)

    def _halve(self) -> None:
        """Remove the older half of the journal, and log that.

        Do nothing if another process is rewriting the journal.
        """
        size = sum(map(len, self.lines()))
        passed = 0

        def is_young(line: bytes) -> bool:
            nonlocal passed
            passed += len(line)
            return passed * 2 > size

        if self._rewrite(is_young):
            self._halved_at = self._max_bytes
            problem = (
                "the journal, a second copy of records that no commit has, is full, so its older"
                " half was removed; commit the ledger, and the journal is emptied"
            )
            _log.warning("%s: %s", self.path, problem)

    def _rewrite(self, keep: Callable[[bytes], bool]) -> bool:
        """Remove the lines for which `keep` returns False, and return True.

        Return False, and change nothing, if the journal cannot be locked, as while another process
        is rewriting it, or cannot be read. Lines that are added meanwhile are kept; such a line may
        then be in the journal twice.
        """
        with (
            suppress(LedgerUnavailableError),
            closing(RootLock(self._lock_file, wait_seconds=0.0)) as lock,
            lock.held(),
            opened(self.path) as fd,
        ):
            if fd is None:
                return True
            size = os.fstat(fd).st_size
            replace_lines(self.path, (line for line in self.lines() if keep(line)), mode=_MODE)
            late = read_at(fd, size, os.fstat(fd).st_size)
            if late:
                self._add(late)
            return True
        return False
