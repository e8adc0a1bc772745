"""One pass over a ledger's links: what joins, what is repeated, which heads are open.

Invariant: memory stays flat in the ledger's size: what has to be remembered of every line is kept
in a temporary database.
Invariant: a link joins when the hash that it names was recomputed, on an earlier line of its file
or on any line of another one; what a line says of itself proves nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainCursor, Head, Link
from intent_lsp.core.ledger.evidence import RecordCommit
from intent_lsp.core.ledger.problem_summary import FirstProblems, LedgerPlace
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM
from intent_lsp.store.ledger.verify.link_table import HashPlaces, LinkTable, Packed, hash_of, key

_UNSEALED: Final = "it has no `integrity`, though a record above it has"
_SHORT: Final = 12
_FIVE_KEYS: Final = (
    "an older tool wrote it: only its id, time, revision, files and place are hashed"
)

FindEvidence = Callable[[Collection[ContentHash]], Mapping[ContentHash, RecordCommit]]
"""Finds records, by their hashes, in the ledgers that git holds."""


Piece: TypeAlias = Packed | Link
"""What is found on one line, or on several.

A torn tail is a link with that flaw, and with a hash where only its line feed is missing.
"""


class _Loose(NamedTuple):
    """A line that names hashes which are no open head; `first`: its file has no record above it."""

    row: int
    named: tuple[ContentHash, ...]
    first: bool


class LinkCheck:
    """The links of all files, followed in reading order, then compared with each other."""

    def __init__(self, remembered: LinkTable, past: FindEvidence) -> None:
        self.problems = FirstProblems()
        self.records = 0
        self.files = 0
        self.heads: dict[ContentHash, Head] = {}
        self._remembered = remembered
        self._past = past
        self._trail, self._sealed = ChainCursor(), False
        self._row = 0
        self._loose: list[_Loose] = []

    def follow_file(self, file: str, pieces: Iterable[Piece]) -> None:
        """Follow the lines of the next file; a torn tail is the last of them."""
        self.problems.files.append(file)
        self._remembered.begin_file()
        self._trail, self._sealed = ChainCursor(), False
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
        self._judge_lost(self._lost())
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
        self._remembered.add_packed(piece)
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
        hashes = piece.keys[1:]
        if {key(hash_) for hash_ in heads}.isdisjoint(hashes):
            yield piece.last, piece.lines - 1
            return
        above = first.hash
        for hash_ in map(hash_of, hashes):
            link = piece.last if hash_ == piece.last.hash else first._replace(hash=hash_)
            yield link._replace(prev=above), 1
            above = hash_

    def _follow(self, link: Link) -> None:
        here = self._here()
        if link.flaw is not None:
            self.problems.note(link.flaw.code, here, link.flaw.message)
            if link.flaw.code is LedgerCode.TORN_TAIL and not link.hash:
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

    def _lost(self) -> list[_Loose]:
        """Give the lines that name records which no file holds, with these alone.

        One that stands where it cannot be followed is no lost one: the chain is broken there.
        """
        sought = {key(name) for loose in self._loose for name in loose.named}
        places = self._remembered.places(sought) if sought else {}
        lost: list[_Loose] = []
        for loose in self._loose:
            named = tuple(name for name in loose.named if key(name) not in places)
            if named:
                lost.append(loose._replace(named=named))
            elif not all(self._joins(loose.row, places[key(name)]) for name in loose.named):
                self._note_broken(loose)
        return lost

    def _joins(self, row: int, found: HashPlaces) -> bool:
        """Whether a line may follow what was found: above it, or in another file.

        An archive is the main file's beginning, and follows nothing that the main file has left.
        """
        here, archive = self._file(row), self._file(row).startswith(ARCHIVE_ROOM)
        elsewhere = {self._file(each) for each in found if each is not None} - {here}
        if archive:
            elsewhere.discard(LEDGER_FILE)
        return bool(elsewhere) or (found.first < row and self._file(found.first) == here)

    def _judge_lost(self, lost: Sequence[_Loose]) -> None:
        """Tell records that were taken out from those that another branch has."""
        names = {name for loose in lost for name in loose.named}
        held = self._past(names) if names else {}
        for loose in lost:
            known = [held[name] for name in loose.named if name in held]
            below = next((each for each in known if each.below), None)
            elsewhere = len(known) == len(loose.named)
            if below is not None:
                self._note_taken(loose, below)
            elif elsewhere and (loose.first or self._file(loose.row) != LEDGER_FILE):
                message = "it follows a record that is in the ledger of another branch"
                self.problems.note(LedgerCode.HEAD_ELSEWHERE, self._place(loose.row), message)
            elif loose.first:
                message = "it follows a record that is in none of the ledger's files"
                self.problems.note(LedgerCode.MISSING_SEGMENT, self._place(loose.row), message)
            else:
                self._note_broken(loose)

    def _note_taken(self, loose: _Loose, held: RecordCommit) -> None:
        """Name what the files lack though a commit that they come from holds it."""
        commit = held.commit[:_SHORT]
        if held.file not in self.problems.files:
            message = (
                f"it follows a record of {held.file}, which commit {commit} has and which is gone"
            )
            self.problems.note(LedgerCode.MISSING_SEGMENT, self._place(loose.row), message)
        elif loose.first or held.file != self._file(loose.row):
            message = f"it follows a record that {held.file} has in commit {commit}, and no longer"
            self.problems.note(LedgerCode.TRUNCATED, self._place(loose.row), message)
        else:
            self._note_broken(loose)

    def _note_broken(self, loose: _Loose) -> None:
        message = "it names a record that stands on no earlier line"
        self.problems.note(LedgerCode.BROKEN_LINK, self._place(loose.row), message)

    def _file(self, row: int) -> str:
        return self.problems.files[self._remembered.file_of(row)]

    def _place(self, row: int) -> LedgerPlace:
        file = self._remembered.file_of(row)
        return LedgerPlace(file, self._remembered.line_of(row))
