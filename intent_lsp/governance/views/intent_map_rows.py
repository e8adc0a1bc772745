"""The rows of the intent map, and in each the definitions that its record touched.

Specified in ledger section 6.

Invariant: whoever named the definitions of a row first is followed by all who draw it, so that no
two of them write over each other for ever.
Invariant: the definitions of a row are looked for once, of the newest rows first, and within a
bounded time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION, Range, RecordFile
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.markdown.intent_map import MapRow, named
from intent_lsp.formats.markdown.intent_map_reader import cells_in, told_of
from intent_lsp.formats.syntax.languages import Late, language_of
from intent_lsp.formats.syntax.touched_definitions import touched_definitions
from intent_lsp.governance.contents.content_lookup import KnownContents
from intent_lsp.governance.stores import Stores
from intent_lsp.store.ledger.index.touched_files import TouchedFiles

LOOKED_AT: Final = 200
"""Rows whose definitions are looked for at one time; a row beyond them names none."""

_Rows = dict[WorkspacePath, MapRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What a record did to the file of a row that is not looked at yet."""

    intent_id: str
    path: WorkspacePath
    time: str
    hash: ContentHash
    ranges: tuple[Range, ...]


class MapRows:
    """The rows of one root, by the ids that the records name; one thread at a time."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._rows: dict[str, _Rows] = {}
        self._open: dict[tuple[str, WorkspacePath], _Change] = {}
        self._since = timestamp(stores.clock())
        self.news = False
        """Whether a record came since this was made."""

    @property
    def ids(self) -> Iterable[str]:
        """The ids under which there is a row."""
        return self._rows.keys()

    def of(self, ids: Iterable[str]) -> Iterable[MapRow]:
        """Give the rows under the ids of one intent; of two for a file the newer one."""
        found: _Rows = {}
        for rows in (self._rows[name] for name in ids if name in self._rows):
            for path, row in rows.items():
                if path not in found or found[path].time < row.time:
                    found[path] = row
        return found.values()

    def follow(self, found: TouchedFiles) -> set[str]:
        """Learn of what was touched; the ids whose rows are others now."""
        if found.whole:
            self._rows, self._open = {}, {}
        # Each record once: one may be of ten thousand files.
        records = {file.record.id: file.record for file in found.files}
        parts = {id_: {file.path: file for file in record.files} for id_, record in records.items()}
        for file in found.files:
            part, time = parts[file.record.id].get(file.path), file.record.timestamp
            hash_ = None if part is None else part.post_hash
            row = MapRow(path=file.path, time=time, hash=hash_)
            self._rows.setdefault(file.intent_id, {})[file.path] = row
            self._await(file.intent_id, row, part)
            self.news |= time >= self._since
        return {file.intent_id for file in found.files}

    def take_over(self, written: bytes, intents: Intents) -> set[str]:
        """Take over the definitions that a written map names; the ids whose rows are others now.

        They are looked for only in rows that it does not have, and in news of which it names none.
        Of these the newest are left, as many as are looked at.
        """
        cells = cells_in(written)
        changed = set()
        for name, row in () if cells == {} else list(self._all()):
            told, key = told_of(row, cells), (name, row.path)
            newly = key in self._open and row.time >= self._since
            if told is None or (newly and not told.definitions):
                continue
            self._open.pop(key, None)
            if told != (row.definitions, row.more):
                self._put(name, replace(row, definitions=told.definitions, more=told.more))
                changed.add(name)
        drawn = (each for each in self._open.values() if self._is_drawn(each, intents))
        left = nlargest(LOOKED_AT, drawn, key=lambda change: change.time)
        self._open = {(each.intent_id, each.path): each for each in left}
        return changed

    def look(self, late: Late) -> set[str]:
        """Look for the definitions of rows that nobody has named yet; the ids of changed rows."""
        waiting, self._open = self._open, {}
        known = KnownContents(self._stores.root) if waiting else None
        changed = set()
        for each in waiting.values():
            if known is None or late():
                break
            if names := self._names(known, each, late):
                self._put(each.intent_id, named(self._rows[each.intent_id][each.path], names))
                changed.add(each.intent_id)
        return changed

    def _all(self) -> Iterator[tuple[str, MapRow]]:
        return ((name, row) for name, rows in self._rows.items() for row in rows.values())

    def _put(self, intent_id: str, row: MapRow) -> None:
        self._rows[intent_id][row.path] = row

    def _await(self, intent_id: str, row: MapRow, part: RecordFile | None) -> None:
        """Have the definitions of a new row looked for, if it may have any."""
        self._open.pop((intent_id, row.path), None)
        found = () if part is None else part.conversations
        ranges = tuple(each for conversation in found for each in conversation.ranges)
        if row.hash is not None and ranges and language_of(row.path) is not None:
            self._open[intent_id, row.path] = _Change(
                intent_id=intent_id, path=row.path, time=row.time, hash=row.hash, ranges=ranges
            )

    def _names(self, known: KnownContents, change: _Change, late: Late) -> Sequence[str]:
        data = known.find(change.hash, change.path, UNKNOWN_REVISION)
        tree_of = self._stores.trees.tree
        if data is None:
            return ()
        return touched_definitions(change.path, data, change.ranges, late, tree_of)

    def _is_drawn(self, change: _Change, intents: Intents) -> bool:
        """Whether no earlier or later id of the intent has a newer row for the file."""
        owner = intents.get(change.intent_id)
        names = () if owner is None else intents.names(owner)
        rows = (self._rows.get(name, {}).get(change.path) for name in names)
        return all(row is None or row.time <= change.time for row in rows)
