"""Tail note: the last writer leaves the ledger's end in the lock's file for the next writer.

Invariant: a note counts only while the ledger's inode, size and last bytes are those in the note.
Invariant: a torn or malformed note counts as none.
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
    """The end of a ledger file whose only open head is its last record.

    `inode`, `size` and `tail`, the last bytes, are the file's. `hash`, `timestamp` and `session_id`
    are the last record's. `lines` is the number of lines.
    """

    inode: int
    size: int
    tail: bytes
    lines: int
    hash: ContentHash
    timestamp: str
    session_id: str

    def trail(self) -> ChainCursor:
        """Return a chain cursor at this end."""
        head = Head(self.hash, self.lines, self.session_id, self.timestamp)
        return ChainCursor({self.hash: head}, self.lines, self.hash, self.timestamp)


_READ: Final = msgspec.msgpack.Decoder(TailNote)
_WRITE: Final = msgspec.msgpack.Encoder()


def noted(trail: ChainCursor, inode: int, size: int, tail: bytes) -> TailNote | None:
    """Return the note for an end, or None unless its last record is the only open head."""
    if trail.last is None or len(trail.heads) != 1:
        return None
    head = trail.heads.get(trail.last)
    if head is None:
        return None
    return TailNote(inode, size, tail, trail.lines, head.hash, head.timestamp, head.session_id)


def spelled(note: TailNote | None) -> bytes:
    """Encode a note. If it is None or too long, return bytes that `read` decodes as None."""
    told = b"" if note is None else _WRITE.encode(note)
    if len(told) > NOTE_AT_MOST - _HEADER.size:
        told = b""
    return _HEADER.pack(len(told), zlib.crc32(told)) + told


def read(data: bytes) -> TailNote | None:
    """Decode a note, ignoring bytes after it. Return None if it is torn or malformed."""
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
