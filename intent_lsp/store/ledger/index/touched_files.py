"""Index query for the files that each intent has touched, with the newest record of each.

Invariant: only the difference since a mark is returned if nothing before the mark has changed;
otherwise the whole result is returned again.
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
# Skips from each path to the next, because a file may have been touched a million times.
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
    """The state of the index at an answer: the newest record's moment and id key, and the count."""

    moment: int
    id64: int
    count: int


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that an intent has touched, and the newest record of that.

    `intent_id` is the id in the record.
    """

    intent_id: str
    path: WorkspacePath
    record: Record


@dataclass(frozen=True, slots=True)
class TouchedFiles:
    """The files that intents touched since a mark, or ever if `whole`.

    `mark` is passed to the next query. It is None if there are no records.
    """

    files: tuple[TouchedFile, ...]
    whole: bool
    mark: TouchMark | None


class Touch(NamedTuple):
    """A file that an intent has touched, and the place of the newest record of that."""

    intent_id: str
    path: WorkspacePath
    place: RecordPlace


def touches(
    since: TouchMark | None, count: int, connection: sqlite3.Connection
) -> tuple[list[Touch], bool, TouchMark | None]:
    """Return what was touched since a mark, whether that is the whole result, and the new mark.

    `count` is the present number of records. The new mark is None if there are no records.
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
    """Return at most `limit` paths that records touched, sorted."""
    return tuple(_path(key) for (key,) in connection.execute(_PATHS, (limit,)))


def _goes_on(since: TouchMark, count: int, connection: sqlite3.Connection) -> bool:
    """Return whether the records up to the mark are unchanged, judged by the last and the count."""
    there = connection.execute(_STILL, (since.moment, since.id64)).fetchone()
    (added,) = connection.execute(_SINCE, (since.moment,)).fetchone()
    return there is not None and since.count + added == count


def _path(key: bytes) -> WorkspacePath:
    return WorkspacePath(key.decode("utf-8", "surrogateescape"))
