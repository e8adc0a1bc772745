"""What a verification remembers of every line: ids, hashes and what they name, on the disk.

Invariant: memory stays flat in the ledger's size; what grows with it is in temporary files, but
for one byte a line while ancestors are counted.
Invariant: rows are counted from 0 over all files, in the order in which they were read.
"""

import os
import struct
from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import compress
from tempfile import SpooledTemporaryFile
from typing import Final, NamedTuple, Self

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import Link
from intent_lsp.store.ledger.verify.link_rows import NO_ID, NOTHING, ROW, Key, id_key, key

_NO_ROW: Final = bytes(ROW.size)
_HASH: Final = slice(16, 48)
_IN_MEMORY: Final = 8 * 1024 * 1024
_AT_ONCE: Final = 8192
_SLOT_BYTES: Final = 3
_AT_MOST: Final = 250_000


class Repeated(NamedTuple):
    """Lines that share an id: `copies` are the same record again, `others` rows another one's."""

    copies: int
    others: tuple[int, ...]


class HashPlaces(NamedTuple):
    """Where a hash was found: its first row, and its first row in any file but that one."""

    first: int
    elsewhere: int | None


class Reached(NamedTuple):
    """How many records some hashes and all that they follow are, and the hashes in no file."""

    records: int
    missing: frozenset[Key]


class LinkTable:
    """Rows, one a line; written once, then read as often as is needed."""

    def __init__(self) -> None:
        self._rows = SpooledTemporaryFile[bytes](max_size=_IN_MEMORY)
        self._ties = SpooledTemporaryFile[bytes](max_size=_IN_MEMORY)
        self._unwritten = bytearray()
        self._tied = 0
        self._starts: list[int] = []
        self._count = 0
        self._last: tuple[ContentHash | None, Key] = (None, NOTHING)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()
        self._ties.close()

    def begin_file(self) -> None:
        """Let the next row be the first of another file."""
        self._starts.append(self._count)

    def add(self, link: Link, prev: ContentHash | None) -> None:
        """Remember a line; `prev` is the hash that it follows."""
        self._count += 1
        if not link.hash:
            self._unwritten += _NO_ROW
            return
        known, known_key = self._last
        prev_key = known_key if prev == known else key(prev)
        hash_key = key(link.hash)
        at, ties = (0, 0) if not link.merges else self._tie(link.merges)
        self._unwritten += ROW.pack(id_key(link.id), hash_key, prev_key, at, ties)
        self._last = (link.hash, hash_key)
        if len(self._unwritten) >= _AT_ONCE * ROW.size:
            self._write()

    def add_rows(self, packed: bytes, count: int, last: ContentHash) -> None:
        """Remember lines that `rows` packed; `last` is the hash of the last of them."""
        self._unwritten += packed
        self._count += count
        self._last = (last, packed[-ROW.size :][_HASH])
        if len(self._unwritten) >= _AT_ONCE * ROW.size:
            self._write()

    def file_of(self, row: int) -> int:
        """Give the number of the file that a row is of, from 0."""
        return bisect_right(self._starts, row) - 1

    def line_of(self, row: int) -> int:
        """Give the line of a row in its file, from 1."""
        return row - self._starts[self.file_of(row)] + 1

    def places(self, sought: Collection[Key]) -> dict[Key, HashPlaces]:
        """Find where hashes stand; one that stands nowhere is left out."""
        found: dict[Key, HashPlaces] = {}
        for row, (_, hash_, _, _, _) in enumerate(self._recall()):
            if hash_ in sought:
                known = found.setdefault(hash_, HashPlaces(row, None))
                if known.elsewhere is None and self.file_of(known.first) != self.file_of(row):
                    found[hash_] = HashPlaces(known.first, row)
        return found

    def unnamed(self, candidates: Collection[Key]) -> set[Key]:
        """Give those hashes that no row names."""
        left = set(candidates)
        for _, _, prev, at, ties in self._recall():
            left.discard(prev)
            if ties:
                left.difference_update(self._tied_by(at, ties))
        return left

    def reach(self, anchors: Collection[Key]) -> Reached:
        """Count the records that some hashes and all that they follow are.

        Within a file what is followed stands above, so that one walk upwards finds it; files that
        follow one another in another order than they are read in are walked again.
        """
        wanted, counted = set(anchors), 0
        done = bytearray(self._count)
        while wanted:
            before = counted
            for row, (_, hash_, prev, at, ties) in self._backwards():
                if hash_ not in wanted:
                    continue
                wanted.discard(hash_)
                if not done[row]:
                    done[row] = 1
                    counted += 1
                    wanted.update([prev] if prev != NOTHING else [], self._tied_by(at, ties))
            if counted == before:
                break
        return Reached(counted, frozenset(wanted))

    def repeated(self) -> Repeated:
        """Look for rows of one id; in parts, where too many may be of one."""
        copies, others = 0, []
        suspects = self._suspects()
        parts = 1 + len(suspects) // _AT_MOST
        for part in range(parts if suspects else 0):
            seen: dict[bytes, Key] = {}
            for row, id_, hash_ in self._in_slots(suspects):
                if id_ == NO_ID or hash(id_) % parts != part:
                    continue
                if id_ not in seen:
                    seen[id_] = hash_
                elif seen[id_] == hash_:
                    copies += 1
                else:
                    others.append(row)
        return Repeated(copies, tuple(sorted(others)))

    def _suspects(self) -> set[int]:
        """Give every slot that two rows share, as those of one id do."""
        # A byte each, not a bit: a million times a shift would cost more than the room.
        taken, suspects = bytearray(1 << 8 * _SLOT_BYTES), set[int]()
        for block in self._blocks():
            for slot in _slots(block):
                if taken[slot]:
                    suspects.add(slot)
                else:
                    taken[slot] = 1
        return suspects

    def _in_slots(self, slots: Collection[int]) -> Iterator[tuple[int, bytes, Key]]:
        """Give the number, the id and the hash of each row in some slots."""
        first = 0
        for block in self._blocks():
            count = len(block) // ROW.size
            for row in compress(range(count), map(slots.__contains__, _slots(block))):
                id_, hash_, _, _, _ = ROW.unpack_from(block, row * ROW.size)
                yield first + row, id_, hash_
            first += count

    def _recall(self) -> Iterator[tuple[bytes, Key, Key, int, int]]:
        for block in self._blocks():
            yield from ROW.iter_unpack(block)

    def _blocks(self) -> Iterator[bytes]:
        self._write()
        self._rows.seek(0)
        while block := self._rows.read(ROW.size * _AT_ONCE):
            yield block

    def _backwards(self) -> Iterator[tuple[int, tuple[bytes, Key, Key, int, int]]]:
        self._write()
        end = self._count
        while end:
            start = max(end - _AT_ONCE, 0)
            self._rows.seek(start * ROW.size)
            rows = list(ROW.iter_unpack(self._rows.read((end - start) * ROW.size)))
            yield from zip(range(end - 1, start - 1, -1), reversed(rows), strict=True)
            end = start

    def _write(self) -> None:
        self._rows.seek(0, os.SEEK_END)
        self._rows.write(self._unwritten)
        self._unwritten.clear()

    def _tie(self, names: Collection[ContentHash]) -> tuple[int, int]:
        """Write down what a record ties; give where, and how many."""
        at = self._tied
        self._ties.seek(0, os.SEEK_END)
        self._ties.write(b"".join(map(key, names)))
        self._tied += len(names)
        return at, len(names)

    def _tied_by(self, at: int, count: int) -> list[Key]:
        if not count:
            return []
        self._ties.seek(at * len(NOTHING))
        found = self._ties.read(count * len(NOTHING))
        return [found[start : start + 32] for start in range(0, len(found), 32)]


def _slots(block: bytes) -> tuple[int, ...]:
    """Give the slot of each row: the first bytes of its id, which are put in order together."""
    count = len(block) // ROW.size
    found = bytearray(4 * count)
    for at in range(_SLOT_BYTES):
        found[at::4] = block[at :: ROW.size]
    return struct.unpack(f"<{count}I", found)
