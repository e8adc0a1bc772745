"""Where a ledger is appended to: the file, and the end of its chain.

Invariant: used under the ledger's lock alone.
Invariant: an end that was handed out is found anew, unless it is handed back after the writing.
"""

from collections.abc import Callable
from pathlib import Path

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.policy import LedgerForm
from intent_lsp.store.fs.ledger_room import make_room
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.raw.file import Disk, LedgerFile
from intent_lsp.store.ledger.raw.files import SEGMENT_ROOM
from intent_lsp.store.ledger.segment import OwnSegment
from intent_lsp.store.ledger.tail import Clock, LedgerEnd
from intent_lsp.store.ledger.tail_note import EndNote, read, spelled
from intent_lsp.store.locks.root_lock import RootLock


class LedgerTail:
    """The file that the next record goes to, kept open, and what is known of its end.

    `file` is its name, relative to the root.
    """

    def __init__(
        self,
        root: Path,
        lock: RootLock,
        *,
        disk: Disk,
        clock: Clock,
        form: Callable[[], LedgerForm],
    ) -> None:
        """Name the ledger below `root`; nothing is opened or made yet."""
        self.file = LEDGER_FILE
        self._root, self._lock = root, lock
        self._disk, self._clock, self._form = disk, clock, form
        self._own = OwnSegment(root, root / LOCAL_ROOM, clock)
        self._opened: LedgerFile | None = None
        self._end: LedgerEnd | None = None

    def take(self, index: Index) -> tuple[LedgerFile, LedgerEnd]:
        """Give the file that its name means now, and its end, a torn line moved aside.

        Raises LedgerUnavailableError, UnsafePathError, OSError.
        """
        file = self._chosen()
        if self._opened is None or file != self.file or not self._opened.is_current():
            self._opened, self._end, self.file = self._open(file), None, file
        end, self._end = self._end, None
        if end is None or not end.follow(self._opened, self._left):
            end = LedgerEnd.find(self._opened, file, self._root, clock=self._clock, index=index)
        return self._opened, end

    def give_back(self, end: LedgerEnd) -> None:
        """Keep an end that the file has for certain; leave it to whoever appends next."""
        self._end = end
        if self._opened is not None:
            self._lock.leave(spelled(end.note(self._opened)))

    def _left(self) -> EndNote | None:
        return read(self._lock.left())

    def close(self) -> None:
        """Let go of the file; the next append opens it again."""
        self._opened = self._end = None

    def _chosen(self) -> WorkspacePath:
        match self._form():
            case LedgerForm.SINGLE:
                return LEDGER_FILE
            case LedgerForm.SEGMENTS:
                return self._own.file()

    def _open(self, file: WorkspacePath) -> LedgerFile:
        if file != LEDGER_FILE:
            make_room(self._root, SEGMENT_ROOM)
        return LedgerFile(self._root / file, self._disk)


def single() -> LedgerForm:
    """Have all records in one file, as a team without a policy does."""
    return LedgerForm.SINGLE
