"""Session locks, held by this process and by others."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.store.fs.local_dir import ensure_local_directory
from intent_lsp.store.locks.file_lock import open_lock_file, try_lock, try_share, unlock
from intent_lsp.store.locks.session_lock import SessionLocks

HOLDER = (
    "import sys\n"
    "from pathlib import Path\n"
    "from intent_lsp.store.locks.session_lock import SessionLocks\n"
    "locks = SessionLocks(Path(sys.argv[1]))\n"
    "print(locks.hold(sys.argv[2]), flush=True)\n"
    "sys.stdin.read()\n"
)


@contextmanager
def held_elsewhere(room: Path, session_id: str) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, os.fspath(room), session_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"True\n"
        yield child
        child.kill()


def test_a_session_is_held_from_hold_to_release(tmp_path: Path) -> None:
    locks, others = SessionLocks(tmp_path), SessionLocks(tmp_path)
    assert not locks.held("one")
    assert locks.hold("one")
    assert locks.hold("one")
    assert locks.held("one")
    assert others.held("one")
    assert not others.held("two")
    locks.release("one")
    locks.release("one")
    assert not locks.held("one")
    assert not others.held("one")


def test_closing_lets_go_of_every_session(tmp_path: Path) -> None:
    locks, others = SessionLocks(tmp_path), SessionLocks(tmp_path)
    for name in ("one", "\ud800 \0 " + "x" * 4000):
        assert locks.hold(name)
        assert others.held(name)
    locks.close()
    assert not others.held("one")


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    locks = SessionLocks(tmp_path)
    with held_elsewhere(tmp_path, "one") as child:
        assert locks.held("one")
        child.kill()
        child.wait()
        assert not locks.held("one")


def test_two_windows_with_one_session_id_hold_it_together(tmp_path: Path) -> None:
    locks = SessionLocks(tmp_path)
    with held_elsewhere(tmp_path, "one"):
        assert locks.hold("one")
    assert SessionLocks(tmp_path).held("one")
    locks.close()


def test_a_lock_file_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    locks = SessionLocks(tmp_path)
    assert locks.hold("one")
    shutil.rmtree(tmp_path / "sessions")
    locks.release("one")
    assert locks.hold("one")
    assert SessionLocks(tmp_path).held("one")
    locks.close()


def test_a_session_whose_room_was_deleted_is_held_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / CONTROL_ROOM).mkdir()
    room = ensure_local_directory(tmp_path)
    locks, others = SessionLocks(room), SessionLocks(room)
    assert locks.hold("one")
    shutil.rmtree(tmp_path / CONTROL_ROOM)
    assert not locks.hold("one")
    assert not list(tmp_path.iterdir())
    (tmp_path / CONTROL_ROOM).mkdir()
    assert not others.held("one")
    for _ in range(2):
        assert locks.hold("one")
    assert others.held("one")
    locks.release("one")
    assert not others.held("one")
    assert not caplog.text


def test_a_session_that_cannot_be_locked_is_said_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sessions").touch()
    assert not SessionLocks(tmp_path).hold("one")
    assert "cannot be locked" in caplog.text
    assert not SessionLocks(tmp_path / "nowhere").hold("one")


def test_one_who_wants_a_lock_alone_gets_in_the_way_of_a_holder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    locks = SessionLocks(tmp_path)
    assert locks.hold("one")
    locks.release("one")
    (path,) = (tmp_path / "sessions").iterdir()
    with open_lock_file(path) as file:
        assert try_lock(file.fileno())
        assert not locks.hold("one")
    assert "another process" in caplog.text


def test_locks_are_shared_or_taken_alone(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with open_lock_file(path) as one, open_lock_file(path) as two:
        assert path.stat().st_mode & 0o777 == 0o600
        assert try_share(one.fileno())
        assert try_share(two.fileno())
        assert not try_lock(one.fileno())
        unlock(two.fileno())
        assert try_lock(one.fileno())
        assert not try_share(two.fileno())
        unlock(one.fileno())
        assert try_lock(two.fileno())


def test_a_file_system_without_locks_calls_nobody_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = SessionLocks(tmp_path)
    assert locks.hold("one")
    locks.release("one")

    def unsupported(_file: object, _kind: int) -> None:
        raise OSError

    monkeypatch.setattr("fcntl.flock", unsupported)
    assert locks.held("one")
    assert not locks.hold("two")
