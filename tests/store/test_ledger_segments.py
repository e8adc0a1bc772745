"""Segments under real git: no tracked file is ever modified, and every reader joins them all."""

import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.ledger.verification import Verification
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.records import Record
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.ledger import Appended, Ledger, Queued
from intent_lsp.store.ledger.raw.file import FileSystem
from intent_lsp.store.ledger.raw.files import SEGMENT_ROOM, LedgerFiles
from tests.support.ledgers import edit, new_id, on_another_branch, ticking
from tests.support.repository import Repository

HARMLESS = {LedgerCode.UNTIED_HEADS, LedgerCode.CLOCK_BACKWARDS, LedgerCode.HEAD_ELSEWHERE}


def segmented(root: Path, disk: FileSystem | None = None) -> Ledger:
    """Open a ledger whose policy asks for segments."""
    return Ledger(root, ticking(), new_id, disk=disk, form=lambda: LedgerForm.SEGMENTS)


def single(root: Path) -> Ledger:
    return Ledger(root, ticking(), new_id)


def segments(root: Path) -> list[Path]:
    return sorted((root / SEGMENT_ROOM).glob("*.jsonl"))


def shown(ledger: Ledger) -> set[str]:
    return {record.id for record in ledger.index.query(Query(), limit=999).records}


def checked(root: Path, expected: int) -> Verification:
    """Verify a root by a ledger of its own, whose index is as old as it is."""
    ledger = segmented(root)
    try:
        found = ledger.verify(past=on_another_branch)
        assert {problem.code for problem in found.problems} <= HARMLESS
        assert found.ok
        assert found.records == ledger.index.count() == len(shown(ledger)) == expected
        assert {head.hash for head in found.heads} == {h.hash for h in ledger.index.heads()}
        return found
    finally:
        ledger.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = segmented(tmp_path)
    yield ledger
    ledger.close()


class TestOneWriter:
    """Without git, a work tree has one segment for good."""

    def test_appends_to_one_segment_of_a_dated_name(self, ledger: Ledger, tmp_path: Path) -> None:
        first, second = ledger.append(edit("a")), ledger.append(edit("b"))
        (segment,) = segments(tmp_path)
        date, _, digits = segment.stem.rpartition("-")
        assert (date, len(digits)) == ("2026-11-21", 12)
        assert not (tmp_path / LEDGER_FILE).exists()
        assert first.integrity.prev_record_hash is None
        assert second.integrity.prev_record_hash == first.integrity.record_hash
        assert checked(tmp_path, 2).segments == 1

    def test_goes_on_in_it_after_a_restart_and_in_another_process(
        self, ledger: Ledger, tmp_path: Path
    ) -> None:
        other = segmented(tmp_path)
        for _ in range(3):
            ledger.append(edit())
            other.append(edit())
        ledger.close()
        ledger.append(edit())
        assert len(segments(tmp_path)) == 1
        assert len(checked(tmp_path, 7).heads) == 1

    def test_does_not_take_its_own_records_for_news_of_the_main_file(self, ledger: Ledger) -> None:
        assert not ledger.has_news()
        ledger.append(edit())
        assert not ledger.has_news()

    def test_moves_a_torn_line_aside(self, ledger: Ledger, tmp_path: Path) -> None:
        first = ledger.append(edit())
        with segments(tmp_path)[0].open("ab") as file:
            file.write(b'{"torn')
        (torn,) = ledger.verify().problems
        assert (torn.code, torn.line) == (LedgerCode.TORN_TAIL, 2)
        assert torn.file == LedgerFiles(tmp_path).names()[0]
        assert ledger.append(edit()).integrity.prev_record_hash == first.integrity.record_hash
        assert checked(tmp_path, 2).problems == ()
        assert len(list((tmp_path / LOCAL_ROOM / "torn").iterdir())) == 1

    def test_follows_the_single_file_that_was_there_before(self, tmp_path: Path) -> None:
        before = single(tmp_path).append(edit())
        after = segmented(tmp_path).append(edit())
        assert after.integrity.prev_record_hash == before.integrity.record_hash
        again = single(tmp_path).append(edit())
        assert again.integrity.prev_record_hash == before.integrity.record_hash
        assert again.integrity.merges == (after.integrity.record_hash,)
        assert len(checked(tmp_path, 3).heads) == 1

    def test_leaves_the_ends_of_others_alone_once_its_segment_has_begun(
        self, ledger: Ledger, tmp_path: Path
    ) -> None:
        first = ledger.append(edit("ours"))
        other = segmented(tmp_path / "other")
        (tmp_path / "other").mkdir()
        theirs = other.append(edit("theirs"))
        (name,) = [path.name for path in segments(tmp_path / "other")]
        (tmp_path / SEGMENT_ROOM / name).write_bytes(segments(tmp_path / "other")[0].read_bytes())
        for opened in (ledger, segmented(tmp_path)):
            last = opened.append(edit("ours"))
            assert last.integrity.merges == ()
        (tmp_path / LOCAL_ROOM / "segment").unlink()
        tie = ledger.append(edit("tie"))
        named = {tie.integrity.prev_record_hash, *tie.integrity.merges}
        assert named == {last.integrity.record_hash, theirs.integrity.record_hash}
        assert first.integrity.prev_record_hash is None
        assert len(checked(tmp_path, 5).heads) == 1

    def test_drains_what_waits_into_the_segment(self, tmp_path: Path) -> None:
        full = True

        def write(fd: int, data: bytes) -> int:
            if full:
                raise OSError(28, "No space left on device")
            return os.write(fd, data)

        ledger = segmented(tmp_path, FileSystem(write))
        assert isinstance(ledger.append_or_queue(edit("waits")), Queued)
        full = False
        assert isinstance(ledger.append_or_queue(edit("goes")), Appended)
        assert not (tmp_path / LEDGER_FILE).exists()
        assert checked(tmp_path, 2).ok

    @pytest.mark.parametrize("kept", [b"", b"nonsense", b"../../x.jsonl\n\n", b"\xff" * 9])
    def test_begins_another_when_it_has_forgotten_its_own(
        self, ledger: Ledger, tmp_path: Path, kept: bytes
    ) -> None:
        first = ledger.append(edit())
        (tmp_path / LOCAL_ROOM / "segment").write_bytes(kept)
        second = ledger.append(edit())
        assert len(segments(tmp_path)) == 2
        assert second.integrity.prev_record_hash == first.integrity.record_hash
        assert len(checked(tmp_path, 2).heads) == 1

    def test_never_writes_again_to_a_segment_that_was_taken_away(
        self, ledger: Ledger, tmp_path: Path
    ) -> None:
        ledger.append(edit())
        (segment,) = segments(tmp_path)
        kept = segment.read_bytes()
        segment.unlink()
        ledger.append(edit())
        assert segment not in segments(tmp_path)
        segment.write_bytes(kept)
        assert checked(tmp_path, 2).ok

    def test_follows_the_newest_end_though_the_index_is_far_behind(
        self, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("intent_lsp.store.ledger.index.index.MAX_LAG", 0)
        ledger.append(edit())
        newest = ledger.append(edit())
        for path in (tmp_path / LOCAL_ROOM).glob("index.sqlite3*"):
            path.unlink()
        (tmp_path / LOCAL_ROOM / "segment").unlink()
        late = segmented(tmp_path).append(edit())
        assert late.integrity.prev_record_hash == newest.integrity.record_hash
        assert checked(tmp_path, 3).ok


@pytest.mark.parametrize("place", [Path.touch, lambda path: path.symlink_to("/tmp")])  # noqa: S108
def test_what_stands_in_the_place_of_the_room_is_refused_and_named(
    tmp_path: Path, place: Callable[[Path], None]
) -> None:
    single(tmp_path).append(edit())
    place(tmp_path / SEGMENT_ROOM)
    ledger = segmented(tmp_path)
    with pytest.raises(UnsafePathError):
        ledger.append(edit())
    assert isinstance(ledger.append_or_queue(edit()), Queued)
    (problem,) = ledger.verify().problems
    assert (problem.code, problem.file) == (LedgerCode.UNREADABLE_FILE, SEGMENT_ROOM)
    assert ledger.index.count() == 1


def place_directory(path: Path) -> None:
    path.mkdir()


def place_link(path: Path) -> None:
    path.symlink_to(path.parent.parent / "agent_trace.jsonl")


def place_pipe(path: Path) -> None:
    os.mkfifo(path)


def place_unnameable(path: Path) -> None:
    path.with_name("\udcff.jsonl").touch()


@pytest.mark.parametrize("place", [place_directory, place_link, place_pipe, place_unnameable])
def test_what_is_no_plain_file_is_named_and_never_opened(
    ledger: Ledger, tmp_path: Path, place: Callable[[Path], None]
) -> None:
    ledger.append(edit())
    place(tmp_path / SEGMENT_ROOM / "2026-11-20-000000000000.jsonl")
    assert ledger.index.count() == 1
    (problem,) = ledger.verify().problems
    assert problem.code is LedgerCode.UNREADABLE_FILE
    assert problem.file.startswith(SEGMENT_ROOM)
    problem.file.encode()
    assert ledger.append(edit()).integrity.merges == ()


class TestUnderGit:
    """One clone, then two: git moves, and no tracked file is ever modified."""

    @pytest.fixture
    def repository(self, repository: Repository) -> Repository:
        room = repository.root / ".orchestration"
        room.mkdir(exist_ok=True)
        (room / ".gitignore").write_text(".local/\n")
        append(repository, "base")
        repository.commit("base")
        return repository

    def test_a_committed_segment_is_closed_and_another_follows(
        self, repository: Repository
    ) -> None:
        (committed,) = segments(repository.root)
        before = committed.read_bytes()
        append(repository, "a", "b")
        assert committed.read_bytes() == before
        assert len(segments(repository.root)) == 2
        assert modified(repository) == []
        assert len(checked(repository.root, 3).heads) == 1

    def test_a_staged_segment_is_closed(self, repository: Repository) -> None:
        append(repository, "a")
        repository.git("add", "-A")
        append(repository, "b")
        assert len(segments(repository.root)) == 3

    def test_a_segment_that_git_may_be_reading_is_closed_once(self, repository: Repository) -> None:
        append(repository, "a")
        lock = repository.root / ".git" / "index.lock"
        lock.touch()
        append(repository, "b", "c")
        assert len(segments(repository.root)) == 3
        lock.unlink()
        append(repository, "d")
        assert len(segments(repository.root)) == 3

    def test_branches_switch_and_merge_without_a_conflict(self, repository: Repository) -> None:
        repository.git("switch", "-c", "topic")
        append(repository, "topic 1")
        repository.commit("topic")
        append(repository, "topic 2")
        repository.git("switch", "main")
        append(repository, "main 1")
        checked(repository.root, 3)
        repository.commit("main")
        append(repository, "main 2")
        repository.git("merge", "--no-edit", "topic")
        checked(repository.root, 5)
        append(repository, "after")
        checked(repository.root, 6)
        assert modified(repository) == []

    def test_a_rebase_a_stash_a_cherry_pick_and_a_squash_lose_nothing(
        self, repository: Repository
    ) -> None:
        repository.git("switch", "-c", "topic")
        append(repository, "topic 1")
        repository.commit("topic 1")
        append(repository, "topic 2")
        repository.commit("topic 2")
        repository.git("switch", "main")
        append(repository, "main")
        repository.commit("main")
        repository.git("switch", "topic")
        repository.git("rebase", "main")
        checked(repository.root, 4)
        append(repository, "stashed")
        repository.git("stash", "--include-untracked")
        append(repository, "meanwhile")
        repository.git("stash", "pop")
        checked(repository.root, 6)
        repository.commit("both")
        repository.git("switch", "main")
        repository.git("cherry-pick", "topic")
        repository.git("merge", "--squash", "topic")
        repository.git("commit", "-m", "squashed")
        checked(repository.root, 6)

    def test_two_clones_join_on_a_forge_without_a_driver(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        clone = Repository(tmp_path / "clone")
        subprocess.run(
            ["git", "clone", "-q", repository.root, clone.root], check=True, capture_output=True
        )
        for name, value in (("user.name", "t"), ("user.email", "t@example.org")):
            clone.git("config", name, value)
        for each, names in ((repository, ("ours 1", "ours 2")), (clone, ("theirs 1", "theirs 2"))):
            append(each, *names)
            each.commit("mine")
        clone.git("pull", "--no-rebase", "--no-edit", "-q")
        assert len(checked(clone.root, 5).heads) == 2
        (tied,) = append(clone, "tie")
        assert len(tied.integrity.merges) == 1
        assert len(checked(clone.root, 6).heads) == 1

    def test_a_work_tree_beside_has_segments_of_its_own(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        repository.git("worktree", "add", "-b", "side", str(tmp_path / "side"))
        side = Repository(tmp_path / "side")
        append(side, "side")
        append(repository, "here")
        side.commit("side")
        repository.commit("here")
        repository.git("merge", "--no-edit", "side")
        checked(repository.root, 3)

    def test_a_segment_that_is_missing_is_told_from_one_on_another_branch(
        self, repository: Repository
    ) -> None:
        append(repository, "a")
        (committed,) = set(segments(repository.root)) & tracked(repository)
        committed.unlink()
        ledger = segmented(repository.root)
        (problem,) = ledger.verify().problems
        assert (problem.code, problem.line) == (LedgerCode.MISSING_SEGMENT, 1)
        (problem,) = ledger.verify(past=on_another_branch).problems
        assert problem.code is LedgerCode.HEAD_ELSEWHERE
        assert ledger.verify(past=on_another_branch).ok


def append(repository: Repository, *names: str) -> list[Record]:
    ledger = segmented(repository.root)
    try:
        return [ledger.append(edit(name)) for name in names]
    finally:
        ledger.close()


def tracked(repository: Repository) -> set[Path]:
    return {repository.root / name for name in repository.git("ls-files").splitlines()}


def modified(repository: Repository) -> list[str]:
    return repository.git("diff", "--name-only").splitlines()


def test_a_segment_is_readable_by_a_team_and_the_choice_by_its_user_alone(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.append(edit())
    kept = tmp_path / LOCAL_ROOM / "segment"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
