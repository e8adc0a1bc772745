"""The journal: records that no commit holds yet, a second time (ledger section 3).

Invariant: it is written after the ledger, so that it holds no record that was not appended.
Invariant: what goes wrong here is a line in the log, and stops no append.
Invariant: a rewriting drops no line that somebody adds meanwhile.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.formats.ledger.union import digest_of
from intent_lsp.store.append_file import append_once
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.write import replace_lines
from intent_lsp.store.ledger.raw.file import opened, read_at
from intent_lsp.store.locks.root_lock import RootLock

_log: Final = logging.getLogger(__name__)

JOURNAL_NAME: Final = "journal.jsonl"
MAX_BYTES: Final = 64 * 1024 * 1024
"""Over it the older half is let go, over twice as much nothing is added: the ledger has it all."""

_MODE: Final = 0o600
_CHUNK: Final = 1 << 20


class Journal:
    """The journal in one local room, which has to exist; safe for threads, and among processes."""

    def __init__(self, local: Path, max_bytes: int = MAX_BYTES) -> None:
        """Name the journal; nothing is opened or made yet."""
        self.path = local / JOURNAL_NAME
        self._lock = RootLock(local / "journal.lock", wait_seconds=0.0)
        self._max_bytes = self._halved_at = max_bytes
        self._failed = False

    def note(self, lines: bytes) -> None:
        """Add lines that were just appended to the ledger. Never raises for the world's sake.

        It survives this process, not the machine: a ledger that the machine lost with its
        journal is one that the disk did not keep, and its records were never told.
        """
        if not lines:
            return
        try:
            size = self._add(lines)
            if size > self._halved_at:
                # Not for each record, should it not succeed.
                self._halved_at = size + self._max_bytes // 4
                self._halve()
            self._failed = False
        except (OSError, IntentLspError) as problem:
            # Once, and not for each of a thousand records.
            if not self._failed:
                _log.warning("%s: records are not mirrored: %s", self.path, problem)
            self._failed = True

    def lines(self) -> Iterator[bytes]:
        """Read what it holds, oldest first; an unfinished line is passed.

        Raises LedgerUnavailableError.
        """
        with opened(self.path) as fd:
            if fd is None:
                return
            with open(fd, "rb", buffering=_CHUNK, closefd=False) as file:
                # Each note begins with a line feed of its own.
                yield from (line for line in file if line != b"\n" and line.endswith(b"\n"))

    def forget(self, committed: Iterable[bytes]) -> int:
        """Drop the lines that a commit holds; give how many. Nothing where another does it now.

        Raises LedgerUnavailableError, UnsafePathError, OSError.
        """
        sought = {digest_of(line) for line in self.lines()}
        gone: set[bytes] = set()
        for line in committed if sought else ():
            digest = digest_of(line)
            if digest in sought:
                gone.add(digest)
            if len(gone) == len(sought):
                break
        # By what goes, not by what stays: others add lines meanwhile.
        if not gone or not self._rewrite(lambda line: digest_of(line) not in gone):
            return 0
        return len(gone)

    def _add(self, lines: bytes) -> int:
        """Write to the file that has the name; give its size then. Raises as `forget`."""
        found = stamp(self.path)
        if found is not None and found.size > 2 * self._max_bytes:
            raise LedgerUnavailableError(path=str(self.path), problem="it is full")
        # Whatever was left unfinished there ends here.
        return append_once(self.path, b"\n" + lines, mode=_MODE)

    def _halve(self) -> None:
        size = sum(map(len, self.lines()))
        passed = 0

        def is_young(line: bytes) -> bool:
            nonlocal passed
            passed += len(line)
            return passed * 2 > size

        if self._rewrite(is_young):
            self._halved_at = self._max_bytes
            problem = "is full: its older half was removed; commit the ledger"
            _log.warning("%s: %s", self.path, problem)

    def _rewrite(self, keep: Callable[[bytes], bool]) -> bool:
        """Keep some lines; False: another rewrites it now.

        Who adds a line meanwhile adds it to the old file, from which it is taken over, or to both.
        """
        with suppress(LedgerUnavailableError), self._lock.held(), opened(self.path) as fd:
            if fd is None:
                return True
            size = os.fstat(fd).st_size
            replace_lines(self.path, (line for line in self.lines() if keep(line)), mode=_MODE)
            late = read_at(fd, size, os.fstat(fd).st_size)
            if late:
                self._add(late)
            return True
        return False
