"""The reflog of HEAD: which steps moved HEAD, read without git.

Invariant: nothing is written, and a missing or unusable reflog is None.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.tree_snapshot import LogMark
from intent_lsp.core.content import hash_content
from intent_lsp.store.git.gitdir import last_bytes

HEAD_LOG: Final = "logs/HEAD"

# Actions in the reflog of commits whose content somebody wrote. A merge that was completed
# by hand is one, too; `GitTrees.authored` returns what it adds to its parents.
_AUTHORED: Final = re.compile(
    rb"commit(?: \((?:amend|initial|cherry-pick|merge)\))?|am(?! --abort)\b.*|filter-branch.*"
    rb"|.*\((?:continue|edit|reword)\)"
)
_MADE_BY_GIT: Final = re.compile(
    rb"(?:merge|pull|cherry-pick|revert|rebase)\b(?!.*: Fast-forward).*", re.DOTALL
)
_LINE: Final = re.compile(
    rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*> [0-9]{1,18} [-+0-9]+(?:\t(.*))?", re.DOTALL
)
_ABORTED: Final = (b"am --abort", b"rebase (abort)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A step of HEAD from one commit to another; `old` is None if there was no commit before.

    `authored` is whether somebody wrote the content of `new`, so that git did not just combine
    other commits. `made` is whether git itself created `new`, by a merge, pick, revert or rebase.
    """

    old: str | None
    new: str
    authored: bool
    made: bool


def log_mark(git_directory: Path) -> LogMark | None:
    """Return the size and last line of HEAD's reflog as a mark, or None if it cannot be read."""
    found = last_bytes(git_directory / HEAD_LOG)
    if found is None:
        return None
    size, printed = found
    return LogMark(size, hash_content(_last_line(printed)))


def moves_since(git_directory: Path, mark: LogMark) -> tuple[Move, ...] | None:
    """Return the steps of HEAD after a mark, oldest first, or None if the mark is not found."""
    found = last_bytes(git_directory / HEAD_LOG)
    if found is None:
        return None
    size, printed = found
    before = size - len(printed)
    at = mark.size - before
    if 0 <= at <= len(printed) and hash_content(_last_line(printed[:at])) == mark.line:
        return tuple(_moves(printed[at:].split(b"\n")))
    # Git may have rewritten the log, for example to expire entries, so the line is searched for.
    lines = printed.split(b"\n")
    for number in range(len(lines) - 1, -1, -1):
        if hash_content(lines[number]) == mark.line and lines[number]:
            return tuple(_moves(lines[number + 1 :]))
    return None


def logged_before(git_directory: Path, mark: LogMark) -> frozenset[str]:
    """Return the commits that HEAD was at before a mark, as far as its reflog still shows them."""
    found = last_bytes(git_directory / HEAD_LOG)
    if found is None:
        return frozenset()
    size, printed = found
    at = max(0, mark.size - (size - len(printed)))
    return frozenset(
        each for move in _moves(printed[:at].split(b"\n")) for each in (move.old, move.new) if each
    )


def _moves(lines: Iterable[bytes]) -> Iterator[Move]:
    """Yield the step that each line describes, skipping malformed lines."""
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is not None:
            old, new, message = found.group(1, 2, 3)
            action = (message or b"").partition(b":")[0]
            authored = _AUTHORED.fullmatch(action) is not None and action not in _ABORTED
            yield Move(
                old=old.decode() if old.strip(b"0") else None,
                new=new.decode(),
                authored=authored,
                made=_MADE_BY_GIT.fullmatch(message or b"") is not None,
            )


def _last_line(printed: bytes) -> bytes:
    return printed.rstrip(b"\n").rpartition(b"\n")[2]
