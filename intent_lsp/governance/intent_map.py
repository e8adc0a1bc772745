"""The intent map on disk: a view of the ledger, written when it says something else (section 9).

Invariant: it is written only when its text changed, and asked for only when a record, the intents
or the file itself may have.
Invariant: nothing is written through a link, and no file is made before there is news for it.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import INTENT_MAP, WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intent_map_md import (
    MapRow,
    intent_map,
    section_of,
    section_of_archived,
)
from intent_lsp.governance.rules import RulesCache
from intent_lsp.governance.steps import step
from intent_lsp.governance.stores import Stores
from intent_lsp.store import files
from intent_lsp.store.files import Stamp
from intent_lsp.store.index_touches import Mark

_log: Final = logging.getLogger(__name__)

_Rows = dict[WorkspacePath, MapRow]


class IntentMap:
    """Writes the intent map of one root."""

    def __init__(self, *, stores: Stores, rules: RulesCache) -> None:
        self._stores = stores
        self._rules = rules
        self._lock = threading.Lock()
        self._path = stores.root / INTENT_MAP
        self._mark: Mark | None = None
        self._rows: dict[str, _Rows] = {}
        self._since = timestamp(stores.clock())
        self._news = False
        self._written: tuple[int, Mark | None, Stamp | None] | None = None

    def write(self) -> bool:
        """Bring the file up to date; whether it was written. A failure is logged.

        Without a readable intents file nothing is written; a file that is missing is made with the
        first record from now on, so that opening a root makes none.
        """
        written = False
        with self._lock, step("the intent map"):
            written = self._write()
        return written  # noqa: RET504 - a step that fails leaves it False

    def _write(self) -> bool:
        rules = self._rules.current()
        if not rules.governed or not self._follow():
            return False
        known = (rules.version, self._mark, files.stamp(self._path))
        if known == self._written:
            return False
        data = intent_map(self._sections(rules.file.intents)).encode()
        changed = self._replaced(data)
        self._written = (rules.version, self._mark, files.stamp(self._path))
        return changed

    def _follow(self) -> bool:
        """Learn of new records; whether there is any record at all."""
        found = self._stores.past.touched_files(self._mark)
        if found is None:
            return False
        if found.whole:
            self._rows = {}
        # Each record once: one may be of ten thousand files.
        records = {file.record.id: file.record for file in found.files}
        left = {
            id_: {file.path: file.post_hash for file in record.files}
            for id_, record in records.items()
        }
        for file in found.files:
            hash_ = left[file.record.id].get(file.path)
            row = MapRow(path=file.path, time=file.record.timestamp, hash=hash_)
            self._rows.setdefault(file.intent_id, {})[file.path] = row
            self._news |= file.record.timestamp >= self._since
        self._mark = found.mark
        return found.mark is not None

    def _sections(self, intents: Intents) -> Iterator[str]:
        """Give the intents of the file in its order, then those of which only records are left."""
        for intent in intents:
            yield section_of(intent, self._rows_of(intents, intent))
        for intent_id in sorted(self._rows):
            if intents.get(intent_id) is None:
                yield section_of_archived(intent_id, self._rows[intent_id].values())

    def _rows_of(self, intents: Intents, intent: Intent) -> Iterable[MapRow]:
        """Give an intent's rows, under its earlier ids too; of two for a file the newer one."""
        named = [self._rows[name] for name in intents.names(intent) if name in self._rows]
        return _newest(named).values()

    def _replaced(self, data: bytes) -> bool:
        """Put the text into the file's place, unless it is there, or a link is."""
        if self._path.is_symlink():
            _log.warning("%s is a link, and is not written", INTENT_MAP)
            return False
        before = files.read_bytes(self._path)
        if before == data or (before is None and not self._news):
            return False
        state = self._stores.state
        if state is not None:
            # Noted first: whoever sees the new bytes must know them as ours.
            state.note_own_write(INTENT_MAP, hash_content(data))
        files.replace_file(self._path, data, root=self._stores.root)
        return True


def _newest(named: Iterable[Mapping[WorkspacePath, MapRow]]) -> _Rows:
    found: _Rows = {}
    for rows in named:
        for path, row in rows.items():
            if path not in found or found[path].time < row.time:
                found[path] = row
    return found
