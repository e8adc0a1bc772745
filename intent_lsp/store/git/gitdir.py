"""Git's directories, its small files and HEAD's reflog on disk, read without running git.

Invariant: nothing is written, and a missing file or directory is not an error. The result for a
missing or unusable reflog is None, or empty where a function says so.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import LogMark
from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.store.fs.files import read_bytes

READ_AT_MOST: Final = 1024 * 1024
"""The most bytes that are read from the end of a reflog, several thousand entries."""

_SMALL_AT_MOST: Final = 64 * 1024 * 1024
_PUT_ASIDE = ("rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH")

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


class Move(Struct, frozen=True, kw_only=True):
    """A move of HEAD from the commit `old` (None: there was no commit yet) to the commit `new`.

    `authored`: the move created the commit `new` with content that somebody wrote, not content that
    git combined from other commits. `made`: the move is a step of a merge, pull, cherry-pick,
    revert or rebase, and no fast-forward. Both are True for `rebase (continue)`.
    """

    old: str | None
    new: str
    authored: bool
    made: bool


def work_tree_top(root: Path, otherwise: Path) -> Path:
    """Return the nearest directory at or above `root` that contains `.git`, or else `otherwise`.

    `otherwise` is the work tree that the repository's settings name. It is only the fallback,
    because `core.worktree` may name a directory that does not contain `root`.
    """
    at = Path(os.path.realpath(root))
    for directory in (at, *at.parents):
        if os.path.lexists(directory / ".git"):
            return directory
    return Path(os.path.realpath(otherwise))


def prefix_of(root: Path, top: Path) -> str:
    """Return `root` relative to the git top level `top`: "" or a path that ends with `/`.

    Raise ValueError if `root` is not inside `top`.
    """
    below = Path(os.path.realpath(root)).relative_to(top).as_posix()
    return "" if below == "." else f"{below}/"


def path_below(prefix: str, name: str) -> WorkspacePath | None:
    """Return a path relative to the root, given its path `name` relative to the git top level.

    `prefix` is the root, relative to the top level: "" or a path that ends with `/`. Return None if
    the path is invalid, is outside the root, or ends with `/`, as git writes the directory of a
    nested repository.
    """
    inside = name.startswith(prefix) and not name.endswith("/")
    return parse_relative(name[len(prefix) :]) if inside else None


def common_directory(git_directory: Path) -> Path:
    """Return the git directory that all work trees share, given that of one work tree.

    For the main work tree, return `git_directory` itself.
    """
    link = first_line(git_directory / "commondir")
    return Path(git_directory, link).resolve() if link else git_directory


def watched_directories(git_directory: Path) -> tuple[Path, ...]:
    """Return the existing directories in which entries change when HEAD or the index changes."""
    common = common_directory(git_directory)
    places = [git_directory, common]
    places += [(common / ref).parent for ref in head_ref(git_directory)]
    places.append(common / "reftable")
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def head_ref(git_directory: Path) -> tuple[str, ...]:
    """Return (ref that HEAD points to,), such as `refs/heads/main`.

    Return () if HEAD is detached or cannot be read.
    """
    head = first_line(git_directory / "HEAD")
    # A path with a null character would make os.stat raise ValueError.
    return (head.removeprefix("ref: "),) if head.startswith("ref: ") and "\0" not in head else ()


def stash_commits(git_directory: Path, common: Path) -> tuple[str, ...]:
    """Return the ids of all stash commits, and of the autostash of a running merge or rebase.

    `common` is the git directory that all work trees share. A repository with reftables has no
    stash files, so only the autostash is found there.
    """
    newest = first_line(common / "refs" / "stash")
    log = small_file(common / "logs" / "refs" / "stash").split(b"\n")
    lines = (line.split(b" ", 2) for line in log)
    logged = [parts[1].decode("ascii", "replace") for parts in lines if len(parts) > 1]
    aside = [first_line(git_directory / name) for name in _PUT_ASIDE]
    return tuple(dict.fromkeys(each for each in (newest, *logged, *aside) if each))


def git_identity(git_directory: Path, common: Path) -> tuple[int, ...]:
    """Return values that change if another repository replaces this one or `config` is written.

    Return () if the directory or `config` is not there. `common` is the git directory that all work
    trees share. This runs before every libgit2 call, so it makes only two system calls.
    """
    try:
        room = os.stat(git_directory)  # noqa: PTH116 - takes half of Path.stat's time
        settings = os.stat(f"{common}/config")  # noqa: PTH116
    except OSError:
        return ()
    # Some file systems reuse an inode at once, so the config's change time is part of the identity.
    return room.st_dev, room.st_ino, settings.st_ino, settings.st_ctime_ns


def small_file(path: Path) -> bytes:
    """Return the content of a file of at most 64 MiB; empty if it is larger or cannot be read."""
    try:
        return read_bytes(path, _SMALL_AT_MOST) or b""
    except OSError:
        return b""


def first_line(path: Path) -> str:
    """Return the first line of a small file, or "" if it cannot be read."""
    text = small_file(path).decode("utf-8", "surrogateescape")
    return text.split("\n")[0].rstrip("\r")


def files_under(room: Path) -> Iterator[Path]:
    """Yield the full path of each file below a directory, those of one directory sorted by name."""
    for directory, rooms, names in os.walk(room):
        rooms.sort()
        yield from (Path(directory, name) for name in sorted(names))


def shallow_commits(common: Path) -> frozenset[str]:
    """Return the ids of the commits whose parents a shallow clone lacks; empty for a whole one.

    `common` is the git directory that all work trees share.
    """
    return frozenset(small_file(common / "shallow").decode("ascii", "replace").split())


def last_bytes(path: Path) -> tuple[int, bytes] | None:
    """Return (size, last `READ_AT_MOST` bytes) of a log file, or None if it cannot be read."""
    try:
        with path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - READ_AT_MOST))
            return size, log.read(READ_AT_MOST)
    except OSError:
        return None


def log_mark(git_directory: Path) -> LogMark | None:
    """Return a mark of the present end of HEAD's reflog, or None if the reflog cannot be read.

    The mark is the reflog's size and the hash of its last line.
    """
    found = last_bytes(git_directory / HEAD_LOG)
    if found is None:
        return None
    size, printed = found
    return LogMark(size, hash_content(_last_line(printed)))


def moves_since(git_directory: Path, mark: LogMark) -> tuple[Move, ...] | None:
    """Return the moves of HEAD that its reflog lists after `mark`, oldest first.

    Return None if the reflog cannot be read or its last `READ_AT_MOST` bytes do not have the marked
    line.
    """
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
    """Return the ids of the commits that HEAD's reflog lists up to `mark`; empty if unreadable.

    Only the last `READ_AT_MOST` bytes of the reflog are read. The place of `mark` is found by the
    size of the reflog alone.
    """
    found = last_bytes(git_directory / HEAD_LOG)
    if found is None:
        return frozenset()
    size, printed = found
    at = max(0, mark.size - (size - len(printed)))
    return frozenset(
        each for move in _moves(printed[:at].split(b"\n")) for each in (move.old, move.new) if each
    )


def _moves(lines: Iterable[bytes]) -> Iterator[Move]:
    """Yield the move of HEAD that each reflog line describes. Malformed lines are skipped."""
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
