"""Link check: one pass over a ledger's lines that finds broken links, copies and open heads.

A copy is a line with the same record as an earlier line. An open head is a record that no other
follows or merges.

Invariant: memory does not grow with the ledger. What has to be kept for every line is in a
temporary database.
Invariant: a link is unbroken if the hash that it names was recomputed from an earlier line of its
file or from any line of another file. A link from an archive to the main file is broken. Hashes
that a line only states prove nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainCursor, Head, Link
from intent_lsp.core.ledger.truncation import RecordCommit
from intent_lsp.core.ledger.verification import FirstProblems, LedgerPlace
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM
from intent_lsp.store.ledger.verify.link_table import HashPlaces, LinkTable, Packed, hash_of, key

_UNSEALED: Final = "the record has no `integrity`, though a record above it has one"
_SHORT: Final = 12
_FIVE_KEYS: Final = (
    "an older tool wrote this record, whose hash covers only id, time, revision, files and the"
    " record before; commit the ledger to protect the rest"
)
_NO_HASH: Final = (
    "an older tool wrote this record without a hash; commit the ledger to protect the record"
)

FindEvidence = Callable[[Collection[ContentHash]], Mapping[ContentHash, RecordCommit]]
"""Gets record hashes. Maps each that a version of the ledger in git contains to its commit."""


Piece: TypeAlias = Packed | Link
"""The result for one line (`Link`) or for several (`Packed`).

A torn last line is a `Link` with that flaw. It has a hash if only its line feed is missing.
"""


class _Loose(NamedTuple):
    """A line whose links must be checked again after all lines are read.

    `named` are the hashes of those records that it follows or merges and that were no open heads.
    `row` is the line's row in the link table. `first` is whether the line is the first record of
    its file.
    """

    row: int
    named: tuple[ContentHash, ...]
    first: bool


class LinkCheck:
    """Checks the links of all ledger files, line by line in reading order, and then across files.

    `remembered` stores a row for each line. `past` finds records, by their hashes, in the ledger's
    versions in git. The results are the `problems`, the number of `records`, the number of `files`
    with lines, and the open `heads`.
    """

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
        """Check the lines of the next ledger file, whose scan results are `pieces`.

        Only the last piece may be a torn line.
        """
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
        """Check the links that could not be checked before, and find the open heads.

        Report each id that two different records have; copies of one record count once. Call this
        after the last file.
        """
        self._judge_lost(self._lost())
        for row, is_copy in self._remembered.repeated():
            self.records -= is_copy
            if not is_copy:
                message = "an earlier record has the same id but other content"
                self.problems.note(LedgerCode.DUPLICATE_ID, self._place(row), message)
        if self._loose or len(self.heads) > 1:
            open_ = self._remembered.unnamed({key(hash_) for hash_ in self.heads})
            self.heads = {hash_: head for hash_, head in self.heads.items() if key(hash_) in open_}

    def _follow_packed(self, piece: Packed) -> None:
        """Check consecutive lines, packed in one value, and add them to the link table at once."""
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
        """Yield the steps in which to follow the lines of `piece`: (link, number of lines).

        The first step is the first line, the second all others at once; `link` is that of the last
        line of a step. If one of the others is an open head already, it is a copy, and then each
        line is one step.
        """
        heads, first = self._trail.heads, piece.first
        yield first, 1
        if len(heads) == 1 and first.hash in heads:
            # The first line is the only open head, and no later line can be a copy of it.
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
        """Report the flaws of one line, then add the line to the chain and to the link table.

        A torn line without a hash is only reported.
        """
        here = self._here()
        if link.flaw is not None:
            self.problems.note(link.flaw.code, here, link.flaw.message)
            if link.flaw.code is LedgerCode.TORN_TAIL and not link.hash:
                return
        if link.older:
            message = _NO_HASH if link.bare else _FIVE_KEYS
            self.problems.note(LedgerCode.OLDER_RECORDS, here, message)
        if link.bare and self._sealed:
            self.problems.note(LedgerCode.BAD_RECORD, here, _UNSEALED)
        self._sealed = self._sealed or bool(link.hash and not link.older)
        prev = self._trail.prev_of(link)
        self._step(link)
        self._remembered.add(link, prev)
        self.records += bool(link.hash)
        self._row += 1

    def _step(self, link: Link) -> None:
        """Advance the chain by one line. Report a time earlier than that of the record before it.

        If the line follows or merges a record that is no open head, the line's links are checked
        again after all files.
        """
        trail = self._trail
        if trail.goes_back(link):
            message = "the record's time is earlier than that of the record before it"
            self.problems.note(LedgerCode.CLOCK_BACKWARDS, self._here(), message)
        first = trail.last is None
        named = trail.step(link)
        if named:
            self._loose.append(_Loose(self._row, named, first))

    def _here(self) -> LedgerPlace:
        """Return the place (file and line number) of the next line to check."""
        return LedgerPlace(len(self.problems.files) - 1, self._trail.lines + 1)

    def _lost(self) -> list[_Loose]:
        """Return those lines left to check that follow or merge records in no file.

        Each comes with only the hashes of these records. For each other line left to check, report
        a broken link if it follows or merges a record that it may not follow (see `_joins`).
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
        """Return whether the line at `row` may follow a record that is at the places `found`.

        The record must be on an earlier line or in another file. Archives precede the main file, so
        a line of an archive cannot follow a line of the main file.
        """
        here, archive = self._file(row), self._file(row).startswith(ARCHIVE_ROOM)
        elsewhere = {self._file(each) for each in found if each is not None} - {here}
        if archive:
            elsewhere.discard(LEDGER_FILE)
        return bool(elsewhere) or (found.first < row and self._file(found.first) == here)

    def _judge_lost(self, lost: Sequence[_Loose]) -> None:
        """Report each line in `lost`. The first of these cases that fits decides.

        - HEAD's history has one of the missing records that the line names: see `_note_taken`.
        - Other commits have all these records, and the line is the first record of its file or is
          in another file than the main file: the records are in the ledger of another branch.
        - The line is the first record of its file: a file is missing or unreadable.
        - Otherwise the link is broken.
        """
        names = {name for loose in lost for name in loose.named}
        held = self._past(names) if names else {}
        for loose in lost:
            known = [held[name] for name in loose.named if name in held]
            below = next((each for each in known if each.below), None)
            elsewhere = len(known) == len(loose.named)
            if below is not None:
                self._note_taken(loose, below)
            elif elsewhere and (loose.first or self._file(loose.row) != LEDGER_FILE):
                message = "the record before this one is in another branch's ledger, not lost"
                self.problems.note(LedgerCode.HEAD_ELSEWHERE, self._place(loose.row), message)
            elif loose.first:
                message = "the record before this one is in no readable file of the ledger"
                self.problems.note(LedgerCode.MISSING_SEGMENT, self._place(loose.row), message)
            else:
                self._note_broken(loose)

    def _note_taken(self, loose: _Loose, held: RecordCommit) -> None:
        """Report a line that follows a record which no file has, but a commit in HEAD's history.

        `held` is that commit, with the path of the ledger file in which the commit has the record.
        The report says that this file is missing or unreadable, that the record was cut off from
        it, or that the link is broken.
        """
        commit = held.commit[:_SHORT]
        if held.file not in self.problems.files:
            message = (
                f"the record before this one is in {held.file}, which is missing or cannot be read;"
                f" commit {commit} has that file"
            )
            self.problems.note(LedgerCode.MISSING_SEGMENT, self._place(loose.row), message)
        elif loose.first or held.file != self._file(loose.row):
            message = (
                f"the record before this one was cut off from {held.file}; commit {commit} has"
                " that record"
            )
            self.problems.note(LedgerCode.TRUNCATED, self._place(loose.row), message)
        else:
            self._note_broken(loose)

    def _note_broken(self, loose: _Loose) -> None:
        message = "a record that this one follows is missing or on a later line"
        self.problems.note(LedgerCode.BROKEN_LINK, self._place(loose.row), message)

    def _file(self, row: int) -> str:
        return self.problems.files[self._remembered.file_of(row)]

    def _place(self, row: int) -> LedgerPlace:
        file = self._remembered.file_of(row)
        return LedgerPlace(file, self._remembered.line_of(row))
