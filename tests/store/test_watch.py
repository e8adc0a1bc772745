"""A watch that is told of changes by the operating system."""

import os
import queue
import shutil
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import watchfiles

from intent_lsp.store.watch import watch as watch_module
from intent_lsp.store.watch.targets import Watched
from intent_lsp.store.watch.watch import Watch

SECONDS = 30


class Seen:
    """Collects what a watch tells, and waits for a path."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[frozenset[Path]] = queue.SimpleQueue()
        self.paths: set[Path] = set()

    def __call__(self, paths: frozenset[Path]) -> None:
        self._told.put(paths)

    def wait_for(self, path: Path) -> None:
        while path not in self.paths:
            self.paths |= self._told.get(timeout=SECONDS)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def watch(seen: Seen) -> Iterator[Watch]:
    made = Watch(seen)
    yield made
    made.close()


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "room/deep").mkdir(parents=True)
    return tmp_path / "room"


def test_what_is_written_created_and_removed_is_told(watch: Watch, seen: Seen, room: Path) -> None:
    (room / "old").touch()
    watch.watch([room])
    (room / "deep/hidden").touch()
    for name in ("new", "sp ace\n[é]"):
        (room / name).touch()
        seen.wait_for(room / name)
    (room / "old").write_bytes(b"x")
    seen.wait_for(room / "old")
    seen.paths.clear()
    (room / "old").unlink()
    seen.wait_for(room / "old")
    assert room / "deep/hidden" not in seen.paths


def test_the_directories_can_be_changed_at_any_time(watch: Watch, seen: Seen, room: Path) -> None:
    watch.watch([room])
    watch.watch([room / "deep"])
    (room / "unseen").touch()
    (room / "deep/a").touch()
    seen.wait_for(room / "deep/a")
    watch.watch([room, room / "deep"])
    (room / "b").touch()
    seen.wait_for(room / "b")
    assert room / "unseen" not in seen.paths
    watch.watch([])
    watch.watch([room])
    (room / "c").touch()
    seen.wait_for(room / "c")


def test_a_change_just_before_new_directories_is_not_lost(
    watch: Watch, seen: Seen, room: Path
) -> None:
    watch.watch([room])
    (room / "a").touch()
    watch.watch([room, room / "deep"])
    seen.wait_for(room / "a")


def test_a_directory_that_is_missing_is_watched_from_its_birth(
    watch: Watch, seen: Seen, room: Path
) -> None:
    wanted = room / "not/yet"
    watch.watch([wanted])
    (room / "noise").touch()
    wanted.mkdir(parents=True)
    seen.wait_for(wanted)
    (wanted / "a").touch()
    watch.watch([wanted])
    (wanted / "b").touch()
    seen.wait_for(wanted / "b")
    assert room / "noise" not in seen.paths


def test_a_directory_that_is_replaced_is_told_and_watched_on(
    watch: Watch, seen: Seen, room: Path
) -> None:
    watch.watch([room / "deep", room])
    shutil.rmtree(room / "deep")
    seen.wait_for(room / "deep")
    seen.paths.clear()
    (room / "deep").mkdir()
    seen.wait_for(room / "deep")
    watch.watch([room / "deep"])
    (room / "deep/a").touch()
    seen.wait_for(room / "deep/a")


def test_what_is_written_in_many_directories_is_no_reason_to_look_at_each(
    watch: Watch, seen: Seen, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: queue.SimpleQueue[Watched] = queue.SimpleQueue()
    look = Watched.look

    def counted(wanted: Iterable[str]) -> Watched:
        looks.put(look(wanted))
        return look(wanted)

    monkeypatch.setattr(Watched, "look", counted)
    watch.watch([room, room / "deep", room / "later"])
    looks.get_nowait()
    for name in ("new", "deep/new"):
        (room / name).touch()
        seen.wait_for(room / name)
    assert looks.empty()
    # What stands somewhere else by now, or came, is one.
    (room / "later").mkdir()
    seen.wait_for(room / "later")
    assert looks.get(timeout=SECONDS).standing[str(room / "later")] != (0, 0)


def test_what_is_moved_away_with_all_above_it_is_told_once_something_happens_there(
    watch: Watch, seen: Seen, room: Path
) -> None:
    watch.watch([room, room / "deep"])
    room.parent.rename(room.parent.with_name("elsewhere"))
    moved = room.parent.with_name("elsewhere") / room.name
    (moved / "deep/new").touch()
    seen.wait_for(room)
    room.mkdir(parents=True)
    seen.paths.clear()
    seen.wait_for(room)


def test_what_comes_while_the_directories_are_watched_anew_is_told(
    watch: Watch, seen: Seen, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Watched.look
    missing = threading.Event()

    def made_before_the_next_look(wanted: Iterable[str]) -> Watched:
        if missing.is_set():
            (room / "deep").mkdir(exist_ok=True)
        looked = look(wanted)
        if looked.standing[str(room / "deep")] == (0, 0):
            missing.set()
        return looked

    watch.watch([room / "deep"])
    monkeypatch.setattr(Watched, "look", made_before_the_next_look)
    (room / "deep").rmdir()
    seen.wait_for(room / "deep")
    seen.paths.clear()
    seen.wait_for(room / "deep")


def test_a_name_that_cannot_be_told_is_told_as_its_directory(
    watch: Watch, seen: Seen, room: Path
) -> None:
    watch.watch([room])
    (room / "\udcff").touch()
    seen.wait_for(room)
    (room / "after").touch()
    watch.watch([room])
    (room / "later").touch()
    seen.wait_for(room / "later")


def test_a_directory_that_cannot_be_named_is_looked_at(
    watch: Watch, seen: Seen, room: Path
) -> None:
    odd = room / "\udcff"
    odd.mkdir()
    watch.watch([odd, room])
    (odd / "a").touch()
    (room / "wake").touch()
    seen.wait_for(odd)


def test_a_link_to_a_directory_is_told_by_its_own_name(
    watch: Watch, seen: Seen, room: Path
) -> None:
    (room / "link").symlink_to("deep")
    watch.watch([room / "link"])
    (room / "deep/a").touch()
    seen.wait_for(room / "link/a")


def test_a_callback_that_fails_does_not_end_the_watch(
    room: Path, seen: Seen, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(paths: frozenset[Path]) -> None:
        seen(paths)
        raise KeyError

    watch = Watch(failing)
    watch.watch([room])
    for name in ("a", "b"):
        (room / name).touch()
        seen.wait_for(room / name)
    watch.close()
    assert "not handled" in caplog.text


def test_a_callback_may_change_the_directories_and_close(room: Path) -> None:
    done = threading.Event()

    def busy(_paths: frozenset[Path]) -> None:
        watch.watch([room / "deep"])
        watch.close()
        done.set()

    watch = Watch(busy)
    watch.watch([room])
    (room / "a").touch()
    assert done.wait(SECONDS)
    watch.close()
    watch.watch([room])


def test_a_watch_that_never_began_is_closed_at_once(seen: Seen) -> None:
    watch = Watch(seen)
    watch.close()
    watch.close()


class Exhausted:
    """A source of events on a system that has given all of its watches away."""

    real = watchfiles.watch
    left = 0
    error: Exception = OSError("OS file watch limit reached. about [a]")

    @classmethod
    def watch(cls, *paths: str, **options: object) -> Iterator[object]:
        if cls.left <= 0:
            raise cls.error
        cls.left -= 1
        yield from cls.real(*paths, **options)  # type: ignore[arg-type] # passed on as given


@pytest.mark.parametrize(
    "error",
    [OSError("OS file watch limit reached. about [a]"), RuntimeError("Too many open files")],
)
def test_an_exhausted_system_is_polled_and_that_is_told(
    room: Path,
    seen: Seen,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    monkeypatch.setattr(watchfiles, "watch", Exhausted.watch)
    monkeypatch.setattr(Exhausted, "error", error)
    many = [room / str(number) for number in range(600)]
    for directory in many:
        directory.mkdir()
    told: list[str | None] = []
    watch = Watch(seen, polling=told.append)
    watch.watch(many)
    (many[-1] / "a").touch()
    seen.wait_for(many[-1] / "a")
    watch.watch([room, *many])
    (room / "c").touch()
    seen.wait_for(room / "c")
    assert told == [str(error).partition(" about")[0]]
    assert caplog.text.count("looking again and again instead") == 1
    monkeypatch.setattr(Exhausted, "left", 1)
    watch.watch([room])
    (room / "b").touch()
    seen.wait_for(room / "b")
    watch.close()
    assert told[1:] == [None]
    assert "the system tells of changes again" in caplog.text


def test_a_system_that_has_watches_again_is_asked_after_some_looks(
    room: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchfiles, "watch", Exhausted.watch)
    monkeypatch.setattr(watch_module, "_LOOKS", 2)
    again = threading.Event()

    def polling(why: str | None) -> None:
        if why is None:
            again.set()
        else:
            monkeypatch.setattr(Exhausted, "left", 1)

    watch = Watch(seen, polling=polling)
    watch.watch([room])
    assert again.wait(SECONDS)
    (room / "b").touch()
    seen.wait_for(room / "b")
    watch.close()


def test_a_source_that_breaks_ends_the_watch_loudly(
    room: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_arguments: object) -> None:
        raise KeyError

    monkeypatch.setattr(watchfiles, "watch", broken)
    watch = Watch(seen)
    watch.watch([room])
    watch.close()
    assert "go unseen" in caplog.text
    assert os.listdir(room) == ["deep"]  # noqa: PTH208 - names alone
