"""Import of other tools' records into the ledger of one root (ledger section 2).

Invariant: a line is imported once, however often the import is repeated.
Invariant: an imported record is marked as such, and neither grants nor approves anything.
Invariant: an imported record keeps its own time. Its place in the chain shows when it was imported.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.policy import SessionIds, TeamPolicy, Urls
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.foreign.records import (
    Dialect,
    Foreign,
    derived_id,
    foreign_line,
    is_marked,
    marked,
)
from intent_lsp.governance.ledger.reader import governed_ledger
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.sealing import Identified

_BATCH: Final = 200
_REMEMBERED: Final = 1000
_TOO_LONG: Final = "the line is longer than 16 MB"


class Fate(Enum):
    """The result for one line of an import: added, already in the ledger, or not a record."""

    ADDED = "added"
    KNOWN = "known"
    UNREAD = "unread"


class Taken(Struct, frozen=True, kw_only=True):
    """The result of importing one line; `line` is its number, from 1. `fate` is what became of it.

    `dialect` is the form of the line, or None if the line is not a record. `why` says why it is not
    one, else it is "". `lost` are the names of the line's fields that cannot be imported.
    """

    line: int
    fate: Fate
    dialect: Dialect | None = None
    lost: tuple[str, ...] = ()
    why: str = ""


class RecordImport:
    """Imports records into one ledger, by the policy in force at its start."""

    def __init__(self, ledger: Ledger, rules: RulesCache) -> None:
        self._ledger, self._policy = ledger, rules.current().policy
        self._policies = [
            replace(self._policy, session_ids=ids, urls=urls)
            for ids, urls in product(SessionIds, Urls)
        ]
        self._pending: dict[str, Record] = {}

    def take_over(self, lines: Iterable[bytes | None]) -> Iterator[Taken]:
        """Import lines, and yield the result of each line that is not blank.

        In `lines`, None stands for a line that is too long. Raise LedgerUnavailableError or
        UnsafePathError. Then the ledger may lack some lines whose results were already yielded;
        importing all lines again adds them.
        """
        for taken in self._each(lines):
            if len(self._pending) >= _BATCH:
                self._append()
            yield taken
        self._append()

    def look_at(self, lines: Iterable[bytes | None]) -> Iterator[Taken]:
        """Yield the results that `take_over` would yield, and import nothing.

        After `_REMEMBERED` new records, those seen so far are forgotten. A line that repeats a
        forgotten record counts as new.
        """
        for taken in self._each(lines):
            if len(self._pending) >= _REMEMBERED:
                self._pending.clear()
            yield taken
        self._pending.clear()

    def _each(self, lines: Iterable[bytes | None]) -> Iterator[Taken]:
        for number, line in enumerate(lines, 1):
            if line is not None and not line.strip():
                continue
            found = _TOO_LONG if line is None else foreign_line(line)
            if line is None or isinstance(found, str):
                yield Taken(line=number, fate=Fate.UNREAD, why=str(found))
                continue
            fate = Fate.ADDED if self._put(line, found) else Fate.KNOWN
            yield Taken(line=number, fate=fate, dialect=found.known.dialect, lost=found.lost)

    def _put(self, line: bytes, found: Foreign) -> bool:
        """Queue a record for appending. Return False if it is already queued or in the ledger.

        `found` is the record read from `line`. If a different imported record has the same id, the
        new record gets an id made from `line`. If a record that was not imported has the same id,
        nothing is queued and the result is False.
        """
        event = marked(found.event, found.known.dialect)
        moment, derived = found.known.timestamp, derived_id(line)

        def veiled_by(policy: TeamPolicy) -> Record:
            record_id = found.known.id or derived
            return draft(veiled(event, policy), id=record_id, timestamp=moment, end=ChainEnd())

        record = veiled_by(self._policy)
        there = self._there(record.id)
        if there is not None and (record.id in self._pending or is_marked(there)):
            plain = replace(there, integrity=record.integrity)
            # The policy may have hidden other things when the line was imported.
            if plain not in map(veiled_by, self._policies):
                # Some tools give several lines the same id, such as one line per file of an edit.
                record = replace(record, id=derived)
                there = self._there(derived)
        if there is None:
            self._pending[record.id] = record
        return there is None

    def _there(self, record_id: str) -> Record | None:
        return self._pending.get(record_id) or self._ledger.index.find(record_id)

    def _append(self) -> None:
        self._ledger.append_all(
            [Identified(each, each.id, each.timestamp) for each in self._pending.values()]
        )
        self._pending.clear()


@contextmanager
def importing(root: Path) -> Iterator[RecordImport]:
    """Open the ledger of a root for an import; close it after the `with` block."""
    rules = RulesCache(root)
    with closing(governed_ledger(root, rules)) as ledger:
        yield RecordImport(ledger, rules)
