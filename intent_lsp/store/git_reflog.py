"""What moved HEAD, as its log tells it, read without git.

Invariant: nothing here is written, and a log that is not there, or tells nothing, is None.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

READ_AT_MOST: Final = 1024 * 1024
"""Bytes at the end of a log that are read: some thousand moves, more than one command makes."""

# What `git commit` says of itself; a merge that it ends is `commit (merge)`, and stays a merge.
_COMMITTED: Final = frozenset((b"commit", b"commit (amend)", b"commit (initial)"))
_LINE: Final = re.compile(
    rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*> ([0-9]{1,18}) [-+0-9]+(?:\t(.*))?", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A step of HEAD from a commit to another (`old` is None: there was none).

    `at` is its moment in whole seconds since 1970, as whoever made it says. `committed`:
    `git commit` made `new`; it was not checked out, merged, reset or picked.
    """

    old: str | None
    new: str
    at: int
    committed: bool


def moves_between(
    git_directory: Path, before: str | None, now: str, *, since: float | None
) -> tuple[Move, ...] | None:
    """Give the moves by which HEAD came from `before` (None: unborn) to `now`, the newest first.

    They are those since HEAD was at `before` last, before the moment `since` where that is known.
    None: there is no log, or it tells of no such way.
    """
    try:
        with (git_directory / "logs" / "HEAD").open("rb") as log:
            log.seek(max(0, log.seek(0, 2) - READ_AT_MOST))
            printed = log.read(READ_AT_MOST)
    except OSError:
        return None
    return read_moves(printed, before, now, since=since)


def read_moves(
    printed: bytes, before: str | None, now: str, *, since: float | None
) -> tuple[Move, ...] | None:
    """Read what a log says of the way from `before` to `now`; lines that are no move are passed."""
    moves: list[Move] = []
    for move in _newest_first(printed):
        if not moves and move.new != now:
            return None
        at_before = moves and before in (move.new, moves[-1].old)
        # A command that comes back to where it began has not begun there.
        if at_before and (since is None or move.at < int(since)):
            return tuple(moves)
        moves.append(move)
    return tuple(moves) if moves and moves[-1].old == before else None


def _newest_first(printed: bytes) -> Iterator[Move]:
    for line in reversed(printed.split(b"\n")):
        found = _LINE.fullmatch(line)
        if found is not None:
            old, new, at, message = found.group(1, 2, 3, 4)
            yield Move(
                old=old.decode() if old.strip(b"0") else None,
                new=new.decode(),
                at=int(at),
                committed=(message or b"").partition(b":")[0] in _COMMITTED,
            )
