"""All of a ledger's files as they are at one moment, read one after the other.

Invariant: the main file stays the one that was opened at that moment, though an archive may
replace it; the others only grow, and are read up to the size that they had.
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
    """The files at one moment; `strange` is complete once the parts have been read."""

    def __init__(self, root: Path, main: int | None, stamps: FilesStamp) -> None:
        self.strange: list[Strange] = list(LedgerFiles(root).strange())
        self._root, self._main, self._stamps = root, main, stamps
        self._main_size = 0 if main is None else os.fstat(main).st_size

    def parts(self, progress: BuildProgress = quiet) -> Iterator[VerifiedFile]:
        """Give each file in reading order; it is open until the next is asked for."""
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
                    # Gone since, as git takes files away: what follows it will miss it.
                    if fd is not None:
                        yield VerifiedFile(stamp.file, scan_widely(fd, stamp.size, progress=done))
            except LedgerUnavailableError as error:
                self.strange.append(Strange(stamp.file, error.problem))


@contextmanager
def snapshot_of(root: Path, lock: RootLock) -> Iterator[Snapshot]:
    """Take the files as they are between two appends, where anyone could be appending."""
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
    files = LedgerFiles(root)
    if lock.exists():
        # A reader without rights to the lock sees at worst a line that is being written.
        with suppress(IntentLspError), lock.held():
            return Snapshot(root, main, files.stamp())
    return Snapshot(root, main, files.stamp())


def _done(progress: BuildProgress, everything: int, before: int, done: int) -> None:
    progress(before + done, everything)
