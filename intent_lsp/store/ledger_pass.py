"""One pass over a ledger's links: what joins, what is repeated, which heads are open.

Invariant: memory stays flat in the ledger's size: what has to be remembered of every line is kept
in temporary files.
Invariant: a link joins when the hash that it names was recomputed, on an earlier line of its file
or on any line of another one; what a line says of itself proves nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from intent_lsp.core.chain import Head, Link, Trail
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.first_problems import FirstProblems, LedgerPlace
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger_remembered import Places, Remembered
from intent_lsp.store.ledger_rows import Key, hashes_in, key, spelled

_UNSEALED: Final = "it has no `integrity`, though a record above it has"
_FIVE_KEYS: Final = (
    "an older tool wrote it: its id, time, revision, files and place alone are hashed"
)

Elsewhere = Callable[[Collection[ContentHash]], Collection[ContentHash]]
"""Gives those of some hashes that another branch's ledger holds."""


class Packed(NamedTuple):
    """Lines with nothing wrong, each following the one above, in time too: the ends of them.

    `rows` is what is remembered of them.
    """

    first: Link
    last: Link
    lines: int
    rows: bytes


Piece: TypeAlias = Packed | Link
"""What is found on one line, or on several; a torn tail is a link with that flaw."""


class _Loose(NamedTuple):
    """A line that names hashes which are no open head; `first`: no record is above it."""

    row: int
    named: tuple[ContentHash, ...]
    first: bool


class LinkPass:
    """The links of all files, followed in reading order, then compared with each other."""

    def __init__(self, remembered: Remembered, elsewhere: Elsewhere) -> None:
        self.problems = FirstProblems()
        self.records = 0
        self.files = 0
        self.heads: dict[ContentHash, Head] = {}
        self._remembered = remembered
        self._elsewhere = elsewhere
        self._trail, self._sealed = Trail(), False
        self._row = 0
        self._loose: list[_Loose] = []
        self._missing: list[tuple[LedgerPlace, tuple[ContentHash, ...]]] = []

    def follow_file(self, file: str, pieces: Iterable[Piece]) -> None:
        """Follow the lines of the next file; a torn tail is the last of them, and no line."""
        self.problems.files.append(file)
        self._remembered.begin_file()
        self._trail, self._sealed = Trail(), False
        for piece in pieces:
            if isinstance(piece, Packed):
                self._follow_packed(piece)
            else:
                self._follow(piece)
        self.files += self._trail.lines > 0
        for hash_, head in self._trail.heads.items():
            self.heads.setdefault(hash_, replace(head, file=file))

    def close(self) -> None:
        """Compare what the lines name with all that was recomputed."""
        self._resolve()
        self._judge_missing()
        repeated = self._remembered.repeated()
        self.records -= repeated.copies
        for row in repeated.others:
            message = "an earlier record has the same id and other content"
            self.problems.note(LedgerCode.DUPLICATE_ID, self._place(row), message)
        if self._loose or len(self.heads) > 1:
            open_ = self._remembered.unnamed({key(hash_) for hash_ in self.heads})
            self.heads = {hash_: head for hash_, head in self.heads.items() if key(hash_) in open_}

    def _follow_packed(self, piece: Packed) -> None:
        self._sealed = True
        for link, lines in self._steps(piece):
            if lines > 1:
                self._trail.skip_to(link, lines)
            else:
                self._step(link)
        self._remembered.add_rows(piece.rows, piece.lines, piece.last.hash)
        self.records += piece.lines
        self._row += piece.lines

    def _steps(self, piece: Packed) -> Iterator[tuple[Link, int]]:
        """Give how lines are followed: from the first to the last, unless one is an open head.

        That one is a copy, which ties nothing anew.
        """
        heads, first = self._trail.heads, piece.first
        yield first, 1
        if len(heads) == 1 and first.hash in heads:
            # Nothing else is open, and nothing that follows it can be what it is.
            yield piece.last, piece.lines - 1
            return
        hashes = hashes_in(piece.rows)[1:]
        if {key(hash_) for hash_ in heads}.isdisjoint(hashes):
            yield piece.last, piece.lines - 1
            return
        above = first.hash
        for hash_ in map(spelled, hashes):
            link = piece.last if hash_ == piece.last.hash else first._replace(hash=hash_)
            yield link._replace(prev=above), 1
            above = hash_

    def _follow(self, link: Link) -> None:
        here = self._here()
        if link.flaw is not None:
            self.problems.note(link.flaw.code, here, link.flaw.message)
            if link.flaw.code is LedgerCode.TORN_TAIL:
                return
        if link.older:
            self.problems.note(LedgerCode.OLDER_RECORDS, here, _FIVE_KEYS)
        if link.bare and self._sealed:
            self.problems.note(LedgerCode.BAD_RECORD, here, _UNSEALED)
        self._sealed = self._sealed or bool(link.hash and not link.older)
        prev = self._trail.prev_of(link)
        self._step(link)
        self._remembered.add(link, prev)
        self.records += bool(link.hash)
        self._row += 1

    def _step(self, link: Link) -> None:
        trail = self._trail
        if trail.goes_back(link):
            message = "its clock is behind that of the record before it"
            self.problems.note(LedgerCode.CLOCK_BACKWARDS, self._here(), message)
        first = trail.last is None
        named = trail.step(link)
        if named:
            self._loose.append(_Loose(self._row, named, first))

    def _here(self) -> LedgerPlace:
        return LedgerPlace(len(self.problems.files) - 1, self._trail.lines + 1)

    def _resolve(self) -> None:
        """Look for the records that loose lines name: branches, other files, or a broken chain."""
        sought = {key(name) for loose in self._loose for name in loose.named}
        places = self._remembered.places(sought) if sought else {}
        for loose in self._loose:
            lost = tuple(name for name in loose.named if not self._joins(loose.row, name, places))
            if lost and self._in_one_of_many(loose):
                self._missing.append((self._place(loose.row), lost))
            elif lost:
                message = "it names a record that stands on no earlier line"
                self.problems.note(LedgerCode.BROKEN_LINK, self._place(loose.row), message)

    def _joins(self, row: int, name: ContentHash, places: Mapping[Key, Places]) -> bool:
        found = places.get(key(name))
        if found is None:
            return False
        elsewhere = self._remembered.file_of(found.first) != self._remembered.file_of(row)
        return elsewhere or found.first < row or found.elsewhere is not None

    def _in_one_of_many(self, loose: _Loose) -> bool:
        """Whether a line is the first record of a file that may follow one in another file."""
        file = self.problems.files[self._remembered.file_of(loose.row)]
        return loose.first and (len(self.problems.files) > 1 or file != LEDGER_FILE)

    def _judge_missing(self) -> None:
        """Tell a file that is missing from one that another branch has."""
        lost = {name for _, names in self._missing for name in names}
        known = frozenset(self._elsewhere(lost)) if lost else frozenset()
        for place, names in self._missing:
            if known.issuperset(names):
                message = "it follows a record that is in the ledger of another branch"
                self.problems.note(LedgerCode.HEAD_ELSEWHERE, place, message)
            else:
                message = "it follows a record that is in none of the ledger's files"
                self.problems.note(LedgerCode.MISSING_SEGMENT, place, message)

    def _place(self, row: int) -> LedgerPlace:
        file = self._remembered.file_of(row)
        return LedgerPlace(file, self._remembered.line_of(row))
