"""Ledgers joined on disk: under the lock, in one step, with what is left over kept aside."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError, UnsafePathError
from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE
from intent_lsp.store.fs.write import replace_lines
from intent_lsp.store.ledger.merge import Merged, merge_files, resolve_file
from tests.support.fault_injection import locked_by_another_process, read_only
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines, two_branches


@pytest.fixture
def sides(tmp_path: Path) -> tuple[list[bytes], list[bytes]]:
    """Give two branches of one ledger, which below `tmp_path` ends as the first."""
    _, ours, theirs = two_branches(tmp_path)
    return ours, theirs


def written(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(lines))
    return path


def test_the_union_is_written_over_ours_and_the_next_record_ties_it(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    path = tmp_path / LEDGER_FILE
    path.chmod(0o640)
    merged = merge_files(path, written(tmp_path / "theirs", theirs), path)
    assert merged == Merged(lines=3, odd=(), aside=())
    assert lines_of(tmp_path) == [*ours, *theirs[1:]]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    ledger = ledger_at(tmp_path)
    assert len(ledger.append(edit("tying")).integrity.merges) == 1
    found = ledger.verify()
    assert (found.ok, found.records, len(found.heads)) == (True, 4, 1)


def test_another_output_leaves_both_sides_as_they_are(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    one, other = written(tmp_path / "one", ours), written(tmp_path / "other", theirs)
    merge_files(one, other, tmp_path / "all")
    assert one.read_bytes() == b"".join(ours)
    assert other.read_bytes() == b"".join(theirs)
    assert (tmp_path / "all").read_bytes() == b"".join([*ours, *theirs[1:]])
    assert {path.name for path in tmp_path.iterdir()} == {".orchestration", "one", "other", "all"}


def conflicted(ours: list[bytes], theirs: list[bytes], base: list[bytes]) -> list[bytes]:
    middle = [b"||||||| base\n", *base] if base else []
    first, mine, others = ours[:1], ours[1:], theirs[1:]
    marks = b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> topic\n"
    return [*first, marks[0], *mine, *middle, marks[1], *others, marks[2]]


def test_a_conflict_is_resolved_to_the_union(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    put_lines(tmp_path, conflicted(ours, theirs, []))
    assert resolve_file(tmp_path / LEDGER_FILE) == Merged(lines=3, odd=(), aside=(), conflicts=1)
    assert lines_of(tmp_path) == [*ours, *theirs[1:]]
    assert ledger_at(tmp_path).verify().ok
    before = (tmp_path / LEDGER_FILE).stat()
    assert resolve_file(tmp_path / LEDGER_FILE) == Merged(lines=0, odd=(), aside=())
    assert (tmp_path / LEDGER_FILE).stat() == before


def test_what_both_sides_gave_up_is_kept_aside(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    put_lines(tmp_path, conflicted(ours, theirs, [theirs[1], b"given up\n"]))
    merged = resolve_file(tmp_path / LEDGER_FILE)
    assert lines_of(tmp_path) == [*ours, *theirs[1:]]
    (((aside, kept)),) = merged.aside
    assert kept is not None
    assert kept.read_bytes() == aside.text == b"given up\n"


def test_a_conflict_that_does_not_end_is_left_as_it_is(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    lines = conflicted(*sides, [])[:-1]
    put_lines(tmp_path, lines)
    with pytest.raises(
        LedgerUnavailableError, match=r"jsonl:2: the conflict that begins"
    ) as caught:
        resolve_file(tmp_path / LEDGER_FILE)
    assert "git checkout --merge" in caught.value.cure
    assert lines_of(tmp_path) == lines


def test_torn_lines_are_kept_in_the_local_room_each_once(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    for torn in (b'{"id', b'{"id', b'{"else'):
        put_lines(tmp_path, [*ours, torn])
        other = written(tmp_path / "theirs", [*theirs, b"{"])
        merged = merge_files(tmp_path / LEDGER_FILE, other, tmp_path / LEDGER_FILE)
        assert lines_of(tmp_path) == [*ours, *theirs[1:]]
        assert [aside.text for aside, _ in merged.aside] == [torn, b"{"]
    kept = sorted(path.read_bytes() for path in (tmp_path / ".orchestration/.local/torn").iterdir())
    assert kept == [b"{", b'{"else', b'{"id']


def test_where_nothing_governs_a_torn_line_is_given_back_to_be_shown(tmp_path: Path) -> None:
    one, other = written(tmp_path / "one", [b"torn"]), written(tmp_path / "other", [])
    ((aside, kept),) = merge_files(one, other, one).aside
    assert (aside.text, kept, one.read_bytes()) == (b"torn", None, b"")


def test_beside_a_governed_tree_the_torn_line_is_kept_in_its_room(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    (tmp_path / INTENTS_FILE).write_text("active_intents: []\n")
    ours, theirs = sides
    one = written(tmp_path / ".merge_file_a", [*ours, b"torn"])
    ((_, kept),) = merge_files(one, written(tmp_path / ".merge_file_b", theirs), one).aside
    assert kept is not None
    assert kept.is_relative_to(tmp_path / ".orchestration")


def no_file(_path: Path) -> None:
    pass


def directory(path: Path) -> None:
    path.mkdir()


def link(path: Path) -> None:
    path.symlink_to(path.parent / LEDGER_FILE)


def pipe(path: Path) -> None:

    os.mkfifo(path)


@pytest.mark.parametrize("place", [no_file, directory, link, pipe])
def test_what_is_no_plain_file_is_refused_by_name_and_nothing_is_written(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]], place: Callable[[Path], None]
) -> None:
    ours, theirs = sides
    odd, fine = tmp_path / "odd", written(tmp_path / "fine", theirs)
    place(odd)
    path = tmp_path / LEDGER_FILE
    questions: list[Callable[[], Merged]] = [
        lambda: merge_files(path, odd, path),
        lambda: merge_files(odd, fine, odd),
        lambda: resolve_file(odd),
    ]
    for question in questions:
        with pytest.raises(IntentLspError, match="odd"):
            question()
    if place is not no_file:
        with pytest.raises(UnsafePathError, match="odd"):
            merge_files(path, fine, odd)
    assert lines_of(tmp_path) == ours
    assert fine.read_bytes() == b"".join(theirs)
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_ledger_that_another_appends_to_is_not_replaced(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    other = written(tmp_path / "theirs", theirs)
    path = tmp_path / LEDGER_FILE
    with (
        locked_by_another_process(tmp_path / ".orchestration/.local/ledger.lock"),
        pytest.raises(LedgerUnavailableError, match="another process"),
    ):
        merge_files(path, other, path)
    assert lines_of(tmp_path) == ours
    merge_files(path, other, path)
    assert lines_of(tmp_path) == [*ours, *theirs[1:]]


@contextmanager
def written_protected(path: Path) -> Iterator[None]:
    path.chmod(0o400)
    yield
    path.chmod(0o600)


@pytest.mark.parametrize("protected", [read_only, written_protected])
def test_a_file_that_may_not_be_written_stays(
    tmp_path: Path, protected: Callable[[Path], AbstractContextManager[None]]
) -> None:
    room = tmp_path / "room"
    room.mkdir()
    path = written(room / "ledger", [b"a\n"])
    with protected(path), pytest.raises(OSError, match="ledger"):
        replace_lines(path, [b"b\n"])
    assert path.read_bytes() == b"a\n"
    assert [each.name for each in room.iterdir()] == ["ledger"]


def test_all_of_the_new_is_on_the_disk_before_the_old_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "ledger", [b"old\n"])
    synced: list[tuple[bytes, bytes]] = []
    fsync = os.fsync

    def sync(fd: int) -> None:
        fsync(fd)
        if stat.S_ISREG(os.fstat(fd).st_mode):
            (new,) = path.parent.glob(".tmp-*")
            synced.append((path.read_bytes(), new.read_bytes()))

    monkeypatch.setattr(os, "fsync", sync)
    replace_lines(path, [b"new\n"])
    assert synced == [(b"old\n", b"new\n")]
    assert path.read_bytes() == b"new\n"


KILLED = """
import os, pathlib, signal, sys
from pathlib import Path
from intent_lsp.store.ledger.merge import merge_files

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

place, where = sys.argv[2].split(" ")
setattr({"os": os, "Path": pathlib.Path}[place], where, die)
ledger = Path(sys.argv[1])
merge_files(ledger, ledger.parent.parent / "theirs", ledger)
"""


@pytest.mark.parametrize("instant", ["os fsync", "Path replace", "Path chmod"])
def test_a_kill_in_the_middle_leaves_the_ledger_as_it_was(
    tmp_path: Path, sides: tuple[list[bytes], list[bytes]], instant: str
) -> None:
    ours, theirs = sides
    written(tmp_path / "theirs", theirs)
    child = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path / LEDGER_FILE, instant], check=False
    )
    assert child.returncode == -9
    assert lines_of(tmp_path) == ours
    ledger = ledger_at(tmp_path)
    ledger.append(edit("after"))
    assert ledger.verify().records == 3
    merge_files(tmp_path / LEDGER_FILE, tmp_path / "theirs", tmp_path / LEDGER_FILE)
    found = ledger.verify()
    assert (found.ok, found.records) == (True, 4)
