"""Whether git is at work: by what it moves, and by the locks that it holds."""

from pathlib import Path

import pytest

from intent_lsp.store import clock
from intent_lsp.store.git import activity
from intent_lsp.store.git.activity import GitRest
from intent_lsp.store.git.gitdir import log_mark
from tests.support.repository import Repository


def rests(repository: Repository, directory: Path | None = None) -> bool:
    """Tell whether git rests, as it was from the beginning."""
    git = directory or repository.root / ".git"
    rest = GitRest(git)
    return rest.lasted(rest.moment.index, log_mark(git))


@pytest.mark.parametrize(
    "lock",
    [
        *("index.lock", "HEAD.lock", "ORIG_HEAD.lock", "packed-refs.lock"),
        *("refs/heads/main.lock", "refs/stash.lock", "reftable/tables.list.lock"),
    ],
)
def test_while_a_lock_stands_git_does_not_rest(repository: Repository, lock: str) -> None:
    repository.commit()
    assert rests(repository)
    place = repository.root / ".git" / lock
    place.parent.mkdir(exist_ok=True)
    place.touch()
    assert not rests(repository)
    place.unlink()
    assert rests(repository)


def test_a_lock_of_the_common_directory_counts_in_a_linked_work_tree(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit()
    repository.git("worktree", "add", "--quiet", "-b", "x", str(tmp_path / "linked"))
    linked = repository.root / ".git/worktrees/linked"
    assert rests(repository, linked)
    (repository.root / ".git/refs/heads/x.lock").touch()
    assert not rests(repository, linked)
    assert rests(repository)


@pytest.mark.parametrize(
    "command",
    [
        ["commit", "--quiet", "--allow-empty", "-m", "x"],
        ["checkout", "--quiet", "-b", "other"],
        ["stash", "--quiet"],
        ["pack-refs", "--all"],
    ],
)
def test_what_moves_meanwhile_is_seen(repository: Repository, command: list[str]) -> None:
    repository.write("a", "one\n")
    repository.commit()
    repository.write("a", "two\n")
    git = repository.root / ".git"
    rest, log = GitRest(git), log_mark(git)
    assert rest.lasted(rest.moment.index, log)
    repository.git(*command)
    assert not rest.lasted(rest.moment.index, log)


def test_where_only_the_index_is_new_head_may_still_move(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a fast-forward, whose files and index are new before its hook lets HEAD move."""
    repository.write("a", "one\n")
    repository.commit()
    git = repository.root / ".git"
    before, log = GitRest(git).moment.index, log_mark(git)
    repository.write("b", "one\n")
    repository.git("add", "b")
    written = GitRest(git).moment.index_at
    moments = iter((written + 0.5, written + 1.5))
    monkeypatch.setattr(
        clock, "now", lambda: clock.datetime.fromtimestamp(next(moments), clock.UTC)
    )
    assert [GitRest(git).lasted(before, log) for _ in range(2)] == [False, True]


def test_without_a_repository_nothing_moves(tmp_path: Path) -> None:
    rest = GitRest(tmp_path)
    assert rest.lasted(None, None)
    (tmp_path / "HEAD").write_text("ref: a\0b\n")
    assert not rest.lasted(None, None)
    assert GitRest(tmp_path).lasted(None, None)


def test_whoever_waits_lets_a_moment_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    passed = list[float]()
    monkeypatch.setattr(clock, "pause", passed.append)
    GitRest(tmp_path).wait()
    assert passed == [activity.LOOKED_AT_EVERY]
