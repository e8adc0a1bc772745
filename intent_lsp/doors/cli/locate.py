"""Paths on the command line: the governed root above a directory, and files below it.

Invariant: paths are relative to the working directory or to -C, as with git.
"""

from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.roots import governed_root


def directory(spelled: str) -> Path:
    """Return an existing directory. Raise WrongUsageError if it is not one."""
    found = Path(spelled)
    try:
        usable = found.is_dir()
    except (OSError, ValueError):  # A name that is too long, or holds a NUL.
        usable = False
    if not usable:
        raise WrongUsageError(f"{spelled} is not a directory", cure="give one that exists")
    return found


def root_above(spelled: str) -> Path:
    """Return the root that governs a directory. Raise WrongUsageError if none does."""
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
    """Return the root that governs a file, given relative to `start`, else the root of `start`.

    Raise WrongUsageError if neither is governed.
    """
    governed = governed_root(str(directory(start).absolute() / spelled))
    return governed or root_above(start)


def file_below(root: Path, spelled: str, start: str) -> WorkspacePath:
    """Return a file's path below the root. It is given relative to `start` and need not exist.

    Raise WrongUsageError for a directory or a path outside the root.
    """
    path = path_below(root, spelled, start)
    if (root / path).is_dir():
        raise WrongUsageError(f"{spelled} is a directory", cure="give a file in it")
    return path


def path_below(root: Path, spelled: str, start: str) -> WorkspacePath:
    """Return the path below the root of a path relative to `start`, or raise WrongUsageError."""
    place = resolve_below(root, str(Path(start).absolute() / spelled))
    if place is None:
        raise WrongUsageError(f"{spelled} is not below {root}", cure="give a file inside that root")
    return place.path
