"""Paths given on the command line: the root that governs a path, and files below that root.

Invariant: paths are relative to the working directory or to -C, as with git.
"""

import os
from pathlib import Path

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.store.fs.resolve import is_directory, resolve_below
from intent_lsp.store.fs.roots import governed_root


def directory(spelled: str) -> Path:
    """Return `spelled` as a path. Raise WrongUsageError if it is not an existing directory."""
    found = Path(spelled)
    if not os.path.isdir(found):  # noqa: PTH112 - False for any error
        raise WrongUsageError(f"{spelled} is not a directory", cure="give one that exists")
    return found


def root_above(spelled: str) -> Path:
    """Return the nearest governed root at or above the directory `spelled`.

    The search goes no higher than the top of the git repository or the home directory. Raise
    WrongUsageError if it finds none, or if there is no such directory.
    """
    start = directory(spelled)
    governed = governed_root(str(start))
    if governed is None:
        raise WrongUsageError(
            f"{start.absolute()} is not governed: no .orchestration/active_intents.yaml in it"
            " or above it",
            cure="run `intent-lsp init` in the project's top directory, or give one with -C DIR",
        )
    return governed


def root_of_file(spelled: str, start: str) -> Path:
    """Return the root that governs the file `spelled`, a path relative to the directory `start`.

    `spelled` may be absolute. If no root governs it, return the one that governs `start`. Raise
    WrongUsageError if there is none, or if `start` is no directory.
    """
    governed = governed_root(str(directory(start).absolute() / spelled))
    return governed or root_above(start)


def file_below(root: Path, spelled: str, start: str) -> WorkspacePath:
    """Return the file name `spelled`, given relative to `start`, as a path relative to `root`.

    `start` is a directory. The file need not exist. Raise WrongUsageError for a directory or a path
    outside the root.
    """
    path = path_below(root, spelled, start)
    if is_directory(root, path):
        raise WrongUsageError(f"{spelled} is a directory", cure="give a file in it")
    return path


def path_below(root: Path, spelled: str, start: str) -> WorkspacePath:
    """Return the path `spelled`, given relative to `start`, as a path relative to `root`.

    `start` is a directory. Raise WrongUsageError if the path is the root itself or not below it.
    """
    place = resolve_below(root, str(Path(start).absolute() / spelled))
    if place is None:
        raise WrongUsageError(f"{spelled} is not below {root}", cure="give a file inside that root")
    return place.path


def refuse_control_file(file: Path, root: Path) -> None:
    """Raise WrongUsageError if `file`, or what it links to, is a control file of the root.

    Raise it also if the file's directory does not exist.
    """
    place = resolve_below(root, str(file.absolute()))
    names = () if place is None else (place.path, place.real)
    if any(name is not None and control_plane(name) for name in names):
        raise WrongUsageError(f"{file} is a control file of this project", cure="give another file")
    if not file.parent.is_dir():
        raise WrongUsageError(f"{file.parent} is not a directory", cure="create it first")
