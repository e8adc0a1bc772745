"""Snapshots of all files of a ledger at one moment, read one after the other.

Invariant: the main file stays open, so that archiving cannot replace it while it is read. The other
files only grow, and are read up to their size at that moment.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.raw.file import opened
from intent_lsp.store.ledger.raw.files import FilesStamp, LedgerFiles, Strange
from intent_lsp.store.ledger.verify.scan import scan_widely
from intent_lsp.store.ledger.verify.verify import VerifiedFile
from intent_lsp.store.locks.root_lock import RootLock


class Snapshot:
    """The ledger's files at one moment. `strange` is complete only after all `parts` were read."""

    def __init__(self, root: Path, main: int | None, stamps: FilesStamp) -> None:
        self.strange: list[Strange] = list(LedgerFiles(root).strange())
        self._root, self._main, self._stamps = root, main, stamps
        self._main_size = 0 if main is None else os.fstat(main).st_size

    def parts(self, progress: BuildProgress = quiet) -> Iterator[VerifiedFile]:
        """Yield each file in reading order. It is open only until the next one is requested."""
        everything, before = sum(stamp.size for stamp in self._stamps), 0
        for stamp in self._stamps:
            done = partial(_done, progress, everything, before)
            before += stamp.size
            if stamp.file == LEDGER_FILE:
                if self._main is not None:
                    yield VerifiedFile(
                        LEDGER_FILE, scan_widely(self._main, self._main_size, progress=done)
                    )
                continue
            try:
                with opened(self._root / stamp.file) as fd:
                    # Git may have removed it. Verification then reports what names its records.
                    if fd is not None:
                        yield VerifiedFile(stamp.file, scan_widely(fd, stamp.size, progress=done))
            except LedgerUnavailableError as error:
                self.strange.append(Strange(stamp.file, error.problem))


@contextmanager
def snapshot_of(root: Path, lock: RootLock) -> Iterator[Snapshot]:
    """Take a snapshot between two appends, under the lock if it exists."""
    strange: list[Strange] = []
    with ExitStack() as stack:
        try:
            main = stack.enter_context(opened(root / LEDGER_FILE))
        except LedgerUnavailableError as error:
            main, strange = None, [Strange(LEDGER_FILE, error.problem)]
        snapshot = _between_appends(root, main, lock)
        snapshot.strange += strange
        yield snapshot


def _between_appends(root: Path, main: int | None, lock: RootLock) -> Snapshot:
    """Take the snapshot, if possible under the lock."""
    files = LedgerFiles(root)
    if lock.exists():
        # A reader that may not take the lock sees at worst an incomplete last line.
        with suppress(IntentLspError), lock.held():
            return Snapshot(root, main, files.stamp())
    return Snapshot(root, main, files.stamp())


def _done(progress: BuildProgress, everything: int, before: int, done: int) -> None:
    """Report progress within one file as progress within all files."""
    progress(before + done, everything)
