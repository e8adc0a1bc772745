"""Memory in the place of a state file that cannot be used, and what it gives back afterwards."""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

_NUMBERED: Final = {"event": "seq"}
"""Tables whose rows are numbered: a number that memory gave may be another row's in the file."""

TableRows = set[tuple[Any, ...]]


class StateInMemory:
    """What memory was given at first, so that only what is new goes into the file."""

    def __init__(self) -> None:
        self._given: dict[str, TableRows] = {}

    def begin(self, memory: sqlite3.Connection) -> None:
        """Take the place of a file, with nothing known."""
        self._given = {table: _rows(memory, table) for table in _tables(memory)}

    def read(self, file: sqlite3.Connection, memory: sqlite3.Connection) -> None:
        """Read what a file still tells into memory."""
        file.backup(memory)
        self._given = {table: _rows(memory, table) for table in _tables(memory)}

    def put_back(self, memory: sqlite3.Connection, file: sqlite3.Connection) -> None:
        """Put into the file what memory has been told since."""
        file.execute("BEGIN IMMEDIATE")
        try:
            for table in _tables(memory):
                new = _rows(memory, table) - self._given.get(table, set())
                _put(file, table, new)
            file.execute("COMMIT")
        except BaseException:
            file.execute("ROLLBACK")
            raise


def _tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    return [name for (name,) in connection.execute(query)]


def _rows(connection: sqlite3.Connection, table: str) -> TableRows:
    return set(connection.execute(f"SELECT * FROM {table}"))  # noqa: S608 - a table of ours


def _put(file: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    numbered = table in _NUMBERED
    for row in rows:
        values = (None, *row[1:]) if numbered else row
        marks = ",".join("?" * len(values))
        file.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)  # noqa: S608 - ours
