"""Index queries about work: what intents touched, how much and when, and what does not pass.

A moment is an integer made of a record's timestamp; it grows from each record of a file to the
next.

Invariant: each is one statement, and reads no ledger line.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.ledger.index_keys import moment_of
from intent_lsp.store.ledger.index.rows import path_of

_TOUCHED: Final = """
SELECT DISTINCT path FROM name JOIN latest ON latest.intent = name.number
WHERE name.text IN (SELECT value FROM json_each(?)) LIMIT ?
"""
_COUNT: Final = """
SELECT count(*) FROM name JOIN record ON record.intent = name.number
WHERE name.text IN (SELECT value FROM json_each(?))
"""
# The newest first, so that a limit leaves the oldest out.
_STRAY: Final = """
SELECT touched.path, max(touched.moment) AS newest
FROM touched CROSS JOIN record
ON record.moment = touched.moment AND record.source = touched.source
WHERE touched.moment >= ? AND NOT record.passing
GROUP BY touched.path ORDER BY newest DESC LIMIT ?
"""
_NEWEST: Final = """
SELECT name.text, max(record.moment) FROM record JOIN name ON name.number = record.intent
WHERE record.passing GROUP BY record.intent
"""


def touched_by(
    connection: sqlite3.Connection, names: Collection[str], limit: int
) -> tuple[WorkspacePath, ...]:
    """Return the files that records of the intent ids `names` touched, at most `limit` of them.

    They are in no particular order.
    """
    rows = connection.execute(_TOUCHED, (json.dumps([*names]), limit))
    return tuple(path_of(key) for (key,) in rows)


def count_of(connection: sqlite3.Connection, names: Collection[str]) -> int:
    """Return how many records have one of the intent ids `names`."""
    count: int = connection.execute(_COUNT, (json.dumps([*names]),)).fetchone()[0]
    return count


def not_passing_since(
    connection: sqlite3.Connection, since: str, limit: int
) -> Mapping[WorkspacePath, int]:
    """Return the files of records that do not pass, each with the moment of its newest such record.

    A record does not pass if its verdict is FAIL or its edit did not happen. A moment is an integer
    that grows with time. Records before the timestamp `since` do not count. At most `limit` files
    are returned, those of the newest records.
    """
    rows = connection.execute(_STRAY, (moment_of(since), limit))
    return {path_of(key): moment for key, moment in rows}


def newest_moments(connection: sqlite3.Connection) -> Mapping[str, int]:
    """Return the moment of each intent id's newest record that passes.

    A moment is an integer that grows with time. A record passes if its edit happened and its
    verdict is not FAIL. An intent id without such a record is left out.
    """
    return dict(connection.execute(_NEWEST).fetchall())
