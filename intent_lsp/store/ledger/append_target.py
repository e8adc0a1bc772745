"""The append target: the ledger file that the next record is appended to, and the end of its chain.

Invariant: `take` and `give_back` are called under the ledger's lock.
Invariant: an end that `take` returned is not reused unless `give_back` returns it after the write.
Invariant: a segment that git tracks, or that was removed, is never written again. Nor is a segment
written while git makes a change to its index that began later: git may have read the segment.
"""

import os
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.fs.files import Stamp, read_bytes, stamp
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE, make_control_directory
from intent_lsp.store.fs.write import create_cache_file
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.raw.file import FileSystem, LedgerFile
from intent_lsp.store.ledger.raw.files import SEGMENT_ROOM, SUFFIX
from intent_lsp.store.ledger.tail import Clock, TailState, read_note, spelled_note
from intent_lsp.store.locks.root_lock import RootLock

_NAME: Final = re.compile(rb"(\d{4}-\d\d-\d\d-[0-9a-f]{12}\.jsonl)\n([0-9:]*)\n?")
_DIGITS: Final = 6
_DATE: Final = len("2026-11-21")


class OwnSegment:
    """Chooses this work tree's segment: the ledger file to which only this work tree appends.

    All processes in the work tree share the choice through a file in `.local/`.
    """

    def __init__(self, root: Path, local: Path, clock: Callable[[], datetime]) -> None:
        self._root, self._clock = root, clock
        self._kept = local / "segment"
        self._git: Git | None = None
        self._known: tuple[WorkspacePath, Stamp | None, bool] | None = None

    def file(self) -> WorkspacePath:
        """Return the path of the segment to append to, relative to the root.

        It is the segment chosen before, or else a new one, whose file does not exist yet. A new one
        is chosen also if the old one's file does not exist or git tracks that file. The same holds
        if git is making a change to its index that it was not making when the old one was chosen.
        Raise OSError if the choice cannot be read or stored.
        """
        # The repository is opened on first use, and again while there is none.
        self._git = self._git or Git.open(self._root)
        begun, change = self._begun(), self._index_change()
        if begun is not None and self._is_open(*begun, change):
            return begun[0]
        date = timestamp(self._clock())[:_DATE]
        name = f"{date}-{secrets.token_hex(_DIGITS)}{SUFFIX}"
        create_cache_file(self._kept, f"{name}\n{change}\n".encode(), mode=PRIVATE_FILE_MODE)
        return WorkspacePath(f"{SEGMENT_ROOM}/{name}")

    def _begun(self) -> tuple[WorkspacePath, str] | None:
        """Return (file of the chosen segment, id), or None if no segment was chosen.

        The id names the change that git was making to its index when the segment was chosen, and is
        "" if there was none. Return None also if the file with the choice cannot be parsed.
        """
        found = _NAME.fullmatch(read_bytes(self._kept) or b"")
        if found is None:
            return None
        return WorkspacePath(f"{SEGMENT_ROOM}/{found[1].decode()}"), found[2].decode()

    def _is_open(self, file: WorkspacePath, before: str, change: str) -> bool:
        """Return whether a segment's file exists and may still be appended to.

        It may not if git tracks it, or if git is making a change to its index that it was not
        making when the segment was chosen. `before` and `change` are the ids of the changes that
        git was making then and is making now, each "" for none.
        """
        # While git changes its index it may already have read the segment, so that counts as
        # tracked.
        # An `index.lock` left by a crash closes no segment that was begun after it.
        if change not in ("", before):
            return False
        return (self._root / file).is_file() and not self._is_tracked(file)

    def _is_tracked(self, file: WorkspacePath) -> bool:
        """Return whether git tracks a file. The answer is cached until git's index changes.

        Return False if the root is in no repository.
        """
        if self._git is None:
            return False
        # Stamped before git is asked, so that a change in between makes the cached answer stale.
        now = stamp(self._git.git_dir / "index")
        if self._known is None or self._known[:2] != (file, now):
            self._known = file, now, self._git.tracked(file)
        return self._known[2]

    def _index_change(self) -> str:
        """Return an id of the change that git is making to its index, or "" if it makes none.

        Git makes one as long as `index.lock` exists.
        """
        if self._git is not None:
            with suppress(OSError):
                lock = os.lstat(self._git.git_dir / "index.lock")
                return f"{lock.st_ino}:{lock.st_mtime_ns}"
        return ""


class AppendTarget:
    """The ledger file that the next record is appended to, kept open, and the end of its chain.

    `file` is the path, relative to the root, of the file that `take` returned last; before the
    first call it is the main ledger file.
    """

    def __init__(
        self,
        root: Path,
        lock: RootLock,
        *,
        disk: FileSystem,
        clock: Clock,
        form: Callable[[], LedgerForm],
    ) -> None:
        """Set the paths of the ledger below `root`. Nothing is opened or created yet.

        `form` is called at each append and returns the policy's choice: one file for all records,
        or a segment for each work tree.
        """
        self.file = LEDGER_FILE
        self._root, self._lock = root, lock
        self._disk, self._clock, self._form = disk, clock, form
        self._own = OwnSegment(root, root / LOCAL_ROOM, clock)
        self._opened: LedgerFile | None = None
        self._end: TailState | None = None
        self._taken_at = self._noticed_size = 0

    def has_news(self) -> bool:
        """Return whether others have changed the size of the main ledger file since the last call.

        Appends through this object do not count, unless others appended as well. Before the first
        call the size counts as 0.
        """
        found = stamp(self._root / LEDGER_FILE)
        size = 0 if found is None else found.size
        news, self._noticed_size = size != self._noticed_size, size
        return news

    def take(self, index: Index) -> tuple[LedgerFile, TailState]:
        """Return the file to append to, opened, and the end of its chain.

        If the end is not known, it is found with the help of `index`. A file that was replaced at
        its path is opened again, and a torn last line is completed or moved to `.local/torn/`.
        Raise LedgerUnavailableError, UnsafePathError or OSError.
        """
        file = self._chosen()
        if self._opened is None or file != self.file or not self._opened.is_current():
            self._opened, self._end, self.file = self._open(file), None, file
        end, self._end = self._end, None
        if end is None or not end.follow(self._opened, lambda: read_note(self._lock.left())):
            end = TailState.find(self._opened, file, self._root, clock=self._clock, index=index)
        self._taken_at = end.size
        return self._opened, end

    def give_back(self, end: TailState) -> None:
        """Keep the new end of the chain for the next append, and note it in the lock file.

        Other processes read the note there. If the end cannot be noted, an empty note replaces the
        old one. Call this only after the write has succeeded.
        """
        self._end = end
        if self.file == LEDGER_FILE and self._noticed_size == self._taken_at:
            self._noticed_size = end.size
        if self._opened is not None:
            self._lock.leave(spelled_note(end.note(self._opened)))

    def close(self) -> None:
        """Close the file. The next append opens it again."""
        self._opened = self._end = None

    def _chosen(self) -> WorkspacePath:
        """Return the path of the ledger file that the policy's ledger form chooses.

        It is the main ledger file or this work tree's segment, relative to the root.
        """
        match self._form():
            case LedgerForm.SINGLE:
                return LEDGER_FILE
            case LedgerForm.SEGMENTS:
                return self._own.file()

    def _open(self, file: WorkspacePath) -> LedgerFile:
        if file != LEDGER_FILE:
            make_control_directory(self._root, SEGMENT_ROOM)
        return LedgerFile(self._root / file, self._disk)


def single() -> LedgerForm:
    """Return the ledger form SINGLE, all records in one file, which applies without a policy."""
    return LedgerForm.SINGLE
