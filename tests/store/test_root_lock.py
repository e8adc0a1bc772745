"""The lock of a root whose directory is deleted while it is in use (ledger section 3)."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM
from intent_lsp.store.fs.local_dir import ensure_local_directory
from intent_lsp.store.locks.root_lock import RootLock, holding


@pytest.fixture
def locks(tmp_path: Path) -> Iterator[tuple[RootLock, RootLock]]:
    """Give two locks of one name, as two processes have them, of which the first was held."""
    (tmp_path / CONTROL_ROOM).mkdir()
    path = ensure_local_directory(tmp_path) / "gate.lock"
    one, two = RootLock(path), RootLock(path, wait_seconds=0.0)
    with one.held():
        pass
    yield one, two
    one.close()
    two.close()


@pytest.mark.parametrize("room", [CONTROL_ROOM, LOCAL_ROOM])
def test_it_is_taken_on_the_file_that_is_there_now(
    locks: tuple[RootLock, RootLock], room: str, tmp_path: Path
) -> None:
    one, two = locks
    shutil.rmtree(tmp_path / room)
    (tmp_path / CONTROL_ROOM).mkdir(exist_ok=True)
    with one.held():
        assert (tmp_path / LOCAL_ROOM / "gate.lock").is_file()
        with pytest.raises(LedgerUnavailableError, match="another process"), two.held():
            pass
    with two.held():
        pass


def test_one_that_is_held_while_the_room_is_deleted_holds_up_nobody_afterwards(
    locks: tuple[RootLock, RootLock], tmp_path: Path
) -> None:
    one, two = locks
    with one.held():
        shutil.rmtree(tmp_path / LOCAL_ROOM)
        with two.held():
            pass
    with one.held(), pytest.raises(LedgerUnavailableError), two.held():
        pass


def test_where_nothing_governs_any_more_it_makes_no_room(
    locks: tuple[RootLock, RootLock], tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / CONTROL_ROOM)
    with pytest.raises(LedgerUnavailableError, match="cannot be opened"), locks[0].held():
        pass
    # Nothing is shared there: whoever needs no more than order goes on.
    with holding(locks[0]) as waited:
        assert not waited
    assert not list(tmp_path.iterdir())


def test_a_file_system_without_locks_makes_the_ledger_unavailable(
    locks: tuple[RootLock, RootLock], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_fd: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(LedgerUnavailableError, match="No locks available"), locks[0].held():
        pass
    monkeypatch.undo()
    with locks[0].held():
        pass
