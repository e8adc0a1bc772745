"""Governed roots: finds the directory whose intents govern a path (requirements section 4).

Invariant: no directory above the git top level or above the home directory is searched.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM, INTENTS_FILE, LEDGER_FILE, WorkspacePath

_SEGMENT_ROOMS = (f"{CONTROL_ROOM}/trace", f"{CONTROL_ROOM}/archive")


def governed_root(path: str) -> Path | None:
    """Return the nearest governed root at or above a file or directory, which need not exist.

    A directory with only a ledger counts as well. The last directory searched is the git top level
    or the home directory, whichever comes first. Return None if no directory up to it is governed.
    Links in the root's path are not resolved.
    """
    home = _home()
    for directory in _upwards(path):
        if _is_governed(directory):
            return Path(directory)
        if directory == home or is_git_top(Path(directory)):
            return None
    return None


def has_ledger(root: Path) -> bool:
    """Return whether `root` has a ledger: its main file, or any segment or archive."""
    if os.path.lexists(root / LEDGER_FILE):
        return True
    return any(_has_segment(root / room) for room in _SEGMENT_ROOMS)


class RootsBelow:
    """Detects governed roots nested inside one root. The results are cached for each directory."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._known = {"": False}

    def hold(self, path: WorkspacePath) -> bool:
        """Return whether a path is a governed root nested inside this object's root, or in one."""
        unknown = []
        room: str = path
        while room not in self._known:
            unknown.append(room)
            room = room.rpartition("/")[0]
        held = self._known[room]
        for inner in reversed(unknown):
            held = held or _is_governed(f"{self._root}/{inner}")
            self._known[inner] = held
        return held


def is_git_top(directory: Path) -> bool:
    """Return whether a directory is the top of a git work tree: main, linked or a submodule's."""
    git = directory / ".git"
    if not os.path.lexists(git):
        return False
    try:
        return git.is_file() or (git / "HEAD").is_file()
    except PermissionError:  # Another user's repository, but still one.
        return True
    except OSError:
        return False


def _is_governed(directory: str) -> bool:
    """Return whether a directory is a governed root, because it has an intents file or a ledger."""
    if not os.path.lexists(f"{directory}/{CONTROL_ROOM}"):
        # Most directories have no `.orchestration/`: one system call instead of four.
        return False
    # Anything with its name counts, so that a broken control file is reported.
    return os.path.lexists(f"{directory}/{INTENTS_FILE}") or has_ledger(Path(directory))


def _upwards(path: str) -> Iterator[str]:
    """Yield `path` if it is a directory, then each directory above it. Links are not resolved."""
    # A string, not a Path: this runs for each request.
    directory = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    if os.path.isdir(directory):  # noqa: PTH112 - as above
        yield directory
    while (above := os.path.dirname(directory)) != directory:  # noqa: PTH120 - as above
        yield above
        directory = above


def _home() -> str | None:
    try:
        return os.path.abspath(Path.home())  # noqa: PTH100 - resolve() would follow links
    except RuntimeError:  # A user without a home.
        return None


def _has_segment(room: Path) -> bool:
    try:
        return any(name.endswith(".jsonl") for name in os.listdir(room))  # noqa: PTH208
    except (OSError, ValueError):
        return False
