"""The directories of a work tree that can hold files which git does not ignore.

Invariant: no file is opened, no link is followed, and nested repositories are left out.
"""

import logging
import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.store.fs.roots import is_git_top
from intent_lsp.store.git.program import run_git

_log: Final = logging.getLogger(__name__)

_IGNORED: Final = ("--others", "--ignored", "--exclude-standard", "--directory")


def tree_rooms(root: Path, *, at_most: int) -> frozenset[Path] | None:
    """Return `root` and all directories below it, or None if they are more than `at_most`.

    Left out are `.git`, the local directory, directories that git ignores as a whole, and nested
    repositories. If git does not answer, no directory counts as ignored.
    """
    printed = run_git(root, "ls-files", "-z", *_IGNORED, "--", ".") or b""
    ignored = frozenset(name.rstrip("/") for name in os.fsdecode(printed).split("\0"))
    found = [""]
    for room in found:
        found.extend(_inner(root, room, ignored))
        if len(found) > at_most:
            return None
    return frozenset(root / room for room in found)


def _inner(root: Path, room: str, ignored: Collection[str]) -> list[str]:
    """Return the subdirectories of one directory, which is "" or a path relative to the root."""
    try:
        with os.scandir(root / room) as entries:
            rooms = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as problem:
        _log.info("%s cannot be listed: %s", root / room, problem)
        return []
    paths = [f"{room}/{name}" if room else name for name in rooms if name != ".git"]
    return [
        path
        for path in paths
        if path != LOCAL_ROOM and path not in ignored and not is_git_top(root / path)
    ]
