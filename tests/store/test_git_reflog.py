"""HEAD's log: by which moves it came on from where it was, and who made them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.agents.tickets import LogMark
from intent_lsp.core.content import hash_content
from intent_lsp.store.git.gitdir import READ_AT_MOST, Move, log_mark, logged_before, moves_since
from tests.support.repository import Repository

A, B, C = (letter * 40 for letter in "abc")
NONE = "0" * 40


def line(old: str, new: str, message: str) -> str:
    return f"{old} {new} Ada > Lovelace <ada@example.org> 100 +0100\t{message}\n"


FIRST = line(NONE, A, "commit (initial): a")
SECOND = line(A, B, "commit: b")
THIRD = line(B, A, "checkout: moving from b to a")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Give the place of a log in a git directory of its own."""
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs" / "HEAD"


def moved(log: Path, mark: LogMark | None) -> str | None:
    """Give the commits to which HEAD moved since, in capitals what was authored; None: unknown."""
    assert mark is not None
    moves = moves_since(log.parent.parent, mark)
    if moves is None:
        return None
    return "".join(move.new[0].upper() if move.authored else move.new[0] for move in moves)


def test_the_moves_are_those_after_the_mark(log: Path) -> None:
    git = log.parent.parent
    assert log_mark(git) is None
    log.write_text("")
    empty = log_mark(git)
    log.write_text(FIRST + SECOND)
    mark = log_mark(git)
    log.write_text(FIRST + SECOND + THIRD + "rubbish\n" + SECOND)
    assert (moved(log, empty), moved(log, mark), moved(log, log_mark(git))) == ("ABaB", "aB", "")
    assert logged_before(git, mark or LogMark(0, hash_content(b""))) == {A, B}


def test_a_mark_is_found_again_where_lines_above_it_are_gone(log: Path) -> None:
    log.write_text(FIRST + SECOND)
    mark = log_mark(log.parent.parent)
    log.write_text(SECOND + THIRD)
    assert moved(log, mark) == "a"


@pytest.mark.parametrize("left", ["", THIRD, "rubbish", "\n\n"])
def test_a_mark_that_is_gone_tells_nothing(log: Path, left: str) -> None:
    log.write_text(FIRST + SECOND)
    mark = log_mark(log.parent.parent)
    log.write_text(left)
    assert moved(log, mark) is None
    log.unlink()
    assert moved(log, mark) is None
    assert mark is not None
    assert logged_before(log.parent.parent, mark) == frozenset()


AUTHORED = (True, False)
MADE = (False, True)
NEITHER = (False, False)


@pytest.mark.parametrize(
    ("message", "whose"),
    [
        ("commit: x", AUTHORED),
        ("commit:", AUTHORED),
        ("commit (amend): x", AUTHORED),
        ("commit (initial): checkout: x", AUTHORED),
        ("commit (merge): x", AUTHORED),
        ("commit (cherry-pick): x", AUTHORED),
        ("am: x", AUTHORED),
        ("am --abort", NEITHER),
        ("rebase (continue): x", (True, True)),
        ("rebase (reword): x", (True, True)),
        ("rebase -i (edit): x", (True, True)),
        ("filter-branch: rewrite", AUTHORED),
        ("rebase (pick): x", MADE),
        ("rebase (finish): returning to refs/heads/x", MADE),
        ("rebase (abort): returning to refs/heads/x", MADE),
        ("cherry-pick: x", MADE),
        ("revert: x", MADE),
        ("merge other: Merge made by the 'ort' strategy.", MADE),
        ("pull: Merge made by the 'ort' strategy.", MADE),
        # It leads to a commit that somebody else has made.
        ("merge other: Fast-forward", NEITHER),
        ("pull --rebase: Fast-forward", NEITHER),
        ("checkout: commit: x", NEITHER),
        ("reset: moving to HEAD", NEITHER),
        ("commits: x", NEITHER),
        ("", NEITHER),
    ],
)
def test_what_moved_head_tells_whose_the_commit_is(
    log: Path, message: str, whose: tuple[bool, bool]
) -> None:
    log.write_text(line(A, B, message))
    (move,) = moves_since(log.parent.parent, LogMark(0, hash_content(b""))) or ()
    assert move == Move(old=A, new=B, authored=whose[0], made=whose[1])


def test_a_line_without_a_message_is_a_move(log: Path) -> None:
    log.write_text(f"{A} {B} Ada <a> 1 +0000\n")
    assert moved(log, LogMark(0, hash_content(b""))) == "b"


@given(
    text=st.text() | st.lists(st.text(max_size=9)).map(SECOND.join),
    size=st.integers(0, 500),
    of=st.binary(max_size=3) | st.just(SECOND.encode().rstrip()),
)
def test_whatever_the_log_says_is_a_way_or_none(
    tmp_path_factory: pytest.TempPathFactory, text: str, size: int, of: bytes
) -> None:
    git = tmp_path_factory.mktemp("git")
    (git / "logs").mkdir()
    (git / "logs" / "HEAD").write_bytes(text.encode("utf-8", "surrogatepass"))
    moves = moves_since(git, LogMark(size, hash_content(of)))
    assert moves is None or all(len(move.new) == len(A) for move in moves)


def test_the_log_of_a_repository_is_read_from_its_end(repository: Repository) -> None:
    first = repository.commit()
    git = repository.root / ".git"
    log = git / "logs/HEAD"
    log.write_bytes(b"x" * READ_AT_MOST + b"\n" + log.read_bytes())
    mark = log_mark(git)
    second = repository.commit("two")
    assert mark is not None
    assert moves_since(git, mark) == (Move(old=first, new=second, authored=True, made=False),)
    log.write_bytes(log.read_bytes() + b"x" * READ_AT_MOST)
    assert moves_since(git, mark) is None
