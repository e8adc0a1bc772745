"""In-memory replacement of a state file that cannot be used, merged into the file afterwards."""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

_NUMBERED: Final = {"event": "seq"}
"""Tables with numbered rows. In the file, a number that memory gave may belong to another row."""

TableRows = set[tuple[Any, ...]]
"""The rows of one table."""


class StateInMemory:
    """Remembers the rows that memory began with, so that only new ones are written to the file."""

    def __init__(self) -> None:
        self._given: dict[str, TableRows] = {}

    def begin(self, memory: sqlite3.Connection) -> None:
        """Begin with an empty in-memory database."""
        self._given = {table: _rows(memory, table) for table in _tables(memory)}

    def read(self, file: sqlite3.Connection, memory: sqlite3.Connection) -> None:
        """Copy what the file holds into memory."""
        file.backup(memory)
        self._given = {table: _rows(memory, table) for table in _tables(memory)}

    def put_back(self, memory: sqlite3.Connection, file: sqlite3.Connection) -> None:
        """Write to the file, in one transaction, the rows that memory has collected since."""
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
    """Insert rows into a table of the file, with new numbers if the table is numbered."""
    numbered = table in _NUMBERED
    for row in rows:
        values = (None, *row[1:]) if numbered else row
        marks = ",".join("?" * len(values))
        file.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)  # noqa: S608 - ours
