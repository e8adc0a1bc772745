"""The bell of a lock: it wakes who waits, and where it is missing the lock is got all the same."""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.store.fs.local_dir import ensure_local_directory
from intent_lsp.store.locks import root_lock
from intent_lsp.store.locks.file_lock import try_lock
from intent_lsp.store.locks.lock_wakeup import LockWakeup
from intent_lsp.store.locks.root_lock import RootLock

Contend = Callable[..., int]
UNHEARD = "_UNHEARD"
"""What is waited for a bell that nobody rings."""


@pytest.fixture(name="runtime")
def runtime_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "runtime"
    directory.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    return directory


@pytest.fixture(name="path")
def lock_path(tmp_path: Path) -> Path:
    (tmp_path / CONTROL_ROOM).mkdir()
    return ensure_local_directory(tmp_path) / "ledger.lock"


@pytest.fixture(name="file")
def opened_lock(path: Path) -> Iterator[int]:
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    yield fd
    os.close(fd)


@pytest.fixture(name="bell")
def hung_bell(file: int, runtime: Path) -> Iterator[LockWakeup]:
    bell = LockWakeup()
    assert bell.wait(file, 0)
    assert runtime.is_dir()
    yield bell
    bell.close()


def pipes(runtime: Path) -> list[Path]:
    return [*(runtime / "intent-lsp").iterdir()]


@pytest.fixture(name="contend")
def contended(monkeypatch: pytest.MonkeyPatch) -> Contend:
    """Let another have the lock until so many tries have failed; give how many of all did."""

    def contend(path: Path, times: int) -> int:
        holder, other = RootLock(path), RootLock(path, wait_seconds=30.0)
        failed, ended, enough = [0], threading.Event(), threading.Event()

        def noted(fd: int) -> bool:
            found = try_lock(fd)
            failed[0] += not found
            if failed[0] == times:
                enough.set()
            return found

        def wait() -> None:
            with other.held() as waited:
                assert waited
            ended.set()

        thread = threading.Thread(target=wait, daemon=True)
        with holder.held():
            monkeypatch.setattr(root_lock, "try_lock", noted)
            thread.start()
            assert enough.wait(30)
        # Much less than who is not woken waits, and much more than anybody else.
        assert ended.wait(15)
        monkeypatch.setattr(root_lock, "try_lock", try_lock)
        holder.close()
        other.close()
        return failed[0]

    return contend


@pytest.mark.usefixtures("runtime")
def test_who_waits_is_woken_when_the_lock_is_let_go(
    path: Path, contend: Contend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(root_lock, UNHEARD, 60.0)
    # Once before the bell hangs, and once more before it is waited for as long as that.
    assert contend(path, 2) == 2


def test_who_never_waits_hangs_no_bell(path: Path, runtime: Path) -> None:
    lock = RootLock(path)
    with lock.held():
        pass
    lock.close()
    assert path.read_bytes() == b""
    assert not [*runtime.iterdir()]


def in_the_way(runtime: Path) -> None:
    (runtime / "intent-lsp").write_text("")


def open_to_others(runtime: Path) -> None:
    (runtime / "intent-lsp").mkdir(mode=0o755)


def a_link(runtime: Path) -> None:
    (runtime / "elsewhere").mkdir(mode=0o700)
    (runtime / "intent-lsp").symlink_to("elsewhere")


def gone(runtime: Path) -> None:
    runtime.rmdir()


@pytest.mark.parametrize("spoil", [in_the_way, open_to_others, a_link, gone])
def test_where_there_is_no_bell_the_lock_is_asked_for_again_and_again(
    path: Path,
    runtime: Path,
    contend: Contend,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
) -> None:
    spoil(runtime)
    monkeypatch.setattr(root_lock, UNHEARD, 60.0)
    assert contend(path, 4) >= 4
    assert path.read_bytes() == b""


@pytest.mark.parametrize("runtime", [None, "", "relative"])
def test_without_a_runtime_directory_it_hangs_among_the_temporary_files(
    file: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: str | None
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    if runtime is not None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bell = LockWakeup()
    assert bell.wait(file, 0)
    bell.close()
    (room,) = tmp_path.glob("intent-lsp-*")
    assert room.name == f"intent-lsp-{os.getuid()}"
    assert stat.S_IMODE(room.stat().st_mode) == 0o700
    (pipe,) = room.iterdir()
    assert pipe.is_fifo()
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o600


def test_it_is_rung_as_often_as_it_is_let_go_and_heard_once(bell: LockWakeup, file: int) -> None:
    other = LockWakeup()
    for _ in range(3):
        other.ring(file)
    assert bell.wait(file, 25)
    heard: list[bool] = []
    waiting = threading.Thread(target=lambda: heard.append(bell.wait(file, 60)))
    waiting.start()
    assert not heard
    other.ring(file)
    waiting.join(30)
    assert heard == [True]


def test_one_that_is_taken_away_is_hung_again(bell: LockWakeup, file: int, runtime: Path) -> None:
    (pipe,) = pipes(runtime)
    pipe.unlink()
    bell.ring(file)
    # Soon, however long it may wait.
    assert bell.wait(file, 1_000_000)
    (again,) = pipes(runtime)
    assert again.is_fifo()


def test_what_stands_in_its_place_is_left_alone(bell: LockWakeup, file: int, runtime: Path) -> None:
    (pipe,) = pipes(runtime)
    pipe.unlink()
    pipe.write_text("mine")
    bell.ring(file)
    assert not bell.wait(file, 1_000_000)
    assert pipe.read_text() == "mine"


@pytest.mark.usefixtures("bell")
def test_it_is_rung_where_nobody_is_left_who_waits(file: int, runtime: Path) -> None:
    (pipe,) = pipes(runtime)
    LockWakeup().ring(file)
    pipe.unlink()
    LockWakeup().ring(file)
    assert os.pread(file, 8, 0) == b"w"


def test_one_that_nobody_empties_is_rung_without_waiting(bell: LockWakeup, file: int) -> None:
    for _ in range(70_000):
        bell.ring(file)
    assert bell.wait(file, 25)


def test_another_file_in_the_locks_place_has_another_bell(
    path: Path, runtime: Path, contend: Contend
) -> None:
    contend(path, 2)
    path.rename(path.with_name("kept"))
    contend(path, 2)
    assert len(pipes(runtime)) == 2


@pytest.mark.usefixtures("runtime")
def test_who_waits_too_long_is_told(path: Path) -> None:
    holder, other = RootLock(path), RootLock(path, wait_seconds=0.01)
    with (
        holder.held(),
        pytest.raises(LedgerUnavailableError, match="another process"),
        other.held(),
    ):
        pass
    holder.close()
    other.close()


def test_it_lets_go_of_what_it_opened(file: int, runtime: Path) -> None:
    descriptors = Path("/proc/self/fd")
    before = [*map(str, descriptors.iterdir())]
    bell = LockWakeup()
    assert bell.wait(file, 0)
    assert pipes(runtime)
    assert len([*descriptors.iterdir()]) > len(before)
    bell.close()
    bell.ring(file)
    # What others have left behind may be let go of meanwhile.
    assert {*map(str, descriptors.iterdir())} <= set(before)
