"""The records that explain the hunks of a changed file (ledger section 5, requirements section 14).

Invariant: nothing is written but the index of the ledger.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.blame.attribution import BEFORE, Attributions, FileRecord
from intent_lsp.core.blame.blame import BlamedText, blame, find_blocks, hashable, known_blocks
from intent_lsp.core.blame.edit_chains import (
    EditChain,
    LaterEdits,
    earlier_edits,
    edit_chain,
    later_edits,
)
from intent_lsp.core.blame.line_carry import letters
from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.records import EntityType
from intent_lsp.formats.diff import line_hunks
from intent_lsp.governance.check.diffed_files import DiffedFile, comparable_lines
from intent_lsp.governance.contents.content_lookup import PastContents
from intent_lsp.governance.ledger.file_lineage import (
    FileLineage,
    file_lineage,
    newest_first,
    steps_of,
)
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

_LINEAGES_KEPT: Final = 512

_ASKED: Final = 200
"""The most records of a deleted file that are searched for the rename that took it away."""


class HunkOrigin(Struct, frozen=True):
    """The records that explain one hunk, or a whole file (`hunk` is None).

    `explained` is False if a record is missing that would explain the rest of it.
    """

    hunk: Hunk | None
    records: tuple[FileRecord, ...]
    explained: bool

    @property
    def intent_ids(self) -> tuple[str, ...]:
        """The intents of the records, each once."""
        found = (record.intent_id for record, _ in self.records)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    @property
    def approved(self) -> bool:
        """Whether a person has approved the edit of the newest of `records`."""
        newest = max(self.records, key=lambda each: each[0].timestamp, default=None)
        return newest is not None and newest[0].approval is not None

    @property
    def moment(self) -> str | None:
        """The time of the newest of `records`, or None if there is none."""
        return max((record.timestamp for record, _ in self.records), default=None)


class _Told(Struct, frozen=True, kw_only=True):
    """What records say of the edits of one file between its older and its newer content.

    `chain` are the edits found going back from the newer content, `later` those found going on from
    the older content. `claims` are the attributions of `lines`, the newer content's lines.
    """

    chain: EditChain
    later: LaterEdits
    claims: Attributions
    lines: Sequence[str]

    def writers(self, hunk: Hunk) -> set[int]:
        """Return the orders (indexes in the lineage) of the edits that wrote lines of a hunk."""
        claims = self.claims[hunk.new_start : hunk.new_start + hunk.new_count]
        return {claim.order for claim in claims if claim is not None}

    def deleters(self, hunk: Hunk) -> set[int]:
        """Return the orders of the edits that deleted the lines of a hunk that only deletes."""
        gone = range(hunk.old_start, hunk.old_start + hunk.old_count)
        later = {self.later.deleted[line] for line in gone if line in self.later.deleted}
        return later | set(self.chain.deleted.get(hunk.new_start, ()))

    def explains(self, hunk: Hunk, orders: Collection[int]) -> bool:
        """Whether edits explain all of a hunk. `orders` are the edits that explain a part of it.

        If there are none, the hunk is not explained. New lines without a letter or digit need no
        edit.
        """
        written = range(hunk.new_start, hunk.new_start + hunk.new_count)
        return bool(orders) and all(
            self.claims[at] is not None or not letters(self.lines[at]) for at in written
        )


def authors_of_records(records: Iterable[FileRecord]) -> Iterator[EntityType]:
    """Yield the kinds of authors (AI, HUMAN …) of these files' edits.

    Edits that no save or call announced are left out.
    """
    for record, file in records:
        if not record.is_assumed:
            yield from (talk.contributor.entity_type for talk in file.conversations)


class HunkOrigins:
    """Finds the records behind the changes of one root's files."""

    def __init__(self, root: Path, index: Index) -> None:
        self._root, self._index = root, index
        # The ledger is read as it is at the beginning of the check.
        self._known = lru_cache(maxsize=_LINEAGES_KEPT)(partial(file_lineage, index))

    def of(self, file: DiffedFile) -> tuple[HunkOrigin, ...]:
        """Return the origin of each hunk of a file; of the whole file if it has no hunk.

        Raise LedgerUnavailableError.
        """
        lineage = self._lineage(file)
        earlier = earlier_edits(lineage.steps, file.before.hash)
        steps = [step for step in lineage.steps if step.order not in earlier]
        if not file.hunks:
            return (self._of_whole(file, lineage),)
        lines = comparable_lines(file.after) or ()
        # A whole chain explains a file, also if the file had both contents before.
        chain = edit_chain(lineage.steps, file.before.hash, file.after.hash, len(lines))
        if file.after.absent:
            gone = _sources(lineage, chain.orders) or self._renamed_away(file)
            return tuple(HunkOrigin(hunk, gone, bool(gone)) for hunk in file.hunks)
        before = len(comparable_lines(file.before) or ())
        told = _Told(
            chain=chain,
            later=later_edits(steps, file.before.hash, before),
            claims=self._claims(file, lineage, lines),
            lines=lines,
        )
        _forget_earlier(told, file, earlier)
        _find_short_blocks(told, file)
        return tuple(_origin(hunk, lineage, told) for hunk in file.hunks)

    def _lineage(self, file: DiffedFile) -> FileLineage:
        """Return the records of a file, also under the name that it had before this change."""
        known = self._known(file.path)
        if file.previous is None or any(each.path == file.previous for _, each in known.sources):
            return known
        sources = [*self._known(file.previous).sources, *known.sources]
        return FileLineage(sources, steps_of(sources))

    def _claims(self, file: DiffedFile, lineage: FileLineage, lines: Sequence[str]) -> Attributions:
        content = file.after
        if not lineage.steps or content.hash is None or content.decoded is None:
            return [None] * len(lines)
        return blame(
            BlamedText(hash=content.hash, lines=lines, encoding=content.decoded.encoding),
            lineage.steps,
            contents=PastContents(self._root, [*lineage.sources]).lines,
            diff=line_hunks,
            elsewhere=tuple,
        )

    def _of_whole(self, file: DiffedFile, lineage: FileLineage) -> HunkOrigin:
        """Return the origin of a change without hunks, such as one of name, mode or encoding."""
        if file.same_content:
            moved = [each for each in lineage.sources if _moves(each, file)]
            # No record tells a mode, so nothing is missing where only that differs.
            return HunkOrigin(None, tuple(moved[-1:]), bool(moved) or file.previous is None)
        chain = edit_chain(lineage.steps, file.before.hash, file.after.hash, 0)
        orders = chain.orders if chain.whole else chain.orders[:1]
        found = _sources(lineage, orders) or self._renamed_away(file)
        return HunkOrigin(None, found, bool(found))

    def _renamed_away(self, file: DiffedFile) -> tuple[FileRecord, ...]:
        """Return the newest record of a rename that took a deleted file away, or () without one.

        Only the newest _ASKED records of its path are searched.
        """
        if not file.after.absent:
            return ()
        records = islice(newest_first(self._index, Query(path=file.path)), _ASKED)
        found = (
            (record, each)
            for record in records
            for each in record.files
            if each.previous == file.path
        )
        first = next(found, None)
        return () if first is None else (first,)


def _forget_earlier(told: _Told, file: DiffedFile, earlier: Collection[int]) -> None:
    """Drop the attributions of hunks' lines to `earlier`, the edits that led to the older content.

    A line that comes back, or is copied, is a new change. Who once wrote it does not explain it.
    """
    for hunk in file.hunks or ():
        for at in range(hunk.new_start, hunk.new_start + hunk.new_count):
            claim = told.claims[at]
            if claim is not None and claim.order in earlier:
                told.claims[at] = None


def _find_short_blocks(told: _Told, file: DiffedFile) -> None:
    """Attribute the rest of the hunks' lines to edits since the older content, by equal blocks.

    Blame leaves short blocks out, since anybody could have written them. Here only the edits of
    this change are searched, so that even a short block is one of theirs.
    """
    if not told.lines or not told.later.steps or file.after.decoded is None:
        return
    searched: Attributions = [BEFORE] * len(told.lines)
    for hunk in file.hunks or ():
        end = hunk.new_start + hunk.new_count
        searched[hunk.new_start : end] = told.claims[hunk.new_start : end]
    lines = hashable(told.lines, file.after.decoded.encoding)
    find_blocks(searched, lines, known_blocks(told.later.steps), at_least=1, alone=1)
    for at, claim in enumerate(searched):
        if claim is not None and claim != BEFORE:
            told.claims[at] = claim


def _origin(hunk: Hunk, lineage: FileLineage, told: _Told) -> HunkOrigin:
    orders = told.writers(hunk) if hunk.new_count else told.deleters(hunk)
    explained = told.chain.whole or told.explains(hunk, orders)
    if not orders and told.chain.whole:
        orders = set(told.chain.orders)
    return HunkOrigin(hunk, _sources(lineage, sorted(orders)), explained)


def _moves(source: FileRecord, file: DiffedFile) -> bool:
    """Whether a record has the same rename as the change, or the same content at its new path."""
    _, each = source
    if file.previous is None or each.path != file.path:
        return False
    return each.previous == file.previous or each.post_hash == file.after.hash


def _sources(lineage: FileLineage, orders: Iterable[int]) -> tuple[FileRecord, ...]:
    return tuple(lineage.sources[order] for order in orders)
