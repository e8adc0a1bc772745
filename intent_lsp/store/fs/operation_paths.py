"""What a name in an operation stands for: a file, or every file below a directory.

Invariant: an operation on a link is one on the link, never on what it leads to.
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
    """List the files that a name of the root stands for; None: more than `at_most`.

    A name that is no directory stands for itself, whether anything is there or not. Left out are
    our local room, and what another governed root below this one governs.
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
    """Place a name of the root where it stands: links on its way are resolved, itself is not."""
    room, _, last = name.rpartition("/")
    if not room:
        return ResolvedPath(name, name)
    found = resolve_below(root, room)
    real = None if found is None else found.real
    return ResolvedPath(name, None if real is None else WorkspacePath(f"{real}/{last}"))


def is_there(root: Path, name: WorkspacePath) -> bool:
    """Whether anything has a name, be it a link that leads nowhere."""
    return os.path.lexists(f"{root}/{name}")


def _is_directory(full: str) -> bool:
    try:
        return os.path.isdir(full)  # noqa: PTH112 - strings throughout
    except ValueError:  # A null character: nothing has such a name.
        return False


def _is_apart(path: WorkspacePath) -> bool:
    return path.startswith(f"{LOCAL_ROOM}/")
