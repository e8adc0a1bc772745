"""What the last who appended knew of the ledger's end, left for the next one in the lock's file.

Invariant: it counts only while the file, its size and its last bytes are those that it names.
Invariant: what is torn, or no note at all, is none.
"""

import struct
import zlib
from typing import Final

import msgspec

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.store.locks.root_lock import NOTE_AT_MOST

_HEADER: Final = struct.Struct("<HI")


class TailNote(msgspec.Struct, array_like=True, frozen=True):
    """A ledger with one open head, which is its last record: the file's inode, size and last bytes.

    `hash`, `timestamp` and `session_id` are the record's, `lines` is its line.
    """

    inode: int
    size: int
    tail: bytes
    lines: int
    hash: ContentHash
    timestamp: str
    session_id: str

    def trail(self) -> ChainCursor:
        """Give the chain's state there."""
        head = Head(self.hash, self.lines, self.session_id, self.timestamp)
        return ChainCursor({self.hash: head}, self.lines, self.hash, self.timestamp)


_READ: Final = msgspec.msgpack.Decoder(TailNote)
_WRITE: Final = msgspec.msgpack.Encoder()


def noted(trail: ChainCursor, inode: int, size: int, tail: bytes) -> TailNote | None:
    """Give what is to be left of an end; None: it takes more to tell than a note holds."""
    if trail.last is None or len(trail.heads) != 1:
        return None
    head = trail.heads.get(trail.last)
    if head is None:
        return None
    return TailNote(inode, size, tail, trail.lines, head.hash, head.timestamp, head.session_id)


def spelled(note: TailNote | None) -> bytes:
    """Spell a note as bytes; none, or one that is too long, as what `read` takes for none."""
    told = b"" if note is None else _WRITE.encode(note)
    if len(told) > NOTE_AT_MOST - _HEADER.size:
        told = b""
    return _HEADER.pack(len(told), zlib.crc32(told)) + told


def read(data: bytes) -> TailNote | None:
    """Read what was left, whatever stands behind it. Total."""
    if len(data) < _HEADER.size:
        return None
    length, check = _HEADER.unpack_from(data)
    told = data[_HEADER.size : _HEADER.size + length]
    if not told or zlib.crc32(told) != check:
        return None
    try:
        return _READ.decode(told)
    except (msgspec.DecodeError, UnicodeError):
        return None
