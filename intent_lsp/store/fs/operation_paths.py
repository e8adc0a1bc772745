"""The files that a name in a file operation refers to: one file, or all below a directory.

Invariant: an operation on a link affects the link, never its target.
"""

import os
from pathlib import Path

from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.fs.tree_walk import files_below


def files_named(
    root: Path, name: WorkspacePath, *, at_most: int
) -> tuple[WorkspacePath, ...] | None:
    """Return the files that a name in the root refers to, or None if there are more than `at_most`.

    A name that is not a directory refers to itself, whether it exists or not. `.local/` and the
    files of governed roots below this one are left out.
    """
    full = f"{root}/{name}"
    others = RootsBelow(root)
    if os.path.islink(full) or not _is_directory(full):  # noqa: PTH114 - strings throughout
        return () if others.hold(name) else (name,)
    below = files_below(Path(full), at_most=at_most)
    if below is None:
        return None
    paths = (WorkspacePath(f"{name}/{path}") for path in below)
    return tuple(path for path in paths if not _is_apart(path) and not others.hold(path))


def place_of_name(root: Path, name: WorkspacePath) -> ResolvedPath:
    """Resolve the links in the directories of a name, but not the name itself."""
    room, _, last = name.rpartition("/")
    if not room:
        return ResolvedPath(name, name)
    found = resolve_below(root, room)
    real = None if found is None else found.real
    return ResolvedPath(name, None if real is None else WorkspacePath(f"{real}/{last}"))


def is_there(root: Path, name: WorkspacePath) -> bool:
    """Whether anything has this name, even a link to nothing."""
    return os.path.lexists(f"{root}/{name}")


def _is_directory(full: str) -> bool:
    try:
        return os.path.isdir(full)  # noqa: PTH112 - strings throughout
    except ValueError:  # A null character: nothing has such a name.
        return False


def _is_apart(path: WorkspacePath) -> bool:
    """Whether a path is inside `.local/`."""
    return path.startswith(f"{LOCAL_ROOM}/")
