"""SQLite files: for their user alone, never behind a link, opened anew when they were replaced."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM
from intent_lsp.store.fs.sqlite_file import NoDirectoryError, SqliteFile, connected
from intent_lsp.store.ledger.index.database import IndexDatabase


def lay_out(connection: sqlite3.Connection, _path: Path) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS x (y)")


def connect(path: Path) -> sqlite3.Connection:
    return connected(path, lay_out, busy_seconds=0.01)


@pytest.fixture(name="file")
def governed_file(tmp_path: Path) -> Iterator[SqliteFile]:
    (tmp_path / CONTROL_ROOM).mkdir()
    file = SqliteFile(tmp_path / LOCAL_ROOM / "x.sqlite3", connect)
    yield file
    file.close()


def test_it_is_made_with_its_room_for_its_user_alone(file: SqliteFile, tmp_path: Path) -> None:
    connection = file.connection()
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert (tmp_path / CONTROL_ROOM / ".gitignore").is_file()
    assert file.connection() is connection


def test_one_that_was_replaced_is_opened_anew(file: SqliteFile) -> None:
    connection = file.connection()
    for part in file.path.parent.glob("x.sqlite3*"):
        part.unlink()
    assert not file.is_current()
    assert file.connection() is not connection
    assert file.is_current()


def test_where_nothing_governs_none_is_made(file: SqliteFile) -> None:
    file.path.parent.parent.rmdir()
    with pytest.raises(NoDirectoryError):
        file.connection()
    assert not file.path.parent.parent.exists()


@pytest.mark.parametrize("place", [os.mkdir, os.mkfifo, lambda path: path.symlink_to("mine")])
def test_what_is_no_regular_file_is_not_opened(
    file: SqliteFile, place: Callable[[Path], None]
) -> None:
    file.connection()
    file.close()
    file.path.unlink()
    place(file.path)
    (file.path.parent / "mine").write_bytes(b"")
    with pytest.raises(sqlite3.OperationalError, match="not a regular file"):
        file.connection()
    assert (file.path.parent / "mine").read_bytes() == b""


def test_an_index_behind_a_link_is_made_in_the_links_place(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"")
    (tmp_path / "index.sqlite3").symlink_to("mine")
    database = IndexDatabase(tmp_path / "index.sqlite3")
    database.run(lambda connection: connection.execute("SELECT count(*) FROM record"))
    database.close()
    assert (tmp_path / "mine").read_bytes() == b""
    assert not (tmp_path / "index.sqlite3").is_symlink()
