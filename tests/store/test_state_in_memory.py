"""The state in memory, as long as its file cannot be used."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.state import database
from intent_lsp.store.state.sessions_db import ReadHash, SessionDb
from tests.store.test_state import ROW
from tests.support.fault_injection import fill, small_disk

PATH = WorkspacePath("a.py")
READ = ReadHash(ContentHash("sha256:" + "0" * 64), 1)


def link_to_nowhere(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def link_to_a_file(path: Path) -> None:
    path.with_name("other").write_bytes(b"")
    path.symlink_to(path.with_name("other"))


OBSTACLES: tuple[Callable[[Path], object], ...] = (
    Path.mkdir,
    os.mkfifo,
    link_to_nowhere,
    link_to_a_file,
)


@dataclass
class Clock:
    """Whether the time has come to try the file again."""

    due: bool = False

    def deadline(self, _: float) -> Callable[[], bool]:
        return lambda: self.due


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(database, "deadline", clock.deadline)
    return clock


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SessionDb]:
    state = SessionDb(tmp_path, in_memory_meanwhile=True)
    yield state
    state.close()


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_the_way_is_told_and_nothing_is_lost(
    state: SessionDb, clock: Clock, obstacle: Callable[[Path], object]
) -> None:
    obstacle(state.path)
    state.put_session(ROW)
    assert state.problem() is not None
    assert str(state.path) in str(state.problem())
    assert state.session(ROW.session_id) == ROW
    remove(state.path)
    assert state.problem() is not None
    clock.due = True
    # What memory was told is in the file as soon as there can be one, and nobody need tell again.
    assert state.problem() is None
    assert SessionDb(state.path.parent).session(ROW.session_id) == ROW


def test_what_others_wrote_meanwhile_stays(state: SessionDb, clock: Clock, tmp_path: Path) -> None:
    state.path.mkdir()
    state.put_session(ROW)
    state.notes.add_event("INT-001", "mine")
    state.path.rmdir()
    other = SessionDb(tmp_path)
    other.put_read("other", "", PATH, READ)
    other.notes.add_event("INT-001", "theirs")
    other.close()
    clock.due = True
    assert state.session(ROW.session_id) == ROW
    assert {noted.event for noted in state.notes.events("INT-001")} == {"mine", "theirs"}


def test_a_disk_that_is_full_leaves_what_was_known(tmp_path: Path, clock: Clock) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        state = SessionDb(disk, in_memory_meanwhile=True)
        state.put_session(ROW)
        ballast = fill(disk)
        many = {WorkspacePath(f"{n}" * 200): READ for n in range(100)}
        state.put_reads("one", "", many)
        assert "full" in str(state.problem())
        assert state.session(ROW.session_id) == ROW
        ballast.unlink()
        clock.due = True
        assert state.problem() is None
        again = SessionDb(disk)
        assert again.session(ROW.session_id) == ROW
        again.close()
        state.close()


def test_a_file_that_was_used_is_not_forgotten_for_another(state: SessionDb) -> None:
    state.put_session(ROW)
    state.path.unlink()
    state.path.mkdir()
    # What it knew of sessions memory does not know: nobody is judged by half of it.
    with pytest.raises(database.StateUnavailableError):
        state.session(ROW.session_id)
