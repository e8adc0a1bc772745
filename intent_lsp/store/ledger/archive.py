"""Archiving: moves the oldest lines of the main file into an archive file.

Specified in ledger section 3 and requirements section 12.

Invariant: an archive has its lines from the main file, byte for byte and in order, so that the
chain is unbroken.
Invariant: the main file is shortened only after the archive is on disk and both have been verified.
An interrupted archiving may leave some lines in both files; they count as one record each, and the
next archiving removes them from the main file.
"""

import logging
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Link
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.store.fs.files import is_at
from intent_lsp.store.fs.local_dir import make_control_directory, make_private_directory
from intent_lsp.store.fs.write import remove_file, replace_lines
from intent_lsp.store.ledger.raw.file import opened, read_at
from intent_lsp.store.ledger.raw.files import ARCHIVE_PREFIX, ARCHIVE_ROOM, SUFFIX, LedgerFiles
from intent_lsp.store.ledger.verify.scan import scan
from intent_lsp.store.ledger.verify.verify import Snapshot, VerifiedFile, verify
from intent_lsp.store.locks.root_lock import RootLock, ledger_lock

_CHUNK: Final = 1 << 20
_NAMED: Final = re.compile(r"[^0-9A-Za-z]")
_MOMENT: Final = len("20261121T202733123Z")

_log: Final = logging.getLogger(__name__)


class Archived(Struct, frozen=True, kw_only=True):
    """The result of archiving.

    `file` is the path of the new archive, relative to the root, or None if nothing was moved.
    `records` is the number of records moved. `left` is the number of records left in the main file;
    those appended meanwhile do not count. `repeated` is the number of bytes that an interrupted
    archiving had left in both files and that were now removed from the main file.
    """

    file: WorkspacePath | None
    records: int
    left: int
    repeated: int = 0


class ArchiveLine(NamedTuple):
    """A line of the main file: its start and end offsets in bytes, and its link in the chain."""

    start: int
    end: int
    link: Link


CutPoint = Callable[[Iterable[ArchiveLine]], int]
"""Gets the lines of the main file, and returns the byte offset before which lines are moved."""


def older_than(moment: str) -> CutPoint:
    """Return a cut point for `archive`: lines before the first record not older than `moment` move.

    `moment` is a ledger timestamp. The cut point is a function that gets the lines of the main file
    and returns the byte offset at which the last of these lines ends, or 0 if there are none.
    """

    def cut(lines: Iterable[ArchiveLine]) -> int:
        end = 0
        for line in lines:
            if line.link.hash and line.link.timestamp >= moment:
                break
            end = line.end
        return end

    return cut


def all_but_newest(number: int) -> CutPoint:
    """Return a cut point for `archive`: the offset at which the last `number` records begin.

    The cut point is a function that gets the lines of the main file and returns that byte offset,
    or 0 if there are no more than `number` records.
    """

    def cut(lines: Iterable[ArchiveLine]) -> int:
        newest: deque[int] = deque(maxlen=number + 1)
        end = 0
        for line in lines:
            end = line.end
            if line.link.hash:
                newest.append(line.start)
        if len(newest) <= number:
            return 0
        # `newest` holds one record more than stay: the last one to move. The cut is where the next
        # begins.
        return newest[1] if number else end

    return cut


def archive(root: Path, cut: CutPoint) -> Archived:
    """Move the first lines of a root's main ledger file into a new archive.

    `cut` gets the file's lines and returns the byte offset before which lines are moved. If there
    is no main file, move nothing. Raise LedgerUnavailableError if the file cannot be read or
    written, fails verification, is replaced meanwhile or is being archived by another process. If
    something else is in the place of a file or directory of the ledger, raise
    LedgerUnavailableError or UnsafePathError.
    """
    try:
        make_private_directory(root)
        make_control_directory(root, ARCHIVE_ROOM)
        with RootLock(root / LOCAL_ROOM / "archive.lock").held(), ExitStack() as stack:
            fd = stack.enter_context(opened(root / LEDGER_FILE))
            if fd is None:
                return Archived(file=None, records=0, left=0)
            return _Archiving(root, fd).run(cut)
    except OSError as error:
        raise LedgerUnavailableError(
            path=str(root / ARCHIVE_ROOM),
            problem=f"the archive cannot be written: {error.strerror or error}",
            cure="nothing was moved; free disk space or fix the permissions, and run this again",
        ) from error


class _Moved(Struct):
    """The number of records to move, and the timestamps of the first and the last of them."""

    records: int = 0
    first: str = ""
    last: str = ""

    def add(self, link: Link) -> None:
        self.records += 1
        self.first, self.last = self.first or link.timestamp, link.timestamp

    @property
    def name(self) -> str:
        """The archive's file name without suffix, made of its first and last record's time."""
        moments = (_NAMED.sub("", moment)[:_MOMENT] for moment in (self.first, self.last))
        return ARCHIVE_PREFIX + "-".join(moments)


class _Archiving:
    """One run of archiving the main file, which is open as `fd`.

    Lines that are appended after the run began are not archived.
    """

    def __init__(self, root: Path, fd: int) -> None:
        self._root, self._fd = root, fd
        self._size = os.fstat(fd).st_size
        self._shortening = False

    def run(self, cut: CutPoint) -> Archived:
        """Archive the lines before the offset that `cut` returns, and return what was moved.

        Lines that an interrupted archiving has copied already are only removed from the main file.
        If anything fails before the main file is shortened, delete the new archive again and raise
        the error.
        """
        begin = self._archived_already()
        end = max(cut(self._lines(begin, self._size)), begin)
        moved = _Moved()
        for line in self._lines(begin, end):
            if line.link.hash:
                moved.add(line.link)
        made = self._write(begin, end, moved.name) if moved.records else None
        end = begin if made is None else end
        try:
            if end:
                self._verify(begin, end, made)
                self._give_up(end)
        except BaseException:
            # An interrupt may come when the main file no longer has the lines that were moved.
            shortened = self._shortening and not is_at(self._fd, self._root / LEDGER_FILE)
            if made is not None and not shortened:
                remove_file(self._root / made)
            raise
        left = sum(1 for line in self._lines(end, self._size) if line.link.hash)
        return Archived(file=made, records=moved.records, left=left, repeated=begin)

    def _archived_already(self) -> int:
        """Return how many bytes at the start of the main file are those of archives.

        An archiving that was interrupted left them in both.
        """
        begin = 0
        stamps = [s for s in LedgerFiles(self._root).stamp() if s.file.startswith(ARCHIVE_ROOM)]
        while found := [s.size for s in stamps if s.size and self._holds(s.file, begin, s.size)]:
            begin += found[0]
        return begin

    def _holds(self, file: WorkspacePath, begin: int, size: int) -> bool:
        """Return whether a file's first `size` bytes are those of the main file from `begin` on.

        Return False if the main file has fewer bytes, or if the file cannot be read.
        """
        if begin + size > self._size:
            return False
        with suppress(LedgerUnavailableError), opened(self._root / file) as fd:
            return fd is not None and all(
                read_at(fd, at, end) == read_at(self._fd, begin + at, begin + end)
                for at, end in _chunks(0, size)
            )
        return False

    def _lines(self, begin: int, end: int) -> Iterator[ArchiveLine]:
        """Yield each whole line of the main file between two byte offsets, with its chain link."""
        at, rest = begin, b""
        for chunk in _chunks(begin, end):
            *lines, rest = (rest + read_at(self._fd, *chunk)).split(b"\n")
            for line in lines:
                ended = at + len(line) + 1
                yield ArchiveLine(at, ended, examine(line + b"\n"))
                at = ended

    def _write(self, begin: int, end: int, name: str) -> WorkspacePath:
        """Write the main file's bytes between two offsets to a new archive, and return its path.

        `name` is the archive's file name without suffix; a number is added if that name is taken.
        The file gets its name only when all of it is on disk.
        """
        endings = chain([""], (f"-{number}" for number in count(2)))
        names = (WorkspacePath(f"{ARCHIVE_ROOM}/{name}{ending}{SUFFIX}") for ending in endings)
        file = next(each for each in names if not os.path.lexists(self._root / each))
        mode = stat.S_IMODE(os.fstat(self._fd).st_mode)
        chunks = (read_at(self._fd, *each) for each in _chunks(begin, end))
        replace_lines(self._root / file, chunks, mode=mode)
        return file

    def _verify(self, begin: int, end: int, made: WorkspacePath | None) -> None:
        """Verify the new archive `made`, and the main file from offset `end` on.

        The archive must have the main file's bytes from `begin` to `end`. `made` is None if nothing
        was moved. Raise LedgerUnavailableError if either file has an error. Errors in other ledger
        files do not count.
        """
        if made is not None and not self._holds(made, begin, end - begin):
            raise LedgerUnavailableError(
                path=made,
                problem="the disk returned other bytes than were written to it",
                cure="nothing was moved; check the disk, and run this again",
            )
        rest = VerifiedFile(
            LEDGER_FILE,
            scan(lambda at, to: read_at(self._fd, end + at, end + to), self._size - end),
        )
        snapshot = Snapshot(self._root, self._fd, LedgerFiles(self._root).stamp())
        parts = (rest if part.file == LEDGER_FILE else part for part in snapshot.parts())
        for problem in verify(parts).problems:
            # Errors in other files do not prevent archiving.
            if problem.severity is Severity.ERROR and problem.file in (LEDGER_FILE, made):
                raise LedgerUnavailableError(
                    path=LEDGER_FILE,
                    problem=f"the ledger failed verification: {problem.code}",
                    cure="nothing was moved; `intent-lsp trace verify` names the broken line",
                )

    def _give_up(self, end: int) -> None:
        """Remove the first `end` bytes of the main file. Lines appended meanwhile are kept.

        Raise LedgerUnavailableError if another program has replaced, removed or cut the file.
        """
        path = self._root / LEDGER_FILE
        with ledger_lock(self._root).held():
            now = os.fstat(self._fd)
            if not is_at(self._fd, path) or now.st_size < self._size:
                raise LedgerUnavailableError(
                    path=str(path),
                    problem="git or another program replaced, removed or cut the file meanwhile",
                    cure="nothing was moved; run this again when git has finished",
                )
            self._shortening = True
            replace_lines(path, (read_at(self._fd, *each) for each in _chunks(end, now.st_size)))


def _chunks(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) offsets of the chunks of at most 1 MiB between two offsets."""
    for start in range(begin, end, _CHUNK):
        yield start, min(start + _CHUNK, end)
