"""Listing without git: the names in a directory, all files below it, or the one file at a path.

Invariant: no file is opened. A link that is found in a directory is left out of its listing. A link
at the path given to `files_named` counts as a file, as an operation on it affects the link, never
its target.
"""

import logging
import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below, resolved_path
from intent_lsp.store.fs.root_search import is_git_top, is_governed
from intent_lsp.store.fs.roots import RootsBelow

_log: Final = logging.getLogger(__name__)

_GIT: Final = ".git"


class DirectoryNames(Struct, frozen=True):
    """The names of the subdirectories and of the regular files in a directory, in no order."""

    directories: list[str]
    files: list[str]


def files_below(root: Path, *, at_most: int) -> tuple[WorkspacePath, ...] | None:
    """Return all regular files below `root`, sorted, or None if there are more than `at_most`.

    They are paths relative to `root`. Git's own files, `.local/` and repositories below the root
    are left out. A directory that cannot be listed is left out and logged. Bytes of a name that are
    not UTF-8 become surrogate escapes.
    """
    found: list[WorkspacePath] = []
    rooms = [""]
    while rooms:
        files, inner = entries_in(root, rooms.pop())
        found.extend(files)
        if len(found) > at_most:
            return None
        rooms.extend(inner)
    return tuple(sorted(found))


def entries_in(root: Path, room: str) -> tuple[list[WorkspacePath], list[str]]:
    """Return (regular files, subdirectories) of the directory `room`, relative to the root.

    `room` is "" or ends in `/`, and the subdirectories end in `/`. Git's own files, `.local/`,
    nested repositories and links are left out. If the directory cannot be listed, log that and
    return what was found.
    """
    found = _listed(root / room, logging.WARNING)
    files = [WorkspacePath(room + name) for name in found.files if name != _GIT]
    inner = (room + name for name in found.directories if name != _GIT)
    return files, [f"{path}/" for path in inner if _ours(root, path)]


def names_in(root: Path, directory: str) -> DirectoryNames:
    """Return the names of the subdirectories and regular files in `directory`, without links.

    `directory` is relative to the root, "" for the root itself. There are no names if it does not
    exist, cannot be listed, or is or leads through a link.
    """
    if is_linked(root, directory):
        return DirectoryNames([], [])
    return _listed(root / directory, logging.DEBUG)


def is_linked(root: Path, directory: str) -> bool:
    """Return whether a directory is or leads through a link.

    `directory` is relative to the root. Return False for "", the root itself, and True for a path
    that leads outside the root or is not valid.
    """
    if not directory:
        return False
    place = resolve_below(root, directory)
    return place is None or place.real != place.path


def is_foreign(root: Path, directory: str) -> bool:
    """Return whether a directory below the root is a nested repository or governed root."""
    place = f"{root}/{directory}"
    return is_git_top(place) or is_governed(place)


def files_named(
    root: Path, name: WorkspacePath, *, at_most: int
) -> tuple[WorkspacePath, ...] | None:
    """Return the path `name` if it is a file, or all files below it if it is a directory.

    A link, or a path that does not exist, counts as a file. Files of governed roots nested inside
    this root are left out. Below a directory, `.local/`, `.git` and nested repositories are left
    out too. Return None if `files_below` finds more than `at_most` files in the directory.
    """
    full = f"{root}/{name}"
    others = RootsBelow(root)
    if os.path.islink(full) or not os.path.isdir(full):  # noqa: PTH112, PTH114 - strings throughout
        return () if others.hold(name) else (name,)
    below = files_below(Path(full), at_most=at_most)
    if below is None:
        return None
    paths = (WorkspacePath(f"{name}/{path}") for path in below)
    local = f"{LOCAL_ROOM}/"
    return tuple(path for path in paths if not path.startswith(local) and not others.hold(path))


def _listed(place: Path, level: int) -> DirectoryNames:
    """Return the names in a directory, leaving out links.

    If listing fails, log that at `level` and return the names found before.
    """
    found = DirectoryNames([], [])
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    found.files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    found.directories.append(entry.name)
    except OSError as problem:
        _log.log(level, "%s cannot be listed: %s", place, problem)
    return found


def _ours(root: Path, path: str) -> bool:
    """Return whether to list a directory: not `.local/`, nor the top of another repository."""
    return path != LOCAL_ROOM and not is_git_top(root / path)


def place_of_name(root: Path, name: WorkspacePath) -> ResolvedPath:
    """Return a path as given, and as it is with the links in its directories resolved (`real`).

    A link at the path itself is not resolved. `real` is None if the result is outside the root.
    """
    room, _, last = name.rpartition("/")
    real = resolved_path(root, room)
    if real is None:
        return ResolvedPath(name, None)
    return ResolvedPath(name, WorkspacePath(f"{real}/{last}" if real else last))


def is_there(root: Path, name: WorkspacePath) -> bool:
    """Return whether anything exists at the path `name` in the root, be it only a broken link."""
    return os.path.lexists(f"{root}/{name}")
