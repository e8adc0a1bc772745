"""Git's directories and small files on disk, read without git.

Invariant: nothing is written, and a missing file or directory is not an error.
"""

import os
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath, parse_relative

READ_AT_MOST: Final = 1024 * 1024
"""Bytes read from the end of a reflog: some thousand steps, more than one command makes."""

_PUT_ASIDE = ("rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH")


def work_tree_top(root: Path, otherwise: Path) -> Path:
    """Return the nearest directory at or above `root` that holds a `.git`, or else `otherwise`.

    `otherwise` is the work tree that the repository's settings name. It comes second because
    `core.worktree` may name a directory that does not hold these files.
    """
    at = Path(os.path.realpath(root))
    for directory in (at, *at.parents):
        if os.path.lexists(directory / ".git"):
            return directory
    return Path(os.path.realpath(otherwise))


def prefix_of(root: Path, top: Path) -> str:
    """Return `root` relative to the git top level: "" or a path that ends with `/`.

    Raise ValueError if it is not below it.
    """
    below = Path(os.path.realpath(root)).relative_to(top).as_posix()
    return "" if below == "." else f"{below}/"


def path_below(prefix: str, name: str) -> WorkspacePath | None:
    """Return a path below the root, given relative to the git top level, or None if it is outside.

    `prefix` is the root. Git's name of a nested repository ends with `/`, and is no path.
    """
    inside = name.startswith(prefix) and not name.endswith("/")
    return parse_relative(name[len(prefix) :]) if inside else None


def common_directory(git_directory: Path) -> Path:
    """Return the git directory that all work trees of a repository share."""
    link = _line(git_directory / "commondir")
    return Path(git_directory, link).resolve() if link else git_directory


def watched_directories(git_directory: Path) -> tuple[Path, ...]:
    """Return the directories whose direct entries change when HEAD or the index changes."""
    common = common_directory(git_directory)
    places = [git_directory, common]
    places += [(common / ref).parent for ref in head_ref(git_directory)]
    places.append(common / "reftable")
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def head_ref(git_directory: Path) -> tuple[str, ...]:
    """Return the ref that HEAD names, as a tuple of one, or an empty tuple if HEAD is detached."""
    head = _line(git_directory / "HEAD")
    # A path with a null character would make os.stat raise ValueError.
    return (head.removeprefix("ref: "),) if head.startswith("ref: ") and "\0" not in head else ()


def stash_commits(git_directory: Path, common: Path) -> tuple[str, ...]:
    """Return the commits of all stashes, and of the autostash of a running merge or rebase."""
    newest = _line(common / "refs" / "stash")
    log = small_file(common / "logs" / "refs" / "stash").split(b"\n")
    lines = (line.split(b" ", 2) for line in log)
    logged = [parts[1].decode("ascii", "replace") for parts in lines if len(parts) > 1]
    aside = [_line(git_directory / name) for name in _PUT_ASIDE]
    return tuple(dict.fromkeys(each for each in (newest, *logged, *aside) if each))


def git_identity(git_directory: Path, common: Path) -> tuple[int, ...]:
    """Return values that change if another repository takes this one's place; empty if missing.

    `common` is the common directory. This runs before every libgit2 call, so it makes only two
    system calls.
    """
    try:
        room = os.stat(git_directory)  # noqa: PTH116 - takes half of Path.stat's time
        settings = os.stat(f"{common}/config")  # noqa: PTH116
    except OSError:
        return ()
    # Some file systems reuse an inode at once, so the config's change time is part of the identity.
    return room.st_dev, room.st_ino, settings.st_ino, settings.st_ctime_ns


def small_file(path: Path) -> bytes:
    """Return the content of a small file; empty if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def last_bytes(path: Path) -> tuple[int, bytes] | None:
    """Return the size of a log and its last `READ_AT_MOST` bytes, or None if it cannot be read."""
    try:
        with path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - READ_AT_MOST))
            return size, log.read(READ_AT_MOST)
    except OSError:
        return None


def _line(path: Path) -> str:
    """Return the first line of a small file, or "" if it cannot be read."""
    text = small_file(path).decode("utf-8", "surrogateescape")
    return text.split("\n")[0].rstrip("\r")
