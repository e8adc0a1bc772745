"""Listing of all files below a directory, without git.

Invariant: no file is opened. Links are not followed and do not count as files.
"""

import logging
import os
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.roots import is_git_top

_log: Final = logging.getLogger(__name__)

_GIT: Final = ".git"


def files_below(root: Path, *, at_most: int) -> tuple[WorkspacePath, ...] | None:
    """Return every regular file below `root` in path order, or None if more than `at_most`.

    Git's own files, `.local/` and repositories below the root are left out. A directory that cannot
    be listed is left out and logged. Names that are not UTF-8 have surrogate escapes.
    """
    found: list[WorkspacePath] = []
    rooms = [""]
    while rooms:
        files, inner = _entries(root, rooms.pop())
        found.extend(files)
        if len(found) > at_most:
            return None
        rooms.extend(inner)
    return tuple(sorted(found))


def _entries(root: Path, room: str) -> tuple[list[WorkspacePath], list[str]]:
    """Return the files and the subdirectories of a directory. Its path is "" or ends in `/`."""
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


def _ours(root: Path, path: str) -> bool:
    """Whether to list a directory: it is not `.local/` and not a repository of its own."""
    return path != LOCAL_ROOM and not is_git_top(root / path)
