"""Which files each intent has touched, and by which record last: a question to the index.

Invariant: what has come since each bar is enough only where everything else is as it was then;
otherwise all of it is told again.
"""

import sqlite3
from dataclasses import dataclass
from typing import Final, NamedTuple

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.store.ledger.index.queries import RecordPlace

_NEWEST: Final = "SELECT moment, id64 FROM record ORDER BY moment DESC, source DESC LIMIT 1"
_STILL: Final = "SELECT 1 FROM record WHERE moment = ? AND id64 = ?"
_SINCE: Final = "SELECT count(*) FROM record WHERE moment > ?"
_TOUCHES: Final = """
SELECT name.text, latest.path, latest.moment, record.source, record.offset, record.length,
  record.id64
FROM latest
CROSS JOIN record ON record.moment = latest.moment AND record.source = latest.source
CROSS JOIN name ON name.number = latest.intent
WHERE latest.moment > ?
"""
# From each path to the next one: a file may have been touched a million times.
_PATHS: Final = """
WITH RECURSIVE known(path) AS (
  SELECT min(path) FROM touched
  UNION ALL
  SELECT (SELECT min(path) FROM touched WHERE path > known.path) FROM known WHERE path IS NOT NULL
)
SELECT path FROM known WHERE path IS NOT NULL LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class TouchMark:
    """Where an answer ended: at which record (its moment and id), and after how many."""

    moment: int
    id64: int
    count: int


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that an intent has touched, by the id that the record names, and the newest record."""

    intent_id: str
    path: WorkspacePath
    record: Record


@dataclass(frozen=True, slots=True)
class TouchedFiles:
    """What intents have touched since a mark, or ever (`whole`); `mark` None: there are none."""

    files: tuple[TouchedFile, ...]
    whole: bool
    mark: TouchMark | None


class Touch(NamedTuple):
    """A file that an intent has touched, and where the newest record of that is."""

    intent_id: str
    path: WorkspacePath
    place: RecordPlace


def touches(
    since: TouchMark | None, count: int, connection: sqlite3.Connection
) -> tuple[list[Touch], bool, TouchMark | None]:
    """Find what was touched since a mark; `count` is how many records there are now.

    True: that is all there is. The new mark is None where there is no record.
    """
    newest = connection.execute(_NEWEST).fetchone()
    if newest is None:
        return [], True, None
    mark = TouchMark(moment=newest[0], id64=newest[1], count=count)
    if mark == since:
        return [], False, mark
    whole = since is None or not _goes_on(since, count, connection)
    after = -1 if since is None or whole else since.moment
    rows = connection.execute(_TOUCHES, (after,))
    found = [Touch(text, _path(key), RecordPlace(*place)) for text, key, *place in rows]
    return found, whole, mark


def touched_paths(connection: sqlite3.Connection, limit: int) -> tuple[WorkspacePath, ...]:
    """List the files that records have touched, at most `limit`, by name."""
    return tuple(_path(key) for (key,) in connection.execute(_PATHS, (limit,)))


def _goes_on(since: TouchMark, count: int, connection: sqlite3.Connection) -> bool:
    """Whether every record of the mark's time is there still, and none came between them."""
    there = connection.execute(_STILL, (since.moment, since.id64)).fetchone()
    (added,) = connection.execute(_SINCE, (since.moment,)).fetchone()
    return there is not None and since.count + added == count


def _path(key: bytes) -> WorkspacePath:
    return WorkspacePath(key.decode("utf-8", "surrogateescape"))
