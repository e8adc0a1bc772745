"""The intent map on disk: a view of the ledger, rewritten when it changes.

Specified in requirements section 9 and ledger section 6.

Invariant: it is written only if its text changed, and never through a link.
Invariant: definitions that another server wrote into a row are kept, so that neither undoes them.
Invariant: definitions are looked up for the newest rows first, within a time limit.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.content import ContentHash, content_of, hash_content
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import INTENT_MAP, WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION, Range, RecordFile
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.markdown.intent_map import (
    MapRow,
    cells_in,
    definitions_of,
    intent_map,
    named,
    section_of,
    section_of_archived,
)
from intent_lsp.formats.syntax.languages import Late, language_of
from intent_lsp.formats.syntax.outline import touched_definitions
from intent_lsp.governance.contents.content_lookup import ContentLookup
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.clock import budget
from intent_lsp.store.fs import files
from intent_lsp.store.fs.files import Stamp
from intent_lsp.store.fs.write import replace_file
from intent_lsp.store.ledger.index.queries import TouchedFiles, TouchMark

_log: Final = logging.getLogger(__name__)

SECONDS: Final = 2.0
"""Seconds that definitions are looked up for; rows that are not reached have none."""

LOOKED_AT: Final = 200
"""The most rows whose definitions are looked up at one time; further rows have none."""

_Rows = dict[WorkspacePath, MapRow]


class MapRows:
    """The rows of one root's intent map, for each intent id that a record names. Not thread-safe.

    A row is a file that an intent changed, with the definitions (functions, classes) that the
    intent's last change of the file touched.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._rows: dict[str, _Rows] = {}
        self._open: dict[tuple[str, WorkspacePath], tuple[Range, ...]] = {}
        self._since = timestamp(stores.clock())
        self.news = False
        """Whether there is a record newer than this object."""

    @property
    def ids(self) -> Iterable[str]:
        """The intent ids that have rows."""
        return self._rows.keys()

    def of(self, ids: Iterable[str]) -> Iterable[MapRow]:
        """Return the rows under an intent's ids. Of two rows for the same file return the newer."""
        found: _Rows = {}
        for rows in (self._rows[name] for name in ids if name in self._rows):
            for path, row in rows.items():
                if path not in found or found[path].time < row.time:
                    found[path] = row
        return found.values()

    def follow(self, found: TouchedFiles) -> set[str]:
        """Add rows for newly changed files. Return the intent ids whose rows have changed.

        If `found` starts from the beginning of the ledger, the earlier rows are dropped.
        """
        if found.whole:
            self._rows, self._open = {}, {}
        # Index each record's files only once, since one record may have ten thousand.
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
        """Adopt the definitions in an existing map. Return the ids whose rows have changed.

        `written` is the map's content. A row that is in the map stops waiting for a lookup, unless
        it was recorded after this object was made and the map has no definitions for it. Of the
        rows that still wait, only the newest LOOKED_AT that are shown go on waiting.
        """
        cells = cells_in(written)
        changed = set()
        for name, row in () if cells == {} else list(self._all()):
            told, key = definitions_of(row, cells), (name, row.path)
            newly = key in self._open and row.time >= self._since
            if told is None or (newly and not told.definitions):
                continue
            self._open.pop(key, None)
            if told != (row.definitions, row.more):
                taken = replace(row, definitions=told.definitions, more=told.more)
                self._rows[name][row.path] = taken
                changed.add(name)
        drawn = (key for key in self._open if self._is_drawn(*key, intents))
        left = nlargest(LOOKED_AT, drawn, key=lambda key: self._rows[key[0]][key[1]].time)
        self._open = {key: self._open[key] for key in left}
        return changed

    def look(self, late: Late) -> set[str]:
        """Look up the definitions of the rows that wait for it, until `late` returns True.

        Rows that are not reached get none. Return the intent ids whose rows have changed.
        """
        waiting, self._open = self._open, {}
        known = ContentLookup(self._stores.root) if waiting else None
        changed = set()
        for (intent_id, path), ranges in waiting.items():
            if known is None or late():
                break
            row = self._rows[intent_id][path]
            if names := self._names(known, row, ranges, late):
                self._rows[intent_id][path] = named(row, names)
                changed.add(intent_id)
        return changed

    def _all(self) -> Iterator[tuple[str, MapRow]]:
        return ((name, row) for name, rows in self._rows.items() for row in rows.values())

    def _await(self, intent_id: str, row: MapRow, part: RecordFile | None) -> None:
        """Queue a row for the lookup of its definitions, and drop an earlier entry for the row.

        `part` is the row's file in its record, or None. Queue nothing if `part` is None or has no
        hash or no line ranges, or if the file's language is not known.
        """
        self._open.pop((intent_id, row.path), None)
        found = () if part is None else part.conversations
        ranges = tuple(each for conversation in found for each in conversation.ranges)
        if row.hash is not None and ranges and language_of(row.path) is not None:
            self._open[intent_id, row.path] = ranges

    def _names(
        self, known: ContentLookup, row: MapRow, ranges: Sequence[Range], late: Late
    ) -> Sequence[str]:
        """Return the names of the definitions in ranges of a row's file.

        The content used is the one that the row's record left. Return () if it is not kept.
        """
        if row.hash is None:
            return ()
        trees = self._stores.trees
        content = trees.content(row.path, row.hash)
        if content is None:
            data = known.find(row.hash, row.path, UNKNOWN_REVISION)
            content = content_of(data, known_hash=row.hash)
        if content.data is None:
            return ()
        return touched_definitions(row.path, content, ranges, late, trees.tree)

    def _is_drawn(self, intent_id: str, path: WorkspacePath, intents: Intents) -> bool:
        """Return whether a row is shown: no id of its intent has a newer row for the file."""
        owner, time = intents.get(intent_id), self._rows[intent_id][path].time
        names = () if owner is None else intents.names(owner)
        rows = (self._rows.get(name, {}).get(path) for name in names)
        return all(row is None or row.time <= time for row in rows)


class IntentMap:
    """Writes the intent map of one root, a file that lists what each intent has changed."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._lock = threading.Lock()
        self._path = stores.root / INTENT_MAP
        self._mark: TouchMark | None = None
        self._rows = MapRows(stores)
        # Sections are cached by intent id: with a thousand intents, a record changes only one.
        self._sections: dict[str, str] = {}
        self._spelled_by = -1
        self._drawn: ContentHash | None = None
        self._written: tuple[int, TouchMark | None, Stamp | None] | None = None

    def write(self) -> bool:
        """Update the map on disk. Return whether the file was written. A failure is logged.

        Nothing is written while governance is off. If there is no map, it is created with the first
        new record, not by just opening the root.
        """
        written = False
        with self._lock, step("the intent map"):
            written = self._write()
        return written  # noqa: RET504 - a step that fails leaves it False

    def text(self) -> str:
        """Return the text that the map would have if it were written now. Nothing is written."""
        intents = self._stores.rules.current().file.intents
        with self._lock:
            if self._follow(intents):
                self._learn(files.read_bytes(self._path) or b"", intents)
                self._forget(self._rows.look(budget(SECONDS)), intents)
            return intent_map(self._spelled(intents))

    def _write(self) -> bool:
        rules = self._stores.rules.current()
        if not rules.governed or not self._follow(rules.file.intents):
            return False
        if self._spelled_by != rules.version:
            self._sections, self._spelled_by = {}, rules.version
        known = (rules.version, self._mark, files.stamp(self._path))
        if known == self._written:
            return False
        changed = self._redrawn(rules.file.intents)
        self._written = (rules.version, self._mark, files.stamp(self._path))
        return changed

    def _follow(self, intents: Intents) -> bool:
        """Add rows for new records. Return False if the ledger has no record or cannot be read."""
        found = self._stores.past.touched_files(self._mark)
        if found is None:
            return False
        if found.whole:
            self._sections, self._drawn = {}, None
        self._forget(self._rows.follow(found), intents)
        self._mark = found.mark
        return found.mark is not None

    def _redrawn(self, intents: Intents) -> bool:
        """Write the map. Return whether it was written.

        It is not written if it is unchanged, if it is a link, or if there is neither a map nor a
        new record.
        """
        if self._path.is_symlink():
            _log.warning("%s is a link, and is not written", INTENT_MAP)
            return False
        before = files.read_bytes(self._path)
        self._learn(before or b"", intents)
        if before is None and not self._rows.news:
            return False
        self._forget(self._rows.look(budget(SECONDS)), intents)
        data = intent_map(self._spelled(intents)).encode()
        changed = before != data
        if changed:
            self._replace(data)
        self._drawn = hash_content(data)
        return changed

    def _learn(self, before: bytes, intents: Intents) -> None:
        """Adopt the definitions in the map's content `before`, unless this server wrote it."""
        foreign = b"" if hash_content(before) == self._drawn else before
        self._forget(self._rows.take_over(foreign, intents), intents)

    def _forget(self, ids: Iterable[str], intents: Intents) -> None:
        """Drop the cached sections of the intents with these present or earlier ids."""
        for intent_id in ids:
            owner = intents.get(intent_id)
            if owner is not None:
                self._sections.pop(owner.id, None)

    def _spelled(self, intents: Intents) -> Iterator[str]:
        """Yield the sections of the intents in the intents file, then of ids only in records."""
        for intent in intents:
            known = self._sections.get(intent.id)
            if known is None:
                known = section_of(intent, self._rows.of(intents.names(intent)))
            yield self._sections.setdefault(intent.id, known)
        for intent_id in sorted(self._rows.ids):
            if intents.get(intent_id) is None:
                yield section_of_archived(intent_id, self._rows.of([intent_id]))

    def _replace(self, data: bytes) -> None:
        state = self._stores.state
        if state is not None:
            # Note the hash before writing: a watcher that sees the new bytes must know them as
            # ours.
            state.note_own_write(INTENT_MAP, hash_content(data))
        replace_file(self._path, data, root=self._stores.root)
        self._stores.known_files.note(INTENT_MAP, files.stamp(self._path))
