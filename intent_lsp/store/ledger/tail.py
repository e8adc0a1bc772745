"""The end of a ledger file: its size, and the chain's state there.

Invariant: an end is found and followed under the ledger's lock.
Invariant: a known end is used only while the file's last bytes are still the known ones.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.store.fs.local_dir import keep_aside
from intent_lsp.store.ledger.index.index import MAX_LAG, Index
from intent_lsp.store.ledger.raw.file import (
    LedgerFile,
    Reader,
    last_line_start,
    opened,
    read_at,
)
from intent_lsp.store.ledger.raw.files import LedgerFiles

Clock = Callable[[], datetime]

_TAIL: Final = 96


class TailState(Struct):
    """The end of a ledger file of `size` bytes.

    `tail` are the last 96 bytes at most, and `trail` is a chain cursor at the end. `whole` is False
    if the heads of `trail` are unknown but for the last record, since only the last lines were read
    to find it.
    """

    size: int
    tail: bytes
    trail: ChainCursor
    whole: bool

    @classmethod
    def find(
        cls, file: LedgerFile, name: WorkspacePath, root: Path, *, clock: Clock, index: Index
    ) -> Self:
        """Return a ledger file's end, from the index, or from its last lines if the index lags far.

        `name` is the file's path, relative to the root. A torn last line is completed if it is a
        record that follows the one before it and only its line feed is missing; otherwise it is
        moved to `.local/torn/`. Raise OSError, LedgerUnavailableError or UnsafePathError.
        """
        size = file.size()
        if size and file.read(size - 1, size) != b"\n":
            size = _mend(file, size, root, clock)
        trail = index.trail(name, size)
        whole = trail is not None
        trail = _by_tail(file.read, size) if trail is None else _ended(trail, name)
        if trail.last is None:
            trail = _begun(trail, root)
        return cls(size, file.read(max(size - _TAIL, 0), size), trail, whole)

    def follow(self, file: LedgerFile) -> bool:
        """Advance this end past the lines that other processes have appended, and return True.

        Return False if that is not possible, so that `find` must be called: `whole` is False, too
        much was appended, the last line is torn, or the file has changed otherwise.
        """
        size = file.size()
        grown = size - self.size
        if not self.whole or not 0 <= grown <= MAX_LAG:
            return False
        start = self.size - len(self.tail)
        data = file.read(start, size)
        if not data.startswith(self.tail) or data[-1:] not in (b"\n", b""):
            return False
        for line in data[len(self.tail) :].split(b"\n")[:-1]:
            self.trail.step(examine(line + b"\n"))
        self.size, self.tail = size, data[-_TAIL:]
        return True

    def moved(self, data: bytes) -> None:
        """Advance this end past `data`, lines just written.

        The caller has had this end's own `trail` follow them already.
        """
        self.size, self.tail = self.size + len(data), (self.tail + data)[-_TAIL:]


def _ended(trail: ChainCursor, name: WorkspacePath) -> ChainCursor:
    """Return `trail` without heads, if the file `name` is a segment with records.

    Its next record then merges nothing. Otherwise return `trail` unchanged: the main file's next
    record, and the first of a segment, merge the heads of all files.
    """
    if name == LEDGER_FILE or trail.last is None:
        return trail
    return replace(trail, heads={})


def _begun(trail: ChainCursor, root: Path) -> ChainCursor:
    """Return the cursor for a ledger file without records: at the newest record of the other files.

    The file's first record then follows that record. `trail` is the file's own cursor, and is
    returned unchanged if no other file has a record.
    """
    heads = list(trail.heads.values()) or _ends_by_tails(root)
    newest = max(heads, key=lambda head: head.timestamp, default=None)
    if newest is None:
        return trail
    return replace(trail, last=newest.hash, last_time=newest.timestamp)


def _ends_by_tails(root: Path) -> list[Head]:
    """Return the last record of each ledger file as a head, read from the ends of the files.

    A file that has no record or cannot be read is left out.
    """
    ends = []
    for stamp in LedgerFiles(root).stamp():
        with suppress(LedgerUnavailableError), opened(root / stamp.file) as fd:
            if fd is not None:
                trail = _by_tail(partial(read_at, fd), stamp.size)
                ends += list(trail.heads.values())
    return ends


def _by_tail(read: Reader, size: int) -> ChainCursor:
    """Return a cursor at the last readable record of a file before the offset `size`.

    Its only head is that record; other open heads are not found.
    """
    trail = ChainCursor()
    while size and trail.last is None:
        start = last_line_start(read, size)
        trail.step(examine(read(start, size)))
        size = start
    return trail


def _mend(file: LedgerFile, size: int, root: Path, clock: Clock) -> int:
    """Complete a torn last line if only its line feed is missing, else move it to `.local/torn/`.

    A record that lacks only its line feed is moved too if it does not follow the record before it.
    `size` is the file's size. Return its new size.
    """
    start = last_line_start(file.read, size)
    link = examine(file.read(start, size) + b"\n")
    above = _by_tail(file.read, start).last
    # The first record of a file names a record in another file.
    joins = {None, *(head.hash for head in _ends_by_tails(root))} if above is None else {above}
    if link.flaw is None and link.prev in joins:
        file.append(b"\n")
        return file.size()
    plain = timestamp(clock()).replace(":", "").replace("-", "")
    keep_aside(root / LOCAL_ROOM, f"{plain}-{start}", file.read(start, size))
    file.cut(start)
    return start
