"""Git's directories and small files on disk, read without git.

Invariant: nothing is written, and a missing file or directory is not an error.
"""

import os
from pathlib import Path

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


def common_directory(git_directory: Path) -> Path:
    """Return the git directory that all work trees of a repository share."""
    link = _line(git_directory / "commondir")
    return Path(git_directory, link).resolve() if link else git_directory


def watched_directories(git_directory: Path) -> tuple[Path, ...]:
    """Return the directories whose direct entries change when HEAD or the index changes."""
    common = common_directory(git_directory)
    places = [git_directory, common]
    head = _line(git_directory / "HEAD")
    if head.startswith("ref: "):
        places.append((common / head.removeprefix("ref: ")).parent)
    places.append(common / "reftable")
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def stash_commits(git_directory: Path, common: Path) -> tuple[str, ...]:
    """Return the commits of all stashes, and of the autostash of a running merge or rebase."""
    newest = _line(common / "refs" / "stash")
    try:
        log = (common / "logs" / "refs" / "stash").read_bytes()
    except OSError:
        log = b""
    lines = (line.split(b" ", 2) for line in log.split(b"\n"))
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


def _line(path: Path) -> str:
    """Return the first line of a small file, or "" if it cannot be read."""
    try:
        text = path.read_bytes()
    except OSError:
        return ""
    return text.decode("utf-8", "surrogateescape").split("\n")[0].rstrip("\r")
