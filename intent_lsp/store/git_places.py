"""Where git keeps things on disk, read without git.

Invariant: nothing here is written, and a place that is not there is no error.
"""

import os
from pathlib import Path

# What stands in a git directory while git changes the work tree on its own (section 7).
_UNDER_WAY = ("index.lock", "rebase-merge", "rebase-apply", "MERGE_HEAD")


def common_directory(git_directory: Path) -> Path:
    """Give the directory that all work trees of a repository share."""
    link = _line(git_directory / "commondir")
    return Path(git_directory, link).resolve() if link else git_directory


def operation_in_progress(git_directory: Path) -> bool:
    """Whether git holds its index, or a rebase or a merge stands."""
    return any((git_directory / name).exists() for name in _UNDER_WAY)


def watched_directories(git_directory: Path) -> tuple[Path, ...]:
    """Give the directories, not their subdirectories, in which HEAD or the index moves."""
    common = common_directory(git_directory)
    places = [git_directory, common]
    head = _line(git_directory / "HEAD")
    if head.startswith("ref: "):
        places.append((common / head.removeprefix("ref: ")).parent)
    places.append(common / "reftable")
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def stash_written(common: Path) -> float | None:
    """Tell when the newest stash was put in its place, in seconds; None: nobody can tell.

    It is the moment that the file system noted: a commit says of itself whatever its maker wants.
    """
    try:
        found = (common / "refs" / "stash").stat()
    except OSError:
        return None
    return max(found.st_mtime, found.st_ctime)


def stash_commit(common: Path) -> str | None:
    """Give the commit of the newest stash; None: there is none, or it is kept in another way."""
    return _line(common / "refs" / "stash") or None


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
