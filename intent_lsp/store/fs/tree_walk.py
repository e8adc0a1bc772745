"""Listing of files without git: all files below a directory, or the one file at a path.

Invariant: no file is opened. A link that is found in a directory is left out of its listing. A link
that is named itself counts as a file, as an operation on it affects the link, never its target.
Links among the directories of a named path are followed.
"""

import logging
import os
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.fs.root_search import is_git_top
from intent_lsp.store.fs.roots import RootsBelow

_log: Final = logging.getLogger(__name__)

_GIT: Final = ".git"


def files_below(root: Path, *, at_most: int) -> tuple[WorkspacePath, ...] | None:
    """Return all regular files below `root`, sorted, or None if there are more than `at_most`.

    Git's own files, `.local/` and repositories below the root are left out. A directory that cannot
    be listed is left out and logged. Bytes of a name that are not UTF-8 become surrogate escapes.
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
    files: list[WorkspacePath] = []
    inner: list[str] = []
    try:
        with os.scandir(root / room) as entries:
            for entry in entries:
                if entry.name == _GIT:
                    continue
                path = room + entry.name
                if entry.is_file(follow_symlinks=False):
                    files.append(WorkspacePath(path))
                elif entry.is_dir(follow_symlinks=False) and _ours(root, path):
                    inner.append(f"{path}/")
    except OSError as problem:
        _log.warning("%s cannot be listed: %s", root / room, problem)
    return files, inner


def files_named(
    root: Path, name: WorkspacePath, *, at_most: int
) -> tuple[WorkspacePath, ...] | None:
    """Return the path `name` if it is a file, or all files below it if it is a directory.

    Return None if there are more than `at_most`. A link, or a path that does not exist, counts as a
    file. Files of governed roots nested inside this root are left out; below a directory also
    `.local/`, git's own files and nested repositories.
    """
    full = f"{root}/{name}"
    others = RootsBelow(root)
    if os.path.islink(full) or not _is_directory(full):  # noqa: PTH114 - strings throughout
        return () if others.hold(name) else (name,)
    below = files_below(Path(full), at_most=at_most)
    if below is None:
        return None
    paths = (WorkspacePath(f"{name}/{path}") for path in below)
    local = f"{LOCAL_ROOM}/"
    return tuple(path for path in paths if not path.startswith(local) and not others.hold(path))


def _ours(root: Path, path: str) -> bool:
    """Return whether to list a directory: not `.local/`, nor the top of another repository."""
    return path != LOCAL_ROOM and not is_git_top(root / path)


def place_of_name(root: Path, name: WorkspacePath) -> ResolvedPath:
    """Return a path as given, and as it is with the links in its directories resolved (`real`).

    A link at the path itself is not resolved. `real` is None if the result is outside the root.
    """
    room, _, last = name.rpartition("/")
    if not room:
        return ResolvedPath(name, name)
    found = resolve_below(root, room)
    real = None if found is None else found.real
    return ResolvedPath(name, None if real is None else WorkspacePath(f"{real}/{last}"))


def is_there(root: Path, name: WorkspacePath) -> bool:
    """Return whether anything exists at the path `name` in the root, be it only a broken link."""
    return os.path.lexists(f"{root}/{name}")


def _is_directory(full: str) -> bool:
    try:
        return os.path.isdir(full)  # noqa: PTH112 - strings throughout
    except ValueError:  # A null character: nothing has such a name.
        return False
