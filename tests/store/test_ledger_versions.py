"""What git knows of a ledger: the heads of a commit, and where a record is still to be found."""

import shutil
import subprocess
from pathlib import Path

import pytest

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.ledger.truncation import Committed, EvidenceSearch, RecordCommit
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.git import objects
from intent_lsp.store.git.objects import blob_lines, blob_size, discover
from intent_lsp.store.git.program import stream_git
from intent_lsp.store.ledger import blobs, git_versions
from intent_lsp.store.ledger.git_versions import LedgerVersions, Seeker
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, SEGMENT_ROOM
from tests.support.repository import Repository, create
from tests.support.sealed_lines import after, chain

SEGMENT = f"{SEGMENT_ROOM}/2026-11-21-0123456789ab.jsonl"
LATER = f"{SEGMENT_ROOM}/2026-11-22-0123456789ab.jsonl"
NOBODY = hash_content(b"nobody")


def heads(root: Path) -> tuple[ContentHash, ...]:
    found = LedgerVersions(root).committed()
    assert found is not None
    return found.heads


def in_main_file(commit: str, *, below: bool, named: bool) -> RecordCommit:
    return RecordCommit(commit=commit, file=LEDGER_FILE, below=below, named=named)


def held(root: Path, wanted: ContentHash) -> RecordCommit | None:
    found = LedgerVersions(root).search([wanted])
    assert found.whole or wanted in found.held
    return found.held.get(wanted)


def test_a_commit_tells_the_end_of_its_ledger(repository: Repository) -> None:
    made = chain(3)
    repository.write(LEDGER_FILE, made.data)
    commit = repository.commit()
    repository.write(LEDGER_FILE, chain(1, onto=made.lines, head=made.hashes[-1]).data)
    found = LedgerVersions(repository.root).committed()
    assert found == Committed(commit=commit, heads=(made.hashes[-1],), current=True)


def test_the_newest_commit_that_holds_a_ledger_is_asked(repository: Repository) -> None:
    made = chain(2)
    repository.write(LEDGER_FILE, made.data)
    commit = repository.commit()
    repository.git("rm", "--quiet", "--cached", LEDGER_FILE)
    repository.git("commit", "--quiet", "--message", "take it out")
    found = LedgerVersions(repository.root).committed()
    assert found == Committed(commit=commit, heads=(made.hashes[-1],), current=False)


def test_a_root_below_the_top_has_its_own_ledger(repository: Repository) -> None:
    own, other = chain(2), chain(2)
    repository.write(f"part/{LEDGER_FILE}", own.data)
    repository.write(LEDGER_FILE, other.data)
    repository.commit()
    assert heads(repository.root / "part") == (own.hashes[-1],)
    assert heads(repository.root) == (other.hashes[-1],)
    assert held(repository.root / "part", other.hashes[0]) is None


def test_every_file_of_the_ledger_counts_and_links_are_none(repository: Repository) -> None:
    archived = chain(2)
    main = chain(1, head=archived.hashes[-1])
    # The one that is read first follows the one that is read last.
    later = chain(1, head=main.hashes[-1])
    first = chain(1, head=later.hashes[-1])
    repository.write(f"{ARCHIVE_ROOM}/agent_trace-a-b.jsonl", archived.data)
    repository.write(f"{ARCHIVE_ROOM}/else.jsonl", chain(1).data)
    repository.write(LEDGER_FILE, main.data)
    repository.write(SEGMENT, first.data)
    repository.write(LATER, later.data)
    repository.write(f"{SEGMENT_ROOM}/notes.txt", chain(1).data)
    repository.write("elsewhere.jsonl", chain(1).data)
    (repository.root / SEGMENT_ROOM / "link.jsonl").symlink_to("../../elsewhere.jsonl")
    repository.commit()
    assert heads(repository.root) == (first.hashes[-1],)


def test_a_room_that_is_a_file_holds_nothing(repository: Repository) -> None:
    repository.write(SEGMENT_ROOM, "no room")
    repository.write(LEDGER_FILE, chain(1).data)
    repository.commit()
    assert len(heads(repository.root)) == 1


def test_the_heads_of_branches_that_nothing_ties_are_all_told(repository: Repository) -> None:
    base = chain(2)
    (ours, our_line), (theirs, their_line) = after(base.hashes[-1]), after(base.hashes[-1])
    ends = (ours.integrity.record_hash, theirs.integrity.record_hash)
    lines = [*base.lines, our_line, their_line]
    repository.write(LEDGER_FILE, b"".join([*lines, b"no record\n"]))
    repository.commit()
    assert heads(repository.root) == ends
    tie, tie_line = after(*ends)
    repository.write(LEDGER_FILE, b"".join([*lines, tie_line]))
    repository.commit()
    assert heads(repository.root) == (tie.integrity.record_hash,)


def test_without_a_commit_nothing_is_said(repository: Repository) -> None:
    repository.write(LEDGER_FILE, chain(1).data)
    versions = LedgerVersions(repository.root)
    assert versions.committed() is None
    assert versions.search([NOBODY]) == EvidenceSearch({}, whole=True)
    repository.git("reset", "--quiet")
    repository.git("commit", "--quiet", "--allow-empty", "--message", "no ledger")
    assert versions.committed() is None


def test_a_record_is_found_where_nothing_is_checked_out_yet(repository: Repository) -> None:
    made = chain(1)
    repository.write(LEDGER_FILE, made.data)
    commit = repository.commit()
    repository.git("checkout", "--quiet", "--orphan", "new")
    assert held(repository.root, made.hashes[0]) == RecordCommit(
        commit=commit, file=LEDGER_FILE, below=False, named=True
    )
    assert LedgerVersions(repository.root).committed() is None


def test_a_record_of_an_unrelated_history_is_found(repository: Repository) -> None:
    made = chain(1)
    repository.write(LEDGER_FILE, made.data)
    commit = repository.commit()
    repository.git("checkout", "--quiet", "--orphan", "new")
    repository.git("rm", "--quiet", "--force", LEDGER_FILE)
    repository.commit("another beginning")
    # A work tree of which only the room is left.
    (repository.root / ".git" / "worktrees" / "gone").mkdir(parents=True)
    assert held(repository.root, made.hashes[0]) == RecordCommit(
        commit=commit, file=LEDGER_FILE, below=False, named=True
    )


def test_without_git_nothing_is_said_and_nothing_is_left_to_search(tmp_path: Path) -> None:
    versions = LedgerVersions(tmp_path)
    assert versions.committed() is None
    assert versions.search([NOBODY]) == EvidenceSearch({}, whole=True)


def test_a_repository_that_cannot_be_asked_is_not_called_searched(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    versions = LedgerVersions(tmp_path)
    assert versions.committed() is None
    assert not versions.search([NOBODY]).whole
    bare = create(tmp_path / "other")
    bare.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    assert not LedgerVersions(bare.root).search([NOBODY]).whole


def test_a_damaged_repository_is_not_called_searched(repository: Repository) -> None:
    repository.write(LEDGER_FILE, chain(1).data)
    commit = repository.commit()
    shutil.rmtree(repository.root / ".git" / "objects" / commit[:2])
    versions = LedgerVersions(repository.root)
    assert versions.committed() is None
    assert not versions.search([NOBODY]).whole


def test_a_record_of_another_branch_is_found_there(repository: Repository) -> None:
    base = chain(1)
    repository.write(LEDGER_FILE, base.data)
    first = repository.commit()
    repository.git("switch", "--quiet", "--create", "other")
    other = chain(2, onto=base.lines, head=base.hashes[-1])
    repository.write(LEDGER_FILE, other.data)
    commit = repository.commit()
    repository.git("switch", "--quiet", "main")
    assert held(repository.root, other.hashes[0]) == RecordCommit(
        commit=commit, file=LEDGER_FILE, below=False, named=True
    )
    assert held(repository.root, base.hashes[0]) == RecordCommit(
        commit=first, file=LEDGER_FILE, below=True, named=True
    )
    assert held(repository.root, NOBODY) is None
    repository.git("merge", "--quiet", "--strategy=ours", "--no-edit", "other")
    found = held(repository.root, other.hashes[0])
    # What is checked out comes from it, and has lost it.
    assert found is not None
    assert found.below


def test_a_record_that_was_taken_out_is_found_in_the_past(repository: Repository) -> None:
    made = chain(3)
    repository.write(LEDGER_FILE, made.data)
    commit = repository.commit()
    repository.write(LEDGER_FILE, b"".join(made.lines[:1]))
    repository.commit()
    assert held(repository.root, made.hashes[-1]) == RecordCommit(
        commit=commit, file=LEDGER_FILE, below=True, named=True
    )


@pytest.mark.parametrize("way", ["reset", "amend", "rebase"])
def test_a_commit_that_only_a_log_tells_of_is_searched(repository: Repository, way: str) -> None:
    base = chain(1)
    repository.write(LEDGER_FILE, base.data)
    repository.commit()
    repository.commit("between")
    lost = chain(1, onto=base.lines, head=base.hashes[-1])
    repository.write(LEDGER_FILE, lost.data)
    commit = repository.commit("lost")
    if way == "reset":
        repository.git("reset", "--quiet", "--hard", "HEAD~1")
    elif way == "amend":
        repository.write(LEDGER_FILE, base.data)
        repository.git("commit", "--quiet", "--all", "--amend", "--allow-empty", "-m", "other")
    else:
        repository.git("rebase", "--quiet", "--onto", "HEAD~2", "HEAD", "main")
    assert held(repository.root, lost.hashes[0]) == RecordCommit(
        commit=commit, file=LEDGER_FILE, below=False, named=False
    )
    repository.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    assert held(repository.root, lost.hashes[0]) is None


def test_the_stash_is_searched_and_older_ones_by_its_log(repository: Repository) -> None:
    base = chain(1)
    repository.write(LEDGER_FILE, base.data)
    repository.commit()
    stashed = [chain(1, onto=base.lines, head=base.hashes[-1]) for _ in range(2)]
    for each in stashed:
        repository.write(LEDGER_FILE, each.data)
        repository.git("stash", "--quiet")
    for each in stashed:
        found = held(repository.root, each.hashes[0])
        assert found is not None
        assert not found.named
        assert not found.below
    repository.git("stash", "clear")
    assert held(repository.root, stashed[0].hashes[0]) is None


def test_another_work_trees_head_is_searched(repository: Repository, tmp_path: Path) -> None:
    base = chain(1)
    repository.write(LEDGER_FILE, base.data)
    repository.commit()
    repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    second = Repository(tmp_path / "second")
    other = chain(1, onto=base.lines, head=base.hashes[-1])
    second.write(LEDGER_FILE, other.data)
    commit = second.commit()
    for root in (repository.root, second.root):
        found = held(root, other.hashes[0])
        assert found is not None
        assert found.commit == commit
        assert found.below == (root == second.root)


def test_a_shallow_clone_says_that_it_could_not_see_all(
    repository: Repository, tmp_path: Path
) -> None:
    made = chain(2)
    repository.write(LEDGER_FILE, b"".join(made.lines[:1]))
    repository.commit()
    repository.write(LEDGER_FILE, made.data)
    commit = repository.commit()
    clone = tmp_path / "clone"
    source = repository.root.as_uri()
    subprocess.run(["git", "clone", "--quiet", "--depth=1", source, clone], check=True)
    versions = LedgerVersions(clone)
    found = versions.committed()
    assert found == Committed(commit=commit, heads=(made.hashes[-1],), current=True)
    assert versions.search([NOBODY]) == EvidenceSearch({}, whole=False)
    assert made.hashes[0] in versions.search([made.hashes[0], NOBODY]).held


def test_what_is_too_much_to_search_is_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = chain(2)
    for lines in (made.lines, made.lines[:1], []):
        repository.write(LEDGER_FILE, b"".join(lines))
        repository.commit()
    assert held(repository.root, made.hashes[1]) is not None
    shutil.rmtree(repository.root / ".git" / "logs")
    for each in (git_versions, blobs):
        monkeypatch.setattr(each, "COMMITS_AT_MOST", 1)
    assert LedgerVersions(repository.root).search([made.hashes[1]]) == EvidenceSearch(
        {}, whole=False
    )
    monkeypatch.undo()
    assert LedgerVersions(repository.root).search([NOBODY]).whole


def test_each_version_is_read_once_and_no_more_than_so_many_bytes(
    repository: Repository,
) -> None:
    made = chain(2)
    repository.write(LEDGER_FILE, made.data)
    for number in range(5):
        repository.commit(f"{number}")
    found = discover(repository.root)
    seeker = Seeker(found, "", {NOBODY}, bytes_left=len(made.data))
    seeker.seek()
    assert (seeker.whole, seeker.bytes_left) == (True, 0)
    seeker = Seeker(found, "", set(made.hashes), bytes_left=len(made.data) - 1)
    seeker.seek()
    assert (seeker.whole, seeker.held) == (False, {})


def test_a_blob_that_is_missing_is_said(repository: Repository) -> None:
    made = chain(1)
    repository.write(LEDGER_FILE, made.data)
    repository.commit()
    blob = repository.git("rev-parse", f"HEAD:{LEDGER_FILE}").strip()
    (repository.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert LedgerVersions(repository.root).search(made.hashes) == EvidenceSearch({}, whole=False)


def test_a_large_blob_is_read_in_pieces(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = chain(40)
    data = made.data + b"torn"
    repository.write(LEDGER_FILE, data)
    repository.commit()
    blob = repository.git("rev-parse", f"HEAD:{LEDGER_FILE}").strip()
    found = discover(repository.root)
    assert found is not None
    whole = list(blob_lines(found, blob))
    assert b"".join(whole) == data
    assert blob_size(found, blob) == len(data)
    monkeypatch.setattr(objects, "WHOLE_AT_MOST", 0)
    assert list(blob_lines(found, blob)) == whole
    # Whoever stops asking leaves no child behind.
    lines = blob_lines(found, blob)
    assert next(lines) == whole[0]
    del lines
    assert heads(repository.root) == (made.hashes[-1],)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OSError, match="PATH"):
        list(blob_lines(found, blob))
    assert LedgerVersions(repository.root).committed() is None


def test_a_large_ledger_that_was_cut_is_noticed_though_an_archive_came(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = chain(9)
    repository.write(LEDGER_FILE, made.data)
    whole = repository.commit()
    repository.write(LEDGER_FILE, b"".join(made.lines[:1]))
    repository.write(f"{ARCHIVE_ROOM}/agent_trace-2026.jsonl", chain(20).data)
    repository.commit()
    monkeypatch.setattr(blobs, "WHOLE_AT_MOST", 0)
    found = discover(repository.root)
    assert found is not None
    assert [str(commit.id) for commit in blobs.commits_cut(found, "")] == [whole]


def test_a_stream_that_ends_badly_is_not_taken_for_whole(repository: Repository) -> None:
    with pytest.raises(ChildProcessError, match="cat-file"):
        list(stream_git(repository.root, "cat-file", "blob", "0" * 40))


def test_a_remote_whose_head_leads_nowhere_is_no_damage(repository: Repository) -> None:
    made = chain(1)
    repository.write(LEDGER_FILE, made.data)
    repository.commit()
    repository.git("tag", "tree", "HEAD^{tree}")
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert LedgerVersions(repository.root).search([NOBODY]).whole
