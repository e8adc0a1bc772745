"""Blame: which record wrote each line of a file, and the names of the people (ledger section 5).

Invariant: nothing is written but the index. Contents kept in `.local/` make the result more exact,
but are not required.
Invariant: lines that an editor has changed and not saved have no author yet.
Invariant: a cached lineage is used only while the ledger is unchanged.
Invariant: if the policy wants no names of people, none is looked up.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.blame.attribution import (
    Attribution,
    Attributions,
    BlameRun,
    Confidence,
    Edit,
    FileRecord,
    RecordAuthors,
    blame_runs,
    named,
    of_people,
    one_run,
)
from intent_lsp.core.blame.blame import BlamedText, blame, carried_over
from intent_lsp.core.blame.moved_lines import OtherFile
from intent_lsp.core.content import decode, hash_content, hash_if_there, split_lines
from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.line_diff import count_lines
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.core.policy import AuthorNames
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.rename_detection import EQUAL_AT_LEAST
from intent_lsp.formats.diff import MAX_DIFFED_BYTES, line_hunks
from intent_lsp.governance.contents.content_lookup import PastContents
from intent_lsp.governance.ledger.file_lineage import (
    FileLineage,
    file_lineage,
    moved_from,
    with_earlier_name,
)
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.root.sessions import this_user
from intent_lsp.store.fs.tree_reader import read_in
from intent_lsp.store.ledger.authors import LedgerAuthors
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.raw.files import FilesStamp
from intent_lsp.store.state.sessions_db import FILE_NAME, SessionDb

_log: Final = logging.getLogger(__name__)

ALL_LINES: Final = (0, 2**62)

LINEAGES_KEPT: Final = 4
"""The most lineages that are cached; one may have tens of thousands of records."""


class Blamed(Struct, frozen=True):
    """The blame of a file: for each line an attribution to one of the records `sources`, or None.

    An attribution refers to its record by the index in `sources`. `lines` include their line ends.
    If the file is not text or too large, `lines` is None and `claims` has one element, for all of
    the file's `count` lines.
    """

    claims: Attributions
    sources: Sequence[FileRecord]
    lines: Sequence[str] | None
    count: int

    def runs(self, first: int, last: int) -> tuple[BlameRun, ...]:
        """Return the blame runs of the lines `first` to `last`, counted from 0 and inclusive.

        The lines of the runs themselves are counted from 1. If `lines` is None, return one run for
        the whole file.
        """
        if self.lines is None:
            return (one_run(self.claims[0], self.sources, 1, self.count),)
        return blame_runs(self.claims, self.sources, first, last)


class FileBlame:
    """Computes the blame of one root's files."""

    def __init__(self, root: Path, index: Index) -> None:
        self._root = root
        self._index = index
        # A cache for each state of the ledger. Only the newest is kept, since each may be large.
        self._lineages = lru_cache(maxsize=1)(self._no_lineages)

    def blame(self, path: WorkspacePath, shown: Sequence[str] | None = None) -> Blamed | None:
        """Return the blame of a file, or None if no such file can be read and no lines are `shown`.

        `shown` are the lines in the editor, saved or not; None for the lines on disk. If the file
        cannot be read, the shown lines have no attribution. If the file is not text or too large,
        `shown` is ignored and the file is attributed as a whole (`_by_hash`). Raise
        LedgerUnavailableError.
        """
        data = read_in(self._root, path)
        if data is None:
            lines = shown
            return None if lines is None else Blamed([None] * len(lines), (), lines, len(lines))
        text = decode(data) if len(data) <= MAX_DIFFED_BYTES else None
        # Take the stamp before the query: a record appended in between is read the next time.
        known = self._lineages(self._index.stamp())(path)
        # Copy the list: other files' records may be appended to it.
        lineage = FileLineage([*known.sources], known.steps)
        if not lineage.sources and len(data) >= EQUAL_AT_LEAST:
            lineage = moved_from(self._index, self._root, hash_content(data)) or lineage
        lineage = with_earlier_name(self._index, self._root, path, lineage)
        if text is None:
            return _by_hash(lineage, data)
        saved = BlamedText(
            hash=hash_content(data), lines=split_lines(text.text), encoding=text.encoding
        )
        claims = self._claims(lineage, saved)
        if lineage.joined:
            # The earlier file was found by equal content only, so its records attribute at most
            # `MOVED`.
            claims = [
                claim.at_most(Confidence.MOVED) if claim and claim.order < lineage.joined else claim
                for claim in claims
            ]
        lines = saved.lines
        if shown is not None and shown != lines:
            claims, lines = carried_over(claims, lines, shown, line_hunks), shown
        return Blamed(claims, lineage.sources, lines, len(lines))

    def _no_lineages(self, _stamp: FilesStamp) -> Callable[[WorkspacePath], FileLineage]:
        """Return a function that reads a file's lineage, cached for the ledger with this stamp."""
        return lru_cache(LINEAGES_KEPT)(partial(file_lineage, self._index))

    def _claims(self, lineage: FileLineage, text: BlamedText) -> Attributions:
        past = PastContents(self._root, [*lineage.sources])
        return blame(
            text,
            lineage.steps,
            contents=past.lines,
            diff=line_hunks,
            elsewhere=lambda: [
                self._other(lineage, steps) for steps in lineage.elsewhere(self._index)
            ],
        )

    def _other(self, lineage: FileLineage, steps: Sequence[Edit]) -> OtherFile:
        """Return the file whose edits are `steps`, from which blocks may have been moved.

        `lineage` is that of the file into which they may have been moved; its `sources` hold the
        records of `steps`.
        """
        sources = [lineage.sources[step.order] for step in steps]
        return OtherFile(
            steps=steps,
            today=hash_if_there(read_in(self._root, sources[0][1].path)),
            contents=PastContents(self._root, sources).lines,
        )


def _by_hash(lineage: FileLineage, data: bytes) -> Blamed:
    """Return the blame of a file that is not compared by line.

    The whole file is attributed to the earliest record that left it with the hash of `data`, its
    present content, or to none.
    """
    wanted = hash_content(data)
    left = (at for at, (_, file) in enumerate(lineage.sources) if file.post_hash == wanted)
    order = next(left, None)
    claim = None if order is None else Attribution(order)
    return Blamed([claim], lineage.sources, None, max(count_lines(data), 1))


class Authors:
    """Finds the names of the people who wrote the blame runs of one root. Thread-safe."""

    def __init__(self, root: Path, rules: RulesCache, state: SessionDb | None) -> None:
        """Prepare to find the authors of records in the ledger of `root`.

        `state` holds this user's sessions; without it nobody is *you*.
        """
        self._rules = rules
        self._state = state
        self._commits = LedgerAuthors(root)

    def people(self, runs: Iterable[BlameRun]) -> RecordAuthors:
        """Return who made the records of those blame runs that people wrote, as far as known.

        For each record, that is the author of the commit that added it, or else whether the record
        is this user's own. The result is empty if the policy wants no names.
        """
        records = of_people(runs)
        if not records or self._rules.current().policy.authors is AuthorNames.NONE:
            return RecordAuthors()
        names = self._commits.of({each: record.timestamp for each, record in records.items()})
        rest = [record for each, record in records.items() if each not in names]
        sessions = self._own_sessions() if rest else ()
        own = frozenset(record.id for record in rest if record.session_id in sessions)
        return RecordAuthors(names, own)

    def named(self, runs: Iterable[BlameRun]) -> tuple[BlameRun, ...]:
        """Return the blame runs with the names of their authors filled in where they are known."""
        runs = tuple(runs)
        return named(runs, self.people(runs))

    def _own_sessions(self) -> Collection[str]:
        """Return the ids of this user's sessions, plain and hashed, as records use either form.

        The result is empty if the sessions cannot be read.
        """
        try:
            own = () if self._state is None else self._state.sessions_of(this_user())
        except StateUnavailableError as problem:
            _log.info("whose session it was cannot be told: %s", problem)
            return ()
        return {name for each in own for name in (each, hashed_session(each))}


@contextmanager
def authors_of(root: Path) -> Iterator[Authors]:
    """Open the `Authors` of a root, without a session, for a `with` block.

    An existing session database is read, and closed after the block; none is created.
    """
    local = root / LOCAL_ROOM
    state = SessionDb(local) if (local / FILE_NAME).is_file() else None
    try:
        yield Authors(root, RulesCache(root), state)
    finally:
        if state is not None:
            state.close()
