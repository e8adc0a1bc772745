"""The union of two ledgers that branched: each record once, no line lost (ledger section 2).

Invariant: every whole line of either side is in the union as it stood, once; a misspelled copy of
a record that is rightly spelled there is the same record.
Invariant: where each side has a record behind those that it names, so has the union.
Invariant: a last line without end is never glued to another: whole but for its end it is ended,
else it is set aside.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.formats.ledger.jsonl import examine

ReadSide = Callable[[], Iterable[bytes]]
"""Reads a side from its beginning, each time: lines with their `\\n`, the last maybe without."""

_DIGEST_BYTES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLine:
    """A line of a side; `line` counts from 1."""

    side: str
    line: int


@dataclass(frozen=True, slots=True)
class Oddity:
    """A line that is in the union, and that is not what this program writes."""

    place: SideLine
    message: str


@dataclass(frozen=True, slots=True)
class Aside:
    """Text that is not in the union, for somebody to keep."""

    place: SideLine
    text: bytes


@dataclass(slots=True)
class Union:
    """What is in the union so far; its memory is that of a digest a line.

    `common` are digests of lines that both sides have, which are not looked into; `odd` and
    `aside` say what a person may want to look at; `taken` counts the lines.
    """

    common: frozenset[bytes] = frozenset()
    odd: list[Oddity] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    taken: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _hashes: set[ContentHash] = field(default_factory=set)

    def take(self, place: SideLine, line: bytes) -> bytes | None:
        """Give the line to write for a line of a side; None: it is there already, or set aside."""
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
        """Find out whether a line was taken, as it stands."""
        return digest_of(line) in self._seen

    def _is_copy(self, place: SideLine, line: bytes) -> bool:
        """Find out whether a line is another spelling of a record that is there; note oddities."""
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
    """Join two named sides; give what is known of the union once its lines have been read.

    The lines are those of `ours` in their order, then what `theirs` alone has in its order. What
    `theirs` has before the first line that both have stands before all: `ours` moved that into an
    archive, and it names nothing that comes later.
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
    """Give what a line is known by."""
    return blake2b(line, digest_size=_DIGEST_BYTES).digest()


def _written(
    union: Union, ours: tuple[str, ReadSide], theirs: tuple[str, ReadSide], before: int
) -> Iterator[bytes]:
    def taken(side: str, lines: Iterable[bytes], first: int, last: int | None) -> Iterator[bytes]:
        for number, line in enumerate(lines, 1):
            if number >= first and (last is None or number <= last):
                found = union.take(SideLine(side=side, line=number), line)
                if found is not None:
                    yield found

    if before:
        yield from taken(theirs[0], theirs[1](), 1, before)
    yield from taken(ours[0], ours[1](), 1, None)
    yield from taken(theirs[0], theirs[1](), before + 1, None)
