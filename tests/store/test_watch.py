"""A watch that the operating system notifies of changes."""

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
def watched_dir(tmp_path: Path) -> Path:
    (tmp_path / "watched_dir/deep").mkdir(parents=True)
    return tmp_path / "watched_dir"


def test_what_is_written_created_and_removed_is_told(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    (watched_dir / "old").touch()
    watch.watch([watched_dir])
    (watched_dir / "deep/hidden").touch()
    for name in ("new", "sp ace\n[é]"):
        (watched_dir / name).touch()
        seen.wait_for(watched_dir / name)
    (watched_dir / "old").write_bytes(b"x")
    seen.wait_for(watched_dir / "old")
    seen.paths.clear()
    (watched_dir / "old").unlink()
    seen.wait_for(watched_dir / "old")
    assert watched_dir / "deep/hidden" not in seen.paths


def test_the_directories_can_be_changed_at_any_time(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    watch.watch([watched_dir])
    watch.watch([watched_dir / "deep"])
    (watched_dir / "unseen").touch()
    (watched_dir / "deep/a").touch()
    seen.wait_for(watched_dir / "deep/a")
    watch.watch([watched_dir, watched_dir / "deep"])
    (watched_dir / "b").touch()
    seen.wait_for(watched_dir / "b")
    assert watched_dir / "unseen" not in seen.paths
    watch.watch([])
    watch.watch([watched_dir])
    (watched_dir / "c").touch()
    seen.wait_for(watched_dir / "c")


def test_a_change_just_before_new_directories_is_not_lost(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    watch.watch([watched_dir])
    (watched_dir / "a").touch()
    watch.watch([watched_dir, watched_dir / "deep"])
    seen.wait_for(watched_dir / "a")


def test_a_directory_that_is_missing_is_watched_from_its_birth(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    wanted = watched_dir / "not/yet"
    watch.watch([wanted])
    (watched_dir / "noise").touch()
    wanted.mkdir(parents=True)
    seen.wait_for(wanted)
    (wanted / "a").touch()
    watch.watch([wanted])
    (wanted / "b").touch()
    seen.wait_for(wanted / "b")
    assert watched_dir / "noise" not in seen.paths


def test_a_directory_that_is_replaced_is_told_and_watched_on(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    watch.watch([watched_dir / "deep", watched_dir])
    shutil.rmtree(watched_dir / "deep")
    seen.wait_for(watched_dir / "deep")
    seen.paths.clear()
    (watched_dir / "deep").mkdir()
    seen.wait_for(watched_dir / "deep")
    watch.watch([watched_dir / "deep"])
    (watched_dir / "deep/a").touch()
    seen.wait_for(watched_dir / "deep/a")


def test_what_is_written_in_many_directories_is_no_reason_to_look_at_each(
    watch: Watch, seen: Seen, watched_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: queue.SimpleQueue[Watched] = queue.SimpleQueue()
    look = Watched.look

    def counted(wanted: Iterable[str]) -> Watched:
        looks.put(look(wanted))
        return look(wanted)

    monkeypatch.setattr(Watched, "look", counted)
    watch.watch([watched_dir, watched_dir / "deep", watched_dir / "later"])
    looks.get_nowait()
    for name in ("new", "deep/new"):
        (watched_dir / name).touch()
        seen.wait_for(watched_dir / name)
    assert looks.empty()
    # What stands somewhere else by now, or came, is one.
    (watched_dir / "later").mkdir()
    seen.wait_for(watched_dir / "later")
    assert looks.get(timeout=SECONDS).standing[str(watched_dir / "later")] != (0, 0)


def test_what_is_moved_away_with_all_above_it_is_told_once_something_happens_there(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    watch.watch([watched_dir, watched_dir / "deep"])
    watched_dir.parent.rename(watched_dir.parent.with_name("elsewhere"))
    moved = watched_dir.parent.with_name("elsewhere") / watched_dir.name
    (moved / "deep/new").touch()
    seen.wait_for(watched_dir)
    watched_dir.mkdir(parents=True)
    seen.paths.clear()
    seen.wait_for(watched_dir)


def test_what_comes_while_the_directories_are_watched_anew_is_told(
    watch: Watch, seen: Seen, watched_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Watched.look
    missing = threading.Event()

    def made_before_the_next_scan(wanted: Iterable[str]) -> Watched:
        if missing.is_set():
            (watched_dir / "deep").mkdir(exist_ok=True)
        looked = look(wanted)
        if looked.standing[str(watched_dir / "deep")] == (0, 0):
            missing.set()
        return looked

    watch.watch([watched_dir / "deep"])
    monkeypatch.setattr(Watched, "look", made_before_the_next_scan)
    (watched_dir / "deep").rmdir()
    seen.wait_for(watched_dir / "deep")
    seen.paths.clear()
    seen.wait_for(watched_dir / "deep")


def test_a_name_that_cannot_be_told_is_told_as_its_directory(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    watch.watch([watched_dir])
    (watched_dir / "\udcff").touch()
    seen.wait_for(watched_dir)
    (watched_dir / "after").touch()
    watch.watch([watched_dir])
    (watched_dir / "later").touch()
    seen.wait_for(watched_dir / "later")


def test_a_directory_that_cannot_be_named_is_looked_at(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    odd = watched_dir / "\udcff"
    odd.mkdir()
    watch.watch([odd, watched_dir])
    (odd / "a").touch()
    (watched_dir / "wake").touch()
    seen.wait_for(odd)


def test_a_link_to_a_directory_is_told_by_its_own_name(
    watch: Watch, seen: Seen, watched_dir: Path
) -> None:
    (watched_dir / "link").symlink_to("deep")
    watch.watch([watched_dir / "link"])
    (watched_dir / "deep/a").touch()
    seen.wait_for(watched_dir / "link/a")


def test_a_callback_that_fails_does_not_end_the_watch(
    watched_dir: Path, seen: Seen, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(paths: frozenset[Path]) -> None:
        seen(paths)
        raise KeyError

    watch = Watch(failing)
    watch.watch([watched_dir])
    for name in ("a", "b"):
        (watched_dir / name).touch()
        seen.wait_for(watched_dir / name)
    watch.close()
    assert "not handled" in caplog.text


def test_a_callback_may_change_the_directories_and_close(watched_dir: Path) -> None:
    done = threading.Event()

    def busy(_paths: frozenset[Path]) -> None:
        watch.watch([watched_dir / "deep"])
        watch.close()
        done.set()

    watch = Watch(busy)
    watch.watch([watched_dir])
    (watched_dir / "a").touch()
    assert done.wait(SECONDS)
    watch.close()
    watch.watch([watched_dir])


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
    watched_dir: Path,
    seen: Seen,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    monkeypatch.setattr(watchfiles, "watch", Exhausted.watch)
    monkeypatch.setattr(Exhausted, "error", error)
    many = [watched_dir / str(number) for number in range(600)]
    for directory in many:
        directory.mkdir()
    told: list[str | None] = []
    watch = Watch(seen, polling=told.append)
    watch.watch(many)
    (many[-1] / "a").touch()
    seen.wait_for(many[-1] / "a")
    watch.watch([watched_dir, *many])
    (watched_dir / "c").touch()
    seen.wait_for(watched_dir / "c")
    assert told == [str(error).partition(" about")[0]]
    assert caplog.text.count("looking again and again instead") == 1
    monkeypatch.setattr(Exhausted, "left", 1)
    watch.watch([watched_dir])
    (watched_dir / "b").touch()
    seen.wait_for(watched_dir / "b")
    watch.close()
    assert told[1:] == [None]
    assert "the system tells of changes again" in caplog.text


def test_a_system_that_has_watches_again_is_asked_after_some_looks(
    watched_dir: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch
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
    watch.watch([watched_dir])
    assert again.wait(SECONDS)
    (watched_dir / "b").touch()
    seen.wait_for(watched_dir / "b")
    watch.close()


def test_a_source_that_breaks_ends_the_watch_loudly(
    watched_dir: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_arguments: object) -> None:
        raise KeyError

    monkeypatch.setattr(watchfiles, "watch", broken)
    watch = Watch(seen)
    watch.watch([watched_dir])
    watch.close()
    assert "go unseen" in caplog.text
    assert os.listdir(watched_dir) == ["deep"]  # noqa: PTH208 - names alone
