"""One ledger file under real git: clones, branches, conflicts, stashes, resets; nothing is lost."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.ledger.verification import Verification
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import read
from intent_lsp.governance.ledger.reader import prove
from intent_lsp.governance.ledger.recovery import Recovered, Recovery, recovering
from intent_lsp.governance.setup import initialise
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.journal import Journal
from intent_lsp.store.ledger.merge import resolve_file
from tests.support.ledgers import edit, ledger_at, lines_of
from tests.support.repository import Repository

PROGRAM = shlex.join([sys.executable, "-m", "intent_lsp"])
NAMES = ".orchestration/**/*.jsonl"


def append(repository: Repository, *names: str) -> list[Record]:
    """Append an edit of each name, as an editor there would."""
    ledger = ledger_at(repository.root)
    made = [ledger.append(edit(name)) for name in names]
    ledger.close()
    return made


def verified(repository: Repository) -> Verification:
    ledger = ledger_at(repository.root)
    try:
        return prove(ledger)
    finally:
        ledger.close()


def names_in(repository: Repository) -> list[str]:
    found = [read(line) for line in lines_of(repository.root)]
    return [record.files[0].path for record in found if isinstance(record, Record)]


def attempt(repository: Repository, *arguments: str) -> int:
    """Run git where a conflict is expected."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=repository.root, capture_output=True, check=False).returncode


def by_driver(repository: Repository) -> None:
    """Have git ask us, as docs/ledger.md says."""
    repository.git("config", "merge.intent-ledger.driver", f"{PROGRAM} trace merge %O %A %B")
    attributes = repository.root / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text(f"{NAMES} merge=intent-ledger\n")


def by_union(repository: Repository) -> None:
    assert "merge: union" in repository.git("check-attr", "merge", LEDGER_FILE)


def as_a_forge(repository: Repository) -> None:
    """Merge as a server does that knows no union."""
    attributes = repository.root / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text(f"{NAMES} merge=text\n")


@pytest.fixture
def ledgered(repository: Repository) -> Repository:
    """Give a governed repository with two records in its first commit."""
    initialise(repository.root)
    append(repository, "base 1", "base 2")
    repository.commit("base")
    return repository


def cloned(repository: Repository, place: Path) -> Repository:
    repository.git("clone", "--quiet", str(repository.root), str(place))
    return Repository(place)


@pytest.fixture
def diverged(ledgered: Repository, tmp_path: Path) -> Repository:
    """Give a clone that has fetched what the other committed, and has committed itself."""
    other = cloned(ledgered, tmp_path / "clone")
    append(ledgered, "theirs 1", "theirs 2")
    ledgered.commit("theirs")
    append(other, "ours 1", "ours 2")
    other.commit("ours")
    other.git("fetch", "--quiet")
    return other


BASE, OURS, THEIRS = ["base 1", "base 2"], ["ours 1", "ours 2"], ["theirs 1", "theirs 2"]

Way = Callable[[Repository], None]
ways = pytest.mark.parametrize("way", [by_driver, by_union])


@ways
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("merge --quiet origin/main", [*BASE, *OURS, *THEIRS]),
        ("merge --quiet --squash origin/main", [*BASE, *OURS, *THEIRS]),
        ("rebase --quiet origin/main", [*BASE, *THEIRS, *OURS]),
        ("cherry-pick origin/main", [*BASE, *OURS, *THEIRS]),
    ],
)
def test_both_sides_records_are_there_once_and_the_next_ties_them(
    diverged: Repository, way: Way, command: str, expected: list[str]
) -> None:
    way(diverged)
    diverged.git(*command.split())
    assert names_in(diverged) == expected
    found = verified(diverged)
    assert (found.ok, found.records, len(found.heads)) == (True, 6, 2)
    (tying,) = append(diverged, "tying")
    assert len(tying.integrity.merges) == 1
    found = verified(diverged)
    assert (found.ok, found.records, len(found.heads)) == (True, 7, 1)


def test_a_conflict_as_a_forge_leaves_it_is_resolved_by_hand(diverged: Repository) -> None:
    as_a_forge(diverged)
    assert attempt(diverged, "merge", "origin/main") == 1
    path = diverged.root / LEDGER_FILE
    assert b"<<<<<<< HEAD\n" in path.read_bytes()
    assert not verified(diverged).ok
    assert resolve_file(path).conflicts == 1
    diverged.git("add", LEDGER_FILE)
    diverged.git("commit", "--quiet", "--no-edit")
    assert names_in(diverged) == [*BASE, *OURS, *THEIRS]
    append(diverged, "tying")
    assert (verified(diverged).ok, verified(diverged).records) == (True, 7)


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_a_record_that_came_during_the_conflict_stays(diverged: Repository, style: str) -> None:
    as_a_forge(diverged)
    diverged.git("config", "merge.conflictStyle", style)
    assert attempt(diverged, "merge", "origin/main") == 1
    append(diverged, "meanwhile")
    resolve_file(diverged.root / LEDGER_FILE)
    assert names_in(diverged) == [*BASE, *OURS, *THEIRS, "meanwhile"]
    assert verified(diverged).ok


def test_a_driver_that_cannot_be_run_leaves_a_conflict_and_drops_nothing(
    diverged: Repository,
) -> None:
    by_driver(diverged)
    diverged.git("config", "merge.intent-ledger.driver", f"{PROGRAM} trace merge %O %A /missing")
    before = lines_of(diverged.root)
    assert attempt(diverged, "merge", "origin/main") == 1
    assert lines_of(diverged.root) == before
    by_driver(diverged)
    diverged.git("merge", "--abort")
    diverged.git("merge", "--quiet", "origin/main")
    assert names_in(diverged) == [*BASE, *OURS, *THEIRS]


def test_merges_back_and_forth_double_nothing(ledgered: Repository, diverged: Repository) -> None:
    by_driver(diverged)
    for number in range(3):
        diverged.git("fetch", "--quiet")
        diverged.git("merge", "--quiet", "--no-edit", "origin/main")
        append(diverged, f"clone {number}")
        diverged.commit()
        append(ledgered, f"origin {number}")
        ledgered.commit()
        ledgered.git("pull", "--quiet", "--no-edit", "--no-rebase", str(diverged.root), "main")
    for repository in (ledgered, diverged):
        assert verified(repository).ok
    names = names_in(ledgered)
    assert len(names) == len(set(names)) == 12


@ways
def test_a_stash_takes_records_that_recover_brings_back_and_its_pop_doubles_none(
    ledgered: Repository, way: Way
) -> None:
    way(ledgered)
    append(ledgered, "stashed 1", "stashed 2")
    lines = lines_of(ledgered.root)
    ledgered.git("stash", "--quiet")
    assert names_in(ledgered) == BASE
    append(ledgered, "since")
    with recovering(ledgered.root) as governance:
        assert governance.recover(governance.lost()) == Recovered(as_they_were=2, anew=0)
    assert lines_of(ledgered.root)[-2:] == lines[-2:]
    append(ledgered, "after")
    ledgered.commit()
    ledgered.git("stash", "pop", "--quiet")
    assert set(names_in(ledgered)) == {*BASE, "stashed 1", "stashed 2", "since", "after"}
    # git's own union writes a line twice that both sides added; it is one record all the same.
    assert len(lines_of(ledgered.root)) == (6 if way is by_driver else 8)
    assert verified(ledgered).ok
    append(ledgered, "tying")
    assert (verified(ledgered).ok, len(verified(ledgered).heads)) == (True, 1)
    ledger = ledger_at(ledgered.root)
    assert ledger.index.count() == 7
    ledger.close()


def reset(repository: Repository) -> None:
    repository.git("reset", "--quiet", "--hard")


def checkout(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--", ".orchestration")


def stash_and_drop(repository: Repository) -> None:
    repository.git("stash", "--quiet")
    repository.git("stash", "drop", "--quiet")


def delete_and_restore(repository: Repository) -> None:
    (repository.root / LEDGER_FILE).unlink()
    repository.git("restore", LEDGER_FILE)


@pytest.mark.parametrize("accident", [reset, checkout, stash_and_drop, delete_and_restore])
def test_what_no_commit_held_comes_back_as_it_was(ledgered: Repository, accident: Way) -> None:
    append(ledgered, "lost 1", "lost 2")
    before = lines_of(ledgered.root)
    accident(ledgered)
    assert names_in(ledgered) == BASE
    with recovering(ledgered.root) as governance:
        assert governance.recover(governance.lost()) == Recovered(as_they_were=2, anew=0)
    assert lines_of(ledgered.root) == before
    assert verified(ledgered).ok


def test_after_a_reset_to_an_older_commit_the_uncommitted_come_back_anew(
    ledgered: Repository,
) -> None:
    append(ledgered, "committed")
    ledgered.commit()
    prune(ledgered)
    append(ledgered, "lost 1", "lost 2")
    ledgered.git("reset", "--quiet", "--hard", "HEAD~1")
    assert [problem.code for problem in verified(ledgered).problems] == [LedgerCode.TRUNCATED]
    with recovering(ledgered.root) as governance:
        assert governance.recover(governance.lost()) == Recovered(as_they_were=0, anew=2)
    assert names_in(ledgered) == [*BASE, "lost 1", "lost 2"]
    # What they followed is in a commit that the reflog still knows.
    found = verified(ledgered)
    codes = {problem.code for problem in found.problems}
    assert (found.ok, codes - {LedgerCode.CLOCK_BACKWARDS}) == (True, {LedgerCode.HEAD_ELSEWHERE})


def test_a_committed_ledger_that_is_missing_is_gits_to_give_back_first(
    ledgered: Repository,
) -> None:
    append(ledgered, "lost")
    (ledgered.root / LEDGER_FILE).unlink()
    with recovering(ledgered.root) as governance:
        with pytest.raises(Exception, match="the checked-out commit has it") as caught:
            governance.lost()
        assert "git checkout" in getattr(caught.value, "cure", "")
    ledgered.git("checkout", "--quiet", "--", LEDGER_FILE)
    with recovering(ledgered.root) as governance:
        governance.recover(governance.lost())
    assert names_in(ledgered) == [*BASE, "lost"]


def prune(repository: Repository) -> None:
    ledger = ledger_at(repository.root)
    Recovery(repository.root, ledger, partial(Git.open, repository.root)).prune()
    ledger.close()


def journalled(repository: Repository) -> list[bytes]:
    return list(Journal(repository.root / LOCAL_ROOM).lines())


def test_the_journal_lets_go_of_what_the_commit_checked_out_holds(ledgered: Repository) -> None:
    assert journalled(ledgered) == lines_of(ledgered.root)
    prune(ledgered)
    assert journalled(ledgered) == []
    append(ledgered, "new 1")
    prune(ledgered)
    assert journalled(ledgered) == lines_of(ledgered.root)[2:]
    ledgered.commit()
    append(ledgered, "new 2")
    prune(ledgered)
    assert journalled(ledgered) == lines_of(ledgered.root)[3:]


def test_the_journal_is_looked_through_when_head_moved_and_not_else(
    repository: Repository,
) -> None:
    initialise(repository.root)
    append(repository, "early")
    ledger = ledger_at(repository.root)
    governance = Recovery(repository.root, ledger, partial(Git.open, repository.root))
    governance.prune()
    assert journalled(repository) == lines_of(repository.root)
    repository.commit()
    governance.prune()
    assert journalled(repository) == []
    Journal(repository.root / LOCAL_ROOM).note(lines_of(repository.root)[0])
    governance.prune()
    assert journalled(repository) == lines_of(repository.root)
    repository.commit()
    governance.prune()
    assert journalled(repository) == []


def test_a_journal_that_cannot_be_read_is_a_line_in_the_log(
    ledgered: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    path = ledgered.root / LOCAL_ROOM / "journal.jsonl"
    path.unlink()
    path.mkdir()
    prune(ledgered)
    assert "the journal of records cannot be shortened" in caplog.text


def test_a_root_below_the_top_level_is_pruned_too(repository: Repository) -> None:
    below = Repository(repository.root / "packages" / "shop")
    below.root.mkdir(parents=True)
    initialise(below.root)
    append(below, "a")
    repository.commit()
    prune(below)
    assert journalled(below) == []
