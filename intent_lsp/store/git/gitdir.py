"""Where git keeps things on disk, read without git.

Invariant: nothing here is written, and a place that is not there is no error.
"""

import os
from pathlib import Path

_PUT_ASIDE = ("rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH")


def work_tree_top(root: Path, otherwise: Path) -> Path:
    """Give the directory above `root`, or itself, in which a `.git` lies.

    A repository's settings may name another, which is not where its files are; where there is no
    `.git`, they are all that is known (`otherwise`).
    """
    at = Path(os.path.realpath(root))
    for directory in (at, *at.parents):
        if os.path.lexists(directory / ".git"):
            return directory
    return Path(os.path.realpath(otherwise))


def common_directory(git_directory: Path) -> Path:
    """Give the directory that all work trees of a repository share."""
    link = _line(git_directory / "commondir")
    return Path(git_directory, link).resolve() if link else git_directory


def watched_directories(git_directory: Path) -> tuple[Path, ...]:
    """Give the directories, not their subdirectories, in which HEAD or the index moves."""
    common = common_directory(git_directory)
    places = [git_directory, common]
    head = _line(git_directory / "HEAD")
    if head.startswith("ref: "):
        places.append((common / head.removeprefix("ref: ")).parent)
    places.append(common / "reftable")
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def stash_commits(git_directory: Path, common: Path) -> tuple[str, ...]:
    """Give the commits of all stashes, and of what a merge or a rebase has put aside for a time."""
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
    """Tell one repository from another that took its place; empty when none is there.

    `common` is its common directory. It is asked with each question, and so no more than needed.
    """
    try:
        room = os.stat(git_directory)  # noqa: PTH116 - half the time
        settings = os.stat(f"{common}/config")  # noqa: PTH116
    except OSError:
        return ()
    # An inode is used again at once on some file systems; not so the moment of its last change.
    return room.st_dev, room.st_ino, settings.st_ino, settings.st_ctime_ns


def _line(path: Path) -> str:
    """Read the first line of a small file; empty when it cannot be read."""
    try:
        text = path.read_bytes()
    except OSError:
        return ""
    return text.decode("utf-8", "surrogateescape").split("\n")[0].rstrip("\r")
