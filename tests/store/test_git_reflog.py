"""HEAD's log: by which moves it came from one commit to another, and who made them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.store.git_reflog import READ_AT_MOST, Move, moves_between, read_moves
from tests.support.repository import Repository

A, B, C, D = (letter * 40 for letter in "abcd")
NONE = "0" * 40


def line(old: str, new: str, message: str, at: int = 100) -> str:
    return f"{old} {new} Ada > Lovelace <ada@example.org> {at} +0100\t{message}\n"


def asked(log: str, before: str | None, now: str, since: float | None = None) -> str | None:
    """Give the commits to which HEAD was moved, the newest first, in capitals what was committed.

    None: the log tells of no way.
    """
    moves = read_moves(log.encode(), before, now, since=since)
    if moves is None:
        return None
    return "".join(move.new[0].upper() if move.committed else move.new[0] for move in moves)


COMMITS = line(NONE, A, "commit (initial): a") + line(A, B, "commit: b") + line(B, C, "commit: c")
AND_BACK = line(A, B, "commit: b", 200) + line(B, A, "checkout: to a", 200)
AGAIN = line(A, A, "checkout: to a") + AND_BACK + line(A, B, "merge b: Fast-forward", 200)


@pytest.mark.parametrize(
    ("log", "before", "now", "since", "moves"),
    [
        pytest.param(COMMITS, A, C, None, "CB", id="two"),
        pytest.param(COMMITS, B, C, None, "C", id="one"),
        pytest.param(COMMITS, None, C, None, "CBA", id="from-the-first"),
        pytest.param(COMMITS, D, C, None, None, id="from-nowhere"),
        pytest.param(COMMITS, A, B, None, None, id="not-to-there"),
        pytest.param("", A, B, None, None, id="empty"),
        pytest.param(line(A, B, "commit: b"), A, B, None, "B", id="begun-anew"),
        pytest.param(line(D, C, "x") + line(A, B, "commit: b"), A, B, None, "B", id="torn"),
        pytest.param(AGAIN, A, B, None, "b", id="since-it-was-there-last"),
        pytest.param(AGAIN, A, B, 150.0, "baB", id="since-it-was-there-before-the-moment"),
        pytest.param(AGAIN, A, B, 200.9, "baB", id="in-the-same-second"),
        pytest.param(AGAIN, A, B, 201.0, "b", id="all-of-it-earlier"),
        pytest.param(AND_BACK + "rubbish\n" + line(A, C, "commit: c"), A, C, None, "C", id="odd"),
    ],
)
def test_the_moves_are_those_since_head_was_there(
    log: str, before: str | None, now: str, since: float | None, moves: str | None
) -> None:
    assert asked(log, before, now, since) == moves


@pytest.mark.parametrize(
    ("message", "committed"),
    [
        ("commit: x", True),
        ("commit:", True),
        ("commit (amend): x", True),
        ("commit (initial): checkout: x", True),
        ("commit (merge): x", False),
        ("commit (cherry-pick): x", False),
        ("checkout: commit: x", False),
        ("commits: x", False),
        ("pull --rebase: Fast-forward", False),
        ("rebase (finish): x", False),
        ("", False),
    ],
)
def test_only_what_git_commit_made_was_committed(message: str, *, committed: bool) -> None:
    (move,) = read_moves(line(A, B, message, 7).encode(), A, B, since=None) or ()
    assert move == Move(old=A, new=B, at=7, committed=committed)


def test_a_line_without_a_message_is_a_move() -> None:
    assert asked(f"{A} {B} Ada <a> 1 +0000\n", A, B) == "b"


@given(st.text() | st.lists(st.text(max_size=9)).map(COMMITS.join), st.none() | st.floats(0, 300))
def test_whatever_the_log_says_is_a_way_that_ends_here_or_none(
    log: str, since: float | None
) -> None:
    moves = read_moves(log.encode("utf-8", "surrogatepass"), A, C, since=since)
    assert moves is None or moves[0].new == C


def test_the_log_of_a_repository_is_read_from_its_end(repository: Repository) -> None:
    first, second = repository.commit(), repository.commit("two")
    git = repository.root / ".git"
    expected = [(first, second, True)]
    log = git / "logs/HEAD"
    log.write_bytes(b"x" * READ_AT_MOST + b"\n" + log.read_bytes())
    moves = moves_between(git, first, second, since=None) or ()
    assert [(move.old, move.new, move.committed) for move in moves] == expected
    log.write_bytes(log.read_bytes() + b"x" * READ_AT_MOST)
    assert moves_between(git, first, second, since=None) is None
    log.unlink()
    assert moves_between(git, first, second, since=None) is None
