"""Unites ledgers that branched: two files, or the sides of one with git's conflict markers.

Specified in ledger section 2.

Invariant: every whole line of either ledger (a side) is in the union once and unchanged. Only a
line that is a badly formatted copy of another line in the union may be missing.
Invariant: if on both sides every record comes after the records that it refers to, the same holds
for the union.
Invariant: a last line without a line end is never joined to another. If it is otherwise valid it
gets its line end, else it is set aside.
Invariant: a line is a marker only where that marker may come next. Records never look like a
marker.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from hashlib import blake2b
from itertools import islice
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.formats.ledger.jsonl import examine

ReadSide = Callable[[], Iterable[bytes]]
r"""A function that reads one of the two ledgers (a side) from its start at each call.

It yields lines with their `\n`, except perhaps the last.
"""

_DIGEST_BYTES: Final = 16


_OPENING: Final = re.compile(rb"(<{7,})(?: .*)?\r?\n?")
_ORDER: Final = b"<|=>"


class SideLine(Struct, frozen=True, kw_only=True):
    """The place of a line in one of the two ledgers. `side` is its name, `line` counts from 1."""

    side: str
    line: int


class Oddity(Struct, frozen=True):
    """A line in the union that this program would not have written, and what is wrong with it."""

    place: SideLine
    message: str


class Aside(Struct, frozen=True):
    """A last line without a line end that is no valid record, and is left out of the union.

    A person decides what becomes of it.
    """

    place: SideLine
    text: bytes


class Union(Struct):
    """What has been merged so far.

    `common` are the digests of lines that both ledgers have; these lines are not checked. `odd` are
    other lines in the union that have a flaw, `aside` are texts left out of it; a person should
    examine both. `taken` is the number of lines in the union.
    """

    common: frozenset[bytes] = frozenset()
    odd: list[Oddity] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    taken: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _hashes: set[ContentHash] = field(default_factory=set)

    def take(self, place: SideLine, line: bytes) -> bytes | None:
        """Add `line`, which is at `place` in one of the two ledgers, and return the line to write.

        It is `line` with a line end. Return None if the line is in the union already, is set aside
        in `aside`, or is a badly formatted copy of an earlier line. Any other line with a flaw is
        noted in `odd`, and is written all the same. Lines that both ledgers have (`common`) are not
        checked for flaws.
        """
        if not line.endswith(b"\n"):
            ended = line + b"\n"
            if examine(ended).flaw is not None:
                self.aside.append(Aside(place, line))
                return None
            line = ended
        digest = digest_of(line)
        if digest in self._seen:
            return None
        if digest not in self.common and self._is_copy(place, line):
            return None
        self._seen.add(digest)
        self.taken += 1
        return line

    def has(self, line: bytes) -> bool:
        """Return whether exactly this line is in the union."""
        return digest_of(line) in self._seen

    def _is_copy(self, place: SideLine, line: bytes) -> bool:
        """Return whether a line is a badly formatted copy of one that was checked before.

        The hash of a line without a flaw is added to `_hashes`. Any other line that is no such copy
        is added to `odd`.
        """
        link = examine(line)
        if link.flaw is None:
            self._hashes.add(link.hash)
            return False
        if link.flaw.code is LedgerCode.BAD_FORM and link.hash in self._hashes:
            return True
        self.odd.append(Oddity(place, link.flaw.message))
        return False


def union_of(
    ours: tuple[str, ReadSide], theirs: tuple[str, ReadSide]
) -> tuple[Union, Iterator[bytes]]:
    """Merge two ledgers (sides), each given as a name and a function that reads its lines.

    Return the union, which is filled while the lines are iterated, and its lines. First come the
    lines that `theirs` has before the first common line, since `ours` may have moved them into an
    archive. Then come the lines of `ours`, and then the other lines that only `theirs` has, both in
    order.
    """
    mine = {digest_of(line) for line in ours[1]()}
    common: set[bytes] = set()
    before = 0
    for number, line in enumerate(theirs[1](), 1):
        digest = digest_of(line)
        if digest in mine:
            before = before if common else number - 1
            common.add(digest)
    union = Union(frozenset(common))
    return union, _written(union, ours, theirs, before)


def digest_of(line: bytes) -> bytes:
    """Return a short hash by which a union recognises equal lines."""
    return blake2b(line, digest_size=_DIGEST_BYTES).digest()


def _written(
    union: Union, ours: tuple[str, ReadSide], theirs: tuple[str, ReadSide], before: int
) -> Iterator[bytes]:
    for (side, read), first, last in ((theirs, 0, before), (ours, 0, None), (theirs, before, None)):
        for number, line in islice(enumerate(read(), 1), first, last):
            found = union.take(SideLine(side=side, line=number), line)
            if found is not None:
                yield found


class ConflictPart(Enum):
    """What a line of a conflicted file is.

    KEPT: a line of one of the sides, or outside of a conflict. BASE: a line of their common
    ancestor. MARKER: one of git's conflict markers.
    """

    KEPT = "kept"
    BASE = "base"
    MARKER = "marker"


class Conflict(Struct):
    """The parser state for one conflicted file that is read line by line.

    `conflicts` counts the complete conflicts. `open_at` is the number, from 1, of the line where
    the present conflict begins, or None outside of a conflict.
    """

    conflicts: int = 0
    open_at: int | None = None
    _size: int = 0
    _last: bytes = b""

    def parts(self, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes, ConflictPart]]:
        """Yield (number from 1, bytes, kind) of each line of the file. Never raises.

        `conflicts` and `open_at` are updated for a line before it is yielded.
        """
        for number, line in enumerate(lines, 1):
            part = self._marker(number, line)
            if part is None:
                part = ConflictPart.BASE if self._last == b"|" else ConflictPart.KEPT
            yield number, line, part

    def _marker(self, number: int, line: bytes) -> ConflictPart | None:
        if self.open_at is None:
            opened = _OPENING.fullmatch(line)
            if opened is None:
                return None
            self.open_at, self._size, self._last = number, len(opened.group(1)), b"<"
            return ConflictPart.MARKER
        sign = self._sign(line)
        # The markers come once each and in this order. The common ancestor's part may be missing.
        if sign is None or _ORDER.index(sign) <= _ORDER.index(self._last):
            return None
        if sign == b">":
            if self._last != b"=":
                return None
            self.conflicts += 1
            self.open_at, sign = None, b""
        self._last = sign
        return ConflictPart.MARKER

    def _sign(self, line: bytes) -> bytes | None:
        """Return the `|`, `=` or `>` that a marker line repeats, or None if the line is no marker.

        A marker must be as long as the one that opened the conflict.
        """
        bare = line.rstrip(b"\r\n")
        sign, label = bare[:1], bare[self._size :]
        if sign not in (b"|", b"=", b">") or bare[: self._size] != sign * self._size:
            return None
        return sign if not label or label.startswith(b" ") else None
