"""Appending: durable, chained, torn tails mended, nothing lost when it cannot be written."""

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.errors import (
    IntentLspError,
    InvalidRecordError,
    LedgerUnavailableError,
    UnsafePathError,
)
from intent_lsp.core.paths import LEDGER_FILE, WorkspacePath
from intent_lsp.formats.ledger.jsonl import read
from intent_lsp.store.ledger.ledger import Appended, Ledger, Queued
from intent_lsp.store.ledger.raw.file import FileSystem
from tests.support.ledgers import edit, ledger_at, lines_of, new_id, put_lines

as_root = pytest.mark.skipif(os.geteuid() == 0, reason="rights do not bind root")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_at(tmp_path)


def local(root: Path, *names: str) -> Path:
    return root.joinpath(".orchestration", ".local", *names)


def test_an_appended_record_is_the_last_line_chained_on_the_one_before(
    ledger: Ledger, tmp_path: Path
) -> None:
    first, second = ledger.append(edit("a")), ledger.append(edit("b"))
    assert [read(line) for line in lines_of(tmp_path)] == [first, second]
    assert first.integrity.prev_record_hash is None
    assert second.integrity.prev_record_hash == first.integrity.record_hash
    assert (first.timestamp, second.timestamp) == (
        "2026-11-21T20:27:33.123Z",
        "2026-11-21T20:27:34.123Z",
    )


def test_nothing_is_written_before_the_first_append(ledger: Ledger, tmp_path: Path) -> None:
    assert ledger.verify().ok
    assert ledger.index.count() == 0
    assert ledger.drain() == 0
    ledger.close()
    assert list(tmp_path.iterdir()) == []


def test_what_is_ours_alone_can_be_read_by_us_alone(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append(edit())
    assert stat.S_IMODE(local(tmp_path).stat().st_mode) == 0o700


def test_a_record_is_told_only_after_the_disk_was_asked_to_keep_it(tmp_path: Path) -> None:
    done: list[str] = []

    def write(fd: int, data: bytes) -> int:
        done.append("write")
        return os.write(fd, data)

    def sync(fd: int) -> None:
        done.append("sync")
        os.fsync(fd)

    ledger_at(tmp_path, disk=FileSystem(write, sync)).append(edit())
    assert done == ["write", "sync"]


def test_two_handles_of_one_ledger_see_each_other(tmp_path: Path) -> None:
    one, other = ledger_at(tmp_path), ledger_at(tmp_path)
    for _ in range(3):
        one.append(edit())
        other.append(edit())
    found = other.verify()
    assert (found.ok, found.records, len(found.heads)) == (True, 6, 1)
    assert not any(record.integrity.merges for line in lines_of(tmp_path) if (record := read(line)))


def test_an_append_after_close_opens_everything_again(ledger: Ledger) -> None:
    ledger.append(edit())
    ledger.close()
    ledger.append(edit())
    assert ledger.verify().records == 2


@pytest.mark.parametrize("torn", [b"{", b'{"id":"x', b"x" * 200_000])
def test_a_torn_last_line_is_moved_aside_and_the_chain_goes_on(
    ledger: Ledger, tmp_path: Path, torn: bytes
) -> None:
    first = ledger.append(edit())
    with (tmp_path / LEDGER_FILE).open("ab") as file:
        file.write(torn)
    found = ledger.verify()
    assert found.ok
    assert [(each.code, each.line) for each in found.problems] == [(LedgerCode.TORN_TAIL, 2)]
    second = ledger.append(edit())
    assert second.integrity.prev_record_hash == first.integrity.record_hash
    assert ledger.verify().problems == ()
    assert [path.read_bytes() for path in local(tmp_path, "torn").iterdir()] == [torn]


def test_a_ledger_that_is_nothing_but_a_torn_line_begins_anew(
    ledger: Ledger, tmp_path: Path
) -> None:
    for _ in range(2):
        put_lines(tmp_path, [b"{"])
        assert ledger.append(edit()).integrity.prev_record_hash is None
    assert len(list(local(tmp_path, "torn").iterdir())) == 2
    assert ledger.index.count() == 1


@pytest.mark.parametrize("before", [0, 2])
def test_a_record_whose_line_feed_alone_was_trimmed_is_completed(
    ledger: Ledger, tmp_path: Path, before: int
) -> None:
    for _ in range(before):
        ledger.append(edit())
    last = ledger.append(edit())
    path = tmp_path / LEDGER_FILE
    path.write_bytes(path.read_bytes()[:-1])
    found = ledger.verify()
    assert (found.ok, found.records) == (True, before + 1)
    assert [(each.code, each.line) for each in found.problems] == [
        (LedgerCode.TORN_TAIL, before + 1)
    ]
    assert "its record counts" in found.problems[0].message
    assert ledger.append(edit()).integrity.prev_record_hash == last.integrity.record_hash
    found = ledger.verify()
    assert (found.problems, found.records) == ((), before + 2)
    assert not local(tmp_path, "torn").exists()
    assert ledger.index.count() == before + 2


@pytest.mark.parametrize(("old", "new"), [(b"src/", b"lib/"), (b'"prev_record_hash":', None)])
def test_a_trimmed_record_that_does_not_hold_or_join_is_moved_aside(
    ledger: Ledger, tmp_path: Path, old: bytes, new: bytes | None
) -> None:
    for _ in range(3):
        ledger.append(edit())
    *lines, last = lines_of(tmp_path)
    # Changed; or in the place of the one that it follows.
    lines = lines[:-1] if new is None else lines
    torn = last.rstrip(b"\n").replace(old, new or old)
    put_lines(tmp_path, [*lines, torn])
    ledger.append(edit())
    assert [path.read_bytes() for path in local(tmp_path, "torn").iterdir()] == [torn]
    assert ledger.verify().records == len(lines) + 1


def test_two_torn_lines_of_one_moment_are_both_kept(tmp_path: Path) -> None:
    for torn in (b"{1", b"{2", b"{3"):
        put_lines(tmp_path, [torn])
        ledger_at(tmp_path).append(edit())
    kept = {path.read_bytes() for path in local(tmp_path, "torn").iterdir()}
    assert kept == {b"{1", b"{2", b"{3"}


def test_a_ledger_that_git_replaced_is_followed(ledger: Ledger, tmp_path: Path) -> None:
    first, _ = ledger.append(edit("a")), ledger.append(edit("b"))
    put_lines(tmp_path, lines_of(tmp_path)[:1])
    third = ledger.append(edit("c"))
    assert third.integrity.prev_record_hash == first.integrity.record_hash
    assert ledger.verify().records == 2
    assert ledger.index.newest_for_path(edit("b").files[0].path) is None


def test_a_ledger_rewritten_in_place_to_the_same_size_is_followed(
    ledger: Ledger, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = ledger_at(elsewhere).append(edit("b"))
    ledger.append(edit("a"))
    place = tmp_path / LEDGER_FILE
    assert place.stat().st_size == (elsewhere / LEDGER_FILE).stat().st_size
    place.write_bytes((elsewhere / LEDGER_FILE).read_bytes())
    record = ledger.append(edit("c"))
    assert record.integrity.prev_record_hash == other.integrity.record_hash
    assert ledger.verify().ok
    assert ledger.index.newest_for_path(WorkspacePath("a")) is None


def test_the_next_append_ties_the_loose_ends_of_joined_branches(tmp_path: Path) -> None:
    base = ledger_at(tmp_path)
    base.append(edit("base"))
    common = lines_of(tmp_path)
    base.append(edit("ours"))
    ours = lines_of(tmp_path)[1:]
    put_lines(tmp_path, common)
    theirs = base.append(edit("theirs"))
    put_lines(tmp_path, [*common, *ours, *lines_of(tmp_path)[1:]])
    assert len(base.verify().heads) == 2
    tying = base.append(edit("tying"))
    assert tying.integrity.prev_record_hash == theirs.integrity.record_hash
    assert len(tying.integrity.merges) == 1
    found = base.verify()
    assert (found.ok, found.problems, len(found.heads)) == (True, (), 1)
    assert ledger_at(tmp_path).append(edit()).integrity.merges == ()


def test_the_last_record_is_chained_on_where_the_last_line_is_no_record(
    ledger: Ledger, tmp_path: Path
) -> None:
    first = ledger.append(edit())
    for lines in ([b"nonsense\n"], [b"nonsense\n", b"\n"]):
        put_lines(tmp_path, [*lines_of(tmp_path)[:1], *lines])
        assert ledger.append(edit()).integrity.prev_record_hash == first.integrity.record_hash
    put_lines(tmp_path, [b"nonsense\n"])
    assert ledger.append(edit()).integrity.prev_record_hash is None


class TestFarBehind:
    """A long ledger whose index is missing: the head comes from its tail."""

    @pytest.fixture
    def root(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr("intent_lsp.store.ledger.index.index.MAX_LAG", 0)
        monkeypatch.setattr("intent_lsp.store.ledger.tail.MAX_LAG", 0)
        ledger_at(tmp_path).append(edit())
        local(tmp_path, "index.sqlite3").unlink()
        return tmp_path

    def test_the_tail_gives_the_head(self, root: Path) -> None:
        ledger = ledger_at(root)
        for _ in range(2):
            ledger.append(edit())
        assert ledger.verify().ok
        assert len(ledger.verify().heads) == 1

    def test_a_tail_of_broken_lines_is_passed_over(self, root: Path) -> None:
        put_lines(root, [*lines_of(root), b"nonsense\n"])
        ledger = ledger_at(root)
        assert ledger.append(edit()).integrity.prev_record_hash is not None

    def test_loose_ends_are_tied_once_the_index_is_there(self, root: Path) -> None:
        common = lines_of(root)
        ledger_at(root).append(edit("ours"))
        ours = lines_of(root)[1:]
        put_lines(root, common)
        ledger_at(root).append(edit("theirs"))
        put_lines(root, [*common, *ours, *lines_of(root)[1:]])
        ledger = ledger_at(root)
        local(root, "index.sqlite3").unlink()
        assert ledger.append(edit()).integrity.merges == ()
        ledger.index.refresh()
        assert len(ledger.append(edit()).integrity.merges) == 1
        assert len(ledger.verify().heads) == 1


def place_directory(path: Path) -> None:
    path.mkdir(parents=True)


def place_link(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(path.parent.parent / "elsewhere")


def place_pipe(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)


def place_file(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")


@pytest.mark.parametrize("place", [place_directory, place_link, place_pipe])
@pytest.mark.parametrize("name", ["agent_trace.jsonl", ".local/ledger.lock"])
def test_what_stands_in_the_place_of_a_file_of_ours_is_refused_by_name(
    ledger: Ledger, tmp_path: Path, place: Callable[[Path], None], name: str
) -> None:
    local(tmp_path).mkdir(parents=True)
    taken = tmp_path / ".orchestration" / name
    place(taken)
    with pytest.raises(UnsafePathError) as caught:
        ledger.append(edit())
    assert str(taken) in str(caught.value)
    assert "move" in caught.value.cure
    assert isinstance(ledger.append_or_queue(edit()), Queued)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("place", [place_file, place_link])
def test_what_stands_in_the_place_of_our_directory_is_refused(
    ledger: Ledger, tmp_path: Path, place: Callable[[Path], None]
) -> None:
    place(local(tmp_path))
    with pytest.raises(UnsafePathError):
        ledger.append(edit())
    with pytest.raises(LedgerUnavailableError, match="the record cannot be stored"):
        ledger.append_or_queue(edit())


def test_a_control_room_that_leads_out_of_the_root_is_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / ".orchestration").symlink_to(outside)
    with pytest.raises(UnsafePathError):
        ledger_at(root).append(edit())
    assert list(outside.iterdir()) == []


def test_a_control_room_that_is_linked_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "governance").mkdir()
    (tmp_path / ".orchestration").symlink_to(tmp_path / "governance")
    ledger = ledger_at(tmp_path)
    ledger.append(edit())
    ledger.append(edit())
    assert (tmp_path / "governance" / "agent_trace.jsonl").exists()


def test_a_question_to_a_ledger_that_is_no_file_says_so(ledger: Ledger, tmp_path: Path) -> None:
    place_directory(tmp_path / LEDGER_FILE)
    with pytest.raises(LedgerUnavailableError, match="not a regular file"):
        ledger.index.count()
    (found,) = ledger.verify().problems
    assert (found.code, found.file) == (LedgerCode.UNREADABLE_FILE, LEDGER_FILE)
    assert found.message == "it is not a regular file"
    (tmp_path / LEDGER_FILE).rmdir()
    (tmp_path / LEDGER_FILE).symlink_to("elsewhere")
    with pytest.raises(LedgerUnavailableError, match="cannot be read"):
        ledger.index.count()
    (found,) = ledger.verify().problems
    assert found.code is LedgerCode.UNREADABLE_FILE
    assert "cannot be read" in found.message


class Failing:
    """A disk that fails on demand, as a full or a broken one does."""

    def __init__(self) -> None:
        self.full = self.short = self.broken = False

    @property
    def disk(self) -> FileSystem:
        return FileSystem(self.write, self.sync)

    def write(self, fd: int, data: bytes) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.write(fd, data[:100] if self.short else data)

    def sync(self, fd: int) -> None:
        if self.broken:
            raise OSError(errno.EIO, "Input/output error")
        os.fsync(fd)


@pytest.mark.parametrize("fault", ["full", "short"])
def test_a_record_that_cannot_be_written_waits_and_goes_first(tmp_path: Path, fault: str) -> None:
    failing = Failing()
    ledger = ledger_at(tmp_path, disk=failing.disk)
    ledger.append(edit("before"))
    setattr(failing, fault, True)
    with pytest.raises(LedgerUnavailableError, match="appended"):
        ledger.append(edit("never"))
    outcomes = [ledger.append_or_queue(edit(f"waiting {n}")) for n in range(3)]
    assert all(isinstance(outcome, Queued) and outcome.path.exists() for outcome in outcomes)
    assert ledger.verify().problems == ()
    setattr(failing, fault, False)
    outcome = ledger.append_or_queue(edit("after"))
    assert isinstance(outcome, Appended)
    paths = [record.files[0].path for line in lines_of(tmp_path) if (record := read(line))]
    assert paths == ["before", "waiting 0", "waiting 1", "waiting 2", "after"]
    assert ledger.verify().ok
    assert list(local(tmp_path, "queue").iterdir()) == []


def test_what_waits_is_appended_by_the_next_process_too(tmp_path: Path) -> None:
    failing = Failing()
    failing.full = True
    for number in range(3):
        ledger_at(tmp_path, disk=failing.disk).append_or_queue(edit(f"{number}"))
    ledger = ledger_at(tmp_path)
    assert ledger.drain() == 3
    assert ledger.drain() == 0
    assert ledger.verify().records == 3


def test_what_cannot_be_taken_out_of_the_queue_is_appended_once_and_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing()
    failing.full = True
    ledger = ledger_at(tmp_path, disk=failing.disk)
    for number in range(3):
        ledger.append_or_queue(edit(f"{number}"))
    failing.full = False

    def refused(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))

    monkeypatch.setattr(Path, "unlink", refused)
    assert ledger.drain() == 3
    assert ledger.verify().records == 3


def test_more_than_one_batch_waits_no_longer_than_the_next_append(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.store.ledger.ledger._BATCH", 2)
    failing = Failing()
    failing.full = True
    ledger = ledger_at(tmp_path, disk=failing.disk)
    for number in range(5):
        ledger.append_or_queue(edit(f"{number}"))
    failing.full = False
    ledger.append(edit("last"))
    paths = [record.files[0].path for line in lines_of(tmp_path) if (record := read(line))]
    assert paths == ["0", "1", "2", "3", "4", "last"]


def test_a_record_is_not_doubled_when_only_its_fsync_failed(tmp_path: Path) -> None:
    failing = Failing()
    ledger = ledger_at(tmp_path, disk=failing.disk)
    failing.broken = True
    assert isinstance(ledger.append_or_queue(edit("unsure")), Queued)
    failing.broken = False
    ledger.append(edit("after"))
    paths = [record.files[0].path for line in lines_of(tmp_path) if (record := read(line))]
    assert paths == ["unsure", "after"]
    assert ledger.verify().ok
    assert list(local(tmp_path, "queue").iterdir()) == []


def test_a_record_that_waits_is_not_doubled_by_a_repeated_call(tmp_path: Path) -> None:
    failing = Failing()
    ledger = ledger_at(tmp_path, disk=failing.disk)
    known = new_id()
    failing.full = True
    assert isinstance(ledger.append_or_queue(edit(), known), Queued)
    assert isinstance(ledger.append_or_queue(edit(), known), Queued)
    failing.full = False
    outcome = ledger.append_or_queue(edit(), known)
    assert isinstance(outcome, Appended)
    assert [read(line) for line in lines_of(tmp_path)] == [outcome.record]
    assert outcome.record.id == known
    assert list(local(tmp_path, "queue").iterdir()) == []


def test_a_queued_record_that_cannot_be_read_is_set_aside_not_dropped(tmp_path: Path) -> None:
    queue = local(tmp_path, "queue")
    queue.mkdir(parents=True)
    (queue / "1.json").write_bytes(b"nonsense")
    (queue / "2.json").mkdir()
    ledger = ledger_at(tmp_path)
    ledger.append(edit())
    assert {path.name for path in queue.iterdir()} == {"1.broken", "2.json"}
    assert ledger.verify().records == 1


def test_an_invalid_event_is_an_error_of_ours_and_never_waits(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.append(edit())
    with pytest.raises(InvalidRecordError):
        ledger.append_or_queue(edit(session_id=""))
    ledger.append(edit())
    assert ledger.verify().records == 2
    assert not local(tmp_path, "queue").exists()


def test_an_event_that_the_schema_refuses_does_not_wait_for_the_lock(tmp_path: Path) -> None:
    waiter = ledger_at(tmp_path, wait_seconds=0.0)
    refused: list[type[Exception]] = []

    def write(fd: int, data: bytes) -> int:
        for each in (edit(session_id=""), edit()):
            try:
                waiter.append(each)
            except IntentLspError as error:
                refused.append(type(error))
        return os.write(fd, data)

    ledger_at(tmp_path, disk=FileSystem(write)).append(edit())
    assert refused == [InvalidRecordError, LedgerUnavailableError]


def test_a_lock_that_another_holds_too_long_lets_the_record_wait(tmp_path: Path) -> None:
    holder, waiter = ledger_at(tmp_path), ledger_at(tmp_path, wait_seconds=0.01)
    holder.append(edit())
    blocked: list[Appended | Queued] = []

    def write(fd: int, data: bytes) -> int:
        blocked.append(waiter.append_or_queue(edit("waits")))
        return os.write(fd, data)

    ledger_at(tmp_path, disk=FileSystem(write)).append(edit())
    (outcome,) = blocked
    assert isinstance(outcome, Queued)
    assert "lock" in outcome.reason
    assert waiter.drain() == 1
    assert waiter.verify().records == 3


def test_a_thread_that_waits_too_long_for_another_gives_up_too(tmp_path: Path) -> None:
    errors: list[IntentLspError] = []

    def try_it() -> None:
        try:
            ledger.append(edit())
        except IntentLspError as error:
            errors.append(error)

    def write(fd: int, data: bytes) -> int:
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
        return os.write(fd, data)

    ledger = ledger_at(tmp_path, disk=FileSystem(write), wait_seconds=0.01)
    ledger.append(edit())
    assert [error.cure != "" for error in errors] == [True]


def test_a_lock_file_that_was_deleted_while_held_is_no_lock(tmp_path: Path) -> None:
    ledger, other = ledger_at(tmp_path), ledger_at(tmp_path)
    ledger.append(edit())
    other.append(edit())
    local(tmp_path, "ledger.lock").unlink()
    ledger.append(edit())
    other.append(edit())
    assert other.verify().records == 4
    assert local(tmp_path, "ledger.lock").exists()


def test_losing_the_whole_local_directory_loses_no_record(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append(edit("a"))
    for path in local(tmp_path).iterdir():
        path.unlink()
    local(tmp_path).rmdir()
    ledger.append(edit("b"))
    assert ledger.verify().records == 2
    assert ledger.index.count() == 2


@as_root
def test_a_ledger_that_may_not_be_written_lets_the_record_wait(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.append(edit())
    (tmp_path / LEDGER_FILE).chmod(0o400)
    ledger.close()
    outcome = ledger.append_or_queue(edit())
    assert isinstance(outcome, Queued)
    (tmp_path / LEDGER_FILE).chmod(0o600)
    assert ledger.drain() == 1


def test_threads_that_append_together_give_a_linear_chain_and_share_the_disk(
    tmp_path: Path,
) -> None:
    syncs: list[int] = []
    writes: list[int] = []
    entered, go_on = threading.Event(), threading.Event()

    def write(fd: int, data: bytes) -> int:
        written = os.write(fd, data)
        writes.append(fd)
        if len(writes) == len(threads):
            go_on.set()
        return written

    def sync(fd: int) -> None:
        syncs.append(fd)
        if len(syncs) == 1:
            # The others write while the first fsync is under way; one more covers them all.
            entered.set()
            go_on.wait()
        os.fsync(fd)

    ledger = ledger_at(tmp_path, disk=FileSystem(write, sync))
    threads = [threading.Thread(target=ledger.append, args=(edit(f"{n}"),)) for n in range(8)]
    threads[0].start()
    entered.wait()
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(syncs) <= 3
    found = ledger.verify()
    assert (found.ok, found.records, len(found.heads)) == (True, 8, 1)


def test_a_failed_fsync_is_told_to_all_who_waited_for_it(tmp_path: Path) -> None:
    writes: list[int] = []
    everyone = threading.Event()
    outcomes: list[Appended | Queued] = []

    def write(fd: int, data: bytes) -> int:
        writes.append(fd)
        if len(writes) == len(threads):
            everyone.set()
        return os.write(fd, data)

    def sync(_fd: int) -> None:
        everyone.wait()
        raise OSError(errno.EIO, "Input/output error")

    def append() -> None:
        outcomes.append(ledger.append_or_queue(edit()))

    ledger = ledger_at(tmp_path, disk=FileSystem(write, sync))
    threads = [threading.Thread(target=append) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(outcome, Queued) for outcome in outcomes)
    after = ledger_at(tmp_path)
    after.drain()
    assert (after.verify().ok, after.verify().records) == (True, 3)


PROCESS = """
import sys
from pathlib import Path
from tests.support.ledgers import edit, ledger_at
ledger = ledger_at(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    ledger.append(edit(f"{sys.argv[3]}/{number}"))
"""


def test_processes_that_append_together_give_a_linear_chain(tmp_path: Path) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", PROCESS, tmp_path, "25", f"p{number}"])
        for number in range(4)
    ]
    assert [child.wait() for child in children] == [0, 0, 0, 0]
    ledger = ledger_at(tmp_path)
    found = ledger.verify()
    assert (found.ok, found.records, len(found.heads)) == (True, 100, 1)
    merges = [record.integrity.merges for line in lines_of(tmp_path) if (record := read(line))]
    assert set(merges) == {()}
    assert ledger.index.count() == 100


KILLED = """
import os, signal, sys
from pathlib import Path
from intent_lsp.store.ledger.raw.file import FileSystem
from tests.support.ledgers import edit, ledger_at

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def half(fd, data):
    os.write(fd, data[: len(data) // 2])
    die()

disks = {
    "before": FileSystem(write=die),
    "in the line": FileSystem(write=half),
    "before the fsync": FileSystem(sync=die),
}
ledger_at(Path(sys.argv[1]), disk=disks[sys.argv[2]]).append(edit("killed"))
"""


@pytest.mark.parametrize(
    ("instant", "records"), [("before", 1), ("in the line", 1), ("before the fsync", 2)]
)
def test_a_kill_at_any_instant_leaves_every_answered_record_and_a_chain_that_goes_on(
    tmp_path: Path, instant: str, records: int
) -> None:
    ledger = ledger_at(tmp_path)
    answered = ledger.append(edit("answered"))
    child = subprocess.run([sys.executable, "-c", KILLED, tmp_path, instant], check=False)
    assert child.returncode == -9
    assert ledger.verify().ok
    ledger.append(edit("after"))
    found = ledger.verify()
    assert (found.ok, found.problems, found.records) == (True, (), records + 1)
    assert ledger.index.find(answered.id) == answered
    assert ledger.index.count() == records + 1


def test_a_verification_tells_how_far_it_is(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    for number in range(400):
        ledger.append(edit("x" * 500 + str(number)))
    told: list[tuple[int, int]] = []
    assert ledger.verify(progress=lambda done, of: told.append((done, of))).ok
    ledger.close()
    size = (tmp_path / LEDGER_FILE).stat().st_size
    assert len(told) > 2
    assert {of for _, of in told} == {size}
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert 0 == told[0][0] < told[-1][0] <= size
