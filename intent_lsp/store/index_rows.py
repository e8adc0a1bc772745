"""The rows that lines of the ledger become, put into the index many at a time (ledger section 4).

Invariant: a record is there once, however often its line stands in the ledger's files.
Invariant: a line grants scope only where its form and its hash are right.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.index_keys import key64, moment_of
from intent_lsp.formats.ledger_jsonl import Entry
from intent_lsp.store.index_sources import Source

Read = tuple[int, Entry]
"""How many bytes a line has, and what the index keeps of it."""

_Row = tuple[object, ...]

TAIL: Final = 96
"""How many bytes tell that a file still holds what was read of it."""

_KNOWN: Final = "SELECT source FROM record WHERE hash64 = ? AND id64 = ?"
_TABLES: Final = (
    ("record", "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    ("touched", "INSERT OR IGNORE INTO touched VALUES (?, ?, ?)"),
    ("named", "INSERT OR IGNORE INTO named VALUES (?, ?)"),
    ("granted", "INSERT INTO granted VALUES (?, ?, ?)"),
)


class Batch(NamedTuple):
    """Lines that stand next in a file, and the last bytes of them."""

    lines: Sequence[Read]
    tail: bytes

    @property
    def size(self) -> int:
        """How many bytes they are."""
        return sum(length for length, _ in self.lines)


def batch(data: bytes, found: Iterable[Entry]) -> Batch:
    """Put whole lines together with what the index keeps of each."""
    lengths = [len(line) + 1 for line in data.split(b"\n")[:-1]]
    return Batch([*zip(lengths, found, strict=True)], data[-TAIL:])


def insert(connection: sqlite3.Connection, added: Batch, source: Source) -> None:
    """Add the lines that stand next in a file; `source` moves on behind them."""
    rows = _Rows(connection, source)
    for length, found in added.lines:
        rows.follow(length, found)
        source.offset += length
    rows.flush()
    source.tail = (source.tail + added.tail)[-TAIL:]


def path_key(path: WorkspacePath) -> bytes:
    """Spell a path as the index keeps it: any bytes may be in a name."""
    return path.encode("utf-8", "surrogateescape")


@dataclass(slots=True)
class _Rows:
    connection: sqlite3.Connection
    source: Source
    record: list[_Row] = field(default_factory=list)
    touched: list[_Row] = field(default_factory=list)
    named: list[_Row] = field(default_factory=list)
    granted: list[_Row] = field(default_factory=list)

    def follow(self, length: int, found: Entry) -> None:
        source = self.source
        if not found.link.hash:
            source.trail.pass_over(found.link)
            return
        known = self._known(found)
        source.copying = known is not None
        if known is None:
            self._add(length, found, source.trail.step(found.link))
        else:
            source.copies += known != source.number
            source.trail.pass_over(found.link)

    def flush(self) -> None:
        for table, statement in _TABLES:
            rows: list[_Row] = getattr(self, table)
            self.connection.executemany(statement, rows)
            rows.clear()

    def _known(self, found: Entry) -> int | None:
        """Give the file that holds the same record already; None for a line that is new.

        A line that goes on where a new one ended is new; others may be copies, as a merge leaves
        them in a file, or an archiving that was stopped in two files.
        """
        link, source = found.link, self.source
        if link.hash in source.trail.heads:
            return source.number
        if source.trail.goes_on(link) and not source.copying:
            return None
        self.flush()
        keys = (key64(link.hash), key64(link.id))
        row = self.connection.execute(_KNOWN, keys).fetchone()
        return None if row is None else row[0]

    def _add(self, length: int, found: Entry, unknown: Sequence[ContentHash]) -> None:
        link, source = found.link, self.source
        # Inside a file the order is the chain's, whatever the clock says.
        moment = max(source.high + 1, moment_of(link.timestamp))
        source.low, source.high = source.low or moment, moment
        source.records += 1
        number = source.number
        self.record.append(
            (
                moment,
                number,
                source.offset,
                length,
                key64(link.hash),
                key64(link.id),
                found.intent_id,
                link.session_id,
                link.timestamp,
                found.passing,
            )
        )
        self.touched += [(path_key(path), moment, number) for path in found.paths]
        named = [key64(name) for name in unknown]
        self.named += [(name, number) for name in named]
        if found.grant and link.flaw is None:
            self.granted.append((moment, number, json.dumps(named)))
