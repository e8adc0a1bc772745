"""The intent map on disk: a view of the ledger, written when it says something else.

Specified in requirements section 9.

Invariant: it is written only when its text changed, and asked for only when a record, the intents
or the file itself may have.
Invariant: nothing is written through a link, and no file is made before there is news for it.
"""

import logging
import threading
from collections.abc import Iterable, Iterator
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import INTENT_MAP
from intent_lsp.formats.markdown.intent_map import intent_map, section_of, section_of_archived
from intent_lsp.governance.best_effort import step
from intent_lsp.governance.rules import RulesCache
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.views.intent_map_rows import MapRows
from intent_lsp.store.clock import budget
from intent_lsp.store.fs import files
from intent_lsp.store.fs.files import Stamp
from intent_lsp.store.ledger.index.touched_files import Mark

_log: Final = logging.getLogger(__name__)

SECONDS: Final = 2.0
"""How long definitions are looked for; a row that has not been looked at by then names none."""


class IntentMap:
    """Writes the intent map of one root."""

    def __init__(self, *, stores: Stores, rules: RulesCache) -> None:
        self._stores = stores
        self._rules = rules
        self._lock = threading.Lock()
        self._path = stores.root / INTENT_MAP
        self._mark: Mark | None = None
        self._rows = MapRows(stores)
        # By the intents' ids: with a thousand intents, a record changes one section.
        self._sections: dict[str, str] = {}
        self._spelled_by = -1
        self._drawn: ContentHash | None = None
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

    def text(self) -> str:
        """Draw the map as it would be written now, and write nothing."""
        intents = self._rules.current().file.intents
        with self._lock:
            if self._follow(intents):
                self._learn(files.read_bytes(self._path) or b"", intents)
                self._forget(self._rows.look(budget(SECONDS)), intents)
            return intent_map(self._spelled(intents))

    def _write(self) -> bool:
        rules = self._rules.current()
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
        """Learn of new records; whether there is any record at all."""
        found = self._stores.past.touched_files(self._mark)
        if found is None:
            return False
        if found.whole:
            self._sections, self._drawn = {}, None
        self._forget(self._rows.follow(found), intents)
        self._mark = found.mark
        return found.mark is not None

    def _redrawn(self, intents: Intents) -> bool:
        """Put the text into the file's place, unless it is there, or a link is."""
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
        """Take over what the file says, unless it is all ours."""
        foreign = b"" if hash_content(before) == self._drawn else before
        self._forget(self._rows.take_over(foreign, intents), intents)

    def _forget(self, ids: Iterable[str], intents: Intents) -> None:
        """Have the sections spelled anew in which rows of these ids are."""
        for intent_id in ids:
            owner = intents.get(intent_id)
            if owner is not None:
                self._sections.pop(owner.id, None)

    def _spelled(self, intents: Intents) -> Iterator[str]:
        """Give the intents of the file in its order, then those of which only records are left."""
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
            # Noted first: whoever sees the new bytes must know them as ours.
            state.note_own_write(INTENT_MAP, hash_content(data))
        files.replace_file(self._path, data, root=self._stores.root)
