"""The index's tables filled from nothing, at half the cost of row after row (ledger section 4).

Invariant: one transaction holds all of it, so that nobody ever sees, and no accident ever leaves,
an index that is half built: it is empty or whole.
Invariant: what it leaves is what row after row would have left.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from intent_lsp.store.ledger.index.database import CACHE, HASH_INDEX, ORDER_INDEXES
from intent_lsp.store.ledger.index.sources import sources, transaction

_DROP: Final = (
    "DROP INDEX IF EXISTS record_hash",
    "DROP INDEX IF EXISTS record_id",
    "DROP INDEX IF EXISTS record_intent",
    "DROP INDEX IF EXISTS record_session",
)
_ASIDE: Final = "CREATE TEMP TABLE touched_anew (path, moment INTEGER, source INTEGER)"
_SORTED: Final = """
INSERT OR IGNORE INTO touched
SELECT CAST(path AS BLOB) AS key, moment, source FROM temp.touched_anew ORDER BY key, moment, source
"""
_SMALL_CACHE: Final = "PRAGMA cache_size = -4096"
_GONE: Final = "DROP TABLE temp.touched_anew"


@contextmanager
def built(connection: sqlite3.Connection) -> Iterator[bool]:
    """Let the tables be filled alone among all writers; False: another process has begun already.

    What touches a path goes into `temp.touched_anew`; all is put in order at the end.
    """
    with transaction(connection):
        if sources(connection):
            yield False
            return
        # What goes in stands behind what is there, which nobody asks for again; what is sorted
        # later takes as much memory as the cache may: a small one keeps both flat.
        for statement in (*_DROP, _ASIDE, _SMALL_CACHE):
            connection.execute(statement)
        yield True
        # In order, each page is written once; a row after the other would write it many times.
        for statement in (_SORTED, _GONE, HASH_INDEX, *ORDER_INDEXES, CACHE):
            connection.execute(statement)
