"""Moving the oldest lines of the main file into an archive beside it (ledger section 3).

Invariant: what is moved is the main file's beginning, byte for byte, so that the chain runs on.
Invariant: the main file gives up nothing before the archive is on the disk and both have verified;
what stops in between leaves lines twice, which are one record each, and the next archiving ends it.
"""

import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Link
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.store.fs.local_dir import make_control_directory, make_private_directory
from intent_lsp.store.fs.write import remove_file, replace_lines
from intent_lsp.store.ledger.raw.file import opened, read_at
from intent_lsp.store.ledger.raw.files import ARCHIVE_PREFIX, ARCHIVE_ROOM, SUFFIX, LedgerFiles
from intent_lsp.store.ledger.snapshot import Snapshot
from intent_lsp.store.ledger.verify.scan import scan
from intent_lsp.store.ledger.verify.verify import VerifiedFile, verify
from intent_lsp.store.locks.root_lock import RootLock, ledger_lock

_CHUNK: Final = 1 << 20
_NAMED: Final = re.compile(r"[^0-9A-Za-z]")
_MOMENT: Final = len("20261121T202733123Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """How many records were moved into `file` (None: none), and how many the main file has left.

    `repeated`: an archiving that was stopped had left this many bytes twice, which are gone now.
    """

    file: WorkspacePath | None
    records: int
    left: int
    repeated: int = 0


class ArchiveLine(NamedTuple):
    """A line of the main file: where it begins and ends, and its place in the chain."""

    start: int
    end: int
    link: Link


CutPoint = Callable[[Iterable[ArchiveLine]], int]
"""Gives the offset before which lines are moved."""


def older_than(moment: str) -> CutPoint:
    """Cut before the first record that is not older than a ledger's timestamp."""

    def cut(lines: Iterable[ArchiveLine]) -> int:
        end = 0
        for line in lines:
            if line.link.hash and line.link.timestamp >= moment:
                break
            end = line.end
        return end

    return cut


def all_but_newest(number: int) -> CutPoint:
    """Cut before the last `number` records."""

    def cut(lines: Iterable[ArchiveLine]) -> int:
        newest: deque[int] = deque(maxlen=number + 1)
        end = 0
        for line in lines:
            end = line.end
            if line.link.hash:
                newest.append(line.start)
        if len(newest) <= number:
            return 0
        # The first of them is the newest that goes; where the next begins, the file is cut.
        return newest[1] if number else end

    return cut


def archive(root: Path, cut: CutPoint) -> Archived:
    """Move what a cut chooses of the ledger below `root` into an archive of its own.

    Raises LedgerUnavailableError when the ledger cannot be read or written, does not verify, or
    another archives it; UnsafePathError when something else is in a file's place.
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
            problem=f"it cannot be written: {error.strerror or error}",
            cure="free disk space or fix its permissions; nothing was moved",
        ) from error


@dataclass(slots=True)
class _Moved:
    """The records that are moved: how many, and the times of the first and the last line."""

    records: int = 0
    first: str = ""
    last: str = ""

    def add(self, link: Link) -> None:
        self.records += 1
        self.first, self.last = self.first or link.timestamp, link.timestamp

    @property
    def name(self) -> str:
        moments = (_NAMED.sub("", moment)[:_MOMENT] for moment in (self.first, self.last))
        return ARCHIVE_PREFIX + "-".join(moments)


class _Archiving:
    """One archiving of the main file that is opened as `fd`, up to the size that it has now."""

    def __init__(self, root: Path, fd: int) -> None:
        self._root, self._fd = root, fd
        self._size = os.fstat(fd).st_size

    def run(self, cut: CutPoint) -> Archived:
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
            if made is not None:
                remove_file(self._root / made)
            raise
        left = sum(1 for line in self._lines(end, self._size) if line.link.hash)
        return Archived(file=made, records=moved.records, left=left, repeated=begin)

    def _archived_already(self) -> int:
        """Give how many bytes of the beginning archives hold, because one was stopped."""
        begin = 0
        stamps = [s for s in LedgerFiles(self._root).stamp() if s.file.startswith(ARCHIVE_ROOM)]
        while found := [s.size for s in stamps if s.size and self._holds(s.file, begin, s.size)]:
            begin += found[0]
        return begin

    def _holds(self, file: WorkspacePath, begin: int, size: int) -> bool:
        """Whether a file is what the main file has from an offset on."""
        if begin + size > self._size:
            return False
        with suppress(LedgerUnavailableError), opened(self._root / file) as fd:
            return fd is not None and all(
                read_at(fd, at, end) == read_at(self._fd, begin + at, begin + end)
                for at, end in _chunks(0, size)
            )
        return False

    def _lines(self, begin: int, end: int) -> Iterator[ArchiveLine]:
        """Examine the whole lines between two offsets."""
        at, rest = begin, b""
        for chunk in _chunks(begin, end):
            *lines, rest = (rest + self._read(0, *chunk)).split(b"\n")
            for line in lines:
                ended = at + len(line) + 1
                yield ArchiveLine(at, ended, examine(line + b"\n"))
                at = ended

    def _read(self, begin: int, start: int, end: int) -> bytes:
        return read_at(self._fd, begin + start, begin + end)

    def _write(self, begin: int, end: int, name: str) -> WorkspacePath:
        """Write the archive; nobody reads it before all of it is on the disk."""
        endings = chain([""], (f"-{number}" for number in count(2)))
        names = (WorkspacePath(f"{ARCHIVE_ROOM}/{name}{ending}{SUFFIX}") for ending in endings)
        file = next(each for each in names if not os.path.lexists(self._root / each))
        mode = stat.S_IMODE(os.fstat(self._fd).st_mode)
        chunks = (self._read(0, *each) for each in _chunks(begin, end))
        replace_lines(self._root / file, chunks, mode=mode)
        return file

    def _verify(self, begin: int, end: int, made: WorkspacePath | None) -> None:
        """Verify the archive, and what the main file keeps, as parts of the whole ledger."""
        if made is not None and not self._holds(made, begin, end - begin):
            raise LedgerUnavailableError(
                path=made, problem="the disk returned other bytes than were written"
            )
        rest = VerifiedFile(LEDGER_FILE, scan(partial(self._read, end), self._size - end))
        snapshot = Snapshot(self._root, self._fd, LedgerFiles(self._root).stamp())
        parts = (rest if part.file == LEDGER_FILE else part for part in snapshot.parts())
        for problem in verify(parts).problems:
            # What is wrong with other files stays as it is.
            if problem.severity is Severity.ERROR and problem.file in (LEDGER_FILE, made):
                raise LedgerUnavailableError(
                    path=LEDGER_FILE,
                    problem=f"it does not verify: {problem.code}",
                    cure="`intent-lsp trace verify` names the line; nothing was moved",
                )

    def _give_up(self, end: int) -> None:
        """Let the main file go on behind the archive, with all that was appended meanwhile."""
        path = self._root / LEDGER_FILE
        with ledger_lock(self._root).held():
            now = os.fstat(self._fd)
            if not os.path.samestat(now, path.lstat()) or now.st_size < self._size:
                raise LedgerUnavailableError(
                    path=str(path),
                    problem="another ledger took its place meanwhile",
                    cure="run this again when git has finished; nothing was moved",
                )
            replace_lines(path, (self._read(0, *each) for each in _chunks(end, now.st_size)))


def _chunks(begin: int, end: int) -> Iterator[tuple[int, int]]:
    for start in range(begin, end, _CHUNK):
        yield start, min(start + _CHUNK, end)
