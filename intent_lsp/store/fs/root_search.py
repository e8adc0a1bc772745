"""Searches the directories above a path for the one that governs it (requirements section 4).

Invariant: a search does not go on above a git top level or above the home directory.
Invariant: paths are strings, since a hook begins faster without `pathlib`.
"""

import os
import stat
from collections.abc import Iterator

from intent_lsp.core.control_names import CONTROL_ROOM, INTENTS_FILE, LEDGER_FILE

_SEGMENT_ROOMS = (f"{CONTROL_ROOM}/trace", f"{CONTROL_ROOM}/archive")


def governing_directory(path: str) -> str | None:
    """Return the nearest governed root at or above a file or directory, which need not exist.

    A directory with only a ledger counts as well. The last directory searched is the git top level
    or the home directory, whichever comes first, else the file system's root. Return None if none
    of the searched directories is governed. Links in the root's path are not resolved.
    """
    home = _home()
    for directory in _upwards(path):
        if is_governed(directory):
            return directory
        if directory == home or is_git_top(directory):
            return None
    return None


def is_governed(directory: str) -> bool:
    """Return whether a directory is a governed root, because it has an intents file or a ledger.

    It is enough that anything exists at the path of the intents file or of the main ledger file,
    even if it is no regular file. A segment or archive of a ledger is enough too.
    """
    if not os.path.lexists(f"{directory}/{CONTROL_ROOM}"):
        # Most directories have no `.orchestration/`: one system call instead of four.
        return False
    # Anything with its name counts, so that a broken control file is reported.
    return os.path.lexists(f"{directory}/{INTENTS_FILE}") or _has_ledger(directory)


def is_git_top(directory: str | os.PathLike[str]) -> bool:
    """Return whether a directory is the top of a git work tree: main, linked or a submodule's."""
    git = f"{os.fspath(directory)}/.git"
    try:
        return _is_file(git) or _is_file(f"{git}/HEAD")
    except PermissionError:  # Another user's repository, but still one.
        return os.path.lexists(git)
    except (OSError, ValueError):
        return False


def _is_file(path: str) -> bool:
    """Return whether a regular file is at a path. Raise OSError if that cannot be found out."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - strings throughout
    except (FileNotFoundError, NotADirectoryError):
        return False


def _has_ledger(root: str) -> bool:
    """Return whether a directory has a ledger: its main file, or any segment or archive."""
    if os.path.lexists(f"{root}/{LEDGER_FILE}"):
        return True
    return any(_has_segment(f"{root}/{room}") for room in _SEGMENT_ROOMS)


def _has_segment(room: str) -> bool:
    try:
        return any(name.endswith(".jsonl") for name in os.listdir(room))  # noqa: PTH208 - as above
    except (OSError, ValueError):
        return False


def _upwards(path: str) -> Iterator[str]:
    """Yield `path` if it is a directory, then each directory above it. Links are not resolved."""
    directory = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    if os.path.isdir(directory):  # noqa: PTH112 - strings throughout
        yield directory
    yield from directories_above(directory)


def directories_above(directory: str) -> Iterator[str]:
    """Yield each directory above `directory`, up to the file system's root."""
    while (above := os.path.dirname(directory)) != directory:  # noqa: PTH120 - strings throughout
        yield above
        directory = above


def _home() -> str | None:
    """Return the home directory, or None for a user without one."""
    home = os.path.expanduser("~")  # noqa: PTH111 - strings throughout
    return None if home == "~" else os.path.abspath(home)  # noqa: PTH100 - as above
