"""The end of a ledger file: its size, the chain's state there, and the last writer's note.

Invariant: an end is found, followed and noted under the ledger's lock.
Invariant: a known end is used only while the file's last bytes are still the known ones.
Invariant: a note counts only while the ledger's inode, size and last bytes are those in the note; a
torn or malformed note counts as none.
"""

import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.store.fs.local_dir import keep_aside
from intent_lsp.store.ledger.index.index import MAX_LAG, Index
from intent_lsp.store.ledger.raw.file import LedgerFile, Reader, last_line_start, opened, read_at
from intent_lsp.store.ledger.raw.files import LedgerFiles
from intent_lsp.store.locks.root_lock import NOTE_AT_MOST

Clock = Callable[[], datetime]

_TAIL: Final = 96

_HEADER: Final = struct.Struct("<HI")


class TailNote(msgspec.Struct, array_like=True, frozen=True):
    """A note for the next writer about a ledger file's end.

    Such a note is made only where the last record is the only open head. `inode`, `size` (in
    bytes), `lines` (their number) and `tail` (the last bytes) describe the file. `hash`,
    `timestamp` and `session_id` are the last record's.
    """

    inode: int
    size: int
    tail: bytes
    lines: int
    hash: ContentHash
    timestamp: str
    session_id: str

    def trail(self) -> ChainCursor:
        """Return a chain cursor at the end that this note describes.

        Its only head is the last record.
        """
        head = Head(self.hash, self.lines, self.session_id, self.timestamp)
        return ChainCursor({self.hash: head}, self.lines, self.hash, self.timestamp)


_DECODER: Final = msgspec.msgpack.Decoder(TailNote)
_ENCODER: Final = msgspec.msgpack.Encoder()


def noted(trail: ChainCursor, inode: int, size: int, tail: bytes) -> TailNote | None:
    """Return a note about a ledger file's end; None if the last record is not the only open head.

    `trail` is a chain cursor at that end. `tail` are the file's last bytes.
    """
    if trail.last is None or len(trail.heads) != 1:
        return None
    head = trail.heads.get(trail.last)
    if head is None:
        return None
    return TailNote(inode, size, tail, trail.lines, head.hash, head.timestamp, head.session_id)


def spelled_note(note: TailNote | None) -> bytes:
    """Encode a note about a ledger file's end.

    For None, or a note that is too long, return bytes that `read_note` reads as None.
    """
    told = b"" if note is None else _ENCODER.encode(note)
    if len(told) > NOTE_AT_MOST - _HEADER.size:
        told = b""
    return _HEADER.pack(len(told), zlib.crc32(told)) + told


def read_note(data: bytes) -> TailNote | None:
    """Decode the note at the start of `data`. Return None if it is missing, torn or malformed."""
    if len(data) < _HEADER.size:
        return None
    length, check = _HEADER.unpack_from(data)
    told = data[_HEADER.size : _HEADER.size + length]
    if not told or zlib.crc32(told) != check:
        return None
    try:
        return _DECODER.decode(told)
    except (msgspec.DecodeError, UnicodeError):
        return None


class TailState(Struct):
    """The end of a ledger file of `size` bytes.

    `tail` are the last 96 bytes at most, and `trail` is a chain cursor at the end. `whole` is False
    if only the last lines were read: then the last record is the only head in `trail`, and other
    open heads are unknown.
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
        end = cls(size, b"", trail, whole)
        end.tail = file.read(max(size - _TAIL, 0), size)
        return end

    def follow(self, file: LedgerFile, left: Callable[[], TailNote | None]) -> bool:
        """Advance this end past the lines that other processes have appended, and return True.

        Return False if that is not possible, so that `find` must be called. `left` returns the last
        writer's note, or None. With a note that fits the file, the lines are not read.
        """
        size = file.size()
        note = left() if size != self.size else None
        return (note is not None and self._take(note, file, size)) or self._read_on(file, size)

    def note(self, file: LedgerFile) -> TailNote | None:
        """Return a note about this end for the next writer.

        Return None if the last record is not the only open head, or if other open heads are unknown
        (`whole` is False).
        """
        return noted(self.trail, file.inode, self.size, self.tail) if self.whole else None

    def _take(self, note: TailNote, file: LedgerFile, size: int) -> bool:
        """Move this end to the one that the last writer's note describes, and return True.

        Return False and do nothing if the file does not end as the note says. `size` is the file's
        size.
        """
        if (note.inode, note.size, len(note.tail)) != (file.inode, size, min(_TAIL, size)):
            return False
        # The note is trusted only if the last line in the file states the same hash.
        said = note.hash.encode() in note.tail
        if not said or file.read(size - len(note.tail), size) != note.tail:
            return False
        self.size, self.tail, self.trail, self.whole = size, note.tail, note.trail(), True
        return True

    def _read_on(self, file: LedgerFile, size: int) -> bool:
        """Advance this end by reading the lines appended since; the file now has `size` bytes.

        Return True, or False if that is not possible: `whole` is False, too much was appended, the
        last line is torn, or the file has changed otherwise.
        """
        grown = size - self.size
        if not self.whole or not 0 <= grown <= MAX_LAG:
            return False
        start = self.size - len(self.tail)
        data = file.read(start, size)
        if not data.startswith(self.tail) or data[-1:] not in (b"\n", b""):
            return False
        for line in data[len(self.tail) :].split(b"\n")[:-1]:
            self.trail.step(examine(line + b"\n"))
        self._grow(size, data)
        return True

    def moved(self, data: bytes) -> None:
        """Advance this end past `data`, lines just written.

        The caller has advanced `trail` past these lines already.
        """
        self._grow(self.size + len(data), self.tail + data)

    def _grow(self, size: int, data: bytes) -> None:
        self.size, self.tail = size, data[-_TAIL:]


def _ended(trail: ChainCursor, name: WorkspacePath) -> ChainCursor:
    """Return `trail` without heads if the file `name` is a segment with records, else unchanged.

    Without heads, the next record merges nothing. The next record of the main file, and the first
    of a segment, merge the heads of all files.
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
    """Complete a torn last line with a line feed, or move it to `.local/torn/`.

    It is completed if it is a record that follows the record before it and lacks only its line
    feed. `size` is the file's size. Return the size that the file has afterwards.
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
